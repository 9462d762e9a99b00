//! Self-play games: the critic chooses among the candidates that pruning keeps, with some
//! exploration. (The report calls this adaptive dynamic programming.)

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, choose, derived, seeded, unit};
use tesuji_games::{Outcome, Position, RowBoard, RowPosition, Side};
use tesuji_gomoku::fudan::{FudanAlphaBeta, FudanAlphaBetaOptions};
use tesuji_queue::{CancelToken, JobError, Output};
use tesuji_search::EvaluatedPosition;

use super::job::SelfPlayJob;
use super::opponents::{self, is_freestyle_gomoku};
use super::settings::{ExplorationMode, TdTarget};
use super::{Candidate, Candidates, Critic, CriticEvaluator, CriticPatternCounts, Urgency};
use crate::packing::{Packer, Unpacker, damaged};

/// A position of a training game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RecordedPosition {
    pub(super) counts: CriticPatternCounts,
    pub(super) to_move: Side,
    /// The first side's chance after the best move here, or after the best reply to it.
    pub(super) best: f32,
    /// Whether the game continued with a move other than the best.
    pub(super) explored: bool,
    pub(super) urgency: Urgency,
}

/// A training game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RecordedGame {
    pub(super) positions: Vec<RecordedPosition>,
    pub(super) outcome: Outcome,
    /// Stones, including the opening.
    pub(super) stones: u64,
}

/// A game as the result of an item, with losslessly packed positions.
#[derive(Serialize, Deserialize)]
pub(super) struct PackedGame {
    outcome: Outcome,
    stones: u64,
    #[serde(alias = "seen")]
    positions: String,
}

const URGENCIES: [Urgency; 3] = [Urgency::Quiet, Urgency::Winning, Urgency::Stopping];

impl RecordedGame {
    pub(super) fn output(&self) -> Output {
        let mut packer = Packer::default();
        for position in &self.positions {
            position.counts.0.iter().for_each(|&count| packer.uint(u64::from(count)));
            let flags = [
                position.to_move.index(),
                usize::from(position.explored),
                position.urgency as usize,
            ];
            packer.uint((flags[0] + 2 * flags[1] + 4 * flags[2]) as u64);
            packer.float(position.best);
        }
        let RecordedGame { outcome, stones, .. } = *self;
        Output::default().with_note(&PackedGame { outcome, stones, positions: packer.text() })
    }

    /// Unpacks a game.
    pub(super) fn of(
        PackedGame { outcome, stones, positions: text }: PackedGame,
    ) -> Result<RecordedGame, JobError> {
        let (mut unpacker, mut positions) = (Unpacker::new(&text)?, Vec::new());
        while !unpacker.is_empty() {
            let mut counts = CriticPatternCounts::default();
            for count in &mut counts.0 {
                *count = u16::try_from(unpacker.uint()?).map_err(|_| damaged())?;
            }
            let flags = unpacker.uint()? as usize;
            positions.push(RecordedPosition {
                counts,
                to_move: Side::ALL[flags & 1],
                explored: flags & 2 > 0,
                urgency: *URGENCIES.get(flags >> 2).ok_or_else(damaged)?,
                best: unpacker.float()?,
            });
        }
        Ok(RecordedGame { positions, outcome, stones })
    }
}

/// The opponent of the learner in a game.
enum Opponent {
    Learner,
    Earlier(Side, Box<EvaluatedPosition<RowBoard, CriticEvaluator>>),
    AlphaBeta(Side, Box<FudanAlphaBeta>),
}

/// A game in progress.
struct GameInProgress {
    evaluated: EvaluatedPosition<RowBoard, CriticEvaluator>,
    candidates: Candidates<u16>,
    replies: Candidates<u16>,
    rng: Rng,
    /// The exploration rate or temperature of this game.
    exploration: f64,
}

