//! The operators of the genetic algorithm on forests. The [`training`](super::training) decides
//! when each is applied. Genes are trees; related forests share them.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, unit};

use crate::forest::{
    Dataset, Forest, LeafVotes, PatternTree, PatternWindow, TreeSpec, changed_pattern, grow_tree,
    random_pattern,
};

use super::seeds::{SeedPurpose, SeedSource};
use super::settings::{Crossover, ForestLearnerSettings, TreeWeights};
use tesuji_train::threads;

/// The largest weight of a tree; the smallest is 1.
const MAX_TREE_WEIGHT: u32 = 16;
/// The error of a tree that guesses one of three classes.
const GUESSING_ERROR: f64 = 2.0 / 3.0;

/// When and where a tree was drawn: iteration, index in the population, index in the forest.
/// Retraining does not change it.
pub type TreeId = [u64; 3];

/// The inputs that determine a gene.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GeneSpec {
    /// Identifies the gene.
    #[serde(rename = "birth")]
    pub id: TreeId,
    /// The inputs that determine its tree.
    #[serde(rename = "recipe")]
    pub tree: TreeSpec,
    /// The weight of its votes if weights evolve; otherwise 1.
    pub weight: u32,
}

/// A tree that is inherited.
#[derive(Clone, PartialEq, Debug)]
pub struct Gene {
    /// The inputs from which it can be regrown.
    pub spec: GeneSpec,
    /// The tree.
    pub tree: Arc<PatternTree>,
}

impl Gene {
    /// Identifies the gene.
    pub fn id(&self) -> TreeId {
        self.spec.id
    }
}

/// A member of the population.
#[derive(Clone, PartialEq, Debug)]
pub struct Individual {
    /// The iteration of its birth; 0 for the first population.
    pub born: u64,
    /// Its index in the population of that iteration.
    pub number: u64,
    /// Its trees.
    pub genes: Vec<Arc<Gene>>,
}

/// A tree of a child before it is grown.
enum ChildTree {
    Inherited(Arc<Gene>),
    New(GeneSpec),
}

/// The operators of the genetic algorithm.
pub struct GeneticOperators {
    settings: ForestLearnerSettings,
    seeds: SeedSource,
    window: PatternWindow,
    threads: usize,
}

impl GeneticOperators {
    /// Creates the operators for these settings and a window that fits on the board.
    pub fn new(settings: &ForestLearnerSettings, window: PatternWindow) -> GeneticOperators {
        let seeds = SeedSource::new(settings.seed);
        let threads = threads::threads(settings.threads);
        GeneticOperators { settings: settings.clone(), seeds, window, threads }
    }

    /// The first population: forests of new trees.
    pub fn initial_population(&self, data: &Dataset) -> Vec<Individual> {
        let forest = |child: u64| {
            let trees = self.settings.forest.trees as u64;
            (0..trees)
                .map(|tree| ChildTree::New(self.new_tree([0, child, tree], data.len())))
                .collect()
        };
        let population = self.settings.evolution.population as u64;
        self.grow_individuals(
            data,
            (0..population).map(|child| (0, child, forest(child))).collect(),
        )
    }

    /// Creates one child for each pair of parents by crossover and mutation.
    pub fn children(
        &self,
        data: &Dataset,
        survivors: &[Individual],
        parents: &[[usize; 2]],
        iteration: u64,
    ) -> Vec<Individual> {
        let child = |(index, pair): (usize, &[usize; 2])| {
            let number = (survivors.len() + index) as u64;
            let [one, other] = pair.map(|parent| &survivors[parent]);
            let genes = self.crossover(one, other, [iteration, number]);
            (iteration, number, self.mutate(genes, data.len(), [iteration, number]))
        };
        self.grow_individuals(data, parents.iter().enumerate().map(child).collect())
    }

