//! The belief about hidden medals: each arrangement with the probability that the game placed the
//! medals so, given everything visible. Exact while the arrangements can be enumerated; otherwise
//! weighted samples.

use tesuji_games::random::{Rng, derived, seeded, unit};
use tesuji_games::rules::gem_island::{GemGrid, GemSettings, GemView, Mask};

use super::placements::{ArrangementQuery, Arrangements};

/// The options of the belief computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeliefOptions {
    /// The maximum number of arrangements of a new game to enumerate once and filter for every
    /// view. Level 2 has 77,030.
    pub max_initial: usize,
    /// The maximum number of arrangements to enumerate for one view, when the list of a new game is
    /// too long.
    pub max_listed: usize,
    /// The number of samples when both lists are too long.
    pub samples: usize,
    /// The random seed of the samples.
    pub seed: u64,
}

impl Default for BeliefOptions {
    /// Computes a belief in about 2 ms at every level of the game.
    fn default() -> Self {
        BeliefOptions { max_initial: 100_000, max_listed: 10_000, samples: 4_096, seed: 1 }
    }
}

/// The possible arrangements of the hidden medals in a view, with their probabilities.
#[derive(Clone, Debug)]
pub struct Belief<M> {
    arrangements: Arrangements<M>,
    /// The cumulative weights of the arrangements.
    cumulative: Vec<f64>,
    /// The probability of a hidden medal under each cell, indexed by bit.
    chances: Vec<f64>,
    exact: bool,
}

impl<M: Mask> Belief<M> {
    fn new() -> Self {
        Belief {
            arrangements: Arrangements::default(),
            cumulative: Vec::new(),
            chances: Vec::new(),
            exact: true,
        }
    }

    /// The number of arrangements; samples may repeat.
    pub fn count(&self) -> usize {
        self.arrangements.sets.len()
    }

    /// Whether all arrangements are enumerated with exact probabilities.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The probability of a hidden medal under each cell, indexed by bit.
    pub fn chances(&self) -> &[f64] {
        &self.chances
    }

    /// The arrangements, each as the set of upper left cells of the hidden medals, with their
    /// probabilities.
    pub fn arrangements(&self) -> impl Iterator<Item = (M, f64)> + '_ {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        (self.arrangements.sets.iter().copied())
            .zip(self.arrangements.weights.iter().map(move |w| w / total))
    }

    /// Samples an arrangement by probability, as the set of upper left cells of the hidden medals.
    /// Empty if there is none.
    pub fn sample(&self, rng: &mut Rng) -> M {
        self.at(unit(rng))
    }

    /// The arrangement at this quantile of the cumulative distribution. Neighbors in the list share
    /// medals, so evenly spaced quantiles give evenly spread arrangements.
    pub fn at(&self, quantile: f64) -> M {
        let target = quantile * self.cumulative.last().copied().unwrap_or(0.0);
        let n = self.cumulative.partition_point(|sum| *sum <= target);
        self.arrangements
            .sets
            .get(n.min(self.arrangements.sets.len().wrapping_sub(1)))
            .copied()
            .unwrap_or_default()
    }

    /// Computes the derived fields from the arrangements.
    fn update_totals(&mut self, grid: &GemGrid<M>) {
        let bits = (grid.stride * u32::from(grid.settings.columns)) as usize;
        self.chances.clear();
        self.chances.resize(bits, 0.0);
        self.cumulative.clear();
        let (mut total, mut at) = (0.0, vec![0.0; bits]);
        for (set, weight) in self.arrangements.sets.iter().zip(&self.arrangements.weights) {
            total += weight;
            self.cumulative.push(total);
            set.for_each(|place| at[place as usize] += weight);
        }
        for (place, sum) in at.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
            let cells = grid.medal_cells(M::bit(place as u32));
            cells.for_each(|cell| self.chances[cell as usize] += sum / total);
        }
    }
}

