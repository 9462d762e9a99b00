//! Chapter 5.4: people's ratings of the Gomoku forests at depths 1 to 5. Players of known strength
//! are stand-ins for people; claims about threats and forks are tested in positions.

use tesuji_play::{MatchResult, WinDrawLoss};

use super::deep_move::FOREST;
use super::games::{MatchBoard, MatchSeries, gomoku, shipped};
use super::threats::{Threat, ThreatExaminer};
use crate::comparison::Estimate;
use crate::move_times::seconds_of_moves;
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// An opponent of known strength.
struct Opponent {
    name: &'static str,
    player: &'static str,
}

const OPPONENTS: [Opponent; 4] = [
    Opponent { name: "random moves", player: "random" },
    Opponent { name: "rows of stones, one ply", player: "heuristic" },
    Opponent { name: "a human-like player (level 3 of 10)", player: "solver:level=3" },
    Opponent { name: "the report's alpha-beta", player: "fudan-alphabeta" },
];
/// The stand-in for the people of the thesis.
const HUMAN_LIKE: usize = 2;

/// An average rating, and the points against the human-like player that it stands for.
struct Rating {
    words: &'static str,
    points: std::ops::RangeInclusive<f64>,
}

/// For depths 1 to 5. The ranges of points are ours, fixed before any game was played.
const RATINGS: [Rating; 5] = [
    Rating { words: "completely useless", points: 0.0..=25.0 },
    Rating { words: "useless, sometimes can block", points: 0.0..=25.0 },
    Rating { words: "average", points: 25.0..=75.0 },
    Rating { words: "good", points: 50.0..=100.0 },
    Rating { words: "very good", points: 75.0..=100.0 },
];

/// A move at depth 5 took 15 minutes on 4 threads.
const SECONDS: f64 = 15.0 * 60.0;

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let board = gomoku()?;
    let results = played(run, &board)?;
    let deepest = &results[RATINGS.len()];
    let tables = vec![
        ComparisonTable::new(
            "People's ratings, and points against a human-like player",
            said(&results),
        ),
        ComparisonTable::new("Points against each stand-in", deeper_is_better(&results)),
        ComparisonTable::new("Threats and forks in positions", positions(run)?),
        ComparisonTable::new("Time", vec![time_of_a_move(deepest)]),
    ];
    Ok(Findings::of_all(tables)
        .note(format!(
            "The forest is `{FOREST}`, a shipped one. No people \
             took part here: the human-like player is `{}`, which searches two plies, often \
             plays a slightly worse move, and sometimes misses the reply. Ratings are converted \
             to points against it by ranges that were fixed beforehand: useless up to 25 %, \
             average 25 to 75 %, good from 50 %, very good from 75 %; a claim holds unless the \
             interval of the sample rules it out.",
            OPPONENTS[HUMAN_LIKE].player
        ))
        .note(
            "Depth counts plies here, the own move included: a four is seen with two plies, an \
             open three with four, a simple double fork with six. The thesis's claims about \
             depths 1 and 2 fit that, its claims about 3 and 5 fit one ply more, so positions \
             are tested both ways; only the printed depth is counted. Each position can be \
             defended, and is lost by a stone elsewhere. A \
             claim holds if this share of threats is met: does not block up to 50 %, some at \
             least one, open rows 75 %, many more than half, does not beat it 95 %.",
        )
        .note("Each pair of games begins with two random stones and swaps colors."))
}

/// Plays a match against each opponent, at each depth from 0.
fn played(
    run: &ReproductionRun<'_>,
    board: &MatchBoard,
) -> Result<Vec<Vec<MatchResult>>, ReproduceError> {
    let mut series = MatchSeries::new((RATINGS.len() + 1) * OPPONENTS.len(), run.pick(4, 60));
    let mut at = |depth: u32| {
        let player = shipped(FOREST, depth);
        let matches = OPPONENTS.iter().map(|opponent| {
            let what = format!("depth {depth} against {}", opponent.name);
            series.play(run, board, [&player, opponent.player], &what)
        });
        matches.collect::<Result<Vec<_>, _>>()
    };
    (0..=RATINGS.len() as u32).map(&mut at).collect()
}

