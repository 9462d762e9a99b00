//! Flat Monte Carlo: a bandit over the current actions, without a tree. Works on any [`Simulator`],
//! including hidden information: each rollout starts from a newly sampled state. [`AgainstChance`]
//! adapts a [`Position`].

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::{AgainstChance, Position, Simulator};

use crate::mcts::rate_score;
use crate::{Limits, Meter, MoveScore, ProgressFn, Search, SearchReport};

/// The options of flat UCB.
#[derive(Clone, Debug)]
pub struct FlatUcbOptions {
    /// The exploration weight c in mean + c √(ln N / n).
    pub exploration: f64,
    /// Rollouts per decision, unless the limits give a number.
    pub simulations: u64,
    /// Steps per rollout, including the first action; `None` plays to the end.
    pub depth: Option<u32>,
    /// The random seed.
    pub seed: u64,
}

impl Default for FlatUcbOptions {
    /// The parameters of the Gem Island experiments: c = 1.4, 100 rollouts of 5 steps.
    fn default() -> Self {
        FlatUcbOptions { exploration: 1.4, simulations: 100, depth: Some(5), seed: 1 }
    }
}

/// Rollouts on large boards are long: the limits are checked once per this number of steps.
const CHECK_INTERVAL: u32 = 256;

/// The value of a rollout at its end.
pub trait RolloutValue<S: Simulator>: Clone + Send {
    /// Returns the value of a rollout from `start` to `end` that collected `reward`. UCB expects
    /// values between about 0 and 1.
    fn value(&mut self, start: &S::Observation, end: &S, reward: f64) -> f64;
}

/// The sum of the rewards.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewardSum;

impl<S: Simulator> RolloutValue<S> for RewardSum {
    fn value(&mut self, _: &S::Observation, _: &S, reward: f64) -> f64 {
        reward
    }
}

/// For two-sided games: the reward of a finished game, ½ for an unfinished game.
#[derive(Clone, Copy, Debug, Default)]
pub struct HalfIfUnfinished;

impl<S: Simulator> RolloutValue<S> for HalfIfUnfinished {
    fn value(&mut self, _: &S::Observation, end: &S, reward: f64) -> f64 {
        if end.is_over() { reward } else { 0.5 }
    }
}

/// An action with the statistics of its rollouts.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ArmStats<A> {
    /// The action.
    pub action: A,
    /// The number of rollouts that began with it.
    pub visits: u64,
    /// Their mean value; 0 without rollouts.
    pub mean: f64,
}

/// Gives the prior probabilities of actions.
pub type ActionPrior<'p, A> = &'p mut dyn FnMut(&[A]) -> Vec<f64>;

/// UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) at the root, then random actions.
#[derive(Clone, Debug)]
pub struct FlatUcb<V = RewardSum> {
    options: FlatUcbOptions,
    value: V,
    rng: Rng,
}

impl FlatUcb<RewardSum> {
    /// Flat UCB on the sum of rewards.
    pub fn new(options: FlatUcbOptions) -> Self {
        FlatUcb::with_value(options, RewardSum)
    }
}

impl FlatUcb<HalfIfUnfinished> {
    /// Flat UCB for two-sided games.
    pub fn two_sided(options: FlatUcbOptions) -> Self {
        FlatUcb::with_value(options, HalfIfUnfinished)
    }
}

impl<V> FlatUcb<V> {
    /// Flat UCB with a custom value at the end of a rollout.
    pub fn with_value(options: FlatUcbOptions, value: V) -> Self {
        let rng = seeded(options.seed);
        FlatUcb { options, value, rng }
    }

    /// Runs rollouts and ranks the actions best first (largest mean, ties in random order). Empty
    /// when the game is over.
    pub fn rank_actions<S>(
        &mut self,
        observation: &S::Observation,
        limits: &Limits,
    ) -> Vec<ArmStats<S::Action>>
    where
        S: Simulator,
        V: RolloutValue<S>,
    {
        self.rank(observation, limits, None)
    }

    /// The same with prior probabilities of the actions: rollouts follow PUCT (Rosin, 2011) instead
    /// of UCB1, and the action with the most rollouts is best.
    pub fn rank_actions_by_prior<S>(
        &mut self,
        observation: &S::Observation,
        limits: &Limits,
        prior: ActionPrior<'_, S::Action>,
    ) -> Vec<ArmStats<S::Action>>
    where
        S: Simulator,
        V: RolloutValue<S>,
    {
        self.rank(observation, limits, Some(prior))
    }

    fn rank<S>(
        &mut self,
        observation: &S::Observation,
        limits: &Limits,
        prior: Option<ActionPrior<'_, S::Action>>,
    ) -> Vec<ArmStats<S::Action>>
    where
        S: Simulator,
        V: RolloutValue<S>,
    {
        let mut actions = Vec::new();
        S::sample_state(observation, &mut self.rng).for_each_action(|a| actions.push(a));
        if actions.is_empty() {
            return Vec::new();
        }
        let mut bandit = Bandit::new(actions.len(), prior.map(|prior| prior(&actions)));
        let limits = self.limits_or_default(limits);
        let mut meter = Meter::start_simulations(&limits);
        loop {
            let arm = bandit.pick(self.options.exploration, &mut self.rng);
            let Some(value) = self.rollout::<S>(observation, actions[arm], &mut meter) else {
                break;
            };
            bandit.record(arm, value);
            if meter.tick() {
                break;
            }
        }
        bandit.ranked(&actions, &mut self.rng)
    }

    fn limits_or_default(&self, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        if limits.nodes.is_none() && limits.time.is_none() && limits.stop.is_none() {
            limits.nodes = Some(self.options.simulations);
        }
        limits
    }

