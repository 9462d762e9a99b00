//! The strong agent, `belief`: samples states from the belief, tests the best swaps in each of them
//! with rollouts by the greedy agent, and repeatedly drops the worse half of the swaps (sequential
//! halving; Karnin, Koren and Somekh, 2013). All swaps of a round face the same states and the same
//! randomness, which reduces the variance of the comparison.

use std::time::{Duration, Instant};

use tesuji_games::random::{derived, seeded, unit};
use tesuji_games::rules::gem_island::{GemIsland, GemStatus, GemView, Mask, Swap};

use super::{
    Agent, Belief, BeliefOptions, BeliefTracker, Decision, GreedyAgent, MAX_WIDTH, SwapValue,
};

/// The options of the belief agent.
#[derive(Clone, Debug)]
pub struct HalvingOptions {
    /// Rollouts per decision, unless there is a time limit.
    pub rollouts: u64,
    /// The time per decision; the decision then depends on the speed of the machine.
    pub time: Option<Duration>,
    /// The number of threads for rollouts; it changes only the time.
    pub threads: usize,
    /// The random seed.
    pub seed: u64,
    /// The value of a rollout's end.
    pub scale: RolloutScale,
    /// The number of swaps to test: the best ones of the greedy agent with foresight for all.
    pub candidates: usize,
    /// Stop early when the leader is ahead of every other swap by this many standard errors of the
    /// difference.
    pub separation: f64,
    /// The rollout policy.
    pub policy: GreedyAgent,
    /// The options of the belief computation.
    pub belief: BeliefOptions,
}

impl Default for HalvingOptions {
    /// 300 rollouts on one thread.
    fn default() -> Self {
        HalvingOptions {
            rollouts: 300,
            time: None,
            threads: 1,
            seed: 1,
            scale: RolloutScale::default(),
            candidates: 5,
            separation: 5.0,
            policy: GreedyAgent { width: 5, ..GreedyAgent::default() },
            belief: BeliefOptions::default(),
        }
    }
}

/// The value of a rollout's end: 1 or more for a win, 0 or less for a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RolloutScale {
    /// The bonus for each move left after a win.
    pub move_left: f64,
    /// The penalty for each covered part of a medal after a loss.
    pub covered_part: f64,
}

impl Default for RolloutScale {
    /// Fast wins count for much, since a fast player has spare moves for bad luck. With rollouts
    /// that used first passes alone, 0.02 per move won 298 of 300 games at level 1 in 11.9 moves,
    /// 0.1 won all in 10.8.
    fn default() -> Self {
        RolloutScale { move_left: 0.2, covered_part: 0.05 }
    }
}

impl RolloutScale {
    fn value<M: Mask>(&self, end: &GemIsland<M>) -> f64 {
        if end.status() == GemStatus::Won {
            return 1.0 + self.move_left * f64::from(end.moves_left());
        }
        let covered = end.grid().medal_cells(end.board().medals) & end.board().iced();
        -self.covered_part * f64::from(covered.count())
    }
}

/// Sequential halving over sampled states.
#[derive(Clone, Debug)]
pub struct HalvingAgent<M> {
    options: HalvingOptions,
    beliefs: BeliefTracker<M>,
    arms: Vec<Arm>,
    /// The values of the current batch: a row for each sampled state, a column for each arm.
    values: Vec<f64>,
}

/// A swap with the values of its rollouts.
#[derive(Clone, Debug)]
struct Arm {
    swap: Swap,
    values: Vec<f64>,
    sum: f64,
}

impl Arm {
    fn restart(&mut self, swap: Swap) {
        self.values.clear();
        (self.swap, self.sum) = (swap, 0.0);
    }

    fn record(&mut self, value: f64) {
        self.values.push(value);
        self.sum += value;
    }

    fn mean(&self) -> f64 {
        if self.values.is_empty() { 0.0 } else { self.sum / self.values.len() as f64 }
    }

