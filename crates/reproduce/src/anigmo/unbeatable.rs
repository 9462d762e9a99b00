//! A program that cannot be beaten at tic-tac-toe: many games against chance, and against every line that any
//! opponent could play.

use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Outcome, Playable, Position, Score, Side};
use tesuji_play::{Match, Openings, WinDrawLoss};
use tesuji_search::{GameHeuristic, Limits, NegaAlphaBeta, Search};

use crate::comparison::{Better, Estimate};
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{ReproduceError, Run, open_game};

/// What visitors of the published page came to: 763 games lost to the program, 1,980 tied, none won.
const WEB: WinDrawLoss = WinDrawLoss { wins: 763, draws: 1980, losses: 0 };

pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let games = run.pick(10_000, 100_000);
    let random = against_random(run, games)?;
    run.show(games, games, "every line");
    let sides = Side::ALL.map(|side| (side, every_line(side)));
    let lost = |tally: &WinDrawLoss| Estimate::percent(tally.losses as f64, tally.games());
    let published = lost(&WEB);
    let mut rows = vec![
        Row::percent("games lost against random moves", published, lost(&random), Better::Lower)
            .noting(&words(&random))
            .headline("tic-tac-toe: games lost by perfect play"),
    ];
    for (side, tally) in &sides {
        let seat = if *side == Side::First { "first" } else { "second" };
        rows.push(
            Row::sampled(
                format!("lines lost as {seat}, against every answer"),
                (published, Figure::percent(published)),
                (Estimate::exact(tally.losses as f64), Figure::count(tally.losses)),
                Better::Lower,
            )
            .noting(&words(tally)),
        );
    }
    Ok(Findings::of(Table::new("Games and lines lost", rows)).note(
        "Published: people on a web page won none of 2,743 games (763 lost, 1,980 tied). \"Every line\" follows all moves \
         of the opponent and, for the program, all moves that plain search to the end of the game calls best.",
    ))
}

fn words(tally: &WinDrawLoss) -> String {
    let grouped = |count: u64| tesuji_play::quantity::grouped(count.into());
    let WinDrawLoss { wins, draws, losses } = *tally;
    format!("{} won, {} tied, {} lost", grouped(wins), grouped(draws), grouped(losses))
}

fn against_random(run: &Run<'_>, games: u64) -> Result<WinDrawLoss, ReproduceError> {
    let perfect = tesuji_players::player("negaalphabeta:depth=9,ties=random")?;
    let players = [perfect, tesuji_players::player("random")?];
    let settings = Match { games, seed: run.seed, concurrency: run.threads, ..Match::default() };
    let openings = Openings::none();
    let ready = settings.prepare(&open_game("tictactoe")?, &players, &openings)?;
    // Games are reported from other threads than this one; what is watched stays here.
    let result = ready.run(None, &|_| {})?;
    Ok(result.score.tally)
}

/// Every game that perfect play of one side can come to.
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
    // The value for the other side, who is to move; of a finished game, as far as it matters here.
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
