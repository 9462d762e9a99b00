//! The competition table of Loos's thesis: players × search depths, the score at each depth, the
//! sum, and a sum weighted by depth.

use std::mem::take;

use serde::Serialize;
use tesuji_games::{Outcome, Side};

use super::layout::{cells, columns, csv, decimals, shortened};
use super::matrix;
use crate::InvalidInput;

/// The scores of players at several search depths.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Competition {
    depths: Vec<String>,
    weights: Vec<f64>,
    points: GamePoints,
    /// Number of games counted by [`add`](Self::add).
    pub games: u64,
    /// The players.
    pub rows: Vec<CompetitionRow>,
}

/// Points for the results of a game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct GamePoints {
    win: f64,
    draw: f64,
    loss: f64,
}

/// The rule that reproduces the sums of the thesis's Table 5-4.
const POINTS: GamePoints = GamePoints { win: 2.0, draw: 1.0, loss: -2.0 };

/// The scores of a player and their sums.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CompetitionRow {
    /// The player's name.
    pub name: String,
    /// The score at each depth.
    pub scores: Vec<f64>,
    /// The sum of the scores.
    pub total: f64,
    /// The sum weighted by depth.
    pub weighted: f64,
}

impl Competition {
    /// The weights of the thesis, for depths 0 to 4.
    pub const WEIGHTS: [f64; 5] = [0.1, 0.2, 0.3, 0.5, 1.0];

    /// Creates an empty table. A depth is the heading of a column; without `weights` there must be
    /// five of them.
    pub fn new(
        players: Vec<String>,
        depths: Vec<String>,
        weights: Option<Vec<f64>>,
    ) -> Result<Competition, InvalidInput> {
        let count = depths.len();
        let weights = match weights {
            Some(weights) => weights,
            None if count == Self::WEIGHTS.len() => Self::WEIGHTS.to_vec(),
            None => {
                return Err(InvalidInput(format!(
                    "weights: none given for {count} depths; expected one per depth (the default 0.1, 0.2, 0.3, 0.5, 1 is for 5 depths)"
                )));
            }
        };
        if weights.len() != count {
            let given = weights.len();
            return Err(InvalidInput(format!(
                "weights: {given} for {count} depths; expected one per depth"
            )));
        }
        all_finite("weights", &weights)?;
        let row = |name| CompetitionRow::new(name, vec![0.0; count], &weights);
        let rows = players.into_iter().map(row).collect();
        Ok(Competition { depths, weights, points: POINTS, games: 0, rows })
    }

    /// Counts a game in a column. The first of the two players had the first move.
    pub fn add(
        &mut self,
        depth: usize,
        players: [usize; 2],
        outcome: Outcome,
    ) -> Result<(), InvalidInput> {
        players.into_iter().try_for_each(|player| self.check(player, depth))?;
        for (player, side) in players.into_iter().zip(Side::ALL) {
            let points = match outcome.winner() {
                None => self.points.draw,
                Some(winner) if winner == side => self.points.win,
                Some(_) => self.points.loss,
            };
            self.add_score(player, depth, points)?;
        }
        self.games += 1;
        Ok(())
    }

    /// Adds points from another source, such as a printed table.
    pub fn add_score(
        &mut self,
        player: usize,
        depth: usize,
        score: f64,
    ) -> Result<(), InvalidInput> {
        self.check(player, depth)?;
        all_finite("scores", &[score])?;
        let row = &mut self.rows[player];
        row.scores[depth] += score;
        *row = CompetitionRow::new(take(&mut row.name), take(&mut row.scores), &self.weights);
        Ok(())
    }

