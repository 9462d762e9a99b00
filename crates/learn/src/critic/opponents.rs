//! Others to play against: the report's agents and the game's own estimate at one ply.

use tesuji_games::random::{Rng, choose};
use tesuji_games::{Playable, Position, RowBoard, RowGame, RowRule, Score, Side, Stones};
use tesuji_gomoku::report::{
    AlphaBeta, Board, Cell, LONGEST_SIDE, Options, PlayoutOptions, Playouts, ReportAgent, Stage,
};
use tesuji_search::Limits;

/// Whether the report's agents know the game: five or more in a row, one stone a turn.
pub(super) fn is_free_five(start: &RowBoard) -> bool {
    let RowGame { grid, rule, .. } = start.row_game();
    grid.k == 5
        && !grid.gravity
        && rule == RowRule::AtLeast
        && grid.columns.max(grid.rows) <= LONGEST_SIDE
        && start.row_game().alternates()
}

/// An agent of the report at its own board, which follows the game.
pub(super) struct ReportSeat<A> {
    agent: A,
    board: Box<Board>,
    columns: usize,
}

/// The alpha-beta agent.
pub(super) type AlphaBetaSeat = ReportSeat<AlphaBeta>;

impl AlphaBetaSeat {
    /// The final agent; `None` where the report's boards are too small.
    pub(super) fn at(game: &RowBoard) -> Option<AlphaBetaSeat> {
        ReportSeat::new(AlphaBeta::new(Options::default()), game)
    }
}

impl ReportSeat<Playouts> {
    /// The Monte Carlo agent with so many playouts for each move in each stage.
    pub(super) fn playing_out(game: &RowBoard, playouts: u32, seed: u64) -> Option<Self> {
        let usual = PlayoutOptions::default();
        let options = PlayoutOptions {
            short: Stage { playouts, ..usual.short },
            long: Stage { playouts, ..usual.long },
            seed,
            ..usual
        };
        ReportSeat::new(Playouts::new(options), game)
    }
}

impl<A: ReportAgent> ReportSeat<A> {
    fn new(agent: A, game: &RowBoard) -> Option<ReportSeat<A>> {
        let grid = game.grid();
        let mut board = Box::new(Board::new(grid.rows, grid.columns).ok()?);
        for cell in 0..grid.cells() {
            if let Some(side) = game.stone_at(cell) {
                board.place(at(cell, grid.columns), side).ok()?;
            }
        }
        board.set_to_move(game.to_move());
        Some(ReportSeat { agent, board, columns: grid.columns })
    }

    /// Its move.
    pub(super) fn choose(&mut self, game: &RowBoard) -> Option<u16> {
        let cell = self.agent.choose(&self.board, &Limits::default())?;
        game.move_to(usize::from(cell.row) * self.columns + usize::from(cell.column))
    }

    /// A stone was put there by whoever's turn it is.
    pub(super) fn follow(&mut self, cell: usize) {
        let followed = self.board.play(at(cell, self.columns));
        debug_assert!(followed.is_ok(), "{followed:?}");
    }
}

fn at(cell: usize, columns: usize) -> Cell {
    Cell::row_column((cell / columns) as u8, (cell % columns) as u8)
}

/// The move after which the game's own estimate is best; by chance among equals.
pub(super) fn one_ply(game: &RowBoard, rng: &mut Rng) -> Option<u16> {
    let (mut best, mut equals) = (Score::MIN, Vec::new());
    game.for_each_move(|m| {
        let score = score_after(game, m);
        if score > best {
            best = score;
            equals.clear();
        }
        if score == best {
            equals.push(m);
        }
    });
    choose(rng, &equals).copied()
}

fn score_after(game: &RowBoard, m: u16) -> Score {
    let (mover, mut after) = (game.to_move(), game.clone());
    after.play(m);
    let won_by = |winner: Side| if winner == mover { Score::win_in(1) } else { Score::loss_in(1) };
    match after.outcome() {
        Some(outcome) => outcome.winner().map_or(Score::DRAW, won_by),
        None if after.to_move() == mover => Score::estimate(after.estimate()),
        None => -Score::estimate(after.estimate()),
    }
}
