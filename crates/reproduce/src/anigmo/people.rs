//! Connect Four against people on the paper's web page. People cannot be asked again, so the
//! program plays against opponents of ten graded strengths.

use tesuji_play::{Match, Openings, WinDrawLoss};

use crate::comparison::{ComparisonVerdict, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun, open_game};

/// Results on the published page, for the program: 648 games won, 2 tied, 34 lost.
const WEB: WinDrawLoss = WinDrawLoss { wins: 648, draws: 2, losses: 34 };
/// Anigmo's choice of a move with all its improvements, at the depth of the paper's example. The
/// paper does not give the depth of the page.
const PROGRAM: &str = "determine:search=table,after=5";
/// The levels of the opponents.
const LEVELS: std::ops::RangeInclusive<u64> = 1..=10;

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let games = run.pick(10, 200);
    let mut tallies = Vec::new();
    for level in LEVELS {
        run.report_progress(level - 1, *LEVELS.end(), &format!("level {level}"));
        tallies.push((level, against_level(run, level, games)?));
    }
    let rows = tallies.iter().map(|(level, tally)| row(*level, tally)).collect();
    let note = format!(
        "Published: people on a web page, at an unknown depth; whether one person played once or \
         often, and who moved first, is unknown. Ours: `{PROGRAM}` against `solver:level=1` (a \
         beginner) to `solver:level=10` (perfect), from the empty board, each side first in half \
         of the games. {}",
        place_of_people(&tallies)
    );
    Ok(Findings::of(ComparisonTable::new("Games of the program", rows)).note(note))
}

fn against_level(
    run: &ReproductionRun<'_>,
    level: u64,
    games: u64,
) -> Result<WinDrawLoss, ReproduceError> {
    let opponent = format!("solver:level={level}");
    let players = [tesuji_players::player(PROGRAM)?, tesuji_players::player(&opponent)?];
    let settings = Match { games, seed: run.seed, concurrency: run.threads, ..Match::default() };
    let result = settings.run(&open_game("connect4")?, &players, &Openings::none(), &|_| {})?;
    Ok(result.score.tally)
}

/// A row without a comparison: a level is not a person.
fn row(level: u64, tally: &WinDrawLoss) -> ComparisonRow {
    ComparisonRow::from_parts(
        format!("against level {level}"),
        Some(ReportedValue::tally(&WEB)),
        ReportedValue::tally(tally),
        ComparisonVerdict::NotComparable,
        "a graded opponent in place of people",
    )
}

/// Between which levels an opponent with the results of the page's visitors would stand.
fn place_of_people(tallies: &[(u64, WinDrawLoss)]) -> String {
    let share = |tally: &WinDrawLoss| Estimate::points(tally).value;
    let people = share(&WEB);
    let weaker = tallies.iter().take_while(|(_, tally)| share(tally) >= people).last();
    let place = match weaker {
        None => "below level 1".to_string(),
        Some((level, _)) if level == LEVELS.end() => format!("at level {level} or above"),
        Some((level, _)) => format!("between levels {level} and {}", level + 1),
    };
    format!("The page's score of {people:.1} % lies {place} of this program's opponents.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_stand_between_the_levels_with_scores_on_both_sides() {
        let tally = |wins, losses| WinDrawLoss { wins, draws: 0, losses };
        let place = |scores: &[(u64, WinDrawLoss)]| place_of_people(scores);
        let falling = [(1, tally(100, 0)), (2, tally(96, 4)), (3, tally(60, 40))];
        assert!(place(&falling).contains("94.9 % lies between levels 2 and 3"));
        assert!(place(&[(1, tally(1, 9))]).contains("below level 1"));
    }
}
