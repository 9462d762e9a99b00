//! Where a simulation gets its value from when it leaves the tree.

use tesuji_games::{Outcome, Position, Rng, Side};

use crate::{Evaluator, GameHeuristic, Rollout};

/// The value of a leaf. Searches on several threads clone it, one for each.
pub trait LeafValue<P: Position>: Clone + Send {
    /// The chance of [`Side::First`] to win, 0 to 1 (a draw is ½), in an unfinished position. May play on
    /// it; `hear` is told the side and the [`move_index`](Position::move_index) of each such move, for
    /// RAVE.
    fn value(&mut self, position: &mut P, rng: &mut Rng, hear: &mut impl FnMut(Side, usize))
    -> f32;
}

/// Uniformly random moves to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomRollout;

impl<P: Position> LeafValue<P> for RandomRollout {
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        hear: &mut impl FnMut(Side, usize),
    ) -> f32 {
        loop {
            let m = position.random_move(rng);
            hear(position.to_move(), position.move_index(m));
            position.play(m);
            if let Some(outcome) = position.outcome() {
                return points_for_first(outcome);
            }
        }
    }
}

/// Random moves, but a side that can win at once does (Teytaud and Teytaud, 2010). The same as
/// [`RandomRollout`] for games without [`FINDS_WINS`](Position::FINDS_WINS).
#[derive(Clone, Copy, Debug, Default)]
pub struct DecisiveRollout;

impl<P: Position> LeafValue<P> for DecisiveRollout {
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        hear: &mut impl FnMut(Side, usize),
    ) -> f32 {
        loop {
            let m = match position.winning_move() {
                Some(m) => m,
                None => position.random_move(rng),
            };
            hear(position.to_move(), position.move_index(m));
            position.play(m);
            if let Some(outcome) = position.outcome() {
                return points_for_first(outcome);
            }
        }
    }
}

/// An [`Evaluator`]'s estimate squashed to a chance of winning by the logistic function. At an estimate
/// of `scale` the chance is 1 / (1 + e⁻¹), 73 %.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorLeaf<E> {
    /// The source of the estimates.
    pub evaluator: E,
    /// How large an estimate is large.
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
        // Simulations jump from leaf to leaf: an evaluator that keeps books opens them anew.
        self.evaluator.start(position);
        let chance = win_chance(self.evaluator.evaluate(position), self.scale);
        match position.to_move() {
            Side::First => chance,
            Side::Second => 1.0 - chance,
        }
    }
}

/// Which of these is decided when a search is made, so that they share one compiled search.
impl<P: Position> LeafValue<P> for Rollout
where
    GameHeuristic: Evaluator<P>,
{
    #[inline]
    fn value(
        &mut self,
        position: &mut P,
        rng: &mut Rng,
        hear: &mut impl FnMut(Side, usize),
    ) -> f32 {
        match *self {
            Rollout::Random => RandomRollout.value(position, rng, hear),
            Rollout::Decisive => DecisiveRollout.value(position, rng, hear),
            Rollout::Heuristic(scale) => {
                EvaluatorLeaf { evaluator: GameHeuristic, scale }.value(position, rng, hear)
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
