//! Cross tables as in tournament reports of Gomoku programs (Shao and Shao, 2021): wins and losses
//! against each opponent, their ratio, and points by matches.

use serde::Serialize;

use super::layout::{LINE, cells, columns, csv, line_length, shortened};
use super::matrix;
use crate::InvalidInput;
use crate::statistics::WinDrawLoss;
use crate::statistics::pool::{self, PoolGame};

/// The cross table of a pool of players, best first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrossTable {
    /// One row per player, best first.
    pub rows: Vec<CrossRow>,
}

/// A player of a cross table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrossRow {
    /// The player's number in the pool.
    pub player: usize,
    /// The player's name.
    pub name: String,
    /// Results against the player of each row, in the order of the rows; `None` against itself and
    /// where the two played no games.
    pub against: Vec<Option<WinDrawLoss>>,
    /// The total of all games.
    pub total: WinDrawLoss,
    /// Wins per loss; `None` without losses (infinite, or no games).
    pub ratio: Option<f64>,
    /// Match points: 3 for each opponent with fewer wins than losses in their games, 1 for each
    /// with equally many.
    pub points: u64,
}

/// Match points for more wins than losses against an opponent.
const MATCH_WON: u64 = 3;
/// Match points for equal wins and losses.
const MATCH_DRAWN: u64 = 1;

impl CrossTable {
    /// Builds the table of these games; player `i` has the name `names[i]`.
    pub fn new(names: &[String], games: &[PoolGame]) -> Result<CrossTable, InvalidInput> {
        let against = pool::against(names.len(), games)?;
        let row = |(player, name): (usize, &String)| {
            let total: WinDrawLoss = against[player].iter().copied().sum();
            CrossRow {
                player,
                name: name.clone(),
                total,
                ratio: (total.losses > 0).then(|| total.wins as f64 / total.losses as f64),
                points: against[player].iter().map(match_points).sum(),
                against: Vec::new(),
            }
        };
        let mut rows: Vec<CrossRow> = names.iter().enumerate().map(row).collect();
        rows.sort_by(|a, b| b.points.cmp(&a.points).then(b.sort_key().total_cmp(&a.sort_key())));
        let order: Vec<usize> = rows.iter().map(|row| row.player).collect();
        for row in &mut rows {
            let met = |&other: &usize| Some(against[row.player][other]).filter(|t| t.games() > 0);
            row.against = order.iter().map(met).collect();
        }
        Ok(CrossTable { rows })
    }

    /// Formats an aligned table. Cells are `wins:losses` (`wins:losses=draws` with draws) of the
    /// row's player against the column's; in a table wider than 100 characters they are the share
    /// of the points in percent.
    pub fn text(&self) -> String {
        let percent: fn(WinDrawLoss) -> String = |tally| format!("{:.0}", 100.0 * share(&tally));
        let forms = [
            (cell_text as fn(WinDrawLoss) -> String, self.legend()),
            (percent, "points in percent of the row against the column"),
        ];
        // Ever shorter forms until one fits.
        let widths = [(2, 28), (2, 20), (1, 20), (1, 14), (1, 10)];
        let forms = forms.into_iter().flat_map(|form| widths.map(|width| (form, width)));
        let mut shown = (Vec::new(), 0, "");
        for ((cell, legend), (gap, name)) in forms {
            shown = (self.lines(name, cell), gap, legend);
            if line_length(&shown.0, gap) <= LINE {
                break;
            }
        }
        let (lines, gap, legend) = shown;
        let mut text = columns(&lines, 1..=1, gap);
        text.push_str(&format!(
            "\ncells: {legend}; points: 3 for a match won, 1 for a match drawn\n"
        ));
        for (row, line) in
            self.rows.iter().zip(&lines[1..]).filter(|(row, line)| row.name != line[1])
        {
            text.push_str(&format!("{}: {}\n", line[0], shortened(&row.name, usize::MAX)));
        }
        text
    }

