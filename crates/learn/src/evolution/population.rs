//! The forests of an iteration: placed on the board for play, and serialized for other machines.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::iter::Peekable;
use std::str::Bytes;
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use tesuji_games::RowGrid;
use tesuji_queue::JobError;

use crate::forest::{
    Class, DecisionNode, DecisionTree, Forest, ForestEvaluation, LayoutError, Pattern, PatternTree,
    PatternWindow, Vote,
};
use crate::packing::inflated;
use tesuji_train::threads;

/// The maximum size of the JSON text, far above that of any population.
const MAX_JSON_BYTES: u64 = 1 << 30;

/// The forests of an iteration, placed on the board when first needed.
pub(super) struct Population {
    forests: Vec<Forest>,
    evaluations: OnceLock<Result<Vec<Arc<ForestEvaluation>>, LayoutError>>,
}

impl Population {
    pub(super) fn new(forests: Vec<Forest>) -> Population {
        Population { forests, evaluations: OnceLock::new() }
    }

    /// The number of forests.
    pub(super) fn len(&self) -> usize {
        self.forests.len()
    }

    /// All forests placed on the board. The first call computes them on this number of threads.
    pub(super) fn evaluations(
        &self,
        grid: &RowGrid,
        threads: usize,
    ) -> Result<&[Arc<ForestEvaluation>], JobError> {
        let evaluations = self.evaluations.get_or_init(|| {
            let placed = threads::map(threads, &self.forests, |forest| {
                ForestEvaluation::of_forest(forest, grid).map(Arc::new)
            });
            placed.into_iter().collect()
        });
        evaluations.as_deref().map_err(JobError::new)
    }

    /// Serializes the population: the distinct trees, and the trees of each forest. Keeps the
    /// predictions of the trees, not their errors.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut indices: HashMap<*const PatternTree, usize> = HashMap::new();
        let mut packed = PackedPopulation { trees: Vec::new(), forests: Vec::new() };
        for forest in &self.forests {
            let index = |tree: &Arc<PatternTree>| {
                *indices.entry(Arc::as_ptr(tree)).or_insert_with(|| {
                    packed.trees.push(PackedTree::of(tree));
                    packed.trees.len() - 1
                })
            };
            packed.forests.push(forest.trees.iter().map(index).collect());
        }
        let json = serde_json::to_vec(&packed)
            .unwrap_or_else(|error| unreachable!("numbers and text are always JSON: {error}"));
        let mut file = DeflateEncoder::new(Vec::new(), Compression::best());
        file.write_all(&json)
            .and_then(|()| file.finish())
            .unwrap_or_else(|error| unreachable!("writing to memory cannot fail: {error}"))
    }

    /// Reads such a file. `forest` creates a forest of trees with patterns in this window.
    pub(super) fn from_bytes(
        bytes: &[u8],
        window: PatternWindow,
        forest: impl Fn(Vec<Arc<PatternTree>>) -> Forest,
    ) -> Result<Population, JobError> {
        let wrong = |why: &dyn Display| JobError(format!("population file: {why}"));
        let json = inflated(bytes, MAX_JSON_BYTES)
            .ok_or_else(|| wrong(&"damaged, or larger than 1 GiB"))?;
        let packed: PackedPopulation = serde_json::from_slice(&json).map_err(|why| wrong(&why))?;
        let trees = packed.trees.into_iter().map(|tree| tree.tree(window).map(Arc::new));
        let trees: Option<Vec<Arc<PatternTree>>> = trees.collect();
        let trees = trees.ok_or_else(|| wrong(&"invalid tree"))?;
        let trees = |indices: Vec<usize>| -> Option<Vec<Arc<PatternTree>>> {
            indices.into_iter().map(|index| trees.get(index).cloned()).collect()
        };
        let forests = packed.forests.into_iter().map(|indices| trees(indices).map(&forest));
        let forests: Option<Vec<Forest>> = forests.collect();
        forests.map(Population::new).ok_or_else(|| wrong(&"forest with an unknown tree"))
    }
}

/// The file before compression.
#[derive(Serialize, Deserialize)]
struct PackedPopulation {
    #[serde(rename = "woods")]
    trees: Vec<PackedTree>,
    forests: Vec<Vec<usize>>,
}

/// A tree with its cells and its weight. Its nodes are letters in preorder: `W`, `D` and `L` are
/// leaves, each with a `+` for every vote after the first; `N` is a leaf without a vote, `a` tests
/// the first cell, `b` the second.
#[derive(Serialize, Deserialize)]
struct PackedTree(Vec<u16>, u32, String);

const ANSWERS: [u8; 3] = *b"WDL";
const NO_VOTE: u8 = b'N';
const MORE: char = '+';

impl PackedTree {
    fn of(tree: &PatternTree) -> PackedTree {
        let mut letters = String::new();
        // The nodes of a pruned tree are in preorder.
        for node in tree.decisions.pruned().nodes() {
            match node {
                DecisionNode::Leaf(vote) => {
                    let class = vote.class().map_or(NO_VOTE, |class| ANSWERS[class as usize]);
                    letters.push(char::from(class));
                    letters.extend((1..vote.count()).map(|_| MORE));
                }
                DecisionNode::Split { attribute, .. } => letters.push(char::from(b'a' + attribute)),
            }
        }
        PackedTree(tree.pattern.cells().to_vec(), tree.weight, letters)
    }