    /// Crossover: as many trees as a parent has, drawn without replacement from both parents'
    /// trees.
    fn crossover(&self, one: &Individual, other: &Individual, child: [u64; 2]) -> Vec<Arc<Gene>> {
        let mut rng = self.seeds.rng(SeedPurpose::Crossover, &child);
        let mut trees: Vec<Arc<Gene>> = one.genes.clone();
        let is_new = |gene: &&Arc<Gene>| one.genes.iter().all(|mine| mine.id() != gene.id());
        let mut others: Vec<Arc<Gene>> = other.genes.iter().filter(is_new).cloned().collect();
        match self.settings.evolution.crossover {
            Crossover::Union => {
                trees.extend(others);
                shuffle_front(&mut trees, one.genes.len(), &mut rng);
            }
            Crossover::Graft => {
                let most = (trees.len() / 2).min(others.len()) as u32;
                let count = below(&mut rng, most + 1) as usize;
                let kept = trees.len() - count;
                shuffle_front(&mut trees, kept, &mut rng);
                shuffle_front(&mut others, count, &mut rng);
                trees.extend(others);
            }
        }
        trees
    }

    /// Mutation: with the mutation probability the child is mutated, and then each of its trees is
    /// replaced by a new one with the same probability. If weights evolve, a tree that stays may
    /// get another weight.
    fn mutate(&self, genes: Vec<Arc<Gene>>, samples: usize, child: [u64; 2]) -> Vec<ChildTree> {
        let rate = self.settings.evolution.mutation;
        let mut rng = self.seeds.rng(SeedPurpose::Mutation, &child);
        if unit(&mut rng) >= rate {
            return genes.into_iter().map(ChildTree::Inherited).collect();
        }
        let of_tree = self.settings.evolution.tree_mutation;
        let rate = if of_tree > 0.0 { of_tree } else { rate };
        let mutated = |(tree, gene): (usize, Arc<Gene>)| {
            let id = [child[0], child[1], tree as u64];
            let (replaced, reweighted) = (unit(&mut rng) < rate, unit(&mut rng) < rate);
            if replaced {
                ChildTree::New(self.mutated_tree(id, samples, &gene))
            } else if reweighted && self.settings.forest.tree_weights == TreeWeights::Evolved {
                let weight = self.initial_weight(id);
                ChildTree::New(GeneSpec { id, weight, ..gene.spec.clone() })
            } else {
                ChildTree::Inherited(gene)
            }
        };
        genes.into_iter().enumerate().map(mutated).collect()
    }

    /// Draws a new tree with random cells.
    fn new_tree(&self, id: TreeId, samples: usize) -> GeneSpec {
        let forest = &self.settings.forest;
        let mut rng = self.seeds.rng(SeedPurpose::Pattern, &id);
        let (least, most) = self.cells();
        let cells = least + drawn_up_to(most - least, &mut rng);
        let pattern = random_pattern(self.window, cells, forest.shape, &mut rng);
        let (least, most) = (forest.confidence, self.max_confidence());
        let confidence = least + drawn_up_to(usize::from(most - least), &mut rng) as u8;
        let seed = self.bootstrap_seed(id, id[0]);
        let votes = LeafVotes { confidence, graded: forest.graded };
        let tree = TreeSpec { pattern, seed, samples, votes };
        GeneSpec { id, tree, weight: self.initial_weight(id) }
    }

