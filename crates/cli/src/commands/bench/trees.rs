//! `tesuji bench trees`: training of forest trees on the last positions of random games, on one
//! thread, compared with scikit-learn where Python has it.
//!
//! Both get the same samples, each also with swapped colors, and the same cells for each tree. For
//! scikit-learn only the time in `fit` counts; ours includes the bootstrap, the table and the
//! out-of-bag error.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use tesuji_games::random::seeded;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Position, RowPosition};
use tesuji_learn::forest::{
    Dataset, LeafVotes, Pattern, PatternShape, PatternWindow, TreeSpec, WindowSample, grow_tree,
    random_pattern,
};

use super::peers::measure_library;
use crate::prelude::*;

/// Numbers of samples, and of trees of eight cells trained on them.
const SIZES: [(usize, usize); 2] = [(10_000, 1000), (100_000, 10)];

const WINDOW: PatternWindow = PatternWindow { side: 7 };

/// A row of the table.
#[derive(Serialize)]
pub(crate) struct TreesResult {
    samples: usize,
    trees: usize,
    /// The time for all trees, the best of all rounds.
    seconds: f64,
    /// The mean out-of-bag error.
    error: f64,
    peer: Option<ScikitLearn>,
}

/// The figures of scikit-learn.
#[derive(Serialize)]
struct ScikitLearn {
    name: String,
    seconds: f64,
    error: f64,
    we_are_times_as_fast: f64,
}

pub(crate) fn run(python: &Path, rounds: u16) -> Result<Vec<TreesResult>, Failure> {
    let progress = Progress::new(Some(SIZES.len() as u64), "measurements");
    let data = last_positions(SIZES.iter().map(|size| size.0).max().unwrap_or(0));
    let rows = SIZES.into_iter().enumerate().map(|(place, (samples, trees))| {
        progress.show(place as u64, || format!("{trees} trees on {samples} samples"));
        let recipes = recipes(samples, trees);
        let mut row = measure(&data, &recipes, rounds);
        row.peer = peer(python, &data, &recipes, row.seconds)?;
        Ok(row)
    });
    rows.collect()
}

/// The windows around the last stones of random games.
fn last_positions(count: usize) -> Dataset {
    let rules = MnkRules::new(10, 10, 5).expect("a valid board");
    let rng = &mut seeded(1);
    let mut data = Dataset::new(WINDOW);
    while data.len() < count {
        let mut game = Mnk::<LineBoard>::new(rules);
        let mut last = 0;
        while game.outcome().is_none() {
            let stone = game.random_move(rng);
            last = game.cell(stone);
            game.play(stone);
        }
        let sample: Option<WindowSample> = WINDOW.sample(&game, last);
        data.extend(sample.as_ref());
    }
    data
}

fn recipes(samples: usize, trees: usize) -> Vec<TreeSpec> {
    let rng = &mut seeded(2);
    let mut recipe = |seed| {
        let pattern: Pattern = random_pattern(WINDOW, 8, PatternShape::Scattered, rng);
        TreeSpec { pattern, seed, samples, votes: LeafVotes::default() }
    };
    (0..trees as u64).map(&mut recipe).collect()
}

fn measure(data: &Dataset, recipes: &[TreeSpec], rounds: u16) -> TreesResult {
    let mut best = f64::INFINITY;
    let mut errors = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        errors = recipes.iter().filter_map(|recipe| grow_tree(data, recipe).error).collect();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let error = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let samples = recipes.first().map_or(0, |recipe| recipe.samples);
    TreesResult { samples, trees: recipes.len(), seconds: best, error, peer: None }
}

/// The same trees with scikit-learn; `None` without scikit-learn.
fn peer(
    python: &Path,
    data: &Dataset,
    recipes: &[TreeSpec],
    ours: f64,
) -> Result<Option<ScikitLearn>, Failure> {
    let folder = tempfile::tempdir()?;
    let (samples, cells) = (folder.path().join("samples"), folder.path().join("cells"));
    let count = recipes.first().map_or(0, |recipe| recipe.samples);
    let rows = (0..count).filter_map(|place| data.sample(place)).flat_map(|sample| {
        let class = sample.class as u8;
        sample.contents.into_iter().map(|field| field as u8).chain([class]).collect::<Vec<u8>>()
    });
    std::fs::write(&samples, rows.collect::<Vec<u8>>())?;
    let patterns = recipes.iter().flat_map(|recipe| recipe.pattern.cells().to_vec());
    std::fs::write(&cells, patterns.map(|cell| cell as u8).collect::<Vec<u8>>())?;
    let arguments = [samples.as_ref(), cells.as_ref()];
    let found = measure_library("scikit-learn", python, SCIKIT_LEARN, &arguments);
    Ok(found.map(|(name, [seconds, error])| ScikitLearn {
        name,
        seconds,
        error,
        we_are_times_as_fast: seconds / ours,
    }))
}

/// Prints `VERSION SECONDS ERROR`. The bootstrap is given as sample weights, the same for a sample
/// and its color swap; entropy; no pruning.
const SCIKIT_LEARN: &str = r#"
import sys, time
import numpy as np, sklearn
from sklearn.tree import DecisionTreeClassifier
data = np.fromfile(sys.argv[1], dtype=np.uint8).reshape(-1, 50)
cells = np.fromfile(sys.argv[2], dtype=np.uint8).reshape(-1, 8)
fields, classes = data[:, :49], data[:, 49]
both = np.concatenate([fields, (3 - fields) % 3]).astype(np.float32)
classes = np.concatenate([classes, 2 - classes])
count, rng, seconds, errors = len(fields), np.random.default_rng(1), 0.0, []
for pattern in cells:
    drawn = np.tile(np.bincount(rng.integers(0, count, count), minlength=count), 2)
    seen, inside = np.ascontiguousarray(both[:, pattern]), drawn > 0
    x, y, weights = seen[inside], classes[inside], drawn[inside]
    started = time.perf_counter()
    tree = DecisionTreeClassifier(criterion="entropy").fit(x, y, sample_weight=weights)
    seconds += time.perf_counter() - started
    errors.append((tree.predict(seen[~inside]) != classes[~inside]).mean())
print(sklearn.__version__, seconds, np.mean(errors))
"#;

pub(crate) fn print(rows: &[TreesResult]) -> Result<(), Failure> {
    let cells = rows.iter().map(|TreesResult { samples, trees, seconds, error, peer }| {
        let mut cells = vec![
            format!("{trees} on {samples} samples"),
            format!("{seconds:.3} s"),
            format!("{:.2} ms", 1000.0 * seconds / *trees as f64),
            format!("{error:.3}"),
        ];
        if let Some(ScikitLearn { name, seconds, error, we_are_times_as_fast }) = peer {
            cells.extend([
                name.clone(),
                format!("{seconds:.3} s"),
                format!("{error:.3}"),
                format!("{we_are_times_as_fast:.1}x"),
            ]);
        }
        cells
    });
    let titles =
        ["training", "tesuji", "per tree", "error", "peer", "peer's time", "peer's error", "ratio"];
    print_titled(&titles, cells)?;
    if rows.iter().all(|row| row.peer.is_none()) {
        say!("no scikit-learn: run `pip install scikit-learn` and give --python PROGRAM")?;
    }
    Ok(())
}