    fn swap_value(&self) -> SwapValue {
        SwapValue { swap: self.swap, mean: self.mean(), visits: self.values.len() as u64 }
    }

    /// Whether this arm is ahead of another by `errors` standard errors; both were tested in the
    /// same states.
    fn is_ahead_of(&self, other: &Arm, errors: f64) -> bool {
        let n = self.values.len() as f64;
        let differences = || self.values.iter().zip(&other.values).map(|(a, b)| a - b);
        let mean = differences().sum::<f64>() / n;
        let variance = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0);
        n > 1.0 && mean > errors * (variance / n).sqrt()
    }
}

impl<M: Mask> HalvingAgent<M> {
    /// An agent with these options.
    pub fn new(options: HalvingOptions) -> Self {
        let beliefs = BeliefTracker::new(options.belief);
        HalvingAgent { options, beliefs, arms: Vec::new(), values: Vec::new() }
    }

    /// Replaces the arms, reusing their memory.
    fn reset_arms(&mut self, swaps: impl ExactSizeIterator<Item = Swap>) {
        self.arms.truncate(swaps.len());
        for (n, swap) in swaps.enumerate() {
            match self.arms.get_mut(n) {
                Some(arm) => arm.restart(swap),
                None => self.arms.push(Arm { swap, values: Vec::new(), sum: 0.0 }),
            }
        }
    }

    /// Tests the arms in rounds and keeps the better half after each; sorts them best first.
    /// Returns the number of rollouts.
    fn search(&mut self, view: &GemView<M>) -> u64 {
        let mut budget = Budget::new(&self.options, self.arms.len());
        let batch = RolloutBatch::new(view, self.beliefs.for_view(view), &self.options);
        let (mut alive, mut states) = (self.arms.len(), 0);
        while budget.next_round() {
            while let Some(count) = budget.states(alive) {
                self.values.resize(count * alive, 0.0);
                batch.run(&self.arms[..alive], states, &mut self.values);
                for row in self.values.chunks(alive) {
                    self.arms.iter_mut().zip(row).for_each(|(arm, value)| arm.record(*value));
                }
                states += count as u64;
            }
            self.arms[..alive].sort_by(|a, b| b.mean().total_cmp(&a.mean()));
            if is_separated(&self.arms[..alive], self.options.separation) {
                break;
            }
            alive = alive.div_ceil(2);
        }
        budget.spent
    }
}

/// Whether the first arm is ahead of all others by `errors` standard errors.
fn is_separated(arms: &[Arm], errors: f64) -> bool {
    let (leader, others) = (&arms[0], &arms[1..]);
    leader.values.len() >= MIN_STATES && others.iter().all(|arm| leader.is_ahead_of(arm, errors))
}

/// The budget of a decision, with an equal share for each round.
struct Budget {
    rollouts: u64,
    spent: u64,
    rounds: u32,
    round: u32,
    time: Option<Duration>,
    started: Instant,
    states_per_check: u64,
    /// Whether this round has run any rollout.
    has_started: bool,
}

impl Budget {
    fn new(options: &HalvingOptions, arms: usize) -> Budget {
        let rounds = usize::BITS - arms.saturating_sub(1).leading_zeros();
        Budget {
            rollouts: options.rollouts,
            spent: 0,
            rounds,
            round: 0,
            time: options.time,
            started: Instant::now(),
            states_per_check: STATES_PER_CHECK * options.threads.max(1) as u64,
            has_started: false,
        }
    }

    /// Begins the next round; `false` when all rounds are done.
    fn next_round(&mut self) -> bool {
        self.round += 1;
        self.has_started = false;
        self.round <= self.rounds
    }