    /// Draws what replaces a tree: a new one, or the same with a small change.
    fn mutated_tree(&self, id: TreeId, samples: usize, gene: &Gene) -> GeneSpec {
        let mut rng = self.seeds.rng(SeedPurpose::Adjustment, &id);
        let share = self.settings.evolution.adjustment;
        if share == 0.0 || unit(&mut rng) >= share {
            return self.new_tree(id, samples);
        }
        let mut spec = gene.spec.clone();
        (spec.id, spec.tree.samples) = (id, samples);
        spec.tree.seed = self.bootstrap_seed(id, id[0]);
        let (least, most) = (self.settings.forest.confidence, self.max_confidence());
        let weighted = self.settings.forest.tree_weights == TreeWeights::Evolved;
        match below(&mut rng, 4) {
            0 if most > least => {
                let step = 1 + below(&mut rng, 10) as u8;
                let old = spec.tree.votes.confidence;
                let up = below(&mut rng, 2) == 1;
                let new = if up { old.saturating_add(step) } else { old.saturating_sub(step) };
                spec.tree.votes.confidence = new.clamp(least, most);
            }
            1 if weighted => {
                let step = 1 + below(&mut rng, 1 + spec.weight / 2);
                let up = below(&mut rng, 2) == 1;
                let new = if up { spec.weight + step } else { spec.weight.saturating_sub(step) };
                spec.weight = new.clamp(1, MAX_TREE_WEIGHT);
            }
            _ => {
                let cells = self.cells();
                spec.tree.pattern = changed_pattern(&spec.tree.pattern, cells, &mut rng);
            }
        }
        spec
    }

    /// The least and the largest number of cells of a tree.
    fn cells(&self) -> (usize, usize) {
        let forest = &self.settings.forest;
        let most = forest.attributes.min(self.window.cells());
        let least = if forest.min_attributes == 0 { most } else { forest.min_attributes };
        (least.min(most), most)
    }

    fn max_confidence(&self) -> u8 {
        let forest = &self.settings.forest;
        if forest.max_confidence == 0 { forest.confidence } else { forest.max_confidence }
    }

    fn bootstrap_seed(&self, id: TreeId, iteration: u64) -> u64 {
        let [born, child, tree] = id;
        self.seeds.seed(SeedPurpose::Bootstrap, &[born, child, tree, iteration])
    }

    fn initial_weight(&self, id: TreeId) -> u32 {
        match self.settings.forest.tree_weights {
            TreeWeights::Equal | TreeWeights::Error => 1,
            TreeWeights::Evolved => {
                1 + below(&mut self.seeds.rng(SeedPurpose::Weight, &id), MAX_TREE_WEIGHT)
            }
        }
    }

    /// Retrains every tree of the survivors on all data, with unchanged cells. Shared trees are
    /// trained once and stay shared.
    pub fn retrain(&self, data: &Dataset, survivors: &mut [Individual], iteration: u64) {
        let again = |gene: Arc<Gene>| {
            let mut spec = gene.spec.clone();
            spec.tree.seed = self.bootstrap_seed(spec.id, iteration);
            spec.tree.samples = data.len();
            spec
        };
        let specs: Vec<GeneSpec> = distinct_genes(survivors).into_iter().map(again).collect();
        let grown = self.grow_trees(data, &specs);
        let by_id: HashMap<TreeId, Arc<Gene>> =
            grown.into_iter().map(|gene| (gene.id(), gene)).collect();
        let genes = survivors.iter_mut().flat_map(|individual| &mut individual.genes);
        genes.for_each(|gene| *gene = by_id[&gene.id()].clone());
    }

    /// Grows trees on all threads.
    pub fn grow_trees(&self, data: &Dataset, specs: &[GeneSpec]) -> Vec<Arc<Gene>> {
        threads::map(self.threads, specs, |spec| {
            let mut tree = grow_tree(data, &spec.tree);
            tree.weight = match self.settings.forest.tree_weights {
                TreeWeights::Equal => 1,
                TreeWeights::Error => weight_of_error(tree.error),
                TreeWeights::Evolved => spec.weight,
            };
            Arc::new(Gene { spec: spec.clone(), tree: Arc::new(tree) })
        })
    }

