//! The search for good patterns. The quality of a pattern is the log-loss of its fitted weights on
//! held-out games, which takes milliseconds; games between players would take minutes.
//!
//! The games are played with briefly trained weights on random patterns, and with many random
//! moves. Patterns are then chosen one by one: several are drawn, each is fitted to the residual of
//! those chosen so far, and the best is kept (forward stagewise, as in boosting: Friedman, 2001).

use tesuji_games::random::{Rng, below, unit};
use tesuji_games::{Playable, RowGrid, RowPosition};

use super::layout::TupleLayout;
use super::learning::{TdSettings, TupleTrainer};
use super::patterns::{PatternSet, PatternSettings};
use super::rng::{RngPurpose, rng_for};
use super::self_play::SelfPlayBoard;
use crate::forest::{CellContent, Pattern, PatternShape, Spread, contents_seen_by, random_pattern};

/// Positions of finished games.
struct PositionSets {
    spread: Spread,
    grid: RowGrid,
    /// The training set and the held-out set.
    sets: [Vec<LabeledPosition>; 2],
}

/// The sums of weights so far, by set and example.
type Sums = [Vec<f32>; 2];

/// A position with the result of its game.
struct LabeledPosition {
    /// The fields from the point of view of the side to move.
    fields: Vec<CellContent>,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss.
    result: f32,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub(super) struct PatternSearchResult {
    /// The chosen patterns.
    #[serde(skip)]
    pub(super) patterns: Vec<Pattern>,
    /// The held-out loss after each pattern.
    pub(super) losses: Vec<f64>,
    /// The held-out loss of as many random patterns of each shape (fewer if no more are distinct),
    /// and of the chosen ones; all fitted in the same way.
    pub(super) comparison: Vec<(String, f64)>,
    /// The loss without any pattern.
    pub(super) uninformed_loss: f64,
}

/// Positions taken from each game.
const POSITIONS_PER_GAME: usize = 6;
/// The share of random moves in the games.
const NOISE: f64 = 0.15;
/// One game in this many is held out.
const HELD_OUT: usize = 4;
/// Passes over the examples, and the first learning rate; later ones are lower.
const ROUNDS: usize = 4;
const STEP: f32 = 0.1;

/// Searches for patterns.
pub(super) fn search_patterns<P: Playable + RowPosition>(
    start: &P,
    settings: &PatternSettings,
    learning: &TdSettings,
    seed: u64,
) -> PatternSearchResult {
    let grid = start.grid();
    let examples = PositionSets::play(start, settings, learning, seed);
    let (patterns, losses) = examples.choose(settings, seed);
    let shapes = [
        ("scattered", PatternShape::Scattered),
        ("lines", PatternShape::Lines),
        ("walks", PatternShape::Walks),
    ];
    let mut comparison: Vec<(String, f64)> = shapes
        .iter()
        .map(|&(name, shape)| (name, settings.drawn(shape, &grid, seed)))
        .map(|(name, drawn)| (format!("{name} ({})", drawn.len()), examples.loss(&drawn)))
        .collect();
    comparison.push((format!("search ({})", patterns.len()), examples.loss(&patterns)));
    PatternSearchResult {
        losses,
        comparison,
        uninformed_loss: examples.uninformed_loss(),
        patterns,
    }
}

impl PositionSets {
    /// Plays the games.
    fn play<P: Playable + RowPosition>(
        start: &P,
        settings: &PatternSettings,
        learning: &TdSettings,
        seed: u64,
    ) -> PositionSets {
        let grid = start.grid();
        let spread = settings.spread_on(&grid);
        let drawn = settings.drawn(PatternShape::Mixed, &grid, seed);
        let practice = settings.search.practice;
        let learning = TdSettings { games: practice, ..learning.clone() };
        let mut learner = TupleTrainer::new(start.clone(), seed, learning, spread, drawn);
        learner.learn(practice);
        let mut sets = [Vec::new(), Vec::new()];
        for number in 0..settings.search.games {
            let rng = &mut rng_for(seed, RngPurpose::Example, number as u64);
            let held_out = usize::from(number % HELD_OUT == 0);
            sets[held_out].extend(one_game(start, &learner, rng));
        }
        PositionSets { spread, grid, sets }
    }

