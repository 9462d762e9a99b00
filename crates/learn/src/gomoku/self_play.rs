//! Self-play games of the engine. All randomness of a game comes from the run's seed, the round and
//! the number of the game, and the engine clears its tables before each, so the game does not
//! depend on the thread or time at which it is played.

use std::sync::Arc;

use tesuji_games::random::{Rng, below, derived, seeded, unit};
use tesuji_games::{Score, Side};
use tesuji_gomoku::engine::weights::WeightTables;
use tesuji_gomoku::engine::{GomokuEngine, GomokuOptions, SearchRequest};
use tesuji_gomoku::{Board, BoardError, Cell, MoveClass};
use tesuji_queue::CancelToken;
use tesuji_search::{Limits, TableSize};

use super::parameters::MOVE_SCORE_SCALE;
use super::record::{DECIDED, SelfPlayRecord};
use super::rounds::SelfPlayRound;
use super::settings::EngineSelfPlaySettings;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineResult {
    /// The best move.
    pub best: Cell,
    /// The score for the side to move; at least [`DECIDED`] for a proved win.
    pub score: i32,
}

/// Large enough for the nodes of a move, and quick to clear.
const TABLE: TableSize = TableSize::megabytes(2);

/// The engine with a fixed number of nodes per search.
pub struct NodeLimitedEngine {
    engine: GomokuEngine,
    limits: Limits,
    cancel: CancelToken,
}

impl NodeLimitedEngine {
    /// An engine with these weights.
    pub fn new(weights: Arc<WeightTables>, nodes: u64) -> NodeLimitedEngine {
        let options =
            GomokuOptions { table: TABLE, weights: Some(weights), ..GomokuOptions::default() };
        let (engine, limits) = (GomokuEngine::new(options), Limits::nodes(nodes));
        NodeLimitedEngine { engine, limits, cancel: CancelToken::default() }
    }

    /// Attaches a token that reports progress and cancels searches. The result of a canceled search
    /// is invalid.
    pub fn with_cancel(mut self, cancel: &CancelToken) -> NodeLimitedEngine {
        self.limits.stop = Some(cancel.flag());
        NodeLimitedEngine { cancel: cancel.clone(), ..self }
    }

    /// Searches an unfinished position; `None` if there is no legal move.
    pub(crate) fn search(&mut self, board: &Board) -> Option<EngineResult> {
        self.cancel.heartbeat();
        let report =
            self.engine.search(board, &self.limits, &SearchRequest::default(), &mut |_| {});
        Some(EngineResult { best: report.best?, score: record_score(report.score) })
    }

    /// Clears the tables, as for a new game.
    pub(crate) fn forget(&mut self) {
        self.engine.forget();
    }
}

fn record_score(score: Score) -> i32 {
    match score.is_decided() {
        true => score.raw().signum() * DECIDED,
        false => score.raw().clamp(1 - DECIDED, DECIDED - 1),
    }
}

impl SelfPlayRound {
    /// Plays the game with this number.
    pub(super) fn play(
        &self,
        engine: &mut NodeLimitedEngine,
        game: u64,
    ) -> Result<SelfPlayRecord, BoardError> {
        engine.forget();
        let (mut board, mut moves) = self.even_opening(engine, game)?;
        let mut rng = seeded(derived(self.settings.seed, [game, u64::MAX]));
        let (opening, mut best, mut scores) = (moves.len(), String::new(), Vec::new());
        let mut winner = None;
        while board.winner().is_none()
            && !board.is_full()
            && board.stones() < self.settings.games.longest
        {
            let Some(result) = engine.search(&board) else { break };
            best.push_str(&result.best.to_string());
            scores.push(result.score);
            if result.score.abs() >= DECIDED {
                let mover = board.to_move();
                winner = Some(if result.score > 0 { mover } else { !mover });
                break;
            }
            let early = moves.len() < opening + self.settings.games.exploration_plies;
            let cell = self.exploratory_move(&board, early, &mut rng).unwrap_or(result.best);
            if board.try_play(cell).is_err() {
                break;
            }
            moves.push(cell);
        }
        let winner = winner.or(board.winner());
        Ok(SelfPlayRecord {
            game,
            board: board.width(),
            opening,
            moves: moves.iter().map(Cell::to_string).collect(),
            best,
            scores,
            result: winner.map_or(0, |winner| if winner == Side::First { 1 } else { -1 }),
        })
    }

