//! Random patterns for new trees.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, choose};

use super::{Pattern, PatternWindow};

/// How the cells of a random pattern are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternShape {
    /// Anywhere in the window, uniformly distributed: the thesis.
    #[default]
    Scattered,
    /// Adjacent cells in a row, column or diagonal. If the window is shorter than the pattern, a
    /// whole line and cells next to it.
    Lines,
    /// The cells of a random walk with a king's steps (Thill, Koch and Konen, 2012).
    Walks,
    /// One of the three, with equal probability.
    Mixed,
}

/// Draws a random pattern of `cells` cells, but at most as many as the window has and
/// [`Pattern::MAX_CELLS`].
///
/// # Panics
/// Panics if the window has no cells.
pub fn random_pattern(
    window: PatternWindow,
    cells: usize,
    shape: PatternShape,
    rng: &mut Rng,
) -> Pattern {
    let count = cells.clamp(1, Pattern::MAX_CELLS).min(window.cells());
    let cells = match shape.resolve(rng) {
        PatternShape::Lines => line(window.side, count, rng),
        PatternShape::Walks => walk(window.side, count, rng),
        PatternShape::Scattered | PatternShape::Mixed => scattered(window.cells(), count, rng),
    };
    Pattern::new(window, cells).expect("the cells are distinct and inside the window")
}

/// A pattern with one change: a cell more, a cell less, or another cell in place of one. A new cell
/// is next to another where there is room. `cells` is the least and the largest number of cells.
pub fn changed_pattern(pattern: &Pattern, cells: (usize, usize), rng: &mut Rng) -> Pattern {
    let (window, mut changed) = (pattern.window(), pattern.cells().to_vec());
    let (least, most) = cells;
    let choice = below(rng, 3);
    let adds = changed.len() < window.cells() && (choice != 1 || changed.len() <= least);
    let removes = if adds { choice != 0 || changed.len() >= most } else { changed.len() > least };
    if removes {
        changed.remove(below(rng, changed.len() as u32) as usize);
    }
    if adds {
        let free = (0..window.cells() as u16).filter(|cell| !pattern.cells().contains(cell));
        let (adjacent, others): (Vec<u16>, Vec<u16>) = free
            .partition(|&cell| changed.iter().any(|&other| are_adjacent(cell, other, window.side)));
        changed.extend(choose(rng, if adjacent.is_empty() { &others } else { &adjacent }));
    }
    Pattern::new(window, changed).expect("the cells are distinct and inside the window")
}

impl PatternShape {
    /// Chooses the arrangement of one pattern.
    fn resolve(self, rng: &mut Rng) -> PatternShape {
        match self {
            PatternShape::Mixed => {
                [PatternShape::Scattered, PatternShape::Lines, PatternShape::Walks]
                    [below(rng, 3) as usize]
            }
            other => other,
        }
    }
}

/// A partial Fisher–Yates shuffle.
fn scattered(all: usize, count: usize, rng: &mut Rng) -> Vec<u16> {
    let mut cells: Vec<u16> = (0..all as u16).collect();
    for place in 0..count {
        cells.swap(place, place + below(rng, (all - place) as u32) as usize);
    }
    cells.truncate(count);
    cells
}

/// All segments of a direction are equally likely.
fn line(side: usize, count: usize, rng: &mut Rng) -> Vec<u16> {
    let length = count.min(side);
    let mut pick = |choices: usize| below(rng, choices as u32) as usize;
    let room = side - length + 1;
    let (start, step) = match pick(4) {
        0 => (pick(room) + pick(side) * side, 1),
        1 => (pick(side) + pick(room) * side, side),
        2 => (pick(room) + pick(room) * side, side + 1),
        _ => (pick(room) + (length - 1 + pick(room)) * side, 1usize.wrapping_sub(side)),
    };
    let mut cells: Vec<u16> =
        (0..length).map(|i| start.wrapping_add(step.wrapping_mul(i)) as u16).collect();
    while cells.len() < count {
        let free = (0..(side * side) as u16).filter(|cell| !cells.contains(cell));
        let (adjacent, others): (Vec<u16>, Vec<u16>) = free.partition(|&cell| {
            cells[..length].iter().any(|&other| are_adjacent(cell, other, side))
        });
        let from = if adjacent.is_empty() { &others } else { &adjacent };
        cells.extend(choose(rng, from));
    }
    cells
}

fn walk(side: usize, count: usize, rng: &mut Rng) -> Vec<u16> {
    let mut here = below(rng, (side * side) as u32) as u16;
    let mut cells = vec![here];
    while cells.len() < count {
        let around: Vec<u16> =
            (0..(side * side) as u16).filter(|&cell| are_adjacent(cell, here, side)).collect();
        here = choose(rng, &around).copied().unwrap_or(here);
        if !cells.contains(&here) {
            cells.push(here);
        }
    }
    cells
}

