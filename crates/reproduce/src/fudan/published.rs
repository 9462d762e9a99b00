//! The table of the report's tournament, cell by cell, with its totals, ratios and points.

use tesuji_games::{Outcome, Side};
use tesuji_play::PoolGame;
use tesuji_play::WinDrawLoss;
use tesuji_play::report::CrossTable;
use tesuji_play::statistics::{PoolOptions, rate};

use crate::report::{ComparisonRow, ComparisonTable, ReportedValue};
use crate::run::ReproduceError;

/// A column of the table.
pub(super) struct Player {
    pub(super) name: &'static str,
    /// Games won against each player, in the order of the table.
    wins: [u64; 13],
    total: WinDrawLoss,
    ratio: &'static str,
    points: u64,
}

const fn player(
    name: &'static str,
    wins: [u64; 13],
    [won, lost]: [u64; 2],
    ratio: &'static str,
    points: u64,
) -> Player {
    Player { name, wins, total: WinDrawLoss { wins: won, draws: 0, losses: lost }, ratio, points }
}

/// As published; pela and mushroom had played two of their six games.
pub(super) const PLAYERS: [Player; 13] = [
    player("YIXIN18", [0, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6], [71, 1], "71.000", 36),
    player("WINE18", [1, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6], [67, 5], "13.400", 33),
    player("pela", [0, 0, 0, 5, 5, 6, 5, 6, 6, 6, 6, 6, 2], [53, 15], "3.533", 30),
    player("ZETOR17", [0, 0, 1, 0, 3, 5, 6, 5, 6, 6, 5, 5, 6], [48, 24], "2.000", 25),
    player("pyzobrist", [0, 0, 1, 3, 0, 5, 5, 4, 5, 6, 6, 5, 6], [46, 26], "1.769", 25),
    player("SPARKLE", [0, 0, 0, 1, 1, 0, 4, 3, 6, 6, 6, 6, 6], [39, 33], "1.182", 19),
    player("EULRING16", [0, 0, 1, 0, 1, 2, 0, 4, 5, 5, 6, 4, 6], [34, 38], "0.895", 18),
    player("NOESIS04", [0, 0, 0, 1, 2, 3, 2, 0, 3, 6, 6, 6, 5], [34, 38], "0.895", 14),
    player("PISQ04", [0, 0, 0, 0, 1, 0, 1, 3, 0, 5, 6, 2, 5], [23, 49], "0.469", 10),
    player("VALKYRIE13", [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 3, 6, 5], [16, 56], "0.286", 7),
    player("PUREROCKY16", [0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 5, 6], [15, 57], "0.263", 7),
    player("FIVEROW08", [0, 0, 0, 1, 1, 0, 2, 0, 4, 0, 1, 0, 4], [13, 59], "0.220", 6),
    player("mushroom", [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 2, 0], [5, 63], "0.079", 0),
];
/// The report's best agent.
pub(super) const OWN: usize = 4;

/// Returns the agent's games against one of the players.
pub(super) fn against(opponent: usize) -> WinDrawLoss {
    let (won, lost) = (PLAYERS[OWN].wins[opponent], PLAYERS[opponent].wins[OWN]);
    WinDrawLoss { wins: won, draws: 0, losses: lost }
}

/// Checks the published cells with our cross table and rating.
pub(super) fn tables(seed: u64) -> Result<[ComparisonTable; 2], ReproduceError> {
    let games = games();
    let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
    let names = PLAYERS.each_ref().map(|player| player.name.to_string());
    let table = CrossTable::new(&names, &games).map_err(|error| failed(&error))?;
    let options = PoolOptions { anchor: OWN, anchor_elo: 1600.0, seed, ..PoolOptions::default() };
    let ratings = rate(PLAYERS.len(), &games, &options).map_err(|error| failed(&error))?;
    let sums = PLAYERS.iter().enumerate().map(|(number, player)| {
        let row = table.rows.iter().find(|row| row.player == number);
        let (total, points) =
            row.map_or((WinDrawLoss::default(), 0), |row| (row.total, row.points));
        let ratio = row.and_then(|row| row.ratio).map_or("-".to_string(), |r| format!("{r:.3}"));
        let said = sums(&player.total, player.ratio, player.points);
        let ours = sums(&total, &ratio, points);
        let same = said == ours;
        ComparisonRow::claim(player.name, said, ReportedValue::words(ours), same)
    });
    let place = |player: usize| {
        let found = ratings.rows.iter().position(|row| row.player == player);
        found.map_or(0, |place| place as u64 + 1)
    };
    let places = (0..PLAYERS.len())
        .map(|player| ComparisonRow::count(PLAYERS[player].name, player as u64 + 1, place(player)));
    Ok([
        ComparisonTable::new(
            "The published cells in our cross table: wins, losses, ratio, points",
            sums.collect(),
        ),
        ComparisonTable::new("The published cells in our rating: places", places.collect()),
    ])
}

fn sums(total: &WinDrawLoss, ratio: &str, points: u64) -> String {
    format!("{}:{}, {ratio}, {points} points", total.wins, total.losses)
}

/// Returns the published games. The side that moved first is unknown, so wins are split between
/// both sides.
fn games() -> Vec<PoolGame> {
    let mut games = Vec::new();
    for (winner, player) in PLAYERS.iter().enumerate() {
        for (loser, &wins) in player.wins.iter().enumerate() {
            games.extend((0..wins).map(|number| match number % 2 {
                0 => game([winner, loser], Side::First, number / 2),
                _ => game([loser, winner], Side::Second, number / 2),
            }));
        }
    }
    games
}

fn game(players: [usize; 2], winner: Side, pair: u64) -> PoolGame {
    PoolGame { players, outcome: Outcome::Win(winner), pair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;

    #[test]
    fn the_published_sums_follow_from_the_published_cells() {
        let [sums, places] = tables(1).unwrap();
        assert!(sums.rows.iter().all(|row| row.verdict == ComparisonVerdict::Agrees), "{sums:?}");
        assert_eq!(places.rows[OWN].ours.value, Some(5.0));
        let total = PLAYERS[OWN].total;
        assert_eq!((0..13).map(|n| against(n).wins).sum::<u64>(), total.wins);
        assert_eq!((0..13).map(|n| against(n).losses).sum::<u64>(), total.losses);
    }
}
