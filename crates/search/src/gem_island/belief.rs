//! What an agent may believe about hidden medals: each arrangement with the chance that the game would have laid the
//! medals so, given everything seen. Exact as long as the arrangements can be listed, weighted samples else.

use tesuji_games::random::{Rng, derived, seeded, unit};
use tesuji_games::rules::gem_island::{GemGrid, GemSettings, GemView, Mask};

use super::placements::{Arrangements, Question};

/// How belief is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeliefOptions {
    /// Arrangements of a whole game that are listed once and then sifted for every view: level 2 has 77,030.
    pub most_at_first: usize,
    /// Arrangements that are listed for one view, where those of the whole game are too many.
    pub most_listed: usize,
    /// Samples where even these are too many.
    pub samples: usize,
    /// Where the chance of samples starts from.
    pub seed: u64,
}

impl Default for BeliefOptions {
    /// Belief within about 2 ms at every level of the game.
    fn default() -> Self {
        BeliefOptions { most_at_first: 100_000, most_listed: 10_000, samples: 4_096, seed: 1 }
    }
}

/// The arrangements of the hidden medals that a view leaves open, with their chances.
#[derive(Clone, Debug)]
pub struct Belief<M> {
    open: Arrangements<M>,
    /// The sum of the weights up to each arrangement.
    cumulative: Vec<f64>,
    /// By bit: the chance that a hidden medal lies under this cell.
    chances: Vec<f64>,
    exact: bool,
}

impl<M: Mask> Belief<M> {
    fn new() -> Self {
        Belief {
            open: Arrangements::default(),
            cumulative: Vec::new(),
            chances: Vec::new(),
            exact: true,
        }
    }

    /// How many arrangements it knows of; with samples, some may be there twice.
    pub fn count(&self) -> usize {
        self.open.sets.len()
    }

    /// Whether all arrangements are listed with their exact chances.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The chance that a hidden medal lies under each cell, by bit.
    pub fn chances(&self) -> &[f64] {
        &self.chances
    }

    /// The arrangements, each by the upper left cells of the hidden medals, with their chances.
    pub fn arrangements(&self) -> impl Iterator<Item = (M, f64)> + '_ {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        (self.open.sets.iter().copied()).zip(self.open.weights.iter().map(move |w| w / total))
    }

    /// An arrangement, each as often as it is likely: the upper left cells of the hidden medals. Empty if none fits.
    pub fn sample(&self, rng: &mut Rng) -> M {
        self.at(unit(rng))
    }

    /// The arrangement at which the sum of all chances up to it comes to this part of one. Neighbours in the list have
    /// medals in common, so parts that are spread evenly give arrangements that are.
    pub fn at(&self, part: f64) -> M {
        let target = part * self.cumulative.last().copied().unwrap_or(0.0);
        let n = self.cumulative.partition_point(|sum| *sum <= target);
        self.open.sets.get(n.min(self.open.sets.len().wrapping_sub(1))).copied().unwrap_or_default()
    }

    /// Derives everything else from the arrangements.
    fn sum_up(&mut self, grid: &GemGrid<M>) {
        let bits = (grid.stride * u32::from(grid.settings.columns)) as usize;
        self.chances.clear();
        self.chances.resize(bits, 0.0);
        self.cumulative.clear();
        let (mut total, mut at) = (0.0, vec![0.0; bits]);
        for (set, weight) in self.open.sets.iter().zip(&self.open.weights) {
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

/// Makes beliefs out of views, and keeps what does not change from one view to the next. The belief depends on the view
/// alone, not on those that came before it.
#[derive(Clone, Debug)]
pub struct BeliefTracker<M> {
    options: BeliefOptions,
    /// The settings of the game at hand and all arrangements of it, if they are few.
    game: Option<(GemSettings, Option<Arrangements<M>>)>,
    belief: Belief<M>,
}

impl<M: Mask> BeliefTracker<M> {
    /// Knows nothing yet.
    pub fn new(options: BeliefOptions) -> Self {
        BeliefTracker { options, game: None, belief: Belief::new() }
    }

    /// What this view lets one believe.
    pub fn of(&mut self, view: &GemView<M>) -> &Belief<M> {
        let grid = view.known.grid();
        let board = view.known.board();
        let known = board.medals | board.freed;
        self.about(grid, known, view.hidden_places(), u32::from(view.hidden))
    }

    /// The belief when `known` medals were found, on show or freed, and `hidden` more lie somewhere on `places`.
    pub fn about(&mut self, grid: &GemGrid<M>, known: M, places: M, hidden: u32) -> &Belief<M> {
        let question = question(grid, known, places, hidden);
        let as_laid = known.count() + hidden == u32::from(grid.settings.medals);
        if hidden == 0 {
            self.belief.open.clear();
            self.belief.exact = true;
        } else if !(as_laid && self.sift(grid, &question)) {
            self.answer(&question);
        }
        self.belief.sum_up(grid);
        &self.belief
    }

    /// Takes what fits out of all arrangements of the game; `false` if they are not listed or none fits.
    fn sift(&mut self, grid: &GemGrid<M>, question: &Question<M>) -> bool {
        let known_settings = self.game.as_ref().is_some_and(|(s, _)| *s == grid.settings);
        if !known_settings {
            self.game = Some((grid.settings, self.all_of_game(grid)));
        }
        let Some((_, Some(all))) = &self.game else { return false };
        let belief = &mut self.belief;
        let outside = !(question.known | question.places);
        belief.open.clear();
        belief.exact = true;
        for (set, weight) in all.sets.iter().zip(&all.weights) {
            if !set.meets(outside) && *set & question.known == question.known {
                belief.open.push(*set & !question.known, *weight);
            }
        }
        belief.count() > 0
    }

    fn all_of_game(&self, grid: &GemGrid<M>) -> Option<Arrangements<M>> {
        let medals = u32::from(grid.settings.medals);
        let at_first = question(grid, M::default(), iced_at_first(grid), medals);
        let mut all = Arrangements::default();
        all.enumerate(&at_first, self.options.most_at_first).then_some(all)
    }

    fn answer(&mut self, question: &Question<M>) {
        let (options, belief) = (&self.options, &mut self.belief);
        belief.exact = belief.open.enumerate(question, options.most_listed);
        if !belief.exact {
            let mut rng = seeded(derived(options.seed, [u64::from(question.hidden)]));
            let some = std::mem::take(&mut belief.open);
            belief.open.sample(question, options.samples, &mut rng);
            if belief.open.sets.is_empty() {
                // So tightly packed that laying at random found nothing: better a few arrangements than none.
                belief.open = some;
            }
        }
    }
}

/// Medals are laid under the ice of the beginning; a position that was never generated may have them anywhere.
fn question<M: Mask>(grid: &GemGrid<M>, known: M, places: M, hidden: u32) -> Question<M> {
    let iced = iced_at_first(grid);
    let region = if (known | places) & !iced == M::default() { iced } else { grid.medal_places };
    Question { stride: grid.stride, region, known, places, hidden }
}

/// Places of medals that lie wholly under the ice of the beginning.
fn iced_at_first<M: Mask>(grid: &GemGrid<M>) -> M {
    let clear_rows = grid.settings.rows - grid.settings.ice_rows.min(grid.settings.rows);
    let mut clear = M::default();
    (0..u32::from(clear_rows)).for_each(|row| clear |= grid.top << row);
    grid.medals_within(grid.cells & !clear)
}