    fn initial_sums(&self) -> Sums {
        self.sets.each_ref().map(|set| vec![0.0; set.len()])
    }

    /// The loss of always predicting an even chance.
    fn uninformed_loss(&self) -> f64 {
        mean(self.sets[1].iter().map(|example| log_loss(0.0, example.result)))
    }

    /// Chooses patterns one by one, each the best of several, with the held-out loss after each.
    fn choose(&self, settings: &PatternSettings, seed: u64) -> (Vec<Pattern>, Vec<f64>) {
        let mut set = PatternSet::new(self.spread, self.grid);
        let (mut losses, mut sums) = (Vec::new(), self.initial_sums());
        for number in 0..settings.count {
            let cells = settings.cells[number % settings.cells.len()];
            let drawn = (0..settings.search.tries).map(|attempt| {
                let number = (number * settings.search.tries + attempt) as u64;
                let rng = &mut rng_for(seed, RngPurpose::PatternSearch, number);
                random_pattern(settings.window_on(&self.grid), cells, PatternShape::Mixed, rng)
            });
            let new = drawn.filter(|pattern| set.new_placements(pattern).is_some());
            let fitted = new.map(|pattern| (self.fit(&pattern, &sums), pattern));
            let best = fitted.min_by(|((_, a), _), ((_, b), _)| a.total_cmp(b));
            let Some(((fitted_sums, loss), pattern)) = best else { continue };
            set.add(pattern);
            losses.push(loss);
            sums = fitted_sums;
        }
        (set.patterns, losses)
    }

    /// The held-out loss of patterns, fitted one after the other as in the search.
    fn loss(&self, patterns: &[Pattern]) -> f64 {
        let (mut sums, mut loss) = (self.initial_sums(), self.uninformed_loss());
        for pattern in patterns {
            (sums, loss) = self.fit(pattern, &sums);
        }
        loss
    }

    fn fit(&self, pattern: &Pattern, base: &Sums) -> (Sums, f64) {
        let layout = TupleLayout::new(std::slice::from_ref(pattern), &self.spread, &self.grid);
        let mut weights = vec![0.0; layout.entries()];
        let counts_of = |set: &Vec<LabeledPosition>| {
            set.iter().map(|it| it.entry_counts(&layout)).collect::<Vec<_>>()
        };
        let counts = self.sets.each_ref().map(counts_of);
        for round in 1..=ROUNDS {
            let step = STEP / round as f32;
            for ((example, counts), base) in self.sets[0].iter().zip(&counts[0]).zip(&base[0]) {
                counts.update_towards(&mut weights, *base, example.result, step);
            }
        }
        let sums = [0, 1].map(|set| {
            let pairs = counts[set].iter().zip(&base[set]);
            pairs.map(|(counts, base)| base + counts.sum(&weights)).collect::<Vec<_>>()
        });
        let pairs = self.sets[1].iter().zip(&sums[1]);
        let loss = mean(pairs.map(|(example, &sum)| log_loss(sum, example.result)));
        (sums, loss)
    }
}

impl LabeledPosition {
    fn entry_counts(&self, layout: &TupleLayout) -> EntryCounts {
        let mut entries = layout.entries_of_fields(&self.fields);
        entries.sort_unstable();
        let runs = entries.chunk_by(|a, b| a == b);
        let counts: Vec<(u32, f32)> = runs.map(|run| (run[0], run.len() as f32)).collect();
        let norm = counts.iter().map(|(_, count)| count * count).sum();
        EntryCounts { counts, norm }
    }
}

/// The entries that a pattern selects in a position.
struct EntryCounts {
    /// Entries, and the number of placements with each.
    counts: Vec<(u32, f32)>,
    /// The sum of the squares of these numbers.
    norm: f32,
}

impl EntryCounts {
    fn sum(&self, weights: &[f32]) -> f32 {
        self.counts.iter().map(|&(entry, count)| count * weights[entry as usize]).sum()
    }