/// Whether two cells are a king's step apart.
fn are_adjacent(cell: u16, other: u16, side: usize) -> bool {
    let place = |cell: u16| (usize::from(cell) % side, usize::from(cell) / side);
    let ((x, y), (u, v)) = (place(cell), place(other));
    cell != other && x.abs_diff(u) <= 1 && y.abs_diff(v) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tesuji_games::random::seeded;

    const WINDOW: PatternWindow = PatternWindow { side: 7 };

    fn drawn(window: PatternWindow, cells: usize, shape: PatternShape) -> Vec<Pattern> {
        let rng = &mut seeded(11);
        (0..600).map(|_| random_pattern(window, cells, shape, rng)).collect()
    }

    /// `Pattern` checks that cells are distinct and inside the window; drawing panics otherwise.
    #[test]
    fn patterns_of_every_shape_have_the_requested_size_and_reach_every_cell() {
        for shape in
            [PatternShape::Scattered, PatternShape::Lines, PatternShape::Walks, PatternShape::Mixed]
        {
            for (side, cells) in [(1, 1), (2, 4), (3, 4), (3, 9), (4, 7), (7, 5), (7, 8), (7, 12)] {
                let patterns = drawn(PatternWindow { side }, cells, shape);
                assert!(patterns.iter().all(|pattern| pattern.len() == cells), "{shape:?} {side}");
                let seen: BTreeSet<u16> =
                    patterns.iter().flat_map(|pattern| pattern.cells().to_vec()).collect();
                assert_eq!(seen.len(), side * side, "{shape:?}, {cells} cells, side {side}");
            }
        }
    }

    #[test]
    fn changed_patterns_differ_by_one_cell_and_keep_their_limits() {
        let rng = &mut seeded(3);
        let mut pattern = random_pattern(WINDOW, 4, PatternShape::Lines, rng);
        let mut sizes = BTreeSet::new();
        for _ in 0..500 {
            let changed = changed_pattern(&pattern, (2, 5), rng);
            let same = changed.cells().iter().filter(|cell| pattern.cells().contains(cell)).count();
            assert!(same + 1 >= changed.len().max(pattern.len()), "{pattern:?} {changed:?}");
            assert_ne!(changed, pattern);
            sizes.insert(changed.len());
            pattern = changed;
        }
        assert_eq!(sizes, BTreeSet::from([2, 3, 4, 5]));
        let all = random_pattern(PatternWindow { side: 2 }, 4, PatternShape::Lines, rng);
        assert_eq!(changed_pattern(&all, (4, 4), rng), all, "there is no other cell");
    }

    #[test]
    fn cell_counts_are_limited_by_the_window_and_the_maximum() {
        assert_eq!(drawn(PatternWindow { side: 3 }, 40, PatternShape::Lines)[0].len(), 9);
        assert_eq!(drawn(WINDOW, 40, PatternShape::Scattered)[0].len(), Pattern::MAX_CELLS);
        assert_eq!(drawn(WINDOW, 0, PatternShape::Walks)[0].len(), 1);
    }

    #[test]
    fn scattered_cells_are_equally_likely_everywhere() {
        let mut counts = [0u32; 49];
        for pattern in drawn(WINDOW, 8, PatternShape::Scattered) {
            pattern.cells().iter().for_each(|&cell| counts[usize::from(cell)] += 1);
        }
        // 600 patterns with 8 of 49 cells: 98 hits per cell, with a standard deviation of 9.
        assert!(counts.iter().all(|&count| (60..140).contains(&count)), "{counts:?}");
    }

    #[test]
    fn lines_are_straight_without_gaps_in_all_four_directions() {
        let mut directions = BTreeSet::new();
        for pattern in drawn(WINDOW, 5, PatternShape::Lines) {
            let places: Vec<_> = pattern.places().map(|(x, y)| (x as i32, y as i32)).collect();
            let steps: BTreeSet<_> =
                places.windows(2).map(|w| (w[1].0 - w[0].0, w[1].1 - w[0].1)).collect();
            assert_eq!(steps.len(), 1, "{places:?}");
            directions.extend(steps);
        }
        assert_eq!(Vec::from_iter(directions), [(0, 1), (1, -1), (1, 0), (1, 1)]);
    }

    #[test]
    fn long_line_patterns_are_a_whole_line_and_adjacent_cells() {
        for pattern in drawn(WINDOW, 9, PatternShape::Lines) {
            let cells = pattern.cells();
            let adjacent =
                |&cell: &u16| cells[..7].iter().any(|&other| are_adjacent(cell, other, 7));
            assert!(cells[7..].iter().all(adjacent), "{cells:?}");
        }
    }

    #[test]
    fn walks_are_connected() {
        for pattern in drawn(WINDOW, 8, PatternShape::Walks) {
            let cells = pattern.cells();
            for place in 1..cells.len() {
                let before = &cells[..place];
                assert!(
                    before.iter().any(|&cell| are_adjacent(cell, cells[place], 7)),
                    "{cells:?}"
                );
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_patterns() {
        assert_eq!(drawn(WINDOW, 8, PatternShape::Mixed), drawn(WINDOW, 8, PatternShape::Mixed));
    }
}