    /// The players by weighted sum, then by sum, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.rows[a], &self.rows[b]);
            b.weighted.total_cmp(&a.weighted).then(b.total.total_cmp(&a.total))
        });
        order
    }

    /// Returns the table with the players sorted by [`ranking`](Self::ranking).
    pub fn ranked(&self) -> Competition {
        let rows = self.ranking().into_iter().map(|player| self.rows[player].clone()).collect();
        Competition { rows, ..self.clone() }
    }

    /// Formats an aligned table, in the order of the rows.
    pub fn text(&self) -> String {
        let mut lines = self.lines();
        lines.iter_mut().for_each(|line| line[0] = shortened(&line[0], 30));
        let weights: Vec<String> = self.weights.iter().copied().map(number).collect();
        let GamePoints { win, draw, loss } = self.points;
        let weights = weights.join(", ");
        let rule = format!("\nwin {win}, draw {draw}, loss {loss}; weights {weights}\n");
        columns(&lines, 0..=0, 2) + &rule
    }

    /// Formats comma-separated values.
    pub fn csv(&self) -> String {
        csv(&self.lines())
    }

    /// Draws the table: blue above 0, orange below, full color for the largest value.
    pub fn svg(&self) -> String {
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0, |most: f64, value| most.max(value.abs()))
        };
        let of_scores = largest(&mut self.rows.iter().flat_map(|row| &row.scores).copied());
        let of_totals = largest(&mut self.rows.iter().map(|row| row.total));
        let of_weighted = largest(&mut self.rows.iter().map(|row| row.weighted));
        matrix::render("Competition: score by depth", &self.lines(), |row, column| {
            let row = &self.rows[row];
            let (value, most) = match column.checked_sub(self.depths.len()) {
                None => (row.scores[column], of_scores),
                Some(0) => (row.total, of_totals),
                Some(_) => (row.weighted, of_weighted),
            };
            Some(if most > 0.0 { value / most } else { 0.0 })
        })
    }

    fn lines(&self) -> Vec<Vec<String>> {
        let depths = self.depths.iter().map(String::as_str);
        let heading = ["player"].into_iter().chain(depths).chain(["TOTAL", "WEIGHTED"]);
        let mut lines = vec![cells(heading)];
        lines.extend(self.rows.iter().map(|row| {
            let numbers = row.scores.iter().copied().chain([row.total, row.weighted]).map(number);
            std::iter::once(row.name.clone()).chain(numbers).collect()
        }));
        lines
    }

    fn check(&self, player: usize, depth: usize) -> Result<(), InvalidInput> {
        let (players, depths) = (self.rows.len(), self.depths.len());
        if player >= players {
            return Err(InvalidInput(format!(
                "no player {player}; expected a number below {players}"
            )));
        }
        if depth >= depths {
            return Err(InvalidInput(format!(
                "no depth column {depth}; expected a number below {depths}"
            )));
        }
        Ok(())
    }
}

impl CompetitionRow {
    fn new(name: String, scores: Vec<f64>, weights: &[f64]) -> CompetitionRow {
        let weighted = scores.iter().zip(weights).map(|(score, weight)| score * weight).sum();
        CompetitionRow { name, total: scores.iter().sum(), weighted, scores }
    }
}

fn all_finite(what: &str, values: &[f64]) -> Result<(), InvalidInput> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => {
            Err(InvalidInput(format!("{what}: {value} is not valid; expected finite numbers")))
        }
        None => Ok(()),
    }
}

