//! Chapter 5.4: what people said of the Gomoku forests at depths 1 to 5. Players of known strength stand in for the
//! people; what they said about threats and forks is looked at in positions.

use std::cmp::Ordering;

use tesuji_play::{MatchResult, WinDrawLoss};

use super::games::{Board, Series, gomoku, shipped};
use super::threats::{Examiner, Threat};
use crate::comparison::Estimate;
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{ReproduceError, Run};

/// The forest that comes with the program: test 92, evolved at depth 4.
const FOREST: &str = "gomoku-10x10";

/// A rung of the ladder.
struct Rung {
    name: &'static str,
    player: &'static str,
}

const LADDER: [Rung; 4] = [
    Rung { name: "random moves", player: "random" },
    Rung { name: "rows of stones, one ply", player: "heuristic" },
    Rung { name: "a human-like player (level 3 of 10)", player: "solver:level=3" },
    Rung { name: "the report's alpha-beta", player: "report-alphabeta" },
];
/// Who stands in for the people of the thesis.
const HUMAN_LIKE: usize = 2;

/// What people said on average, and what that means in points against the human-like player.
struct Rating {
    words: &'static str,
    points: std::ops::RangeInclusive<f64>,
}

/// For depths 1 to 5. The shares of points are ours, fixed before anything was played.
const RATINGS: [Rating; 5] = [
    Rating { words: "completely useless", points: 0.0..=25.0 },
    Rating { words: "useless, sometimes can block", points: 0.0..=25.0 },
    Rating { words: "average", points: 25.0..=75.0 },
    Rating { words: "good", points: 50.0..=100.0 },
    Rating { words: "very good", points: 75.0..=100.0 },
];

/// A move at depth 5 took 15 minutes on 4 threads.
const SECONDS: f64 = 15.0 * 60.0;

/// Plays the ladder and looks at positions.
pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let board = gomoku()?;
    let ladder = played(run, &board)?;
    let deepest = &ladder[RATINGS.len()];
    let tables = vec![
        Table::new("What people said, and points against a human-like player", said(&ladder)),
        Table::new(
            "Points against each stand-in, and whether a ply more does harm",
            deeper_is_better(&ladder),
        ),
        Table::new("Threats and forks in positions", positions(run)?),
        Table::new("Time", vec![time_of_a_move(deepest)]),
    ];
    Ok(Findings::of_all(tables)
        .note(format!(
            "The forest is `{FOREST}`, which comes with the program: test 92, evolved at depth 4. No people took part here: the \
             human-like player is `{}`, which looks a move and the reply ahead, often plays what looks a little worse, and \
             now and then does not see the reply. Ratings are turned into points against it by bounds that were fixed \
             beforehand: useless up to 25 %, average 25 to 75 %, good from 50 %, very good from 75 %; what the interval of the sample does \
             not rule out holds.",
            LADDER[HUMAN_LIKE].player
        ))
        .note(
            "Depth counts plies here, the own move included: a four is seen with two plies, an open three with four, a simple \
             double fork with six. What the thesis tells of depths 1 and 2 fits that, what it tells of 3 and 5 fits one ply \
             more, so positions are looked at both ways. Each can be held, and is lost by a stone elsewhere. For words to hold, \
             so many threats must be met: does not block up to 50 %, some at least one, open rows 75 %, many more than half, \
             does not beat it 95 %.",
        )
        .note("Each pair of games begins with two random stones and exchanges colours."))
}

/// A match for each rung, at each depth from 0.
fn played(run: &Run<'_>, board: &Board) -> Result<Vec<Vec<MatchResult>>, ReproduceError> {
    let mut series = Series::new((RATINGS.len() + 1) * LADDER.len(), run.pick(4, 60));
    let mut at = |depth: u32| {
        let player = shipped(FOREST, depth);
        let matches = LADDER.iter().map(|rung| {
            let what = format!("depth {depth} against {}", rung.name);
            series.play(run, board, [&player, rung.player], &what)
        });
        matches.collect::<Result<Vec<_>, _>>()
    };
    (0..=RATINGS.len() as u32).map(&mut at).collect()
}

fn said(ladder: &[Vec<MatchResult>]) -> Vec<Row> {
    let rows = RATINGS.iter().zip(&ladder[1..]).enumerate().map(|(n, (rating, matches))| {
        let tally = &matches[HUMAN_LIKE].score.tally;
        let (low, high) = (rating.points.start(), rating.points.end());
        let points = Estimate::points(tally);
        // What the sample does not rule out may be so.
        let holds = points.high >= *low && points.low <= *high;
        let above = points.low > *high;
        let row = Row::claim(format!("depth {}", n + 1), rating.words, Figure::tally(tally), holds);
        row.explained(if above { "it plays better than that" } else { "it plays worse than that" })
    });
    rows.collect()
}