    /// A balanced opening, or the last of [`MAX_OPENING_ATTEMPTS`].
    fn even_opening(
        &self,
        engine: &mut NodeLimitedEngine,
        game: u64,
    ) -> Result<(Board, Vec<Cell>), BoardError> {
        let mut attempt = 1;
        loop {
            let (board, moves) = self.opening(derived(self.settings.seed, [game, attempt]))?;
            let result = engine.search(&board);
            let even = result.is_some_and(|it| it.score.abs() <= self.settings.games.even);
            if even || attempt == MAX_OPENING_ATTEMPTS {
                return Ok((board, moves));
            }
            attempt += 1;
        }
    }

    /// Random stones near the center of the board.
    fn opening(&self, seed: u64) -> Result<(Board, Vec<Cell>), BoardError> {
        let mut rng = seeded(seed);
        let EngineSelfPlaySettings { boards, opening: [min, max], .. } = &self.settings.games;
        let side = boards[below(&mut rng, boards.len() as u32) as usize];
        let stones = min + below(&mut rng, (max - min + 1) as u32) as usize;
        let spread = (2 + stones / 4).min(side / 2);
        let mut board = Board::new(self.rule, side, side)?;
        let mut moves = Vec::new();
        // An area of this size always has room for the stones; few of them can be forbidden.
        for _ in 0..1000 {
            if moves.len() == stones {
                break;
            }
            let cell = cell_near_center(&mut rng, side, spread);
            let quiet = board.class(board.to_move(), cell) < MoveClass::Four;
            if quiet && board.try_play(cell).is_ok() {
                moves.push(cell);
            }
        }
        Ok((board, moves))
    }

    /// Sometimes, early in the game and without urgent threats, a move other than the best.
    fn exploratory_move(&self, board: &Board, early: bool, rng: &mut Rng) -> Option<Cell> {
        let other = !board.to_move();
        let urgent = [MoveClass::Five, MoveClass::OpenFour, MoveClass::FourThree]
            .iter()
            .any(|&class| board.count(other, class) > 0);
        // Drawn in any case, so that later draws do not depend on threats.
        let explores = unit(rng) < self.settings.games.exploration;
        (explores && early && !urgent).then(|| self.sample_move(board, rng)).flatten()
    }

    /// A random move, weighted by the softmax of move scores.
    fn sample_move(&self, board: &Board, rng: &mut Rng) -> Option<Cell> {
        let own = board.to_move();
        let mut moves = Vec::new();
        board.candidates().for_each(|cell| {
            if !board.is_forbidden(own, cell) {
                let codes = (board.code(own, cell), board.code(!own, cell));
                moves.push((cell, self.tables.move_score(own, codes.0, codes.1)));
            }
        });
        let max = moves.iter().map(|&(_, score)| score).max()?;
        let weight = |score: i32| (f64::from(score - max) / f64::from(MOVE_SCORE_SCALE)).exp();
        let mut left = unit(rng) * moves.iter().map(|&(_, score)| weight(score)).sum::<f64>();
        let chosen = moves.iter().find(|&&(_, score)| {
            left -= weight(score);
            left <= 0.0
        });
        chosen.or(moves.last()).map(|&(cell, _)| cell)
    }
}

/// The maximum number of openings to try.
const MAX_OPENING_ATTEMPTS: u64 = 12;

fn cell_near_center(rng: &mut Rng, side: usize, spread: usize) -> Cell {
    let mut coordinate = || {
        let offset = below(rng, 2 * spread as u32 + 1) as usize;
        (side / 2 + offset).saturating_sub(spread).min(side - 1)
    };
    Cell::new(coordinate(), coordinate())
}
