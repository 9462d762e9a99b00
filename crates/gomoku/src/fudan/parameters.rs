//! The numbers of the alpha-beta agents, as published: the final one (pyzobrist) and the one before (pydan2).

use std::time::Duration;

use super::evaluation::FudanEvaluation;

/// Which published agent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ParameterSet {
    /// pyzobrist, the one that took part in the report's tournament.
    #[default]
    Final,
    /// pydan2, the one before it.
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

/// What threats do to the list of moves. A side's own five is always played at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreatRule {
    /// Only the cells of the most urgent threat stay (the other side's five, an own winning move, the other side's
    /// winning move), and the search goes two levels deeper. A double threat is counted on the lines through
    /// the move (the final agent).
    Narrow,
    /// The other side's five is taken for a loss, an own winning move for a win, and neither is searched; the other
    /// side's winning cells enter the list a second time. A double threat is counted on the whole board
    /// (pydan2).
    Decide,
}

/// The numbers of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FudanParameters {
    /// Values of the patterns.
    pub evaluation: FudanEvaluation,
    /// The deepest level that is explored: 1 is a move and the best reply to it.
    pub depth: u32,
    /// How many moves are looked at, by ply. There are no more plies than entries, whatever extensions say.
    pub widths: &'static [usize],
    /// What threats do to the list of moves.
    pub threats: ThreatRule,
    /// The time for a move unless a shorter one is given.
    pub time: Option<Duration>,
}

impl FudanParameters {
    /// The numbers of a published agent, with its slips of sign where `faithful`.
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

    /// Whether a node so deep is not searched below: its best move by static value is its value.
    pub(super) fn ends_at(&self, depth: u32, ply: usize) -> bool {
        depth + 1 > self.depth || ply + 2 > self.widths.len()
    }

    /// How many moves are looked at here; never none.
    pub(super) fn width(&self, ply: usize) -> usize {
        self.widths.get(ply).map_or(1, |&width| width.max(1))
    }
}
