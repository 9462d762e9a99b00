//! The competition table of Loos' thesis: players × search depths, the score at each depth, the sum, and a sum
//! in which deeper games weigh more.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use tesuji_games::{Outcome, Side};
use thiserror::Error;

use super::layout::{Lean, columns, csv_line, shortened};
use super::matrix::{Cell, Matrix};

/// Scores of players at several depths. As JSON it shows the sums too.
#[derive(Clone, PartialEq, Debug)]
pub struct Competition {
    players: Vec<String>,
    depths: Vec<String>,
    weights: Vec<f64>,
    points: GamePoints,
    /// By player, then by depth.
    scores: Vec<Vec<f64>>,
    games: u64,
}

/// What a game counts for a player.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct GamePoints {
    /// For a win.
    pub win: f64,
    /// For a draw.
    pub draw: f64,
    /// For a loss.
    pub loss: f64,
}

/// The rule that fits the sums of the thesis's Table 5-4: win 2, draw 1, loss −2.
impl Default for GamePoints {
    fn default() -> Self {
        GamePoints { win: 2.0, draw: 1.0, loss: -2.0 }
    }
}

/// Why a competition cannot be set up or counted.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum CompetitionError {
    /// The thesis's weights are for five depths.
    #[error(
        "{0} depths need weights of their own: the usual ones (0.1, 0.2, 0.3, 0.5, 1) are for 5 depths"
    )]
    NoWeights(usize),
    /// Not as many weights as depths.
    #[error("{weights} weights for {depths} depths: wanted one for each")]
    Weights {
        /// How many there are.
        weights: usize,
        /// How many are wanted.
        depths: usize,
    },
    /// A weight or a score is not a finite number.
    #[error("{what} must be finite numbers, not {value}")]
    NotFinite {
        /// Weights, points or scores.
        what: &'static str,
        /// The culprit.
        value: f64,
    },
    /// No such player.
    #[error("no player {player}: there are {players}, counted from 0")]
    NoPlayer {
        /// Who was named.
        player: usize,
        /// How many there are.
        players: usize,
    },
    /// No such depth.
    #[error("no depth column {depth}: there are {depths}, counted from 0")]
    NoDepth {
        /// Which was named.
        depth: usize,
        /// How many there are.
        depths: usize,
    },
}

/// A player's sums.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
struct CompetitionRow<'a> {
    name: &'a str,
    scores: &'a [f64],
    total: f64,
    weighted: f64,
}

impl Competition {
    /// The weights of the thesis, for depths 0 to 4.
    pub const WEIGHTS: [f64; 5] = [0.1, 0.2, 0.3, 0.5, 1.0];

    /// An empty table. A depth is a column's heading; without weights there must be five of them.
    pub fn new(
        players: Vec<String>,
        depths: Vec<String>,
        weights: Option<Vec<f64>>,
    ) -> Result<Competition, CompetitionError> {
        let weights = match weights {
            Some(weights) => weights,
            None if depths.len() == Self::WEIGHTS.len() => Self::WEIGHTS.to_vec(),
            None => return Err(CompetitionError::NoWeights(depths.len())),
        };
        if weights.len() != depths.len() {
            return Err(CompetitionError::Weights { weights: weights.len(), depths: depths.len() });
        }
        all_finite("weights", &weights)?;
        let scores = vec![vec![0.0; depths.len()]; players.len()];
        Ok(Competition {
            players,
            depths,
            weights,
            points: GamePoints::default(),
            scores,
            games: 0,
        })
    }

    /// The same table with other points for a game. Games counted so far keep theirs.
    pub fn with_points(mut self, points: GamePoints) -> Result<Competition, CompetitionError> {
        all_finite("points", &[points.win, points.draw, points.loss])?;
        self.points = points;
        Ok(self)
    }

    /// Counts a game at the depth of a column. The first of the two players had the first move.
    pub fn add(
        &mut self,
        depth: usize,
        players: [usize; 2],
        outcome: Outcome,
    ) -> Result<(), CompetitionError> {
        for player in players {
            self.check(player, depth)?;
        }
        for side in Side::ALL {
            self.scores[players[side.index()]][depth] += self.points.of(outcome, side);
        }
        self.games += 1;
        Ok(())
    }