    fn tree(self, window: PatternWindow) -> Option<PatternTree> {
        let PackedTree(cells, weight, letters) = self;
        let pattern = Pattern::new(window, cells).ok()?;
        let (mut nodes, mut letters) = (Vec::new(), letters.bytes().peekable());
        nodes_of(&mut letters, (1 << pattern.len()) - 1, &mut nodes)?;
        let tree = DecisionTree::new(nodes).filter(|_| letters.next().is_none())?;
        Some(PatternTree { weight, ..PatternTree::new(pattern, tree, None) })
    }
}

/// Reads a subtree and returns the index of its root. Each bit of `untested` is a cell that may be
/// tested.
fn nodes_of(
    letters: &mut Peekable<Bytes<'_>>,
    untested: u16,
    nodes: &mut Vec<DecisionNode>,
) -> Option<u32> {
    let (index, letter) = (nodes.len(), letters.next()?);
    nodes.push(DecisionNode::Leaf(Vote::NONE));
    let answer = ANSWERS.iter().position(|&answer| answer == letter);
    nodes[index] = match answer {
        Some(class) => {
            let mut count = 1;
            while letters.next_if_eq(&(MORE as u8)).is_some() {
                count += 1;
            }
            let count = Some(count).filter(|count| *count <= Vote::MAX_COUNT)?;
            DecisionNode::Leaf(Vote::new(Class::ALL[class], count))
        }
        None if letter == NO_VOTE => return Some(index as u32),
        None => {
            let attribute = letter.checked_sub(b'a')?;
            let bit = 1u16.checked_shl(attribute.into()).filter(|bit| untested & bit != 0)?;
            let mut next = || nodes_of(letters, untested & !bit, nodes);
            DecisionNode::Split { attribute, branches: [next()?, next()?, next()?] }
        }
    };
    Some(index as u32)
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::{below, seeded};

    use super::*;
    use crate::evolution::operators::GeneticOperators;
    use crate::evolution::settings::{ForestLearnerSettings, TreeWeights};
    use crate::forest::{CellContent, Dataset, WindowSample};

    /// Forests with the parameters of Table 5-5, with children.
    fn population() -> (ForestLearnerSettings, PatternWindow, Population) {
        let mut settings = ForestLearnerSettings {
            game: "mnk:10x10,k=5".to_string(),
            ..ForestLearnerSettings::default()
        };
        settings.forest.tree_weights = TreeWeights::Evolved;
        settings.evolution.mutation = 0.5;
        let window = PatternWindow { side: 7 };
        let operators = GeneticOperators::new(&settings, window);
        let mut data = Dataset::new(window);
        let rng = &mut seeded(1);
        for number in 0..1500 {
            let contents = (0..49).map(|_| CellContent::ALL[below(rng, 3) as usize]).collect();
            data.push(&WindowSample { contents, class: Class::ALL[number % 3] });
        }
        let mut all = operators.initial_population(&data);
        let parents: Vec<[usize; 2]> = (0..10).map(|n| [n, (n + 1) % 10]).collect();
        all.extend(operators.children(&data, &all, &parents, 1));
        let forests = all.iter().map(|one| operators.forest(one)).collect();
        (settings, window, Population::new(forests))
    }

    #[test]
    fn populations_survive_a_round_trip() {
        let (settings, window, population) = population();
        let packed = population.to_bytes();
        let forest = |trees| settings.build_forest(window, trees);
        let back = Population::from_bytes(&packed, window, forest).unwrap();
        assert_eq!(back.len(), 20);
        assert_eq!(back.to_bytes(), packed);
        let xml: usize =
            population.forests.iter().map(|it| crate::forest::xml::write(it).len()).sum();
        assert!(packed.len() * 20 < xml, "{} bytes, {xml} as XML", packed.len());
        for (one, other) in population.forests.iter().zip(&back.forests) {
            assert_eq!(
                (&one.game, one.window, one.spread),
                (&other.game, other.window, other.spread)
            );
            assert_eq!(one.formula, other.formula);
            for (one, other) in one.trees.iter().zip(&other.trees) {
                assert_eq!((&one.pattern, &one.table), (&other.pattern, &other.table));
                assert_eq!(one.weight, other.weight);
            }
        }
    }

    #[test]
    fn invalid_populations_are_rejected() {
        let window = PatternWindow { side: 3 };
        let settings = ForestLearnerSettings::default();
        let read = |trees: &str, forests: &str| {
            let mut file = DeflateEncoder::new(Vec::new(), Compression::fast());
            write!(file, "{{\"woods\":{trees},\"forests\":{forests}}}").unwrap();
            let forest = |trees| settings.build_forest(window, trees);
            Population::from_bytes(&file.finish().unwrap(), window, forest).map(|it| it.len())
        };
        assert_eq!(read("[[[0,1],1,\"aWbDLWL\"]]", "[[0],[0,0]]"), Ok(2));
        for (trees, forests) in [
            ("[[[0,1],1,\"aWb\"]]", "[[0]]"),
            ("[[[0,1],1,\"WW\"]]", "[[0]]"),
            ("[[[0,1],1,\"cWWW\"]]", "[[0]]"),
            ("[[[0,1],1,\"aaWWWLL\"]]", "[[0]]"),
            ("[[[0,1],1,\"\"]]", "[[0]]"),
            ("[[[0,9],1,\"W\"]]", "[[0]]"),
            ("[[[0,1],1,\"W\"]]", "[[1]]"),
            ("[7]", "[[0]]"),
        ] {
            let error = read(trees, forests).unwrap_err().to_string();
            assert!(error.starts_with("population file: "), "{error}");
        }
        assert!(Population::from_bytes(b"nothing", window, |_| unreachable!()).is_err());
    }
}