/// Computes beliefs from views and caches what does not change between views. A belief depends on
/// its view alone, not on earlier ones.
#[derive(Clone, Debug)]
pub struct BeliefTracker<M> {
    options: BeliefOptions,
    /// The settings of the game at hand and all arrangements of it, if they are few.
    game: Option<(GemSettings, Option<Arrangements<M>>)>,
    belief: Belief<M>,
}

impl<M: Mask> BeliefTracker<M> {
    /// Creates a tracker.
    pub fn new(options: BeliefOptions) -> Self {
        BeliefTracker { options, game: None, belief: Belief::new() }
    }

    /// The belief for a view.
    pub fn for_view(&mut self, view: &GemView<M>) -> &Belief<M> {
        let grid = view.known.grid();
        let board = view.known.board();
        let known = board.medals | board.freed;
        self.for_known(grid, known, view.hidden_places(), u32::from(view.hidden))
    }

    /// The belief when `known` medals are visible or freed and `hidden` more lie on some of
    /// `places`.
    pub fn for_known(&mut self, grid: &GemGrid<M>, known: M, places: M, hidden: u32) -> &Belief<M> {
        let query = query(grid, known, places, hidden);
        let is_complete = known.count() + hidden == u32::from(grid.settings.medals);
        if hidden == 0 {
            self.belief.arrangements.clear();
            self.belief.exact = true;
        } else if !(is_complete && self.filter_listed(grid, &query)) {
            self.enumerate_or_sample(&query);
        }
        self.belief.update_totals(grid);
        &self.belief
    }

    /// Filters the list of all arrangements of the game; `false` if there is no list or none
    /// matches.
    fn filter_listed(&mut self, grid: &GemGrid<M>, query: &ArrangementQuery<M>) -> bool {
        let known_settings = self.game.as_ref().is_some_and(|(s, _)| *s == grid.settings);
        if !known_settings {
            self.game = Some((grid.settings, self.list_game(grid)));
        }
        let Some((_, Some(all))) = &self.game else { return false };
        let belief = &mut self.belief;
        let outside = !(query.known | query.places);
        belief.arrangements.clear();
        belief.exact = true;
        for (set, weight) in all.sets.iter().zip(&all.weights) {
            if !set.meets(outside) && *set & query.known == query.known {
                belief.arrangements.push(*set & !query.known, *weight);
            }
        }
        belief.count() > 0
    }

    fn list_game(&self, grid: &GemGrid<M>) -> Option<Arrangements<M>> {
        let medals = u32::from(grid.settings.medals);
        let initial = query(grid, M::default(), initial_ice_places(grid), medals);
        let mut all = Arrangements::default();
        all.enumerate(&initial, self.options.max_initial).then_some(all)
    }

    fn enumerate_or_sample(&mut self, query: &ArrangementQuery<M>) {
        let (options, belief) = (&self.options, &mut self.belief);
        belief.exact = belief.arrangements.enumerate(query, options.max_listed);
        if !belief.exact {
            let mut rng = seeded(derived(options.seed, [u64::from(query.hidden)]));
            let partial = std::mem::take(&mut belief.arrangements);
            belief.arrangements.sample(query, options.samples, &mut rng);
            if belief.arrangements.sets.is_empty() {
                // The medals are packed so tightly that random placement failed: keep the partial
                // enumeration.
                belief.arrangements = partial;
            }
        }
    }
}

/// Medals are generated under the initial ice; a position from elsewhere may have them anywhere.
fn query<M: Mask>(grid: &GemGrid<M>, known: M, places: M, hidden: u32) -> ArrangementQuery<M> {
    let iced = initial_ice_places(grid);
    let region = if (known | places) & !iced == M::default() { iced } else { grid.medal_places };
    ArrangementQuery { stride: grid.stride, region, known, places, hidden }
}

/// Places of medals that lie entirely under the initial ice.
fn initial_ice_places<M: Mask>(grid: &GemGrid<M>) -> M {
    let clear_rows = grid.settings.rows - grid.settings.ice_rows.min(grid.settings.rows);
    let mut clear = M::default();
    (0..u32::from(clear_rows)).for_each(|row| clear |= grid.top << row);
    grid.medals_within(grid.cells & !clear)
}
