//! Random positions on 10×10 in which a side must answer a threat: a four, an open three, or two
//! open twos that one stone turns into two open threes, the simple double fork of chapter 5.4.

use std::sync::Arc;

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Notation, Position, RowPosition, Score};
use tesuji_learn::ShippedModel;
use tesuji_learn::forest::{ForestEvaluation, ForestSearch, ForestSearchOptions};
use tesuji_search::{Limits, Search};

use crate::comparison::Estimate;
use crate::run::ReproduceError;

/// Five in a row, as in the thesis.
type Gomoku = Mnk<LineBoard>;

/// The opponent's threat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Threat {
    /// Four in a row with one end closed.
    Four,
    /// Three in a row with both ends open.
    OpenThree,
    /// Two open twos whose lines cross in an empty cell.
    DoubleFork,
}

/// A cell relative to the crossing, along two lines.
type Cell = (i32, i32);

impl Threat {
    /// From the nearest to the farthest.
    pub(super) const ALL: [Threat; 3] = [Threat::Four, Threat::OpenThree, Threat::DoubleFork];

    /// Returns the name in the plural.
    pub(super) fn name(self) -> &'static str {
        match self {
            Threat::Four => "fours",
            Threat::OpenThree => "open threes",
            Threat::DoubleFork => "double forks",
        }
    }

    /// Returns the plies in which the attacker wins if nothing is done.
    fn plies(self) -> u32 {
        match self {
            Threat::Four => 1,
            Threat::OpenThree => 3,
            Threat::DoubleFork => 5,
        }
    }

    /// Returns the stones of the attacker and of the defender, as steps along two lines.
    fn stones(self) -> (&'static [Cell], &'static [Cell]) {
        match self {
            Threat::Four => (&[(0, 0), (1, 0), (2, 0), (3, 0)], &[(-1, 0)]),
            Threat::OpenThree => (&[(0, 0), (1, 0), (2, 0)], &[]),
            Threat::DoubleFork => (&[(1, 0), (2, 0), (0, 1), (0, 2)], &[]),
        }
    }
}

const SIDE: i32 = 10;
const DIRECTIONS: [Cell; 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Tests a model on positions with threats.
pub(super) struct ThreatExaminer {
    start: Gomoku,
    evaluation: Arc<ForestEvaluation>,
}

impl ThreatExaminer {
    /// Loads a shipped model.
    pub(super) fn new(model: &str) -> Result<ThreatExaminer, ReproduceError> {
        let other = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
        let side = SIDE as usize;
        let rules = MnkRules::new(side, side, 5).ok_or_else(|| other(&"invalid board"))?;
        let start: Gomoku = Mnk::new(rules);
        let shipped =
            ShippedModel::named(model).ok_or_else(|| other(&format!("no model {model}")))?;
        let model = shipped.model().map_err(|error| other(&error))?;
        let evaluation = model.evaluation(&start.grid()).map_err(|error| other(&error))?;
        Ok(ThreatExaminer { start, evaluation: Arc::new(evaluation) })
    }

    fn searched(&self, position: &Gomoku, depth: u32) -> (Option<u16>, Score) {
        let mut search =
            ForestSearch::new(self.evaluation.clone(), ForestSearchOptions::default(), 1);
        let report = search.run(position, &Limits::depth(depth));
        (report.best, report.score)
    }

    /// Returns positions with the threat, the defender to move. Each can be defended, and is lost
    /// by a stone elsewhere.
    pub(super) fn positions(&self, threat: Threat, count: usize, seed: u64) -> Vec<Gomoku> {
        let mut rng = seeded(seed);
        let mut found = Vec::new();
        // Most layouts pass; the others are drawn again.
        for _ in 0..100 * count {
            if found.len() == count {
                break;
            }
            let laid = self.laid_out(threat, &mut rng);
            found.extend(laid.filter(|position| self.is_fair(threat, position)));
        }
        found
    }

    fn laid_out(&self, threat: Threat, rng: &mut Rng) -> Option<Gomoku> {
        let mut any = |n: usize| below(rng, n as u32) as usize;
        let (one, other) = (DIRECTIONS[any(8)], DIRECTIONS[any(8)]);
        let middle = (any(10) as i32, any(10) as i32);
        let place = |&(along, across): &Cell| {
            (
                middle.0 + along * one.0 + across * other.0,
                middle.1 + along * one.1 + across * other.1,
            )
        };
        let (attack, defense) = threat.stones();
        let attack: Vec<Cell> = attack.iter().map(place).collect();
        let mut defense: Vec<Cell> = defense.iter().map(place).collect();
        while defense.len() + 1 < attack.len() {
            defense.push((any(10) as i32, any(10) as i32));
        }
        let mut position = self.start.clone();
        for turn in 0..attack.len() {
            for cell in [attack.get(turn), defense.get(turn)].into_iter().flatten() {
                let stone = self.move_at(&position, *cell)?;
                position.play(stone);
            }
        }
        (position.outcome().is_none()).then_some(position)
    }

    fn move_at(&self, position: &Gomoku, (column, row): Cell) -> Option<u16> {
        let on_board = (0..SIDE).contains(&column) && (0..SIDE).contains(&row);
        let letter = char::from(b'a' + u8::try_from(column).ok()?);
        let text = format!("{letter}{}", row + 1);
        on_board.then(|| position.parse_move(&text).ok()).flatten()
    }

    /// Whether the threat exists and can be met.
    fn is_fair(&self, threat: Threat, position: &Gomoku) -> bool {
        let corners = [(0, 0), (SIDE - 1, 0), (0, SIDE - 1), (SIDE - 1, SIDE - 1)];
        let mut elsewhere = corners.iter().filter_map(|&corner| self.move_at(position, corner));
        let lost = elsewhere.any(|corner| !self.holds(threat, position, corner));
        let (_, value) = self.searched(position, threat.plies() + 1);
        lost && value > Score::loss_in(threat.plies() + 1)
    }

    /// Whether the attacker no longer wins that quickly after this move.
    fn holds(&self, threat: Threat, position: &Gomoku, m: u16) -> bool {
        let mut after = position.clone();
        after.play(m);
        after.outcome().is_some()
            || self.searched(&after, threat.plies()).1 < Score::win_in(threat.plies())
    }

    /// Returns in how many of the positions the move at this depth meets the threat.
    pub(super) fn met(&self, threat: Threat, positions: &[Gomoku], depth: u32) -> Estimate {
        let met = positions.iter().filter(|position| {
            let (best, _) = self.searched(position, depth);
            best.is_some_and(|m| self.holds(threat, position, m))
        });
        Estimate::percent(met.count() as f64, positions.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threats_are_there_and_can_be_met() {
        let examiner = ThreatExaminer::new("gomoku-10x10").unwrap();
        for threat in [Threat::Four, Threat::OpenThree] {
            let positions = examiner.positions(threat, 4, 1);
            assert_eq!(positions.len(), 4);
            let deep = examiner.met(threat, &positions, threat.plies() + 1);
            assert_eq!(deep.value, 100.0, "{threat:?}");
        }
        let again = examiner.positions(Threat::Four, 2, 1);
        let keys = |positions: &[Gomoku]| {
            positions.iter().map(|position| position.key()).collect::<Vec<_>>()
        };
        assert_eq!(keys(&again), keys(&examiner.positions(Threat::Four, 2, 1)));
    }
}