fn said(results: &[Vec<MatchResult>]) -> Vec<ComparisonRow> {
    let rows = RATINGS.iter().zip(&results[1..]).enumerate().map(|(n, (rating, matches))| {
        let tally = &matches[HUMAN_LIKE].score.tally;
        let (low, high) = (rating.points.start(), rating.points.end());
        let points = Estimate::points(tally);
        // What the sample does not rule out counts as true.
        let holds = points.high >= *low && points.low <= *high;
        let fits = match () {
            () if holds => "fits",
            () if points.low > *high => "is better than",
            () => "is worse than",
        };
        let reason = format!("a stand-in, not people; it {fits} {low:.0} to {high:.0} %");
        let row = ComparisonRow::claim(
            format!("depth {}", n + 1),
            rating.words,
            ReportedValue::tally(tally),
            holds,
        );
        row.not_comparable(reason)
    });
    rows.collect()
}

/// The points against every opponent at every depth, and whether depth 5 gains more than depth 1.
fn deeper_is_better(results: &[Vec<MatchResult>]) -> Vec<ComparisonRow> {
    let mut rows = Vec::new();
    for (number, opponent) in OPPONENTS.iter().enumerate() {
        for (depth, matches) in results.iter().enumerate() {
            let ours = ReportedValue::tally(&matches[number].score.tally);
            let what = format!("{}: depth {depth}", opponent.name);
            rows.push(ComparisonRow::unpublished(what, ours, "a stand-in, not people"));
        }
    }
    let all = |depth: usize| -> WinDrawLoss {
        results[depth].iter().map(|played| played.score.tally).sum()
    };
    rows.push(gain(&all(1), &all(RATINGS.len())));
    rows
}

fn gain(first: &WinDrawLoss, last: &WinDrawLoss) -> ComparisonRow {
    let text =
        format!("{} and {}", ReportedValue::tally(first).text, ReportedValue::tally(last).text);
    ComparisonRow::decided_claim(
        "all opponents together: depth 1 and depth 5",
        "from completely useless to very good",
        ReportedValue::words(text),
        Estimate::points(last).minus(Estimate::points(first)),
    )
}

/// A claim of the thesis about a depth: the threat, the words, and the percentage of threats that
/// must be met for the words to be true.
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

fn positions(run: &ReproductionRun<'_>) -> Result<Vec<ComparisonRow>, ReproduceError> {
    let examiner = ThreatExaminer::new(FOREST)?;
    let count = run.pick(3, 24);
    let mut rows = Vec::new();
    let laid_out = Threat::ALL.map(|threat| examiner.positions(threat, count, run.seed));
    for (done, observation) in OBSERVATIONS.iter().enumerate() {
        let Observation { threat, depth, words, met } = observation;
        run.report_progress(done as u64, OBSERVATIONS.len() as u64, "positions");
        let positions = &laid_out[*threat as usize];
        for ours in [*depth, depth + 1] {
            let share = examiner.met(*threat, positions, ours);
            let what = format!("depth {depth} (ours {ours}): {} met", threat.name());
            let row = ComparisonRow::claim(
                what,
                *words,
                ReportedValue::percent(share),
                met.contains(&share.value),
            );
            rows.push(match ours == *depth {
                true => row.explain_difference("the thesis does not define depth"),
                false => row.not_comparable("the same claim, read one ply deeper than printed"),
            });
        }
    }
    Ok(rows)
}

/// Returns the mean time of the forest's moves in the games at depth 5, one thread each.
fn time_of_a_move(matches: &[MatchResult]) -> ComparisonRow {
    let seconds: Vec<f64> = matches.iter().flat_map(|played| seconds_of_moves(played, 0)).collect();
    ComparisonRow::time("a move at depth 5", SECONDS, Estimate::mean(&seconds))
        .with_note("published on 4 threads, ours on 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;

    fn tally(wins: u64, losses: u64) -> WinDrawLoss {
        WinDrawLoss { wins, draws: 0, losses }
    }

    #[test]
    fn a_gain_holds_beyond_the_error_only() {
        let verdict = |first, last| gain(&first, &last).verdict;
        assert_eq!(verdict(tally(10, 30), tally(30, 10)), ComparisonVerdict::Agrees);
        assert_eq!(verdict(tally(20, 20), tally(21, 19)), ComparisonVerdict::CannotTell);
        assert_eq!(verdict(tally(35, 5), tally(10, 30)), ComparisonVerdict::Differs);
    }
}