    /// Formats comma-separated values, with full names.
    pub fn csv(&self) -> String {
        let sums = ["wins", "draws", "losses", "ratio", "points"];
        let mut lines = vec![cells(["rank", "name"].into_iter().chain(self.names()).chain(sums))];
        for (rank, row) in (1..).zip(&self.rows) {
            let WinDrawLoss { wins, draws, losses } = row.total;
            let counts = [wins, draws, losses].map(|count| count.to_string());
            let mut line = vec![rank.to_string(), row.name.clone()];
            line.extend(row.cells("", cell_text).chain(counts));
            line.extend([row.ratio_text(), row.points.to_string()]);
            lines.push(line);
        }
        csv(&lines)
    }

    /// Draws the score matrix: blue where the row's player did well against the column's, orange
    /// where not.
    pub fn svg(&self) -> String {
        let heading = [""].into_iter().chain(self.names()).chain(SUMS);
        let mut lines = vec![cells(heading)];
        for (rank, row) in (1..).zip(&self.rows) {
            let name = format!("{rank} {}", row.name);
            let line = std::iter::once(name).chain(row.cells("–", cell_text)).chain(row.sums());
            lines.push(line.collect());
        }
        let title = format!("Cross table: {} of the row against the column", self.legend());
        matrix::render(&title, &lines, |row, column| {
            let tally = self.rows[row].against.get(column)?.as_ref()?;
            Some(2.0 * share(tally) - 1.0)
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.name.as_str())
    }

    fn legend(&self) -> &'static str {
        let drawn = self.rows.iter().any(|row| row.total.draws > 0);
        if drawn { "wins:losses=draws" } else { "wins:losses" }
    }

    fn lines(&self, name: usize, cell: fn(WinDrawLoss) -> String) -> Vec<Vec<String>> {
        let numbers: Vec<String> = (1..=self.rows.len()).map(|n| n.to_string()).collect();
        let heading = ["#", "name"].into_iter().chain(numbers.iter().map(String::as_str));
        let mut lines = vec![cells(heading.chain(SUMS))];
        for (rank, row) in numbers.iter().zip(&self.rows) {
            let start = [rank.clone(), shortened(&row.name, name)];
            lines.push(start.into_iter().chain(row.cells("-", cell)).chain(row.sums()).collect());
        }
        lines
    }
}

/// The columns after the cells.
const SUMS: [&str; 3] = ["total", "ratio", "points"];

impl CrossRow {
    /// The ratio as a sort key: infinite without losses, 0 without wins.
    fn sort_key(&self) -> f64 {
        let without_losses = if self.total.wins > 0 { f64::INFINITY } else { 0.0 };
        self.ratio.unwrap_or(without_losses)
    }

    /// The results against each other player; `none` against itself and where the two played no
    /// games.
    fn cells(&self, none: &str, cell: fn(WinDrawLoss) -> String) -> impl Iterator<Item = String> {
        self.against.iter().map(move |tally| tally.map_or(none.to_string(), cell))
    }

    fn sums(&self) -> [String; 3] {
        [cell_text(self.total), self.ratio_text(), self.points.to_string()]
    }

    fn ratio_text(&self) -> String {
        match self.ratio {
            Some(ratio) => format!("{ratio:.3}"),
            None if self.total.wins > 0 => "∞".to_string(),
            None => "-".to_string(),
        }
    }
}

fn match_points(tally: &WinDrawLoss) -> u64 {
    match tally.wins.cmp(&tally.losses) {
        std::cmp::Ordering::Greater => MATCH_WON,
        std::cmp::Ordering::Equal if tally.games() > 0 => MATCH_DRAWN,
        _ => 0,
    }
}

fn cell_text(tally: WinDrawLoss) -> String {
    match tally.draws {
        0 => format!("{}:{}", tally.wins, tally.losses),
        draws => format!("{}:{}={draws}", tally.wins, tally.losses),
    }
}

