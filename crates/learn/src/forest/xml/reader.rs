//! Reads forests element by element as the definition requires, and rejects everything else.
//!
//! No other limit on depth is needed: a pattern has at most twelve cells, and no path tests a cell
//! twice.

use std::sync::Arc;

use super::elements::{Elements, StartTag};
use super::metadata::Metadata;
use super::{MAX_ENTRIES, MAX_TREES, NO_VOTE, error_at};
use crate::forest::id3::{Counts, add, majority};
use crate::forest::{
    Class, DecisionNode, DecisionTree, Forest, Pattern, PatternTree, PatternWindow, Vote,
};
use crate::model::ModelError;

type Result<T> = std::result::Result<T, ModelError>;

/// Parses a forest.
pub(super) fn forest_of(text: &str) -> Result<Forest> {
    let mut elements = Elements::new(text);
    elements.root()?.attributes([])?;
    let metadata = elements.metadata.take();
    let window = metadata.as_ref().map(|(_, metadata)| metadata.window);
    let mut reading = ForestReader { elements, window, trees: Vec::new(), entries: 0 };
    reading.forest()?;
    reading.elements.end()?;
    reading.finished(metadata)
}

struct ForestReader<'a> {
    elements: Elements<'a>,
    window: Option<PatternWindow>,
    trees: Vec<PatternTree>,
    /// The number of table entries so far.
    entries: usize,
}

impl ForestReader<'_> {
    fn forest(&mut self) -> Result<()> {
        while let Some(tag) = self.elements.child("RandomWoods", self.trees.is_empty())? {
            tag.attributes([])?;
            if self.trees.len() == MAX_TREES {
                return Err(error_at(
                    tag.line,
                    format!("more than {MAX_TREES} trees; expected fewer"),
                ));
            }
            let tree = self.tree()?;
            self.trees.push(tree);
        }
        Ok(())
    }

    fn tree(&mut self) -> Result<PatternTree> {
        self.elements.required("TrainingAttributesList")?.attributes([])?;
        let (line, cells) = self.attribute_list()?;
        let decision = self.elements.required("ForestTree")?;
        let window = self.decision(&decision)?;
        let pattern = Pattern::new(window, cells).map_err(|error| error_at(line, error))?;
        self.entries += 3usize.pow(pattern.len() as u32);
        if self.entries > MAX_ENTRIES {
            let what = format!(
                "the tables of the trees would have more than {MAX_ENTRIES} entries; expected \
                 fewer trees or attributes"
            );
            return Err(error_at(line, what));
        }
        let root = self.elements.required("TreeRoot")?;
        let mut reading =
            TreeReader { elements: &mut self.elements, pattern: &pattern, nodes: Vec::new() };
        let [header] = root.attributes(["headerIndx"])?;
        let attribute = reading.attribute(&root, &header, &[])?;
        reading.split(attribute, &mut vec![attribute])?;
        let tree = DecisionTree::new(reading.nodes)
            .expect("every branch follows its node and occurs once");
        self.elements.close()?;
        self.elements.close()?;
        Ok(PatternTree::new(pattern, tree, None))
    }

    /// The first list of cells, and its line. Other lists are the same pattern at other positions
    /// of a board.
    fn attribute_list(&mut self) -> Result<(usize, Vec<u16>)> {
        const NAME: &str = "attributeIndxs";
        let mut first: Option<(usize, Vec<u16>)> = None;
        while let Some(tag) = self.elements.child("TrainingAttributes", first.is_none())? {
            let [text] = tag.attributes([NAME])?;
            let numbers = text.split(',').map(|number| number.trim().parse().ok());
            let cells: Vec<u16> = numbers.collect::<Option<_>>().ok_or_else(|| {
                tag.invalid_value(NAME, &text, "numbers of cells joined by commas, such as 0,4,8")
            })?;
            self.elements.close()?;
            let count = first.as_ref().map_or(cells.len(), |(_, pattern)| pattern.len());
            if count != cells.len() {
                let expected = format!("{count} numbers, as in the first list");
                return Err(tag.invalid_value(NAME, &text, &expected));
            }
            first.get_or_insert((tag.line, cells));
        }
        Ok(first.expect("an empty list was rejected"))
    }

    /// The window, from the column number of the class, which follows the columns of the cells.
    fn decision(&mut self, tag: &StartTag) -> Result<PatternWindow> {
        let [text] = tag.attributes(["decisionAttr"])?;
        let cells = text.trim().parse::<usize>().ok();
        let found = cells
            .map(|cells| PatternWindow { side: cells.isqrt() })
            .filter(|window| (1..=PatternWindow::MAX_SIDE).contains(&window.side))
            .filter(|window| cells == Some(window.cells()));
        match found {
            Some(window) if window == *self.window.get_or_insert(window) => Ok(window),
            _ => {
                let usual = || "the number of cells of a square window, such as 49".to_string();
                let expected = self.window.map_or_else(usual, |window| {
                    let (cells, side) = (window.cells(), window.side);
                    format!("{cells}, the cells of the {side}x{side} window")
                });
                Err(tag.invalid_value("decisionAttr", &text, &expected))
            }
        }
    }

    fn finished(self, metadata: Option<(usize, Metadata)>) -> Result<Forest> {
        let mut trees = self.trees;
        let window = self.window.expect("every tree sets the window");
        let (mut game, mut spread, mut formula) = Default::default();
        if let Some((line, metadata)) = metadata {
            metadata.check_trees(trees.len()).map_err(|what| error_at(line, what))?;
            for (place, tree) in trees.iter_mut().enumerate() {
                (tree.error, tree.weight) = (metadata.errors[place], metadata.weights[place]);
            }
            (game, spread, formula) = (metadata.game, metadata.spread, metadata.formula);
        }
        let trees = trees.into_iter().map(Arc::new).collect();
        Ok(Forest { game, window, spread, formula, trees })
    }
}

