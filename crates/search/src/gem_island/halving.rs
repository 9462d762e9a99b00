//! The strong agent, `belief`: it imagines worlds as likely as its belief says, tries every legal swap in each of them,
//! lets the greedy agent play the game to its end, and drops the worse half of the swaps again and again (sequential
//! halving; Karnin, Koren and Somekh, 2013). All swaps of a round meet the same worlds and the same chance, so they are
//! compared and not the luck they had.

use std::time::{Duration, Instant};

use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Mask, Status, Swap, View};

use super::{Agent, Belief, BeliefOptions, Beliefs, Decision, Greedy, WIDEST, Weighed};

/// What the belief agent can be told.
#[derive(Clone, Debug)]
pub struct HalvingOptions {
    /// Games played out for a decision, unless there is a time.
    pub rollouts: u64,
    /// Time for a decision; a decision then depends on how fast the machine is.
    pub time: Option<Duration>,
    /// Threads that share the rollouts; their number changes nothing but the time.
    pub threads: usize,
    /// Where chance starts from.
    pub seed: u64,
    /// What the end of a rollout is worth.
    pub scale: Scale,
    /// So many swaps are tried, those that the greedy agent likes best after a close look at all of them.
    pub candidates: usize,
    /// The leader is taken early when it is ahead of every other swap by so many standard errors of the difference.
    pub separation: f64,
    /// How rollouts play on.
    pub policy: Greedy,
    /// How belief is computed.
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
            scale: Scale::default(),
            candidates: 8,
            separation: 5.0,
            policy: Greedy { width: 3, ..Greedy::default() },
            belief: BeliefOptions::default(),
        }
    }
}

/// What the end of a rollout is worth. Rollouts are weaker than the agent, so many of them would lose where it wins;
/// they go on for some moves after the last one, and what is then still missing tells a near miss from a bad one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// For each move left at a win, which is worth 1 without any.
    pub move_left: f64,
    /// Moves that a rollout may play when the game is lost already.
    pub overtime: u16,
    /// Taken off for each move of overtime.
    pub late_move: f64,
    /// Taken off for each covered part of a medal in the end.
    pub covered_part: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Scale { move_left: 0.1, overtime: 0, late_move: 0.0, covered_part: 0.05 }
    }
}

impl Scale {
    fn value<M: Mask>(&self, end: &GemIsland<M>) -> f64 {
        let left = f64::from(end.moves_left()) - f64::from(self.overtime);
        match end.status() {
            Status::Won if left >= 0.0 => 1.0 + self.move_left * left,
            Status::Won => self.late_move * left,
            _ => {
                let covered = end.grid().medal_cells(end.board().medals) & end.board().iced();
                -self.late_move * f64::from(self.overtime)
                    - self.covered_part * f64::from(covered.count())
            }
        }
    }
}

/// Sequential halving over beliefs.
#[derive(Clone, Debug)]
pub struct Halving<M> {
    options: HalvingOptions,
    beliefs: Beliefs<M>,
    arms: Vec<Arm>,
    /// The values of the round at hand: a row for each world, a column for each arm.
    values: Vec<f64>,
}

/// A swap under trial.
#[derive(Clone, Debug)]
struct Arm {
    swap: Swap,
    values: Vec<f64>,
    sum: f64,
}

impl Arm {
    fn mean(&self) -> f64 {
        if self.values.is_empty() { 0.0 } else { self.sum / self.values.len() as f64 }
    }

    /// Whether it is ahead of another by so many standard errors; both met the same worlds.
    fn is_ahead_of(&self, other: &Arm, errors: f64) -> bool {
        let n = self.values.len().min(other.values.len()) as f64;
        let differences = || self.values.iter().zip(&other.values).map(|(a, b)| a - b);
        let mean = differences().sum::<f64>() / n;
        let variance = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0);
        n > 1.0 && mean > errors * (variance / n).sqrt()
    }
}

impl<M: Mask> Halving<M> {
    /// An agent with these options.
    pub fn new(options: HalvingOptions) -> Self {
        let beliefs = Beliefs::new(options.belief);
        Halving { options, beliefs, arms: Vec::new(), values: Vec::new() }
    }

