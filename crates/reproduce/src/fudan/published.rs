//! The table of the report's tournament, cell by cell, with its totals, ratios and points.

use tesuji_games::{Outcome, Side};
use tesuji_play::PoolGame;
use tesuji_play::WinDrawLoss;
use tesuji_play::report::CrossTable;

use super::bayes_elo::pool;
use crate::comparison::{ComparisonVerdict, Estimate};
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
    /// Its rating in Gomocup's list.
    pub(super) gomocup: Option<f64>,
}

const fn player(
    name: &'static str,
    wins: [u64; 13],
    [won, lost]: [u64; 2],
    ratio: &'static str,
    points: u64,
    gomocup: Option<f64>,
) -> Player {
    let total = WinDrawLoss { wins: won, draws: 0, losses: lost };
    Player { name, wins, total, ratio, points, gomocup }
}

/// As published; pela and mushroom had played two of their six games. Ratings: Gomocup's list for
/// free style on 20×20 of 14 June 2026 (github.com/Gomocup/GomocupEloRating, commit 93024f3), made
/// by BayesElo; PUREROCKY16 is not in it.
pub(super) const PLAYERS: [Player; 13] = [
    player("YIXIN18", [0, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6], [71, 1], "71.000", 36, Some(2217.0)),
    player("WINE18", [1, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6], [67, 5], "13.400", 33, Some(1891.0)),
    player("pela", [0, 0, 0, 5, 5, 6, 5, 6, 6, 6, 6, 6, 2], [53, 15], "3.533", 30, Some(1509.0)),
    player("ZETOR17", [0, 0, 1, 0, 3, 5, 6, 5, 6, 6, 5, 5, 6], [48, 24], "2.000", 25, Some(1376.0)),
    player("pyzobrist", [0, 0, 1, 3, 0, 5, 5, 4, 5, 6, 6, 5, 6], [46, 26], "1.769", 25, None),
    player("SPARKLE", [0, 0, 0, 1, 1, 0, 4, 3, 6, 6, 6, 6, 6], [39, 33], "1.182", 19, Some(1136.0)),
    player(
        "EULRING16",
        [0, 0, 1, 0, 1, 2, 0, 4, 5, 5, 6, 4, 6],
        [34, 38],
        "0.895",
        18,
        Some(1253.0),
    ),
    player("NOESIS04", [0, 0, 0, 1, 2, 3, 2, 0, 3, 6, 6, 6, 5], [34, 38], "0.895", 14, Some(960.0)),
    player("PISQ04", [0, 0, 0, 0, 1, 0, 1, 3, 0, 5, 6, 2, 5], [23, 49], "0.469", 10, Some(826.0)),
    player(
        "VALKYRIE13",
        [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 3, 6, 5],
        [16, 56],
        "0.286",
        7,
        Some(676.0),
    ),
    player("PUREROCKY16", [0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 5, 6], [15, 57], "0.263", 7, None),
    player("FIVEROW08", [0, 0, 0, 1, 1, 0, 2, 0, 4, 0, 1, 0, 4], [13, 59], "0.220", 6, Some(674.0)),
    player("mushroom", [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 2, 0], [5, 63], "0.079", 0, Some(304.0)),
];
/// The report's best agent.
pub(super) const OWN: usize = 4;

/// Its published rating, "around 1600 under Bayesian Elo".
pub(super) const AGENT_RATING: f64 = 1600.0;
/// The rating that another team of the same course and year gives for its agent, an adversarial
/// search with tables of shapes (github.com/Darkroom-Godot/DATA130008.01-Group-Project-Gomoku).
pub(super) const SIBLING_RATING: f64 = 1845.0;

/// Returns the agent's games against one of the players.
pub(super) fn against(opponent: usize) -> WinDrawLoss {
    let (won, lost) = (PLAYERS[OWN].wins[opponent], PLAYERS[opponent].wins[OWN]);
    WinDrawLoss { wins: won, draws: 0, losses: lost }
}

/// Engines that are not in the table but in the same list of Gomocup, each with its version there.
const OTHERS: [(&str, f64); 2] = [("pentazen21", 2171.0), ("slowrenju20", 1845.0)];

/// Returns a player of the table by its name; the year at its end may be left out.
pub(super) fn named(name: &str) -> Option<usize> {
    PLAYERS.iter().position(|player| is_name_of(name, player.name))
}