struct TreeReader<'a, 'b> {
    elements: &'a mut Elements<'b>,
    pattern: &'a Pattern,
    nodes: Vec<DecisionNode>,
}

impl TreeReader<'_, '_> {
    /// Reads the branches of a node up to its end tag. A missing branch predicts the majority of
    /// the leaves below the node.
    fn split(&mut self, attribute: u8, tested: &mut Vec<u8>) -> Result<Counts> {
        let place = self.nodes.len();
        self.nodes.push(DecisionNode::Leaf(Vote::NONE));
        let (mut branches, mut leaves) = ([None; 3], Counts::default());
        let is_first = |branches| branches == [None; 3];
        while let Some(tag) = self.elements.child("TreeNode or TreeLeaf", is_first(branches))? {
            let below = match tag.name {
                "TreeNode" => self.node(&tag, &mut branches, tested)?,
                _ => self.leaf(&tag, &mut branches)?,
            };
            add(&mut leaves, below);
        }
        let branches = branches.map(|branch| {
            branch.unwrap_or_else(|| {
                self.nodes.push(DecisionNode::Leaf(majority(leaves, Class::Draw).into()));
                self.nodes.len() as u32 - 1
            })
        });
        self.nodes[place] = DecisionNode::Split { attribute, branches };
        Ok(leaves)
    }

    fn node(
        &mut self,
        tag: &StartTag,
        branches: &mut [Option<u32>; 3],
        tested: &mut Vec<u8>,
    ) -> Result<Counts> {
        let [value, header] = tag.attributes(["branchValue", "headerIndx"])?;
        self.branch(tag, &value, branches)?;
        let attribute = self.attribute(tag, &header, tested)?;
        tested.push(attribute);
        let leaves = self.split(attribute, tested)?;
        tested.pop();
        Ok(leaves)
    }

    fn leaf(&mut self, tag: &StartTag, branches: &mut [Option<u32>; 3]) -> Result<Counts> {
        let [value, word] = tag.attributes(["branchValue", "categoryValue"])?;
        self.branch(tag, &value, branches)?;
        let vote = category(&word).ok_or_else(|| {
            let expected = "win, draw, loss or none, or several votes such as win 7";
            tag.invalid_value("categoryValue", &word, expected)
        })?;
        let mut leaves = Counts::default();
        vote.class().into_iter().for_each(|class| leaves[class as usize] = 1);
        self.nodes.push(DecisionNode::Leaf(vote));
        self.elements.close()?;
        Ok(leaves)
    }

    /// Records the next node as this branch.
    fn branch(&self, tag: &StartTag, text: &str, branches: &mut [Option<u32>; 3]) -> Result<()> {
        let wrong = |expected| Err(tag.invalid_value("branchValue", text, expected));
        match text.trim().parse().ok().and_then(|value: usize| branches.get_mut(value)) {
            None => wrong("0 (empty), 1 (own stone) or 2 (opponent's stone)"),
            Some(Some(_)) => wrong("one not used in this node before"),
            Some(branch) => {
                *branch = Some(self.nodes.len() as u32);
                Ok(())
            }
        }
    }

    fn attribute(&self, tag: &StartTag, header: &str, tested: &[u8]) -> Result<u8> {
        let cells = self.pattern.cells();
        let place = header.trim().parse().ok();
        let place = place.and_then(|cell: u16| cells.iter().position(|&other| other == cell));
        let Some(place) = place else {
            let list: Vec<String> = cells.iter().map(u16::to_string).collect();
            let expected = format!("one of the tree's attributes {}", list.join(","));
            return Err(tag.invalid_value("headerIndx", header, &expected));
        };
        if tested.contains(&(place as u8)) {
            let index = cells[place];
            let what = format!(
                "attribute index {index} is tested twice on one path; expected each at most once"
            );
            return Err(error_at(tag.line, what));
        }
        Ok(place as u8)
    }
}

/// Reads `win`, or `win 7` for a leaf that votes seven times.
fn category(text: &str) -> Option<Vote> {
    let mut words = text.split_whitespace();
    let (word, count) = (words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    if word.eq_ignore_ascii_case(NO_VOTE) {
        return count.is_none().then_some(Vote::NONE);
    }
    let class = Class::ALL.into_iter().find(|class| class.name().eq_ignore_ascii_case(word))?;
    let count = count.map_or(Some(1), |count| count.parse().ok());
    count.filter(|count| (1..=Vote::MAX_COUNT).contains(count)).map(|count| Vote::new(class, count))
}
