//! Compares beliefs with brute-force counting over every order in which the game can place its
//! medals.

use std::collections::BTreeMap;

use tesuji_games::random::{below, seeded};
use tesuji_games::rules::gem_island::{GemCell, GemGrid, GemRules, GemSettings};
use tesuji_search::gem_island::{BeliefOptions, BeliefTracker};

fn small(rows: u8, columns: u8, ice_rows: u8, medals: u8) -> GemGrid<u128> {
    let (kinds, ice_layers, moves, rules) = (6, 1, 20, GemRules::Fixed);
    let settings = GemSettings { rows, columns, kinds, ice_rows, ice_layers, medals, moves, rules };
    GemGrid::new(settings).expect("it fits")
}

type Places = Vec<(u8, u8)>;

/// The probability of each set of places, by placing medals one after another on every free place.
/// The sum may be less than one: on a tiny board a medal may find no place, and the game then
/// restarts.
fn prior_probabilities(grid: &GemGrid<u128>) -> BTreeMap<Places, f64> {
    let settings = grid.settings;
    let rows = settings.rows - settings.ice_rows..settings.rows - 1;
    let places: Places =
        rows.flat_map(|row| (0..settings.columns - 1).map(move |column| (row, column))).collect();
    let mut sets = BTreeMap::new();
    place_next(&places, &mut Vec::new(), 1.0, usize::from(settings.medals), &mut sets);
    sets
}

fn place_next(
    places: &Places,
    placed: &mut Places,
    chance: f64,
    left: usize,
    sets: &mut BTreeMap<Places, f64>,
) {
    if left == 0 {
        let mut set = placed.clone();
        set.sort_unstable();
        *sets.entry(set).or_default() += chance;
        return;
    }
    let is_apart = |a: &(u8, u8), b: &(u8, u8)| a.0.abs_diff(b.0) > 1 || a.1.abs_diff(b.1) > 1;
    let free: Places =
        places.iter().copied().filter(|p| placed.iter().all(|medal| is_apart(medal, p))).collect();
    for place in &free {
        placed.push(*place);
        place_next(places, placed, chance / free.len() as f64, left - 1, sets);
        placed.pop();
    }
}

