//! The forests of an iteration: laid on the board for those who play with them, and packed for other machines.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::str::Bytes;
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use tesuji_games::RowGrid;
use tesuji_queue::JobError;

use crate::forest::{Class, Evaluation, Forest, Misfit, Node, Pattern, Tree, Window, Wood};
use crate::packing::inflated;
use tesuji_train::threads;

/// No population comes near to this.
const MOST_JSON: u64 = 1 << 30;

/// See the top of this file.
pub(super) struct Population {
    forests: Vec<Forest>,
    laid: OnceLock<Result<Vec<Arc<Evaluation>>, Misfit>>,
}

impl Population {
    pub(super) fn new(forests: Vec<Forest>) -> Population {
        Population { forests, laid: OnceLock::new() }
    }

    /// How many forests there are.
    pub(super) fn len(&self) -> usize {
        self.forests.len()
    }

    /// All of them, laid on the board. Whoever asks first lays them, on so many threads.
    pub(super) fn laid(
        &self,
        grid: &RowGrid,
        threads: usize,
    ) -> Result<&[Arc<Evaluation>], JobError> {
        let laid = self.laid.get_or_init(|| {
            let laid = threads::map(threads, &self.forests, |forest| {
                Evaluation::of_forest(forest, grid).map(Arc::new)
            });
            laid.into_iter().collect()
        });
        laid.as_deref().map_err(JobError::new)
    }

    /// As a file: every tree once, and which forest has which. What trees decide is kept, not how sure they are.
    pub(super) fn packed(&self) -> Vec<u8> {
        let mut places: HashMap<*const Wood, usize> = HashMap::new();
        let mut packed = Packed { woods: Vec::new(), forests: Vec::new() };
        for forest in &self.forests {
            let place = |wood: &Arc<Wood>| {
                *places.entry(Arc::as_ptr(wood)).or_insert_with(|| {
                    packed.woods.push(PackedWood::of(wood));
                    packed.woods.len() - 1
                })
            };
            packed.forests.push(forest.woods.iter().map(place).collect());
        }
        let json = serde_json::to_vec(&packed)
            .unwrap_or_else(|error| unreachable!("numbers and letters: {error}"));
        let mut file = DeflateEncoder::new(Vec::new(), Compression::best());
        file.write_all(&json)
            .and_then(|()| file.finish())
            .unwrap_or_else(|error| unreachable!("memory takes everything: {error}"))
    }

    /// Reads such a file. `forest` makes a forest of its trees, which looked at windows of this size.
    pub(super) fn unpacked(
        bytes: &[u8],
        window: Window,
        forest: impl Fn(Vec<Arc<Wood>>) -> Forest,
    ) -> Result<Population, JobError> {
        let wrong =
            |why: &dyn Display| JobError(format!("the file of forests cannot be read: {why}"));
        let json = inflated(bytes, MOST_JSON)
            .ok_or_else(|| wrong(&"it is damaged, or larger than 1 GiB"))?;
        let packed: Packed = serde_json::from_slice(&json).map_err(|why| wrong(&why))?;
        let woods = packed.woods.into_iter().map(|wood| wood.wood(window).map(Arc::new));
        let woods: Option<Vec<Arc<Wood>>> = woods.collect();
        let woods = woods.ok_or_else(|| wrong(&"one of its trees is none"))?;
        let trees = |places: Vec<usize>| -> Option<Vec<Arc<Wood>>> {
            places.into_iter().map(|place| woods.get(place).cloned()).collect()
        };
        let forests = packed.forests.into_iter().map(|places| trees(places).map(&forest));
        let forests: Option<Vec<Forest>> = forests.collect();
        forests.map(Population::new).ok_or_else(|| wrong(&"it names trees that it lacks"))
    }
}

/// The file before it is deflated.
#[derive(Serialize, Deserialize)]
struct Packed {
    woods: Vec<PackedWood>,
    forests: Vec<Vec<usize>>,
}

/// A tree with its cells and its weight. Its nodes are letters, each before its branches: `W`, `D` and `L` are
/// answers, `a` asks about the first cell, `b` about the second.
#[derive(Serialize, Deserialize)]
struct PackedWood(Vec<u16>, u32, String);

const ANSWERS: [u8; 3] = *b"WDL";

impl PackedWood {
    fn of(wood: &Wood) -> PackedWood {
        let letter = |node: &Node| match node {
            Node::Leaf(class) => ANSWERS[*class as usize],
            Node::Split { attribute, .. } => b'a' + attribute,
        };
        // The nodes of a pruned tree stand in this order.
        let letters = wood.tree.pruned().nodes().iter().map(letter).map(char::from).collect();
        PackedWood(wood.pattern.cells().to_vec(), wood.weight, letters)
    }