    fn search(&mut self, view: &View<M>) -> u64 {
        let started = Instant::now();
        let belief = self.beliefs.of(view);
        let trial = Trial::new(view, belief, &self.options);
        let mut alive = self.arms.len();
        let rounds = u64::from(usize::BITS - (alive - 1).leading_zeros());
        let (mut worlds, mut spent) = (0, 0);
        for round in 1..=rounds {
            let until = self.options.time.map(|time| started + time * round as u32 / rounds as u32);
            loop {
                let count = match until {
                    Some(_) => WORLDS_BETWEEN_LOOKS,
                    None => {
                        let left = self.options.rollouts.saturating_sub(spent);
                        (left / (rounds + 1 - round) / alive as u64).max(1)
                    }
                };
                self.values.resize(count as usize * alive, 0.0);
                trial.run(&self.arms[..alive], worlds, &mut self.values);
                for (n, value) in self.values.iter().enumerate() {
                    let arm = &mut self.arms[n % alive];
                    arm.values.push(*value);
                    arm.sum += value;
                }
                worlds += count;
                spent += count * alive as u64;
                if until.is_none_or(|until| Instant::now() >= until) {
                    break;
                }
            }
            self.arms[..alive].sort_by(|a, b| b.mean().total_cmp(&a.mean()));
            let (leader, others) = self.arms[..alive].split_at(1);
            if worlds >= FEWEST_WORLDS
                && others.iter().all(|arm| leader[0].is_ahead_of(arm, self.options.separation))
            {
                break;
            }
            alive = alive.div_ceil(2);
        }
        spent
    }
}

/// With fewer worlds the standard error itself is too uncertain to stop early.
const FEWEST_WORLDS: u64 = 8;

/// With a time budget the clock is looked at after so many worlds.
const WORLDS_BETWEEN_LOOKS: u64 = 2;

impl<M: Mask> Agent<M> for Halving<M> {
    fn decide(&mut self, view: &View<M>) -> Option<Decision> {
        let state = &view.known;
        if state.status() != Status::Running {
            return None;
        }
        let closely = Greedy { width: WIDEST, ..self.options.policy };
        let swaps = closely.weigh(state).into_iter().take(self.options.candidates.max(1));
        self.arms.clear();
        self.arms.extend(swaps.map(|(swap, _)| Arm { swap, values: Vec::new(), sum: 0.0 }));
        let rollouts = if self.arms.len() > 1 { self.search(view) } else { 0 };
        let weighed = |arm: &Arm| Weighed {
            swap: arm.swap,
            mean: arm.mean(),
            visits: arm.values.len() as u64,
        };
        let swaps: Vec<Weighed> = self.arms.iter().map(weighed).collect();
        let best = swaps.first()?;
        Some(Decision { swap: best.swap, value: best.mean, rollouts, swaps })
    }
}

/// What all rollouts of a decision have in common.
struct Trial<'a, M: Mask> {
    view: View<M>,
    belief: &'a Belief<M>,
    options: &'a HalvingOptions,
    seed: u64,
}

impl<'a, M: Mask> Trial<'a, M> {
    fn new(view: &View<M>, belief: &'a Belief<M>, options: &'a HalvingOptions) -> Self {
        let state = &view.known;
        let seed = derived(options.seed, [u64::from(state.moves_made())]);
        let moves_left = state.moves_left().saturating_add(options.scale.overtime);
        let known =
            GemIsland::new(state.grid().clone(), *state.board(), state.medals_left(), moves_left);
        Trial { view: View { known, hidden: view.hidden }, belief, options, seed }
    }

    /// Fills in the values: of the worlds from `first` on, each arm in each.
    fn run(&self, arms: &[Arm], first: u64, values: &mut [f64]) {
        let worlds = values.len() / arms.len();
        let share = worlds.div_ceil(self.options.threads.max(1));
        let work = |start: usize, rows: &mut [f64]| {
            for (n, row) in rows.chunks_mut(arms.len()).enumerate() {
                self.world(first + (start + n) as u64, arms, row);
            }
        };
        if share >= worlds {
            return work(0, values);
        }
        std::thread::scope(|scope| {
            for (n, rows) in values.chunks_mut(share * arms.len()).enumerate() {
                scope.spawn(move || work(n * share, rows));
            }
        });
    }

    /// Tries each arm in one world.
    fn world(&self, number: u64, arms: &[Arm], values: &mut [f64]) {
        let mut rng = seeded(derived(self.seed, [number]));
        let medals = self.belief.sample(&mut rng);
        let state = self.view.with_medals(medals);
        for (arm, value) in arms.iter().zip(values) {
            let (mut state, mut rng) = (state.clone(), rng.clone());
            state.play(arm.swap, &mut rng, &mut ());
            while state.status() == Status::Running
                && let Some(swap) = self.options.policy.choose(&state)
            {
                state.play(swap, &mut rng, &mut ());
            }
            *value = self.options.scale.value(&state);
        }
    }
}