    /// The number of states in which to test each of `arms` arms next; `None` when the round is
    /// over.
    fn states(&mut self, arms: usize) -> Option<usize> {
        let end = self.time.map(|time| time * self.round / self.rounds);
        if self.has_started && end.is_none_or(|end| self.started.elapsed() >= end) {
            return None;
        }
        self.has_started = true;
        let left = self.rollouts.saturating_sub(self.spent);
        let share = left / u64::from(self.rounds + 1 - self.round);
        let states = match self.time {
            Some(_) => self.states_per_check,
            None => (share / arms as u64).max(1),
        };
        self.spent += states * arms as u64;
        Some(states as usize)
    }
}

/// With fewer states the standard error itself is too uncertain for stopping early.
const MIN_STATES: usize = 8;

/// With a time budget, the number of states per thread between two readings of the clock.
const STATES_PER_CHECK: u64 = 2;

impl<M: Mask> Agent<M> for HalvingAgent<M> {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        let state = &view.known;
        if state.status() != GemStatus::Running {
            return None;
        }
        let foresight = GreedyAgent { width: MAX_WIDTH, ..self.options.policy };
        let mut swaps = foresight.rank_swaps(state);
        let others = swaps.split_off(swaps.len().min(self.options.candidates.max(1)));
        self.reset_arms(swaps.iter().map(|(swap, _)| *swap));
        let rollouts = if self.arms.len() > 1 { self.search(view) } else { 0 };
        let tried = self.arms.iter().map(Arm::swap_value);
        let untried = others.iter().map(|&(swap, _)| SwapValue { swap, mean: 0.0, visits: 0 });
        let swaps: Vec<SwapValue> = tried.chain(untried).collect();
        let best = swaps.first()?;
        Some(Decision { swap: best.swap, value: best.mean, rollouts, swaps })
    }
}

/// The data that all rollouts of a decision share.
struct RolloutBatch<'a, M: Mask> {
    view: &'a GemView<M>,
    belief: &'a Belief<M>,
    options: &'a HalvingOptions,
    seed: u64,
    /// The quantile of the first sampled state among the arrangements.
    offset: f64,
}

/// Multiples of this step, modulo 1, are evenly spread for any count: the states represent the
/// belief better than random samples.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

impl<'a, M: Mask> RolloutBatch<'a, M> {
    fn new(view: &'a GemView<M>, belief: &'a Belief<M>, options: &'a HalvingOptions) -> Self {
        let seed = derived(options.seed, [u64::from(view.known.moves_made())]);
        let offset = unit(&mut seeded(seed));
        RolloutBatch { view, belief, options, seed, offset }
    }

    /// Fills in the values of all arms in the states from number `first` on.
    fn run(&self, arms: &[Arm], first: u64, values: &mut [f64]) {
        let states = values.len() / arms.len();
        let share = states.div_ceil(self.options.threads.max(1));
        let work = |start: usize, rows: &mut [f64]| {
            for (n, row) in rows.chunks_mut(arms.len()).enumerate() {
                self.run_state(first + (start + n) as u64, arms, row);
            }
        };
        if share >= states {
            return work(0, values);
        }
        std::thread::scope(|scope| {
            for (n, rows) in values.chunks_mut(share * arms.len()).enumerate() {
                scope.spawn(move || work(n * share, rows));
            }
        });
    }

    /// Tests each arm in one sampled state.
    fn run_state(&self, number: u64, arms: &[Arm], values: &mut [f64]) {
        let rng = seeded(derived(self.seed, [number]));
        let quantile = (self.offset + GOLDEN_RATIO * number as f64).fract();
        let state = self.view.with_medals(self.belief.at(quantile));
        for (arm, value) in arms.iter().zip(values) {
            let (mut state, mut rng) = (state.clone(), rng.clone());
            state.play(arm.swap, &mut rng, &mut ());
            while state.status() == GemStatus::Running
                && let Some(swap) = self.options.policy.choose(&state)
            {
                state.play(swap, &mut rng, &mut ());
            }
            *value = self.options.scale.value(&state);
        }
    }
}