fn is_name_of(name: &str, full: &str) -> bool {
    let without_year = full.trim_end_matches(|c: char| c.is_ascii_digit());
    name.eq_ignore_ascii_case(full) || name.eq_ignore_ascii_case(without_year)
}

/// Returns the rating of an engine in Gomocup's list.
pub(super) fn gomocup_rating(name: &str) -> Option<f64> {
    let other = || OTHERS.iter().find(|(full, _)| is_name_of(name, full)).map(|(_, elo)| *elo);
    named(name).map_or_else(other, |player| PLAYERS[player].gomocup)
}

/// The mean of the table's ratings in the report. The report does not give it; with 1500 its agent
/// has the published "around 1600".
const MEAN: f64 = 1500.0;

/// Returns the ratings of the table's players from the published cells, on the scale of the report.
pub(super) fn report_ratings() -> [f64; 13] {
    pool(&PLAYERS.each_ref().map(|player| player.wins), MEAN)
}

/// Adds up the published cells with our cross table, and rates them by BayesElo's model. Nothing is
/// measured.
pub(super) fn tables() -> Result<[ComparisonTable; 2], ReproduceError> {
    let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
    let names = PLAYERS.each_ref().map(|player| player.name.to_string());
    let table = CrossTable::new(&names, &games()).map_err(|error| failed(&error))?;
    let added = "published cells, added up again";
    let sums = PLAYERS.iter().enumerate().map(|(number, player)| {
        let row = table.rows.iter().find(|row| row.player == number);
        let (total, points) =
            row.map_or((WinDrawLoss::default(), 0), |row| (row.total, row.points));
        let ratio = row.and_then(|row| row.ratio).map_or("-".to_string(), |r| format!("{r:.3}"));
        let said = sums(&player.total, player.ratio, player.points);
        let ours = sums(&total, &ratio, points);
        let same = said == ours;
        ComparisonRow::claim(player.name, said, ReportedValue::words(ours), same).as_input(added)
    });
    let rated = PLAYERS.iter().zip(report_ratings()).enumerate().map(|(number, (player, elo))| {
        let ours = ReportedValue::number(Estimate::exact(elo.round()), 0, "");
        let published = (number == OWN).then(|| {
            let around = Estimate::exact(AGENT_RATING);
            ReportedValue::of(around, "around 1600")
        });
        let why = match player.gomocup {
            Some(elo) => format!("published cells, rated again; {elo} in Gomocup's list"),
            None => "published cells, rated again".to_string(),
        };
        ComparisonRow::from_parts(player.name, published, ours, ComparisonVerdict::Input, why)
    });
    Ok([
        ComparisonTable::new(
            "The published cells in our cross table: wins, losses, ratio, points",
            sums.collect(),
        ),
        ComparisonTable::new(
            format!("The published cells, rated by BayesElo's model (mean {MEAN})"),
            rated.collect(),
        ),
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

    #[test]
    fn the_published_sums_follow_from_the_published_cells() {
        let [sums, _] = tables().unwrap();
        assert!(sums.rows.iter().all(|row| row.why.ends_with("it holds")), "{sums:?}");
        assert!(sums.rows.iter().all(|row| !row.verdict.is_counted()));
        let total = PLAYERS[OWN].total;
        assert_eq!((0..13).map(|n| against(n).wins).sum::<u64>(), total.wins);
        assert_eq!((0..13).map(|n| against(n).losses).sum::<u64>(), total.losses);
    }

    /// Computed independently of this program: 120 above the mean, YIXIN18 750 above it.
    #[test]
    fn the_published_cells_give_the_published_rating_around_a_mean_of_1500() {
        let ratings = report_ratings();
        assert!((ratings[OWN] - 1620.0).abs() < 1.0, "{ratings:?}");
        assert!((ratings[0] - 2250.0).abs() < 1.0, "{ratings:?}");
        assert!(ratings.windows(2).all(|pair| pair[0] > pair[1] - 1.0), "{ratings:?}");
    }

    #[test]
    fn engines_are_found_with_and_without_their_year() {
        assert_eq!([named("wine"), named("WINE18"), named("Pela")], [Some(1), Some(1), Some(2)]);
        assert_eq!([named("win"), named(""), named("wine17")], [None; 3]);
        assert_eq!(gomocup_rating("wine"), Some(1891.0));
        assert_eq!(gomocup_rating("pentazen"), Some(2171.0));
        assert_eq!([gomocup_rating("purerocky"), gomocup_rating("mine")], [None; 2]);
    }
}