fn share(tally: &WinDrawLoss) -> f64 {
    if tally.games() == 0 { 0.5 } else { tally.points() / tally.games() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::svg::tests::check;
    use tesuji_games::{Outcome, Side};

    /// The table of Shao and Shao (2021): wins of the row against the column. (One match there was
    /// two games.)
    const NAMES: [&str; 13] = [
        "YIXIN18",
        "WINE18",
        "pela",
        "ZETOR17",
        "pyzobrist",
        "SPARKLE",
        "EULRING16",
        "NOESIS04",
        "PISQ04",
        "VALKYRIE13",
        "PUREROCKY16",
        "FIVEROW08",
        "mushroom",
    ];
    const WINS: [[u64; 13]; 13] = [
        [0, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
        [1, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
        [0, 0, 0, 5, 5, 6, 5, 6, 6, 6, 6, 6, 2],
        [0, 0, 1, 0, 3, 5, 6, 5, 6, 6, 5, 5, 6],
        [0, 0, 1, 3, 0, 5, 5, 4, 5, 6, 6, 5, 6],
        [0, 0, 0, 1, 1, 0, 4, 3, 6, 6, 6, 6, 6],
        [0, 0, 1, 0, 1, 2, 0, 4, 5, 5, 6, 4, 6],
        [0, 0, 0, 1, 2, 3, 2, 0, 3, 6, 6, 6, 5],
        [0, 0, 0, 0, 1, 0, 1, 3, 0, 5, 6, 2, 5],
        [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 3, 6, 5],
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 5, 6],
        [0, 0, 0, 1, 1, 0, 2, 0, 4, 0, 1, 0, 4],
        [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 2, 0],
    ];

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn published() -> CrossTable {
        // Shuffled; the table must restore the order.
        let order: Vec<usize> = (0..13).map(|i| (i * 5 + 3) % 13).collect();
        let place = |player: usize| order.iter().position(|&p| p == player).unwrap();
        let mut games = Vec::new();
        for (row, wins) in WINS.iter().enumerate() {
            for (column, &wins) in wins.iter().enumerate() {
                let players = [place(row), place(column)];
                let game = PoolGame { players, outcome: Outcome::Win(Side::First), pair: 0 };
                games.extend((0..wins).map(|pair| PoolGame { pair, ..game }));
            }
        }
        let called: Vec<&str> = order.iter().map(|&player| NAMES[player]).collect();
        CrossTable::new(&names(&called), &games).unwrap()
    }

    #[test]
    fn the_published_table_is_reproduced() {
        let table = published();
        let points: Vec<u64> = table.rows.iter().map(|row| row.points).collect();
        assert_eq!(points, [36, 33, 30, 25, 25, 19, 18, 14, 10, 7, 7, 6, 0]);
        let shown: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(shown, NAMES);
        let ratios: Vec<String> = table.rows.iter().map(CrossRow::ratio_text).collect();
        let printed = [
            "71.000", "13.400", "3.533", "2.000", "1.769", "1.182", "0.895", "0.895", "0.469",
            "0.286", "0.263", "0.220", "0.079",
        ];
        assert_eq!(ratios, printed);
        let ours = &table.rows[4];
        assert_eq!(cell_text(ours.total), "46:26");
        let met: Vec<String> =
            ours.against.iter().flatten().map(|tally| cell_text(*tally)).collect();
        let printed =
            ["0:6", "0:6", "1:5", "3:3", "5:1", "5:1", "4:2", "5:1", "6:0", "6:0", "5:1", "6:0"];
        assert_eq!(met, printed);
    }

    fn small() -> CrossTable {
        let win = Outcome::Win(Side::First);
        let game = |a, b, outcome| PoolGame { players: [a, b], outcome, pair: 0 };
        let games = [
            game(0, 1, win),
            game(1, 0, Outcome::Draw),
            game(0, 1, win),
            game(2, 0, win),
            game(2, 0, Outcome::Win(Side::Second)),
        ];
        CrossTable::new(
            &names(&["random", "a, \"b\" <&>", "alphabeta:depth=10,table=64M", "idle"]),
            &games,
        )
        .unwrap()
    }

    #[test]
    fn text() {
        let expected = "\
#  name                              1    2      3  4  total  ratio  points
1  random                            -  1:1  2:0=1  -  3:1=1  3.000       4
2  alphabeta:depth=10,table=64M    1:1    -      -  -    1:1  1.000       1
3  a, \"b\" <&>                    0:2=1    -      -  -  0:2=1  0.000       0
4  idle                              -    -      -  -    0:0      -       0

cells: wins:losses=draws; points: 3 for a match won, 1 for a match drawn
";
        assert_eq!(small().text(), expected);
    }

    #[test]
    fn csv() {
        let expected = "\
rank,name,random,\"alphabeta:depth=10,table=64M\",\"a, \"\"b\"\" <&>\",idle,wins,draws,losses,ratio,points
1,random,,1:1,2:0=1,,3,1,1,3.000,4
2,\"alphabeta:depth=10,table=64M\",1:1,,,,1,0,1,1.000,1
3,\"a, \"\"b\"\" <&>\",0:2=1,,,,0,1,2,0.000,0
4,idle,,,,,0,0,0,-,0
";
        assert_eq!(small().csv(), expected);
    }

    #[test]
    fn pictures_name_all_players() {
        for table in [small(), published(), CrossTable::new(&[], &[]).unwrap()] {
            let svg = table.svg();
            check(&svg);
            for row in &table.rows {
                let name = row
                    .name
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;")
                    .replace('"', "&quot;");
                assert!(svg.matches(&format!("{name}</text>")).count() == 2, "{name}");
            }
        }
    }

    #[test]
    fn twelve_players_fit_a_hundred_columns() {
        for games_each in [6, 40, 1000, 100_000] {
            let called: Vec<String> =
                (0..12).map(|n| format!("engine:depth={n},table=64M")).collect();
            let mut games = Vec::new();
            for a in 0..12 {
                for b in 0..a {
                    // A one-sided score with draws, scaled up below instead of played.
                    let each = games_each.min(12);
                    let outcomes =
                        [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
                    games.extend((0..each).map(|n| PoolGame {
                        players: [a, b],
                        outcome: outcomes[n % 3],
                        pair: 0,
                    }));
                }
            }
            let mut table = CrossTable::new(&called, &games).unwrap();
            let factor = (games_each / 12).max(1) as u64;
            for tally in table
                .rows
                .iter_mut()
                .flat_map(|row| row.against.iter_mut().flatten().chain([&mut row.total]))
            {
                *tally = WinDrawLoss {
                    wins: tally.wins * factor,
                    draws: tally.draws * factor,
                    losses: tally.losses * factor,
                };
            }
            let text = table.text();
            assert!(text.contains("\n1: engine:depth="), "full names below:\n{text}");
            let lines = text.lines().take_while(|line| !line.is_empty());
            let longest = lines.map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= 100, "{games_each}: {longest}\n{text}");
        }
    }

    #[test]
    fn json_has_what_the_text_has() {
        let json = serde_json::to_value(small()).unwrap();
        assert_eq!(json["rows"][0]["name"], "random");
        assert_eq!(json["rows"][0]["against"][2]["wins"], 2);
        assert_eq!(json["rows"][0]["points"], 4);
        assert!(json["rows"][3]["ratio"].is_null());
    }

    #[test]
    fn unknown_players_are_refused() {
        let game = PoolGame { players: [0, 5], outcome: Outcome::Draw, pair: 0 };
        let error = CrossTable::new(&names(&["a", "b"]), &[game]).unwrap_err().to_string();
        assert_eq!(error, "game 0: no player 5; expected a number below 2");
    }
}