    /// Adds points that were counted elsewhere, as from a printed table.
    pub fn add_score(
        &mut self,
        player: usize,
        depth: usize,
        score: f64,
    ) -> Result<(), CompetitionError> {
        self.check(player, depth)?;
        all_finite("scores", &[score])?;
        self.scores[player][depth] += score;
        Ok(())
    }

    /// How many games [`add`](Self::add) has counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The names of the players.
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// A player's score at each depth.
    pub fn scores(&self, player: usize) -> &[f64] {
        self.scores.get(player).map_or(&[], Vec::as_slice)
    }

    /// The sum of a player's scores.
    pub fn total(&self, player: usize) -> f64 {
        self.scores(player).iter().sum()
    }

    /// The sum of a player's scores, each times the weight of its depth.
    pub fn weighted(&self, player: usize) -> f64 {
        self.scores(player).iter().zip(&self.weights).map(|(score, weight)| score * weight).sum()
    }

    /// The players, best weighted sum first, then best sum.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.sort_by(|&a, &b| {
            let weighted = self.weighted(b).total_cmp(&self.weighted(a));
            weighted.then(self.total(b).total_cmp(&self.total(a)))
        });
        order
    }

    /// The same table with the players by their [`ranking`](Self::ranking).
    pub fn ranked(&self) -> Competition {
        let order = self.ranking();
        let players = order.iter().map(|&player| self.players[player].clone()).collect();
        let scores = order.iter().map(|&player| self.scores[player].clone()).collect();
        Competition { players, scores, ..self.clone() }
    }

    /// An aligned table, in the order of the players.
    pub fn text(&self) -> String {
        let shorten = |line: Vec<String>| {
            let name = shortened(&line[0], 30);
            std::iter::once(name).chain(line.into_iter().skip(1)).collect()
        };
        let lines: Vec<Vec<String>> = self.lines().into_iter().map(shorten).collect();
        let mut leans = vec![Lean::Right; lines[0].len()];
        leans[0] = Lean::Left;
        let weights =
            self.weights.iter().map(|weight| number(*weight)).collect::<Vec<_>>().join(", ");
        let GamePoints { win, draw, loss } = self.points;
        let [win, draw, loss] = [win, draw, loss].map(number);
        let rule = format!("\na win {win}, a draw {draw}, a loss {loss}; weights {weights}\n");
        columns(&lines, &leans, 2) + &rule
    }

    /// Comma-separated values.
    pub fn csv(&self) -> String {
        self.lines().iter().map(|line| csv_line(line)).collect()
    }

    /// The table as a picture: blue above 0, orange below, full colour for the largest score of all.
    pub fn svg(&self) -> String {
        let largest = self.scores.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
        let of = |value: f64, most: f64| if most > 0.0 { value / most } else { 0.0 };
        let most = |sum: fn(&Competition, usize) -> f64| {
            (0..self.players.len()).map(|player| sum(self, player).abs()).fold(0.0, f64::max)
        };
        let (most_total, most_weighted) = (most(Competition::total), most(Competition::weighted));
        let cell =
            |value: f64, most: f64| Cell { text: number(value), value: Some(of(value, most)) };
        let cells = |player: usize| {
            let scores = self.scores[player].iter().map(|&score| cell(score, largest));
            let sums =
                [cell(self.total(player), most_total), cell(self.weighted(player), most_weighted)];
            scores.chain(sums).collect()
        };
        let heading = self.depths.iter().cloned().chain(["TOTAL", "WEIGHTED"].map(String::from));
        Matrix {
            title: "Competition: score by depth".to_string(),
            rows: self.players.clone(),
            columns: heading.collect(),
            cells: (0..self.players.len()).map(cells).collect(),
        }
        .svg()
    }

    fn lines(&self) -> Vec<Vec<String>> {
        let mut heading = vec!["player".to_string()];
        heading.extend(self.depths.iter().cloned());
        heading.extend(["TOTAL", "WEIGHTED"].map(String::from));
        let mut lines = vec![heading];
        for player in 0..self.players.len() {
            let mut line = vec![self.players[player].clone()];
            line.extend(self.scores[player].iter().map(|&score| number(score)));
            line.extend([number(self.total(player)), number(self.weighted(player))]);
            lines.push(line);
        }
        lines
    }

    fn row(&self, player: usize) -> CompetitionRow<'_> {
        CompetitionRow {
            name: &self.players[player],
            scores: self.scores(player),
            total: self.total(player),
            weighted: self.weighted(player),
        }
    }

    fn check(&self, player: usize, depth: usize) -> Result<(), CompetitionError> {
        let (players, depths) = (self.players.len(), self.depths.len());
        if player >= players {
            return Err(CompetitionError::NoPlayer { player, players });
        }
        if depth >= depths {
            return Err(CompetitionError::NoDepth { depth, depths });
        }
        Ok(())
    }
}

