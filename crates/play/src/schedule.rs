//! Schedules: every pair, challengers against the others, or pairings by the standings (Swiss).

use std::collections::BTreeSet;

/// The schedule of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// One round with these pairings, the smaller number first.
    Once(Vec<[usize; 2]>),
    /// A number of rounds; each pairs players of similar rank that have not met.
    Swiss(usize),
}

/// The standings before a round.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// Points of each participant.
    pub points: Vec<f64>,
    /// Pairings so far, the smaller number first.
    pub met: BTreeSet<[usize; 2]>,
    /// Participants that have had a bye.
    pub had_bye: BTreeSet<usize>,
}

/// The pairings of a round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RoundPairings {
    /// The pairings, the smaller number first.
    pub pairings: Vec<[usize; 2]>,
    /// The participant with a bye, for a full score.
    pub bye: Option<usize>,
}

impl Standings {
    /// The standings before the first round.
    pub fn new(participants: usize) -> Standings {
        Standings {
            points: vec![0.0; participants],
            met: BTreeSet::new(),
            had_bye: BTreeSet::new(),
        }
    }
}

impl Schedule {
    /// Creates one round with all pairs of participants that `meet` selects.
    pub fn once(participants: usize, meet: impl Fn(usize, usize) -> bool) -> Schedule {
        let all = (0..participants).flat_map(|a| (a + 1..participants).map(move |b| [a, b]));
        Schedule::Once(all.filter(|[a, b]| meet(*a, *b)).collect())
    }

    /// Number of rounds. The pairings of a round may depend on earlier results.
    pub fn rounds(&self) -> usize {
        match self {
            Schedule::Once(_) => 1,
            Schedule::Swiss(rounds) => *rounds,
        }
    }

    /// The pairings of the next round.
    pub fn round(&self, standings: &Standings) -> RoundPairings {
        match self {
            Schedule::Once(pairings) => RoundPairings { pairings: pairings.clone(), bye: None },
            Schedule::Swiss(_) => swiss(standings),
        }
    }

    /// Number of pairings of all rounds.
    pub fn pairings(&self, participants: usize) -> usize {
        match self {
            Schedule::Once(pairings) => pairings.len(),
            Schedule::Swiss(rounds) => rounds * (participants / 2),
        }
    }
}

/// Maximum number of steps of the search for pairings without rematches. With a sensible number of
/// rounds a few steps suffice; otherwise there may be no such pairings.
const MAX_STEPS: u32 = 100_000;

/// Pairs the next round by the standings: from the top, each player meets the next lower one that
/// it has not met, with backtracking. If there are no such pairings, rematches are allowed. With an
/// odd number of players the lowest one without a bye so far has a bye.
fn swiss(standings: &Standings) -> RoundPairings {
    let mut ranking: Vec<usize> = (0..standings.points.len()).collect();
    ranking.sort_by(|a, b| standings.points[*b].total_cmp(&standings.points[*a]));
    let bye = if ranking.len().is_multiple_of(2) {
        None
    } else {
        let lowest = ranking.iter().rposition(|player| !standings.had_bye.contains(player));
        Some(ranking.remove(lowest.unwrap_or(ranking.len() - 1)))
    };
    let mut steps = MAX_STEPS;
    let fresh = matched(&ranking, &standings.met, &mut steps);
    let pairings = fresh
        .unwrap_or_else(|| ranking.chunks_exact(2).map(|pair| sorted(pair[0], pair[1])).collect());
    RoundPairings { pairings, bye }
}

fn matched(
    ranking: &[usize],
    met: &BTreeSet<[usize; 2]>,
    steps: &mut u32,
) -> Option<Vec<[usize; 2]>> {
    let Some((&top, others)) = ranking.split_first() else { return Some(Vec::new()) };
    for (place, &opponent) in others.iter().enumerate() {
        let pairing = sorted(top, opponent);
        if met.contains(&pairing) {
            continue;
        }
        *steps = steps.checked_sub(1)?;
        let mut rest = others.to_vec();
        rest.remove(place);
        if let Some(mut pairings) = matched(&rest, met, steps) {
            pairings.insert(0, pairing);
            return Some(pairings);
        }
    }
    None
}

fn sorted(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_group_meet() {
        let groups = [0, 0, 1, 1, 0];
        let schedule = Schedule::once(5, |a, b| groups[a] == groups[b]);
        let round = schedule.round(&Standings::new(5));
        assert_eq!(round.pairings, [[0, 1], [0, 4], [1, 4], [2, 3]]);
        assert_eq!(schedule.pairings(5), 4);
    }

    #[test]
    fn challengers_meet_the_others() {
        let schedule = Schedule::once(4, |a, b| [0, 2].contains(&a) != [0, 2].contains(&b));
        let round = schedule.round(&Standings::new(4));
        assert_eq!(round.pairings, [[0, 1], [0, 3], [1, 2], [2, 3]]);
    }

    /// The smaller number always wins: after enough rounds the best player leads alone, no pairing
    /// is repeated, and no player has two byes.
    #[test]
    fn swiss_rounds_bring_equals_together_without_rematches() {
        for (participants, rounds) in [(2, 1), (8, 5), (9, 5), (16, 6), (33, 7)] {
            let mut standings = Standings::new(participants);
            for _ in 0..rounds {
                let round = swiss(&standings);
                let mut busy: Vec<usize> = round.pairings.concat();
                busy.extend(round.bye);
                busy.sort_unstable();
                assert_eq!(busy, (0..participants).collect::<Vec<_>>());
                for pairing in round.pairings {
                    assert!(standings.met.insert(pairing), "{pairing:?} meet again");
                    standings.points[pairing[0]] += 1.0;
                }
                if let Some(player) = round.bye {
                    assert!(standings.had_bye.insert(player));
                    standings.points[player] += 1.0;
                }
            }
            assert!(standings.points[1..].iter().all(|points| *points < standings.points[0]));
        }
    }

    #[test]
    fn when_all_have_met_they_meet_again() {
        let mut standings = Standings::new(4);
        for _ in 0..5 {
            let round = swiss(&standings);
            assert_eq!(round.pairings.len(), 2);
            standings.met.extend(round.pairings);
        }
    }

    /// The last two players have met all others: an unlimited search would not finish.
    #[test]
    fn impossible_rounds_end() {
        let participants = 40;
        let mut standings = Standings::new(participants);
        for a in 0..participants - 2 {
            standings.met.extend([[a, participants - 2], [a, participants - 1]]);
        }
        standings.met.insert([participants - 2, participants - 1]);
        assert_eq!(swiss(&standings).pairings.len(), participants / 2);
    }
}