    /// The value of a rollout; `None` when a limit interrupts it.
    fn rollout<S>(
        &mut self,
        observation: &S::Observation,
        first: S::Action,
        meter: &mut Meter,
    ) -> Option<f64>
    where
        S: Simulator,
        V: RolloutValue<S>,
    {
        let mut state = S::sample_state(observation, &mut self.rng);
        let mut reward = state.step(first, &mut self.rng);
        let mut left = self.options.depth.map_or(u32::MAX, |depth| depth.saturating_sub(1));
        while left > 0 && !state.is_over() {
            let Some(action) = state.random_action(&mut self.rng) else { break };
            reward += state.step(action, &mut self.rng);
            left -= 1;
            if left.is_multiple_of(CHECK_INTERVAL) && meter.check_now() {
                return None;
            }
        }
        Some(self.value.value(observation, &state, reward))
    }
}

/// The statistics of the arms, and the choice of the next one.
struct Bandit {
    visits: Vec<u64>,
    sums: Vec<f64>,
    total: u64,
    /// Arms that were never pulled.
    unpulled: Vec<usize>,
    /// Prior probabilities.
    prior: Option<Vec<f64>>,
}

impl Bandit {
    fn new(arms: usize, prior: Option<Vec<f64>>) -> Self {
        Bandit {
            visits: vec![0; arms],
            sums: vec![0.0; arms],
            total: 0,
            unpulled: (0..arms).collect(),
            prior,
        }
    }

    /// With priors, chooses the largest mean + c p √N / (1 + n); the mean of an unpulled arm is
    /// that of all pulls.
    fn pick_by_prior(&self, prior: &[f64], exploration: f64) -> usize {
        let mean_of_all = self.sums.iter().sum::<f64>() / (self.total as f64).max(1.0);
        let root = (self.total as f64 + 1.0).sqrt();
        let (mut best, mut best_bound) = (0, f64::NEG_INFINITY);
        for (arm, (&n, &sum)) in self.visits.iter().zip(&self.sums).enumerate() {
            let mean = if n == 0 { mean_of_all } else { sum / n as f64 };
            let share = prior.get(arm).copied().unwrap_or_default();
            let bound = mean + exploration * share * root / (1.0 + n as f64);
            if bound > best_bound {
                (best, best_bound) = (arm, bound);
            }
        }
        best
    }

    /// Chooses a random unpulled arm, otherwise the largest upper bound; breaks ties randomly.
    fn pick(&mut self, exploration: f64, rng: &mut Rng) -> usize {
        if let Some(prior) = &self.prior {
            return self.pick_by_prior(prior, exploration);
        }
        if !self.unpulled.is_empty() {
            let n = below(rng, self.unpulled.len() as u32) as usize;
            return self.unpulled.swap_remove(n);
        }
        let log = (self.total as f64).ln();
        let (mut best, mut best_bound, mut ties) = (0, f64::NEG_INFINITY, 0);
        for (arm, (&n, &sum)) in self.visits.iter().zip(&self.sums).enumerate() {
            let n = n as f64;
            let bound = sum / n + exploration * (log / n).sqrt();
            ties = if bound > best_bound { 1 } else { ties + u32::from(bound == best_bound) };
            if bound > best_bound || bound == best_bound && below(rng, ties) == 0 {
                (best, best_bound) = (arm, bound);
            }
        }
        best
    }

    fn record(&mut self, arm: usize, value: f64) {
        self.visits[arm] += 1;
        self.sums[arm] += value;
        self.total += 1;
    }

    /// Sorted by mean, with priors by visits, ties in random order; unpulled arms last.
    fn ranked<A: Copy>(&self, actions: &[A], rng: &mut Rng) -> Vec<ArmStats<A>> {
        let mut arms: Vec<_> = (actions.iter().zip(&self.visits).zip(&self.sums))
            .map(|((&action, &visits), &sum)| ArmStats {
                action,
                visits,
                mean: if visits == 0 { 0.0 } else { sum / visits as f64 },
            })
            .collect();
        for last in (1..arms.len()).rev() {
            arms.swap(last, below(rng, last as u32 + 1) as usize);
        }
        let tried = |arm: &ArmStats<A>| arm.visits > 0;
        let by_visits = self.prior.is_some();
        let visits = |arm: &ArmStats<A>| if by_visits { arm.visits } else { u64::from(tried(arm)) };
        arms.sort_by(|a, b| visits(b).cmp(&visits(a)).then(b.mean.total_cmp(&a.mean)));
        arms
    }
}

/// A two-sided game, against a model of an opponent that moves randomly. Scores are on the scale of
/// [`mcts`](crate::mcts).
impl<P: Position, V: RolloutValue<AgainstChance<P>>> Search<P> for FlatUcb<V> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        _: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let clock = Meter::start(limits);
        let observation = AgainstChance::new(position.clone());
        let arms = self.rank_actions::<AgainstChance<P>>(&observation, limits);
        let scored = |arm: &ArmStats<P::Move>| MoveScore {
            m: arm.action,
            score: rate_score(arm.mean),
            visits: arm.visits,
        };
        let Some(best) = arms.first().map(scored) else { return SearchReport::empty() };
        let moves: Vec<_> = arms.iter().filter(|arm| arm.visits > 0).map(scored).collect();
        SearchReport {
            best: Some(best.m),
            score: best.score,
            line: vec![best.m],
            depth: 1,
            nodes: moves.iter().map(|m| m.visits).sum(),
            time: clock.elapsed(),
            moves,
            lines: Vec::new(),
        }
    }

    /// A search already scores its root moves.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        self.search(position, limits, progress)
    }
}
