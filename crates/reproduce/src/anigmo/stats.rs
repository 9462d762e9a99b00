//! Games and states of tic-tac-toe, and the positions of Connect Four as far as they can be
//! enumerated.

use tesuji_games::Playable;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_search::statistics::{GameTreeStatistics, StatisticsOptions, statistics};

use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// Number of Connect Four positions on 7 columns and 6 rows by number of stones (Tromp; Edelkamp
/// and Kissmann, 2008). All plies together are the 4,531,985,219,092 of the paper.
const CONNECT_FOUR: [u64; 13] = [
    1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186, 1_662_623, 4_568_683, 12_236_101,
];

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let plies = run.pick(9, CONNECT_FOUR.len() as u32 - 1);
    run.report_progress(0, 2, "tic-tac-toe");
    let found = counted(&TicTacToe::new(), None)?;
    let symmetry = found
        .up_to_symmetry
        .ok_or_else(|| ReproduceError::Other("tic-tac-toe: no symmetry".to_string()))?;
    let count = |what: &str, published: u64, ours: u128| {
        ComparisonRow::count(what, published, u64::try_from(ours).unwrap_or(u64::MAX))
    };
    let (games, merged) = (found.games, symmetry.games_with_merged_children);
    let ends = symmetry.terminal_states;
    let rows = vec![
        count("games", 255_168, games.total),
        count("games that the first player wins", 131_184, games.first),
        count("games that the second player wins", 77_904, games.second),
        count("games that end in a tie", 46_080, games.draw),
        count("games up to symmetry", 26_830, merged.total),
        count("states", 5_478, found.states.into()).headline("tic-tac-toe: number of states"),
        count("final states up to symmetry", 138, ends.total),
        count("of them won by the first player", 91, ends.first),
        count("of them won by the second player", 44, ends.second),
        count("of them ties", 3, ends.draw),
    ];
    run.report_progress(1, 2, "Connect Four");
    let found = counted(&Connect4::new(), Some(plies))?;
    let by_ply = found.plies.iter().zip(CONNECT_FOUR);
    let positions = by_ply.map(|(ply, published)| {
        ComparisonRow::count(format!("after {} stones", ply.ply), published, ply.states)
    });
    let tables = vec![
        ComparisonTable::new("Tic-tac-toe", rows),
        ComparisonTable::new("Connect Four, 7 columns and 6 rows: positions", positions.collect()),
    ];
    Ok(Findings::of_all(tables).note(
        "The paper quotes 4,531,985,219,092 states of Connect Four, the sum over all 42 plies. \
         Ours enumerates the first plies and compares each with its published count.",
    ))
}

fn counted<P: Playable>(
    start: &P,
    plies: Option<u32>,
) -> Result<GameTreeStatistics, ReproduceError> {
    let options = StatisticsOptions { plies, max_states: 30_000_000 };
    statistics(start, options).map_err(|error| ReproduceError::Other(error.to_string()))
}