    fn grow_individuals(
        &self,
        data: &Dataset,
        planned: Vec<(u64, u64, Vec<ChildTree>)>,
    ) -> Vec<Individual> {
        let trees = planned.iter().flat_map(|(_, _, trees)| trees);
        let new: Vec<GeneSpec> = trees
            .filter_map(|tree| match tree {
                ChildTree::New(spec) => Some(spec.clone()),
                ChildTree::Inherited(_) => None,
            })
            .collect();
        let mut grown = self.grow_trees(data, &new).into_iter();
        let mut gene = |tree| match tree {
            ChildTree::Inherited(gene) => Some(gene),
            ChildTree::New(_) => grown.next(),
        };
        planned
            .into_iter()
            .map(|(born, number, trees)| Individual {
                born,
                number,
                genes: trees.into_iter().filter_map(&mut gene).collect(),
            })
            .collect()
    }

    /// The forest of an individual.
    pub fn forest(&self, individual: &Individual) -> Forest {
        let trees = individual.genes.iter().map(|gene| gene.tree.clone()).collect();
        self.settings.build_forest(self.window, trees)
    }
}

/// The distinct genes in order of first occurrence.
pub fn distinct_genes(individuals: &[Individual]) -> Vec<Arc<Gene>> {
    let mut seen = std::collections::HashSet::new();
    let genes = individuals.iter().flat_map(|individual| &individual.genes);
    genes.filter(|gene| seen.insert(gene.id())).cloned().collect()
}

/// A random number from 0 to `most`; draws nothing if there is no choice.
fn drawn_up_to(most: usize, rng: &mut Rng) -> usize {
    if most == 0 { 0 } else { below(rng, most as u32 + 1) as usize }
}

/// 1 for a tree that is no better than guessing, 16 for one without error.
fn weight_of_error(error: Option<f64>) -> u32 {
    let better = error.map_or(0.0, |error| (1.0 - error / GUESSING_ERROR).clamp(0.0, 1.0));
    1 + (better * f64::from(MAX_TREE_WEIGHT - 1)).round() as u32
}