impl SelfPlayJob {
    /// Plays the game with this number, which determines its randomness; `None` when canceled.
    pub(super) fn play(&self, number: u64, cancel: &CancelToken) -> Option<RecordedGame> {
        let settings = &self.settings;
        let mut game = GameInProgress {
            evaluated: self.evaluated(self.start.clone(), &self.critic),
            candidates: Candidates::default(),
            replies: Candidates::default(),
            // These numbers must not change: the results of a seed depend on them.
            rng: seeded(derived(settings.seed ^ 0x6372_6974_6963, [1, number])),
            exploration: settings.exploration_at(number),
        };
        let play = &settings.play;
        let opening = play_opening(&mut game.evaluated, play.opening, play.radius, &mut game.rng);
        let (mut opponent, mut positions) = (self.opponent(&mut game), Vec::new());
        loop {
            if let Some(outcome) = game.evaluated.position().outcome() {
                let stones = (opening + positions.len()) as u64;
                return Some(RecordedGame { positions, outcome, stones });
            }
            if cancel.is_canceled() {
                return None;
            }
            cancel.heartbeat();
            let (m, position) = self.advance(&mut game, &mut opponent);
            positions.push(position);
            game.evaluated.play(m);
        }
    }

    fn evaluated(
        &self,
        game: RowBoard,
        critic: &Arc<Critic>,
    ) -> EvaluatedPosition<RowBoard, CriticEvaluator> {
        EvaluatedPosition::new(game, CriticEvaluator::new(self.matcher.clone(), critic.clone()))
    }

    /// Draws the opponent of a game.
    fn opponent(&self, game: &mut GameInProgress) -> Opponent {
        let opponents = &self.settings.opponents;
        let earlier = if self.earlier.is_empty() { 0.0 } else { opponents.earlier };
        let alphabeta = if is_freestyle_gomoku(&self.start) { opponents.alphabeta } else { 0.0 };
        let shares = [opponents.itself.max(1e-9), earlier, alphabeta];
        let drawn = unit(&mut game.rng) * shares.iter().sum::<f64>();
        let side = Side::ALL[below(&mut game.rng, 2) as usize];
        if drawn < shares[0] {
            return Opponent::Learner;
        }
        if drawn < shares[0] + shares[1]
            && let Some(critic) = choose(&mut game.rng, &self.earlier)
        {
            let opponent = self.evaluated(game.evaluated.position().clone(), critic);
            return Opponent::Earlier(side, Box::new(opponent));
        }
        Opponent::AlphaBeta(side, Box::new(FudanAlphaBeta::new(FudanAlphaBetaOptions::default())))
    }

    /// Chooses the move to play and records the position for training.
    fn advance(
        &self,
        game: &mut GameInProgress,
        opponent: &mut Opponent,
    ) -> (u16, RecordedPosition) {
        game.evaluated.evaluator().candidates(game.evaluated.position(), &mut game.candidates);
        let to_move = game.evaluated.position().to_move();
        let best = *game.candidates.best().expect("an unfinished game has moves");
        let (best, chance) = match self.settings.learning.target {
            TdTarget::Next => (best, best.chance),
            TdTarget::Reply => game.best_after_reply(self.settings.learning.width),
        };
        let m = match opponent {
            Opponent::Earlier(side, opponent) if *side == to_move => {
                opponent.evaluator().candidates(opponent.position(), &mut game.replies);
                game.replies.best().map_or(best.m, |best| best.m)
            }
            Opponent::AlphaBeta(side, agent) if *side == to_move => {
                opponents::choose_move(agent, game.evaluated.position()).unwrap_or(best.m)
            }
            _ => game.explore(best.m, self.settings.play.explore),
        };
        if let Opponent::Earlier(_, opponent) = opponent {
            opponent.play(m);
        }
        let recorded = RecordedPosition {
            counts: *game.evaluated.evaluator().pattern_board().counts(),
            to_move,
            best: if to_move == Side::First { chance } else { 1.0 - chance },
            explored: m != best.m,
            urgency: game.candidates.urgency,
        };
        (m, recorded)
    }
}

