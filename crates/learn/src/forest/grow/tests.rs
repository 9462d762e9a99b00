//! Compares grown trees with a naive ID3 that splits lists of samples.

use std::collections::BTreeSet;

use tesuji_games::random::{Rng, below, seeded};

use super::*;
use crate::forest::{
    CellContent, DecisionNode, DecisionTree, IGNORED, PatternShape, PatternWindow, WindowSample,
    random_pattern,
};

/// A sample of the naive ID3: the contents of the pattern's cells, and the class.
type Plain = (Vec<usize>, Class);

/// The naive ID3, over a plain list of samples.
fn naive_tree(samples: &[Plain], untested: &[usize], parent: Class, votes: LeafVotes) -> Answer {
    let count = |class| samples.iter().filter(|sample| sample.1 == class).count();
    let counts = Class::ALL.map(count);
    let most = *counts.iter().max().unwrap();
    let leaders: Vec<Class> =
        Class::ALL.into_iter().filter(|&class| count(class) == most).collect();
    let majority = if leaders.len() == 1 { leaders[0] } else { parent };
    let gains: Vec<f64> = untested.iter().map(|&cell| naive_gain(samples, cell)).collect();
    let mut best = None;
    for (place, &gain) in gains.iter().enumerate() {
        if gain > best.map_or(0.0, |other: usize| gains[other]) + 1e-12 {
            best = Some(place);
        }
    }
    let pure = counts.iter().filter(|&&count| count > 0).count() <= 1;
    let leaf = |samples: &[Plain]| {
        let own = samples.iter().filter(|sample| sample.1 == majority).count();
        naive_leaf(majority, (own + 1) as f64 / (samples.len() + 3) as f64, votes)
    };
    let Some(best) = best.filter(|_| !pure) else { return leaf(samples) };
    let cell = untested[best];
    let rest: Vec<usize> = untested.iter().copied().filter(|&other| other != cell).collect();
    let branch = |digit| {
        let part: Vec<Plain> = samples.iter().filter(|s| s.0[cell] == digit).cloned().collect();
        match part.is_empty() {
            true => leaf(&[]),
            false => naive_tree(&part, &rest, majority, votes),
        }
    };
    Answer::Ask(cell, Box::new([0, 1, 2].map(branch)))
}

/// One vote, or two for every factor of e in the odds, up to ten.
fn naive_leaf(class: Class, share: f64, votes: LeafVotes) -> Answer {
    if share * 100.0 < f64::from(votes.confidence) {
        return Answer::Leaf(Vote::NONE);
    }
    let odds = share / (1.0 - share);
    let graded = (0..=10u8).rev().find(|&count| 2.0 * odds.ln() >= f64::from(count) - 0.5);
    Answer::Leaf(Vote::new(class, if votes.graded { graded.unwrap_or(0) } else { 1 }))
}

#[derive(PartialEq, Debug)]
enum Answer {
    Leaf(Vote),
    Ask(usize, Box<[Answer; 3]>),
}

fn entropy(samples: &[&Plain]) -> f64 {
    let share = |class: &Class| {
        samples.iter().filter(|sample| sample.1 == *class).count() as f64 / samples.len() as f64
    };
    Class::ALL.iter().map(share).filter(|&p| p > 0.0).map(|p| -p * p.log2()).sum()
}

fn naive_gain(samples: &[Plain], cell: usize) -> f64 {
    let all: Vec<&Plain> = samples.iter().collect();
    let mut gain = entropy(&all);
    for digit in 0..3 {
        let part: Vec<&Plain> = samples.iter().filter(|s| s.0[cell] == digit).collect();
        if !part.is_empty() {
            gain -= entropy(&part) * part.len() as f64 / samples.len() as f64;
        }
    }
    gain
}

fn as_answer(tree: &DecisionTree, place: usize) -> Answer {
    match tree.nodes()[place] {
        DecisionNode::Leaf(vote) => Answer::Leaf(vote),
        DecisionNode::Split { attribute, branches } => Answer::Ask(
            attribute.into(),
            Box::new(branches.map(|branch| as_answer(tree, branch as usize))),
        ),
    }
}

