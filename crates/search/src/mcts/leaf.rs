//! The values of leaves in Monte Carlo tree search.

use tesuji_games::{Outcome, Position, Rng, Side};

use crate::{Evaluator, GameHeuristic, LeafEvaluation};

/// The value of a leaf. A multithreaded search clones it for each thread.
pub trait LeafValue<P: Position>: Clone + Send {
    /// Returns the win probability of [`Side::First`] in an unfinished position, 0 to 1 (a draw is
    /// ½). May play moves on the position; calls `on_move` with the side and the
    /// [`move_index`](Position::move_index) of each such move, for RAVE.
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        on_move: &mut impl FnMut(Side, usize),
    ) -> f32;
}

/// Plays uniformly random moves to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomRollout;

impl<P: Position> LeafValue<P> for RandomRollout {
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        on_move: &mut impl FnMut(Side, usize),
    ) -> f32 {
        loop {
            let m = position.random_move(rng);
            on_move(position.to_move(), position.move_index(m));
            position.play(m);
            if let Some(outcome) = position.outcome() {
                return points_for_first(outcome);
            }
        }
    }
}

/// Plays random moves, but a winning move at once if there is one (Teytaud and Teytaud, 2010).
/// Equals [`RandomRollout`] for games without [`FINDS_WINS`](Position::FINDS_WINS).
#[derive(Clone, Copy, Debug, Default)]
pub struct DecisiveRollout;

impl<P: Position> LeafValue<P> for DecisiveRollout {
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        on_move: &mut impl FnMut(Side, usize),
    ) -> f32 {
        loop {
            let m = match position.winning_move() {
                Some(m) => m,
                None => position.random_move(rng),
            };
            on_move(position.to_move(), position.move_index(m));
            position.play(m);
            if let Some(outcome) = position.outcome() {
                return points_for_first(outcome);
            }
        }
    }
}

/// Converts an [`Evaluator`]'s estimate to a win probability with the logistic function. An
/// estimate of `scale` is a probability of 1 / (1 + e⁻¹), 73 %.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorLeaf<E> {
    /// The source of the estimates.
    pub evaluator: E,
    /// The estimate that corresponds to a win probability of 73 %.
    pub scale: f32,
}

impl Default for EvaluatorLeaf<GameHeuristic> {
    fn default() -> Self {
        EvaluatorLeaf { evaluator: GameHeuristic, scale: 100.0 }
    }
}

impl<P: Position, E: Evaluator<P>> LeafValue<P> for EvaluatorLeaf<E> {
    #[inline]
    fn value(&mut self, position: &mut P, _: &mut Rng, _: &mut impl FnMut(Side, usize)) -> f32 {
        // Simulations jump from leaf to leaf, so incremental evaluators must restart.
        self.evaluator.start(position);
        let chance = win_chance(self.evaluator.evaluate(position), self.scale);
        match position.to_move() {
            Side::First => chance,
            Side::Second => 1.0 - chance,
        }
    }
}

/// Dispatches at run time, so that all variants share one compiled search.
impl<P: Position> LeafValue<P> for LeafEvaluation
where
    GameHeuristic: Evaluator<P>,
{
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        on_move: &mut impl FnMut(Side, usize),
    ) -> f32 {
        match *self {
            LeafEvaluation::Random => RandomRollout.value(position, rng, on_move),
            LeafEvaluation::Decisive => DecisiveRollout.value(position, rng, on_move),
            LeafEvaluation::Heuristic(scale) => {
                EvaluatorLeaf { evaluator: GameHeuristic, scale }.value(position, rng, on_move)
            }
        }
    }
}

/// The logistic function of `estimate / scale`.
pub fn win_chance(estimate: i32, scale: f32) -> f32 {
    1.0 / (1.0 + (-(estimate as f32) / scale).exp())
}

#[inline]
pub(crate) fn points_for_first(outcome: Outcome) -> f32 {
    match outcome {
        Outcome::Win(Side::First) => 1.0,
        Outcome::Win(Side::Second) => 0.0,
        Outcome::Draw => 0.5,
    }
}