    /// A step towards the result, normalized by the number of placements per entry (Nagumo and
    /// Noda, 1967).
    fn update_towards(&self, weights: &mut [f32], base: f32, result: f32, step: f32) {
        if self.norm > 0.0 {
            let error = result - (base + self.sum(weights)).tanh();
            let size = step * error / self.norm;
            for &(entry, count) in &self.counts {
                weights[entry as usize] += size * count;
            }
        }
    }
}

/// The log-loss of a result: the value tanh(sum) predicts a win with probability (1 + value) / 2.
fn log_loss(sum: f32, result: f32) -> f64 {
    let win = ((1.0 + f64::from(sum).tanh()) / 2.0).clamp(1e-6, 1.0 - 1e-6);
    let share = f64::from((1.0 + result) / 2.0);
    -(share * win.ln() + (1.0 - share) * (1.0 - win).ln())
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len().max(1) as f64;
    numbers.sum::<f64>() / count
}

/// Plays one game and samples some of its positions.
fn one_game<P: Playable + RowPosition>(
    start: &P,
    learner: &TupleTrainer<P>,
    rng: &mut Rng,
) -> Vec<LabeledPosition> {
    let TupleTrainer { learning, weights, layout, .. } = learner;
    let mut board = SelfPlayBoard::new(start, layout, learning.radius);
    let mut positions = Vec::new();
    let end = loop {
        if let Some(end) = board.position.outcome() {
            break end;
        }
        let noise = unit(rng) < NOISE || (positions.len() as u32) < learning.openings;
        let m = match noise && board.forced_move().is_none() {
            true => board.random_move(rng),
            false => {
                board.tactical_move(learning.tactics).unwrap_or_else(|| board.best(weights, rng).0)
            }
        };
        board.play(weights, m);
        let viewer = board.position.to_move();
        positions.push((viewer, contents_seen_by(viewer, &board.position)));
    };
    // A finished game needs no prediction.
    positions.pop();
    let mut examples = Vec::new();
    while examples.len() < POSITIONS_PER_GAME && !positions.is_empty() {
        let (viewer, fields) = positions.swap_remove(below(rng, positions.len() as u32) as usize);
        let result = (2.0 * end.points(viewer) - 1.0) as f32;
        examples.push(LabeledPosition { fields, result });
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::super::patterns::PatternSearchSettings;
    use super::*;
    use tesuji_games::rules::tictactoe::TicTacToe;

    fn settings() -> PatternSettings {
        let search = PatternSearchSettings { tries: 6, games: 600, practice: 300 };
        PatternSettings {
            count: 4,
            cells: vec![3],
            window: 3,
            search,
            ..PatternSettings::default()
        }
    }

    fn found(seed: u64) -> PatternSearchResult {
        let learning = TdSettings::default();
        search_patterns(&TicTacToe::new(), &settings(), &learning, seed)
    }

    #[test]
    fn every_pattern_lowers_the_loss_and_the_search_is_reproducible() {
        let once = found(1);
        assert_eq!(once.patterns.len(), 4);
        assert!((once.uninformed_loss - 2f64.ln()).abs() < 1e-9);
        assert!(once.losses[0] < once.uninformed_loss - 0.01, "{once:?}");
        assert!(once.losses[3] < once.losses[0], "{once:?}");
        assert_eq!(found(1), once);
        assert_ne!(found(2).losses, once.losses);
    }

    #[test]
    fn chosen_patterns_are_better_than_scattered_ones_on_average() {
        let (mut chosen, mut scattered) = (0.0, 0.0);
        for seed in 1..=3 {
            let found = found(seed);
            scattered += found.comparison[0].1;
            chosen += found.comparison[3].1;
        }
        assert!(chosen < scattered, "{chosen} {scattered}");
    }
}
