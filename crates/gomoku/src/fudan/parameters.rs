//! The published parameters of the alpha-beta agents: the final one (pyzobrist) and the one before
//! it (pydan2).

use std::time::Duration;

use super::evaluation::FudanEvaluation;

/// A published agent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ParameterSet {
    /// pyzobrist, the agent of the report's tournament.
    #[default]
    Final,
    /// pydan2, the agent before it.
    Pydan2,
}

impl ParameterSet {
    /// The set of this name, `final` or `pydan2`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "final" => Some(ParameterSet::Final),
            "pydan2" => Some(ParameterSet::Pydan2),
            _ => None,
        }
    }
}

/// The effect of threats on the list of moves. A side's own five is always played at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreatRule {
    /// Keeps only the cells of the most urgent threat (the opponent's five, an own winning move,
    /// the opponent's winning move) and extends the search by two levels. Counts double threats on
    /// the lines through the move (the final agent).
    Narrow,
    /// Counts the opponent's five as a loss and an own winning move as a win, without searching
    /// either; adds the opponent's winning cells to the list a second time. Counts double threats
    /// on the whole board (pydan2).
    Decide,
}

/// The parameters of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FudanParameters {
    /// The values of the patterns.
    pub evaluation: FudanEvaluation,
    /// The deepest level to search: 1 is a move and the best reply to it.
    pub depth: u32,
    /// The number of moves to search at each ply. Extensions do not go beyond the last entry.
    pub widths: &'static [usize],
    /// The effect of threats on the list of moves.
    pub threats: ThreatRule,
    /// The time limit of a move, unless a shorter one is given.
    pub time: Option<Duration>,
}

impl FudanParameters {
    /// The parameters of a published agent, with its sign errors if `faithful`.
    pub fn of(set: ParameterSet, faithful: bool) -> Self {
        match set {
            ParameterSet::Final => FudanParameters {
                evaluation: if faithful {
                    FudanEvaluation::last_faithful()
                } else {
                    FudanEvaluation::last()
                },
                depth: 1,
                widths: &[8, 8, 8, 8, 2, 2, 2, 2, 2, 2, 2, 2],
                threats: ThreatRule::Narrow,
                time: Some(Duration::from_secs(3)),
            },
            ParameterSet::Pydan2 => FudanParameters {
                evaluation: if faithful {
                    FudanEvaluation::pydan2_faithful()
                } else {
                    FudanEvaluation::pydan2()
                },
                depth: 3,
                widths: &[10; 12],
                threats: ThreatRule::Decide,
                time: Some(Duration::from_secs(13)),
            },
        }
    }

    /// Whether a node is a leaf, valued by the static value of its best move.
    pub(super) fn ends_at(&self, depth: u32, ply: usize) -> bool {
        depth + 1 > self.depth || ply + 2 > self.widths.len()
    }

    /// The number of moves to search at a ply, at least one.
    pub(super) fn width(&self, ply: usize) -> usize {
        self.widths.get(ply).map_or(1, |&width| width.max(1))
    }
}