/// Formats a number with at most two decimals: `16.8`, `-8`, `0.25`.
fn number(value: f64) -> String {
    decimals(value, 2).trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::svg::tests::check;

    fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
        names.map(String::from).to_vec()
    }

    fn depths(count: usize) -> Vec<String> {
        (0..count).map(|depth| format!("depth {depth}")).collect()
    }

    /// Table 5-4 of the thesis: six forests; each pair of them played two games at each depth.
    fn thesis() -> Competition {
        let forests = names(["#87", "#90", "#92", "#93", "#94", "#96"]);
        let printed = [
            [8, 4, 4, 4, 12],
            [-8, 4, 0, 0, -8],
            [-4, 0, 12, 4, 4],
            [-8, 8, -4, 4, 8],
            [12, 4, -4, 8, 0],
            [0, -20, -8, -8, 4],
        ];
        let mut table = Competition::new(forests, depths(5), None).unwrap();
        for (player, scores) in printed.iter().enumerate() {
            for (depth, &score) in scores.iter().enumerate() {
                table.add_score(player, depth, f64::from(score)).unwrap();
            }
        }
        table
    }

    #[test]
    fn the_sums_of_the_thesis_are_reproduced() {
        let table = thesis();
        let close = |ours: Vec<f64>, printed: [f64; 6]| {
            ours.iter().zip(printed).all(|(ours, printed)| (ours - printed).abs() < 1e-9)
        };
        assert!(close(
            table.rows.iter().map(|row| row.total).collect(),
            [32.0, -12.0, 16.0, 8.0, 20.0, -32.0]
        ));
        assert!(close(
            table.rows.iter().map(|row| row.weighted).collect(),
            [16.8, -8.0, 9.2, 9.6, 4.8, -6.4]
        ));
        assert_eq!(table.ranking(), [0, 3, 2, 4, 5, 1]);
        assert_eq!(table.ranked().rows[1].name, "#93");
    }

    #[test]
    fn text() {
        let expected = "\
player  depth 0  depth 1  depth 2  depth 3  depth 4  TOTAL  WEIGHTED
#87           8        4        4        4       12     32      16.8
#90          -8        4        0        0       -8    -12        -8
#92          -4        0       12        4        4     16       9.2
#93          -8        8       -4        4        8      8       9.6
#94          12        4       -4        8        0     20       4.8
#96           0      -20       -8       -8        4    -32      -6.4

win 2, draw 1, loss -2; weights 0.1, 0.2, 0.3, 0.5, 1
";
        assert_eq!(thesis().text(), expected);
        assert!(thesis().csv().starts_with("player,depth 0,depth 1,depth 2,depth 3,depth 4,TOTAL,WEIGHTED\n#87,8,4,4,4,12,32,16.8\n"));
    }

    #[test]
    fn games_are_counted_for_both() {
        let mut table =
            Competition::new(names(["a", "b"]), depths(2), Some(vec![0.5, 1.0])).unwrap();
        table.add(0, [0, 1], Outcome::Win(Side::First)).unwrap();
        table.add(0, [1, 0], Outcome::Draw).unwrap();
        table.add(1, [1, 0], Outcome::Win(Side::First)).unwrap();
        assert_eq!(
            (&table.rows[0].scores, &table.rows[1].scores),
            (&vec![3.0, -2.0], &vec![-1.0, 2.0])
        );
        assert_eq!((table.rows[0].total, table.rows[0].weighted, table.games), (1.0, -0.5, 3));
    }

    #[test]
    fn invalid_input_is_refused() {
        let text = |error: InvalidInput| error.to_string();
        let three = Competition::new(names(["a"]), depths(3), None).unwrap_err();
        assert_eq!(
            text(three),
            "weights: none given for 3 depths; expected one per depth (the default 0.1, 0.2, 0.3, 0.5, 1 is for 5 depths)"
        );
        let short = Competition::new(names(["a"]), depths(3), Some(vec![1.0])).unwrap_err();
        assert_eq!(text(short), "weights: 1 for 3 depths; expected one per depth");
        assert!(Competition::new(names(["a"]), depths(1), Some(vec![f64::NAN])).is_err());
        let mut table = thesis();
        assert_eq!(
            text(table.add(5, [0, 1], Outcome::Draw).unwrap_err()),
            "no depth column 5; expected a number below 5"
        );
        assert_eq!(
            text(table.add(0, [0, 6], Outcome::Draw).unwrap_err()),
            "no player 6; expected a number below 6"
        );
        assert_eq!(table, thesis(), "a refused game changes nothing");
        assert!(table.add_score(0, 0, f64::INFINITY).is_err());
    }

    #[test]
    fn pictures_and_json() {
        let svg = thesis().svg();
        check(&svg);
        for text in ["#87", "#96", "depth 3", "TOTAL", "WEIGHTED", "16.8", "-20"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}");
        }
        let json = serde_json::to_value(thesis()).unwrap();
        assert!((json["rows"][0]["weighted"].as_f64().unwrap() - 16.8).abs() < 1e-9);
        assert_eq!(json["rows"][5]["scores"][1], -20.0);
        check(&Competition::new(Vec::new(), depths(0), Some(Vec::new())).unwrap().svg());
    }
}