/// Moves a random choice of `count` items to the front, in random order, and drops the rest.
fn shuffle_front<T>(items: &mut Vec<T>, count: usize, rng: &mut Rng) {
    for index in 0..count.min(items.len()) {
        let other = index + below(rng, (items.len() - index) as u32) as usize;
        items.swap(index, other);
    }
    items.truncate(count);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::{CellContent, Class, WindowSample};
    use std::collections::HashSet;
    use tesuji_train::LearnerSettings as _;

    fn settings() -> ForestLearnerSettings {
        let mut settings =
            ForestLearnerSettings::from_toml("game = 'tictactoe'\nseed = 3\nthreads = 2").unwrap();
        settings.forest.trees = 8;
        settings.forest.attributes = 3;
        settings.evolution.population = 4;
        settings
    }

    fn data(count: usize) -> Dataset {
        let mut data = Dataset::new(PatternWindow { side: 3 });
        for n in 0..count {
            let content = |cell: usize| CellContent::ALL[(n / (cell + 1) + n * cell) % 3];
            let class = Class::ALL[n * 7 % 3];
            data.push(&WindowSample { contents: (0..9).map(content).collect(), class });
        }
        data
    }

    fn ids(individual: &Individual) -> Vec<TreeId> {
        individual.genes.iter().map(|gene| gene.id()).collect()
    }

    #[test]
    fn a_child_has_distinct_trees_of_both_parents() {
        let operators = GeneticOperators::new(&settings(), PatternWindow { side: 3 });
        let data = data(60);
        let first = operators.initial_population(&data);
        assert_eq!(distinct_genes(&first).len(), 32);
        let children = operators.children(&data, &first, &[[0, 1], [1, 0], [2, 3]], 1);
        let again = operators.children(&data, &first, &[[0, 1], [1, 0], [2, 3]], 1);
        assert_eq!(children, again);
        for (child, [one, other]) in children.iter().zip([[0, 1], [1, 0], [2, 3]]) {
            let trees: HashSet<TreeId> = ids(child).into_iter().collect();
            assert_eq!(trees.len(), 8);
            let from =
                |parent: usize| ids(&first[parent]).iter().filter(|b| trees.contains(*b)).count();
            let new = trees.iter().filter(|id| id[0] == 1).count();
            assert_eq!(from(one) + from(other) + new, 8);
            assert!(from(one) > 0 && from(other) > 0, "{trees:?}");
        }
    }

    #[test]
    fn a_tree_that_both_parents_have_counts_once() {
        let mut settings = settings();
        settings.evolution.mutation = 0.0;
        let operators = GeneticOperators::new(&settings, PatternWindow { side: 3 });
        let data = data(60);
        let first = operators.initial_population(&data);
        let twin = Individual { number: 9, ..first[0].clone() };
        let children = operators.children(&data, &[first[0].clone(), twin], &[[0, 1]], 1);
        let (mut parent, mut child) = (ids(&first[0]), ids(&children[0]));
        parent.sort();
        child.sort();
        assert_eq!(parent, child, "the union is the parent itself");
    }

    #[test]
    fn mutation_replaces_trees_at_its_rate() {
        let data = data(20);
        let mut settings = settings();
        settings.forest.trees = 40;
        for (rate, least, most) in [(0.0, 0, 0), (1.0, 4000, 4000), (0.5, 800, 1200)] {
            settings.evolution.mutation = rate;
            let operators = GeneticOperators::new(&settings, PatternWindow { side: 3 });
            let first = operators.initial_population(&data);
            let children = operators.children(&data, &first, &[[0, 1]; 100], 1);
            let genes = children.iter().flat_map(|child| &child.genes);
            let new = genes.filter(|gene| gene.id()[0] == 1).count();
            assert!((least..=most).contains(&new), "{rate}: {new}");
        }
    }

    #[test]
    fn retraining_keeps_cells_and_shares_trees() {
        let operators = GeneticOperators::new(&settings(), PatternWindow { side: 3 });
        let mut data = data(60);
        let first = operators.initial_population(&data);
        let mut survivors = vec![first[0].clone(), first[0].clone(), first[1].clone()];
        data.push(&WindowSample { contents: vec![CellContent::Mine; 9], class: Class::Win });
        operators.retrain(&data, &mut survivors, 1);
        for (gene, before) in survivors[0].genes.iter().zip(&first[0].genes) {
            let (gene, before) = (&gene.spec.tree, &before.spec.tree);
            assert_eq!(gene.pattern, before.pattern);
            assert_eq!((gene.samples, before.samples), (61, 60));
            assert_ne!(gene.seed, before.seed);
        }
        let shared = survivors[0].genes.iter().zip(&survivors[1].genes);
        assert!(shared.into_iter().all(|(a, b)| Arc::ptr_eq(a, b)));
        // A tree can be regrown from its spec, regardless of later samples.
        data.push(&WindowSample { contents: vec![CellContent::Theirs; 9], class: Class::Draw });
        let gene = &survivors[2].genes[3];
        let spec = GeneSpec { weight: 1, ..gene.spec.clone() };
        assert_eq!(operators.grow_trees(&data, &[spec])[0], *gene);
    }

    #[test]
    fn tree_weights_come_from_errors_or_evolution() {
        assert_eq!(
            [None, Some(0.0), Some(0.9), Some(1.0 / 3.0)].map(weight_of_error),
            [1, 16, 1, 9]
        );
        let mut settings = settings();
        settings.forest.tree_weights = TreeWeights::Evolved;
        settings.evolution.mutation = 1.0;
        let operators = GeneticOperators::new(&settings, PatternWindow { side: 3 });
        let first = operators.initial_population(&data(60));
        let weights: HashSet<u32> =
            first.iter().flat_map(|one| &one.genes).map(|gene| gene.tree.weight).collect();
        assert!(weights.len() > 5 && weights.iter().all(|w| (1..=16).contains(w)), "{weights:?}");
    }
}