/// For every rung and depth: whether it made no fewer points than with one ply less, as far as samples tell.
fn deeper_is_better(ladder: &[Vec<MatchResult>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, rung) in LADDER.iter().enumerate() {
        let tally = |depth: usize| &ladder[depth][number].score.tally;
        for depth in 1..ladder.len() {
            rows.push(step(rung.name, depth, tally(depth - 1), tally(depth)));
        }
    }
    let all = |depth: usize| sum(ladder[depth].iter().map(|played| &played.score.tally));
    let (first, last) = (all(1), all(RATINGS.len()));
    let text = format!("{} and {}", Figure::tally(&first).text, Figure::tally(&last).text);
    let holds = Estimate::points(&last).low > Estimate::points(&first).high;
    let said = "from completely useless to very good";
    rows.push(Row::claim(
        "all rungs together: depth 1 and depth 5",
        said,
        Figure::words(text),
        holds,
    ));
    rows
}

fn step(rung: &str, depth: usize, before: &WinDrawLoss, now: &WinDrawLoss) -> Row {
    let [less, points] = [before, now].map(Estimate::points);
    let fallen = less.value - points.value;
    let reach = f64::hypot(less.value - less.low, points.high - points.value);
    let said = format!("no worse than depth {}", depth - 1);
    let what = format!("{rung}: depth {depth}");
    let row = Row::claim(what, said, Figure::tally(now), fallen <= reach);
    match fallen.total_cmp(&0.0) {
        Ordering::Equal => row.noting("as many points"),
        Ordering::Greater if fallen <= reach => row.noting("lower, within the error of both"),
        _ => row,
    }
}

fn sum<'a>(tallies: impl Iterator<Item = &'a WinDrawLoss>) -> WinDrawLoss {
    tallies.fold(WinDrawLoss::default(), |sum, tally| WinDrawLoss {
        wins: sum.wins + tally.wins,
        draws: sum.draws + tally.draws,
        losses: sum.losses + tally.losses,
    })
}

/// What the thesis tells of a depth: which threat, in which words, and how many percent of such threats must be met for
/// that to be so.
struct Observation {
    threat: Threat,
    depth: u32,
    words: &'static str,
    met: std::ops::RangeInclusive<f64>,
}

const OBSERVATIONS: [Observation; 5] = [
    Observation {
        threat: Threat::Four,
        depth: 1,
        words: "does not block straight rows",
        met: 0.0..=50.0,
    },
    Observation {
        threat: Threat::Four,
        depth: 2,
        words: "blocks some straight wins",
        met: 1.0..=100.0,
    },
    Observation {
        threat: Threat::OpenThree,
        depth: 3,
        words: "blocks straight open rows",
        met: 75.0..=100.0,
    },
    Observation {
        threat: Threat::DoubleFork,
        depth: 4,
        words: "detects many double forks",
        met: 50.1..=100.0,
    },
    Observation {
        threat: Threat::DoubleFork,
        depth: 5,
        words: "a simple double fork does not beat it",
        met: 95.0..=100.0,
    },
];

fn positions(run: &Run<'_>) -> Result<Vec<Row>, ReproduceError> {
    let examiner = Examiner::new(FOREST)?;
    let count = run.pick(3, 24);
    let mut rows = Vec::new();
    let laid_out = Threat::ALL.map(|threat| examiner.positions(threat, count, run.seed));
    for (done, observation) in OBSERVATIONS.iter().enumerate() {
        let Observation { threat, depth, words, met } = observation;
        run.show(done as u64, OBSERVATIONS.len() as u64, "positions");
        let positions = &laid_out[*threat as usize];
        for ours in [*depth, depth + 1] {
            let share = examiner.met(*threat, positions, ours);
            let what = format!("depth {depth} (ours {ours}): {} met", threat.name());
            let row = Row::claim(what, *words, Figure::percent(share), met.contains(&share.value));
            rows.push(row.explained("the thesis does not tell what its depths count"));
        }
    }
    Ok(rows)
}

/// The mean over all moves of the forest in the games at depth 5, one thread each.
fn time_of_a_move(matches: &[MatchResult]) -> Row {
    let games = matches.iter().flat_map(|played| &played.games);
    let seconds: Vec<f64> = games
        .flat_map(|game| {
            let opening = game.record.opening_plies as usize;
            let own = game.first_player_side.index();
            let thoughts = game.record.thoughts.iter().enumerate();
            thoughts.filter(move |(ply, _)| (ply + opening) % 2 == own)
        })
        .map(|(_, thought)| thought.micros as f64 / 1e6)
        .collect();
    Row::time("a move at depth 5", SECONDS, Estimate::mean(&seconds))
        .noting("published on 4 threads, ours on 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Verdict;

    fn tally(wins: u64, losses: u64) -> WinDrawLoss {
        WinDrawLoss { wins, draws: 0, losses }
    }

    #[test]
    fn a_step_holds_unless_it_is_worse_beyond_chance() {
        let verdict = |before, now| step("random", 2, &before, &now).verdict;
        assert_eq!(verdict(tally(10, 30), tally(30, 10)), Verdict::Agrees);
        assert_eq!(verdict(tally(21, 19), tally(20, 20)), Verdict::Agrees);
        assert_eq!(verdict(tally(35, 5), tally(10, 30)), Verdict::Differs);
    }

    #[test]
    fn tallies_add_up() {
        let all = [tally(1, 2), WinDrawLoss { wins: 3, draws: 4, losses: 5 }];
        assert_eq!(sum(all.iter()), WinDrawLoss { wins: 4, draws: 4, losses: 7 });
    }
}