impl GameInProgress {
    /// The best move, or an exploratory one.
    fn explore(&mut self, best: u16, mode: ExplorationMode) -> u16 {
        let GameInProgress { candidates, rng, exploration, .. } = self;
        let drawn = match mode {
            ExplorationMode::Greedy if unit(rng) < *exploration => choose(rng, &candidates.moves),
            ExplorationMode::Softmax if *exploration > 0.0 => {
                softmax(&candidates.moves, *exploration, rng)
            }
            _ => None,
        };
        drawn.map_or(best, |candidate| candidate.m)
    }

    /// The best of the first `width` moves and its value for the side to move, after the best reply
    /// to it.
    fn best_after_reply(&mut self, width: usize) -> (Candidate<u16>, f32) {
        let mut first = self.candidates.clone();
        first.sort();
        first.moves.truncate(width);
        let mut best = (first.moves[0], f32::MIN);
        let mover = self.evaluated.position().to_move();
        for candidate in first.moves {
            let undo = self.evaluated.play(candidate.m);
            let chance = self.best_reply(mover);
            self.evaluated.undo(candidate.m, undo);
            if chance > best.1 {
                best = (candidate, chance);
            }
        }
        best
    }

    /// The chance of the side that has just moved, after the best move of this position.
    fn best_reply(&mut self, mover: Side) -> f32 {
        let position = self.evaluated.position();
        if let Some(outcome) = position.outcome() {
            return outcome.points(mover) as f32;
        }
        // An immediate win needs no estimate.
        let chance = if RowBoard::FINDS_WINS && position.winning_move().is_some() {
            1.0
        } else {
            self.evaluated.evaluator().candidates(position, &mut self.replies);
            self.replies.best().map_or(0.5, |best| best.chance)
        };
        if position.to_move() == mover { chance } else { 1.0 - chance }
    }
}

/// Draws a move with P(move) ∝ (odds of winning)^(1/temperature).
fn softmax<'m, M>(
    moves: &'m [Candidate<M>],
    temperature: f64,
    rng: &mut Rng,
) -> Option<&'m Candidate<M>> {
    let logit = |it: &Candidate<M>| {
        let chance = f64::from(it.chance).clamp(1e-6, 1.0 - 1e-6);
        (chance / (1.0 - chance)).ln() / temperature
    };
    let max = moves.iter().map(logit).fold(f64::MIN, f64::max);
    let mut left = unit(rng) * moves.iter().map(|it| (logit(it) - max).exp()).sum::<f64>();
    moves.iter().find(|it| {
        left -= (logit(it) - max).exp();
        left <= 0.0
    })
}

/// Plays random moves near the center and returns their number. Undoes them if they end the game.
fn play_opening(
    game: &mut EvaluatedPosition<RowBoard, CriticEvaluator>,
    [min, max]: [u32; 2],
    radius: usize,
    rng: &mut Rng,
) -> usize {
    let mut played = Vec::new();
    for _ in 0..min + below(rng, max - min + 1) {
        if game.position().outcome().is_some() {
            break;
        }
        let Some(m) = random_move_near_center(game.position(), radius, rng) else { break };
        played.push((m, game.play(m)));
    }
    if game.position().outcome().is_some() {
        played.drain(..).rev().for_each(|(m, undo)| game.undo(m, undo));
    }
    played.len()
}

fn random_move_near_center(game: &RowBoard, radius: usize, rng: &mut Rng) -> Option<u16> {
    let grid = game.grid();
    let mut near = Vec::new();
    game.for_each_move(|m| {
        let (row, column) = (game.cell(m) / grid.columns, game.cell(m) % grid.columns);
        let is_near = column.abs_diff(grid.columns / 2) <= radius
            && (grid.gravity || row.abs_diff(grid.rows / 2) <= radius);
        if is_near {
            near.push(m);
        }
    });
    choose(rng, &near).copied()
}