/// Samples whose class is determined by two of the cells, with noise.
fn random_data(side: usize, count: usize, noise: u32, rng: &mut Rng) -> Dataset {
    let window = PatternWindow { side };
    let mut data = Dataset::new(window);
    for _ in 0..count {
        let contents: Vec<CellContent> =
            (0..window.cells()).map(|_| CellContent::ALL[below(rng, 3) as usize]).collect();
        // The same law for both sides: the first cell with a stone decides.
        let law = match [contents[0], contents[side]] {
            [CellContent::Mine, _] | [CellContent::Empty, CellContent::Theirs] => 0,
            [CellContent::Empty, CellContent::Empty] => 1,
            _ => 2,
        };
        let class = if below(rng, 100) < noise { below(rng, 3) as usize } else { law };
        data.push(&WindowSample { contents, class: Class::ALL[class] });
    }
    data
}

fn seen(data: &Dataset, place: usize, pattern: &Pattern) -> Plain {
    let sample = data.sample(place).unwrap();
    let digit = |&cell: &u16| sample.contents[usize::from(cell)] as usize;
    (pattern.cells().iter().map(digit).collect(), sample.class)
}

fn swapped(sample: &Plain) -> Plain {
    (sample.0.iter().map(|digit| (3 - digit) % 3).collect(), sample.1.swapped())
}

/// The bootstrap as a list: each drawn sample with its swapped copy.
fn drawn_list(data: &Dataset, recipe: &TreeSpec) -> (Vec<Plain>, Vec<Plain>) {
    let count = recipe.samples;
    let rng = &mut seeded(recipe.seed);
    let draws: Vec<usize> = (0..count).map(|_| below(rng, count as u32) as usize).collect();
    let both = |place: usize| {
        let sample = seen(data, place, &recipe.pattern);
        [swapped(&sample), sample]
    };
    let inside = draws.iter().flat_map(|&place| both(place)).collect();
    let outside = (0..count).filter(|place| !draws.contains(place)).flat_map(both).collect();
    (inside, outside)
}

#[test]
fn trees_equal_naive_id3() {
    let (rng, mut kinds) = (&mut seeded(5), BTreeSet::new());
    for (side, cells, samples, noise) in [
        (2, 1, 1, 0),
        (2, 2, 2, 100),
        (2, 3, 3, 50),
        (2, 4, 5, 100),
        (3, 4, 40, 20),
        (3, 6, 200, 50),
        (3, 8, 300, 100),
        (4, 9, 150, 30),
        (7, 8, 500, 10),
        (4, 12, 60, 60),
        (2, 4, 3000, 0),
        (2, 4, 3000, 10),
    ] {
        for seed in 0..6 {
            let data = random_data(side, samples + 3, noise, rng);
            let pattern = random_pattern(data.window(), cells, PatternShape::Scattered, rng);
            let votes = LeafVotes { confidence: [0, 45, 70][seed as usize % 3], graded: seed >= 3 };
            let recipe = TreeSpec { pattern, seed, samples, votes };
            let tree = grow_tree(&data, &recipe);
            let (inside, outside) = drawn_list(&data, &recipe);
            let untested: Vec<usize> = (0..cells).collect();
            let expected = naive_tree(&inside, &untested, Class::Draw, votes);
            assert_eq!(as_answer(&tree.decisions, 0), expected, "{side} {cells} {samples} {seed}");
            let digit = |index: usize, j: usize| CellContent::ALL[index / 3usize.pow(j as u32) % 3];
            let predicts = |index: usize| tree.decisions.vote(|j| digit(index, j)).entry();
            assert!((1..tree.table.len()).all(|index| tree.table[index] == predicts(index)));
            assert_eq!((tree.table[0], tree.table.len()), (IGNORED, 3usize.pow(cells as u32)));
            assert_eq!(tree.error, naive_error(&tree, &outside));
            kinds.extend(tree.table.iter().skip(1).map(|&entry| Vote::of_entry(entry).count()));
        }
    }
    assert!(kinds.len() > 7 && kinds.first() == Some(&0) && kinds.last() == Some(&10), "{kinds:?}");
}