fn cells_of(place: (u8, u8)) -> [(u8, u8); 4] {
    let (row, column) = place;
    [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
}

/// The mask of a list of places or cells.
fn mask(grid: &GemGrid<u128>, cells: &[(u8, u8)]) -> u128 {
    cells.iter().map(|&(row, column)| 1 << grid.index(GemCell::new(row, column))).sum()
}

/// The prior restricted to an observation: `uncovered` cells are uncovered and `actual` is the
/// arrangement. Returns the visible medals and the sets of hidden medals with their probabilities.
fn posterior(
    prior: &BTreeMap<Places, f64>,
    actual: &Places,
    uncovered: &[(u8, u8)],
) -> (Places, Vec<(Places, f64)>) {
    let is_visible =
        |place: &(u8, u8)| cells_of(*place).iter().any(|cell| uncovered.contains(cell));
    let known: Places = actual.iter().copied().filter(is_visible).collect();
    let mut left = Vec::new();
    for (set, chance) in prior {
        let (visible, hidden): (Places, Places) = set.iter().copied().partition(is_visible);
        if visible == known {
            left.push((hidden, *chance));
        }
    }
    let total: f64 = left.iter().map(|(_, chance)| chance).sum();
    left.iter_mut().for_each(|(_, chance)| *chance /= total);
    (known, left)
}

fn compare(grid: &GemGrid<u128>, options: BeliefOptions, seed: u64) {
    let prior = prior_probabilities(grid);
    let mut rng = seeded(seed);
    let mut beliefs = BeliefTracker::new(options);
    let settings = grid.settings;
    for round in 0..40 {
        let actual = prior.keys().nth(below(&mut rng, prior.len() as u32) as usize).expect("some");
        let uncovered: Vec<(u8, u8)> = grid
            .row_major()
            .map(|cell| (cell.row, cell.column))
            .filter(|cell| {
                cell.0 < settings.rows - settings.ice_rows || round > 0 && below(&mut rng, 6) == 0
            })
            .collect();
        let (known, expected) = posterior(&prior, actual, &uncovered);
        let hidden = u32::from(settings.medals) - known.len() as u32;
        let covered = grid.cells & !mask(grid, &uncovered);
        let known_mask = mask(grid, &known);
        let open = grid.medals_within(covered & !grid.medal_cells(known_mask));
        let belief = beliefs.for_known(grid, known_mask, open, hidden);
        assert!(belief.is_exact());
        if hidden == 0 {
            assert_eq!(belief.count(), 0);
            continue;
        }
        let found: BTreeMap<u128, f64> = belief.arrangements().collect();
        assert_eq!(found.len(), expected.len());
        for (set, chance) in &expected {
            let computed = found[&mask(grid, set)];
            assert!((computed - chance).abs() < 1e-12, "{set:?}: {computed} instead of {chance}");
        }
        for cell in grid.row_major() {
            let covers =
                |set: &Places| set.iter().any(|p| cells_of(*p).contains(&(cell.row, cell.column)));
            let chance: f64 = expected.iter().filter(|(set, _)| covers(set)).map(|(_, c)| c).sum();
            let computed = belief.chances()[grid.index(cell) as usize];
            assert!((computed - chance).abs() < 1e-9, "{cell:?}: {computed} instead of {chance}");
        }
    }
}

/// Checks beliefs filtered from the list of all arrangements, and beliefs enumerated for one view.
#[test]
fn belief_equals_counting() {
    let filtered = BeliefOptions::default();
    let listed = BeliefOptions { max_initial: 0, ..filtered };
    let boards = [
        (4, 4, 3, 1),
        (5, 4, 4, 2),
        (4, 6, 4, 3),
        (6, 5, 3, 2),
        (5, 5, 5, 3),
        (3, 9, 3, 4),
        (9, 9, 3, 3),
    ];
    for (seed, (rows, columns, ice, medals)) in (1..).zip(boards) {
        let grid = small(rows, columns, ice, medals);
        compare(&grid, filtered, seed);
        compare(&grid, listed, seed);
    }
}

/// Sampled probabilities are close to the exact ones at level 2, where both are available.
#[test]
fn samples_are_close_to_exact_probabilities() {
    let grid: GemGrid<u128> =
        GemGrid::new(GemSettings::level(2).expect("a level")).expect("it fits");
    let exact_options = BeliefOptions::default();
    let sampled_options =
        BeliefOptions { max_initial: 0, max_listed: 0, samples: 100_000, ..exact_options };
    let (mut exact_tracker, mut sampled_tracker) =
        (BeliefTracker::new(exact_options), BeliefTracker::new(sampled_options));
    let known = mask(&grid, &[(7, 0), (4, 4)]);
    let uncovered = mask(&grid, &[(2, 2), (2, 3), (2, 4), (4, 5), (5, 5), (7, 0), (8, 6), (5, 8)]);
    let iced = grid.cells
        & !mask(
            &grid,
            &[0, 1].map(|row| (0..9).map(move |c| (row, c)).collect::<Vec<_>>()).concat(),
        );
    for known in [0, known] {
        let covered = if known == 0 { iced } else { iced & !uncovered };
        let open = grid.medals_within(covered & !grid.medal_cells(known));
        let exact = exact_tracker.for_known(&grid, known, open, 4 - known.count_ones());
        let sampled = sampled_tracker.for_known(&grid, known, open, 4 - known.count_ones());
        assert!(exact.is_exact() && !sampled.is_exact());
        assert_eq!(if known == 0 { 77_030 } else { exact.count() }, exact.count());
        for (computed, chance) in sampled.chances().iter().zip(exact.chances()) {
            assert!((computed - chance).abs() < 0.006, "{computed} instead of {chance}");
        }
    }
}

/// Sampled arrangements have the frequencies of their probabilities.
#[test]
fn samples_follow_the_probabilities() {
    let grid = small(4, 4, 4, 2);
    let mut beliefs = BeliefTracker::new(BeliefOptions::default());
    let belief = beliefs.for_known(&grid, 0, grid.medal_places, 2);
    let (mut rng, mut drawn) = (seeded(5), BTreeMap::<u128, u32>::new());
    (0..100_000).for_each(|_| *drawn.entry(belief.sample(&mut rng)).or_default() += 1);
    assert_eq!(drawn.len(), belief.count());
    for (set, chance) in belief.arrangements() {
        let share = f64::from(drawn[&set]) / 100_000.0;
        assert!((share - chance).abs() < 0.006, "{set:x}: {share} instead of {chance}");
    }
}

/// Level 1 has 2,564 initial arrangements; level 3 is initially sampled, and an impossible view has
/// none.
#[test]
fn arrangement_counts() {
    let grid =
        |level| GemGrid::<u128>::new(GemSettings::level(level).expect("a level")).expect("it fits");
    let mut beliefs = BeliefTracker::new(BeliefOptions::default());
    let iced = |grid: &GemGrid<u128>, rows: u8| {
        let clear = (0..9 - rows).fold(0, |mask, row| mask | grid.top << row);
        grid.medals_within(grid.cells & !clear)
    };
    let first = grid(1);
    assert_eq!(beliefs.for_known(&first, 0, iced(&first, 5), 3).count(), 2_564);
    let third = grid(3);
    let belief = beliefs.for_known(&third, 0, iced(&third, 9), 5);
    assert!(!belief.is_exact() && belief.count() > 3_000);
    let impossible = beliefs.for_known(&third, 0, 0, 5);
    assert_eq!((impossible.count(), impossible.sample(&mut seeded(1))), (0, 0));
}