    fn wood(self, window: Window) -> Option<Wood> {
        let PackedWood(cells, weight, letters) = self;
        let pattern = Pattern::new(window, cells).ok()?;
        let (mut nodes, mut letters) = (Vec::new(), letters.bytes());
        nodes_of(&mut letters, (1 << pattern.len()) - 1, &mut nodes)?;
        let tree = Tree::new(nodes).filter(|_| letters.next().is_none())?;
        Some(Wood { weight, ..Wood::new(pattern, tree, None) })
    }
}

/// Reads a node and all below it, and says where it stands. Each bit of `unasked` is a cell that may be asked.
fn nodes_of(letters: &mut Bytes<'_>, unasked: u16, nodes: &mut Vec<Node>) -> Option<u32> {
    let (place, letter) = (nodes.len(), letters.next()?);
    nodes.push(Node::Leaf(Class::Draw));
    let answer = ANSWERS.iter().position(|&answer| answer == letter);
    nodes[place] = match answer {
        Some(class) => Node::Leaf(Class::ALL[class]),
        None => {
            let attribute = letter.checked_sub(b'a')?;
            let bit = 1u16.checked_shl(attribute.into()).filter(|bit| unasked & bit != 0)?;
            let mut next = || nodes_of(letters, unasked & !bit, nodes);
            Node::Split { attribute, branches: [next()?, next()?, next()?] }
        }
    };
    Some(place as u32)
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::{below, seeded};

    use super::*;
    use crate::evolution::knowledge::Knowledge;
    use crate::evolution::settings::{Settings, TreeWeights};
    use crate::forest::{Dataset, Field, WindowSample};

    /// Forests of the shape of Table 5-5, with children.
    fn population() -> (Settings, Window, Population) {
        let mut settings = Settings { game: "mnk:10x10,k=5".to_string(), ..Settings::default() };
        settings.forest.tree_weights = TreeWeights::Evolved;
        settings.evolution.mutation = 0.5;
        let window = Window { side: 7 };
        let knowledge = Knowledge::new(&settings, window);
        let mut data = Dataset::new(window);
        let rng = &mut seeded(1);
        for number in 0..1500 {
            let fields = (0..49).map(|_| Field::ALL[below(rng, 3) as usize]).collect();
            data.push(&WindowSample { fields, class: Class::ALL[number % 3] });
        }
        let mut all = knowledge.first_population(&data);
        let parents: Vec<[usize; 2]> = (0..10).map(|n| [n, (n + 1) % 10]).collect();
        all.extend(knowledge.children(&data, &all, &parents, 1));
        let forests = all.iter().map(|one| knowledge.forest(one)).collect();
        (settings, window, Population::new(forests))
    }

    #[test]
    fn forests_come_out_as_they_went_in() {
        let (settings, window, population) = population();
        let packed = population.packed();
        let forest = |woods| settings.forest_of(window, woods);
        let back = Population::unpacked(&packed, window, forest).unwrap();
        assert_eq!(back.len(), 20);
        assert_eq!(back.packed(), packed);
        let xml: usize =
            population.forests.iter().map(|it| crate::forest::xml::write(it).len()).sum();
        assert!(packed.len() * 20 < xml, "{} bytes, {xml} as XML", packed.len());
        for (one, other) in population.forests.iter().zip(&back.forests) {
            assert_eq!(
                (&one.game, one.window, one.spread),
                (&other.game, other.window, other.spread)
            );
            assert_eq!(one.formula, other.formula);
            for (one, other) in one.woods.iter().zip(&other.woods) {
                assert_eq!((&one.pattern, &one.table), (&other.pattern, &other.table));
                assert_eq!(one.weight, other.weight);
            }
        }
    }

    #[test]
    fn what_is_no_population_is_refused() {
        let window = Window { side: 3 };
        let settings = Settings::default();
        let read = |woods: &str, forests: &str| {
            let mut file = DeflateEncoder::new(Vec::new(), Compression::fast());
            write!(file, "{{\"woods\":{woods},\"forests\":{forests}}}").unwrap();
            let forest = |woods| settings.forest_of(window, woods);
            Population::unpacked(&file.finish().unwrap(), window, forest).map(|it| it.len())
        };
        assert_eq!(read("[[[0,1],1,\"aWbDLWL\"]]", "[[0],[0,0]]"), Ok(2));
        for (woods, forests) in [
            ("[[[0,1],1,\"aWb\"]]", "[[0]]"),
            ("[[[0,1],1,\"WW\"]]", "[[0]]"),
            ("[[[0,1],1,\"cWWW\"]]", "[[0]]"),
            ("[[[0,1],1,\"aaWWWLL\"]]", "[[0]]"),
            ("[[[0,1],1,\"\"]]", "[[0]]"),
            ("[[[0,9],1,\"W\"]]", "[[0]]"),
            ("[[[0,1],1,\"W\"]]", "[[1]]"),
            ("[7]", "[[0]]"),
        ] {
            let error = read(woods, forests).unwrap_err().to_string();
            assert!(error.starts_with("the file of forests cannot be read"), "{error}");
        }
        assert!(Population::unpacked(b"nothing", window, |_| unreachable!()).is_err());
    }
}