fn naive_error(tree: &PatternTree, outside: &[Plain]) -> Option<f64> {
    let says = |s: &Plain| tree.decisions.vote(|j| CellContent::ALL[s.0[j]]).class();
    let votes = |s: &&Plain| s.0.iter().any(|&d| d > 0) && says(s).is_some();
    let evaluated: Vec<&Plain> = outside.iter().filter(votes).collect();
    let wrong = |s: &&&Plain| says(s) != Some(s.1);
    (!evaluated.is_empty())
        .then(|| evaluated.iter().filter(wrong).count() as f64 / evaluated.len() as f64)
}

#[test]
fn later_samples_change_nothing_and_the_seed_does() {
    let rng = &mut seeded(6);
    let data = random_data(4, 300, 30, rng);
    let pattern = random_pattern(data.window(), 6, PatternShape::Scattered, rng);
    let recipe = TreeSpec { pattern, seed: 1, samples: 200, votes: LeafVotes::default() };
    let mut longer = data.clone();
    (0..50).for_each(|place| longer.push(&data.sample(place).unwrap()));
    assert_eq!(grow_tree(&data, &recipe), grow_tree(&longer, &recipe));
    assert_ne!(grow_tree(&data, &recipe), grow_tree(&data, &TreeSpec { seed: 2, ..recipe }));
}

#[test]
fn without_samples_trees_predict_a_draw() {
    let data = Dataset::new(PatternWindow { side: 3 });
    let pattern = Pattern::new(data.window(), vec![4, 0]).unwrap();
    let tree =
        grow_tree(&data, &TreeSpec { pattern, seed: 0, samples: 10, votes: LeafVotes::default() });
    assert_eq!((tree.decisions, tree.error), (DecisionTree::leaf(Class::Draw), None));
}

#[test]
fn swaps_exchange_ones_and_twos() {
    assert_eq!(swapped_indices(1), [0, 2, 1]);
    assert_eq!(swapped_indices(2), [0, 2, 1, 6, 8, 7, 3, 5, 4]);
    let swaps = swapped_indices(5);
    assert!(swaps.iter().enumerate().all(|(i, &swap)| swaps[swap as usize] as usize == i));
}

/// Days on which football was played or not, like the example by which Quinlan (1986) explains ID3,
/// with a third class for abandoned matches. Outlook: sun, clouds, rain. Wind: none, some, storm.
/// Ground: dry, damp, wet.
#[test]
fn a_textbook_table_gives_the_tree_computed_by_hand() {
    let [played, broken_off, cancelled] = Class::ALL;
    let days = [
        // outlook, wind, ground
        ([0, 0, 0], played),
        ([0, 1, 1], played),
        ([0, 1, 2], cancelled),
        ([0, 2, 2], cancelled),
        ([1, 1, 0], played),
        ([1, 1, 1], played),
        ([1, 2, 0], played),
        ([1, 0, 2], played),
        ([2, 0, 1], played),
        ([2, 0, 2], played),
        ([2, 2, 1], broken_off),
        ([2, 2, 0], broken_off),
    ];
    let mut rows: Vec<SampleRow> =
        days.iter().map(|&(digits, class)| row(&digits, class)).collect();
    let tree = build_tree(&mut rows, 3, LeafVotes::default());
    // By hand: the remaining entropy after outlook is (4 + 0 + 4) / 12 = 0.667 bits, after wind (0
    // + 4 * 0.811 + 4 * 1.5) / 12 = 0.770, after ground (4 * 0.811 + 4 * 0.811 + 4) / 12 = 0.874,
    // so outlook comes first. Under sun the ground decides, in rain the wind. There is no sample of
    // rain with some wind: two days of its node were played and two abandoned, a tie, so the
    // parent's majority counts.
    let leaf = |class: Class| Answer::Leaf(class.into());
    let sun = Answer::Ask(2, Box::new([leaf(played), leaf(played), leaf(cancelled)]));
    let rain = Answer::Ask(1, Box::new([leaf(played), leaf(played), leaf(broken_off)]));
    assert_eq!(as_answer(&tree, 0), Answer::Ask(0, Box::new([sun, leaf(played), rain])));
}

fn row(digits: &[u8; 3], class: Class) -> SampleRow {
    let mut row = SampleRow { digits: [0; Pattern::MAX_CELLS], counts: [0; 4] };
    row.digits[..3].copy_from_slice(digits);
    row.counts[class as usize] = 1;
    row
}
