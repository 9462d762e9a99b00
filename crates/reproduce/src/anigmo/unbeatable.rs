//! Perfect tic-tac-toe: many games against random moves, and against every line that an opponent
//! can play.

use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Outcome, Playable, Position, Score, Side};
use tesuji_play::{Match, Openings, WinDrawLoss};
use tesuji_search::{GameHeuristic, Limits, NegaAlphaBeta, Search};

use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun, open_game};

/// Results of visitors of the published page: 763 games lost to the program, 1,980 tied, none won.
const WEB: WinDrawLoss = WinDrawLoss { wins: 763, draws: 1980, losses: 0 };

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let games = run.pick(10_000, 100_000);
    let random = against_random(run, games)?;
    run.report_progress(games, games, "every line");
    let sides = Side::ALL.map(|side| (side, every_line(side)));
    let lost = |tally: &WinDrawLoss| Estimate::percent(tally.losses as f64, tally.games());
    let published = lost(&WEB);
    let mut rows = vec![
        ComparisonRow::percent(
            "games lost against random moves",
            published,
            lost(&random),
            Better::Lower,
        )
        .not_comparable(format!("random moves instead of people; {}", words(&random))),
    ];
    for (side, tally) in &sides {
        let seat = if *side == Side::First { "first" } else { "second" };
        let row = ComparisonRow::claim(
            format!("lines lost as {seat}, against every answer"),
            "unbeatable",
            ReportedValue::count(tally.losses),
            tally.losses == 0,
        );
        let row = row.with_note(&words(tally));
        rows.push(match side {
            Side::First => row.headline("tic-tac-toe: lines lost by perfect play as first"),
            Side::Second => row,
        });
    }
    Ok(Findings::of(ComparisonTable::new("Games and lines lost", rows)).note(
        "Published: people on a web page won none of 2,743 games (763 lost, 1,980 tied). \"Every \
         line\" follows all moves of the opponent and, for the program, all moves that a full \
         search finds best.",
    ))
}

fn words(tally: &WinDrawLoss) -> String {
    let grouped = |count: u64| tesuji_play::quantity::grouped(count.into());
    let WinDrawLoss { wins, draws, losses } = *tally;
    format!("{} won, {} tied, {} lost", grouped(wins), grouped(draws), grouped(losses))
}

fn against_random(run: &ReproductionRun<'_>, games: u64) -> Result<WinDrawLoss, ReproduceError> {
    let perfect = tesuji_players::player("engine:depth=9,ties=random")?;
    let players = [perfect, tesuji_players::player("random")?];
    let settings = Match { games, seed: run.seed, concurrency: run.threads, ..Match::default() };
    let openings = Openings::none();
    let ready = settings.prepare(&open_game("tictactoe")?, &players, &openings)?;
    // Games are reported from other threads; the callback must stay on this one.
    let result = ready.run(None, &|_| {})?;
    Ok(result.score.tally)
}

/// Counts all games of perfect play by one side against any moves.
fn every_line(side: Side) -> WinDrawLoss {
    let mut tally = WinDrawLoss::default();
    let mut search = NegaAlphaBeta::new(GameHeuristic);
    follow(&TicTacToe::new(), side, &mut search, &mut tally);
    tally
}

fn follow(
    position: &TicTacToe,
    side: Side,
    search: &mut NegaAlphaBeta<GameHeuristic>,
    tally: &mut WinDrawLoss,
) {
    if let Some(outcome) = position.outcome() {
        return tally.add(match outcome {
            Outcome::Draw => 0.5,
            Outcome::Win(winner) => f64::from(u8::from(winner == side)),
        });
    }
    let all: Vec<TicTacToe> = children(position);
    if position.to_move() != side {
        return all.iter().for_each(|child| follow(child, side, search, tally));
    }
    // The score for the opponent, who is to move; the score of a finished game only as far as it
    // matters here.
    let mut worth = |child: &TicTacToe| match child.outcome() {
        Some(Outcome::Draw) => Score::DRAW,
        Some(Outcome::Win(_)) => Score::loss_in(0),
        None => search.run(child, &Limits::depth(9)).score,
    };
    let values: Vec<Score> = all.iter().map(&mut worth).collect();
    let best = values.iter().min().copied();
    let chosen = all.iter().zip(&values).filter(|(_, value)| Some(**value) == best);
    for (child, _) in chosen {
        follow(child, side, search, tally);
    }
}

fn children<P: Playable>(position: &P) -> Vec<P> {
    let mut all = Vec::new();
    position.for_each_move(|m| {
        let mut child = position.clone();
        child.play(m);
        all.push(child);
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_lost_and_some_are_won() {
        for side in Side::ALL {
            let tally = every_line(side);
            assert_eq!(tally.losses, 0, "{side:?}");
            assert!(tally.wins > 0 && tally.draws > 0, "{side:?}: {tally:?}");
        }
    }
}