impl Serialize for Competition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<_> = (0..self.players.len()).map(|player| self.row(player)).collect();
        let mut table = serializer.serialize_struct("Competition", 5)?;
        table.serialize_field("depths", &self.depths)?;
        table.serialize_field("weights", &self.weights)?;
        table.serialize_field("points", &self.points)?;
        table.serialize_field("games", &self.games)?;
        table.serialize_field("rows", &rows)?;
        table.end()
    }
}

impl GamePoints {
    fn of(&self, outcome: Outcome, side: Side) -> f64 {
        match outcome.winner() {
            None => self.draw,
            Some(winner) if winner == side => self.win,
            Some(_) => self.loss,
        }
    }
}

fn all_finite(what: &'static str, values: &[f64]) -> Result<(), CompetitionError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(CompetitionError::NotFinite { what, value }),
        None => Ok(()),
    }
}

/// Two decimals at most, and none that are not needed: `16.8`, `-8`, `0.25`.
fn number(value: f64) -> String {
    let text = format!("{:.2}", (value * 100.0).round() / 100.0 + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
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

    /// Table 5-4 of the thesis: six forests, each two of them played twice at each depth.
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
    fn the_sums_of_the_thesis_come_out() {
        let table = thesis();
        let close = |ours: Vec<f64>, printed: [f64; 6]| {
            ours.iter().zip(printed).all(|(ours, printed)| (ours - printed).abs() < 1e-9)
        };
        assert!(close(
            (0..6).map(|p| table.total(p)).collect(),
            [32.0, -12.0, 16.0, 8.0, 20.0, -32.0]
        ));
        assert!(close(
            (0..6).map(|p| table.weighted(p)).collect(),
            [16.8, -8.0, 9.2, 9.6, 4.8, -6.4]
        ));
        assert_eq!(table.ranking(), [0, 3, 2, 4, 5, 1]);
        assert_eq!(table.ranked().players()[1], "#93");
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

a win 2, a draw 1, a loss -2; weights 0.1, 0.2, 0.3, 0.5, 1
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
        assert_eq!((table.scores(0), table.scores(1)), (&[3.0, -2.0][..], &[-1.0, 2.0][..]));
        assert_eq!((table.total(0), table.weighted(0), table.games()), (1.0, -0.5, 3));
        let training = GamePoints { win: 2.0, draw: 1.0, loss: -3.0 };
        let mut table = table.with_points(training).unwrap();
        table.add(1, [0, 1], Outcome::Win(Side::Second)).unwrap();
        assert_eq!(table.scores(0), [3.0, -5.0]);
    }

    #[test]
    fn nonsense_is_refused() {
        let said = |error: CompetitionError| error.to_string();
        let three = Competition::new(names(["a"]), depths(3), None).unwrap_err();
        assert_eq!(
            said(three),
            "3 depths need weights of their own: the usual ones (0.1, 0.2, 0.3, 0.5, 1) are for 5 depths"
        );
        let short = Competition::new(names(["a"]), depths(3), Some(vec![1.0])).unwrap_err();
        assert_eq!(said(short), "1 weights for 3 depths: wanted one for each");
        assert!(Competition::new(names(["a"]), depths(1), Some(vec![f64::NAN])).is_err());
        let mut table = thesis();
        assert_eq!(
            said(table.add(5, [0, 1], Outcome::Draw).unwrap_err()),
            "no depth column 5: there are 5, counted from 0"
        );
        assert_eq!(
            said(table.add(0, [0, 6], Outcome::Draw).unwrap_err()),
            "no player 6: there are 6, counted from 0"
        );
        assert_eq!(table, thesis(), "a refused game leaves nothing behind");
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
