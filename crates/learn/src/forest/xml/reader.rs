//! Reading forests: element by element as the definition has them, refusing everything else.
//!
//! No limit on depth is needed beside this one: a pattern has at most twelve cells, and none is asked twice on a way.

use std::sync::Arc;

use super::fault::{Fault, XmlError};
use super::particulars::Particulars;
use super::tokens::{Opened, Tokens};
use super::writer::category;
use super::{MOST_ENTRIES, MOST_TREES};
use crate::forest::grow::table_of;
use crate::forest::{Class, Forest, Node, Pattern, Tree, Window, Wood};

type Result<T> = std::result::Result<T, XmlError>;

/// The forest of a text.
pub(super) fn forest_of(text: &str) -> Result<Forest> {
    let mut tokens = Tokens::new(text);
    let root = tokens.root()?;
    root.attributes::<0>([])?;
    let particulars = tokens.particulars.take();
    let mut reading = Reading {
        window: particulars.as_ref().map(|(_, particulars)| particulars.window),
        woods: Vec::new(),
        entries: 0,
        tokens,
    };
    reading.forest()?;
    reading.tokens.end()?;
    reading.finished(particulars)
}

struct Reading<'a> {
    tokens: Tokens<'a>,
    window: Option<Window>,
    woods: Vec<Wood>,
    /// Of all tables so far.
    entries: usize,
}

impl Reading<'_> {
    fn forest(&mut self) -> Result<()> {
        while let Some(opened) = self.tokens.child("RandomForest", "RandomWoods")? {
            opened.attributes::<0>([])?;
            if self.woods.len() == MOST_TREES {
                return Err(opened.refused(Fault::TooManyTrees));
            }
            let wood = self.wood()?;
            self.woods.push(wood);
        }
        match self.woods.is_empty() {
            true => Err(self.tokens.empty("RandomForest", "RandomWoods")),
            false => Ok(()),
        }
    }

    fn wood(&mut self) -> Result<Wood> {
        let list = self.tokens.required("RandomWoods", "TrainingAttributesList")?;
        list.attributes::<0>([])?;
        let (line, cells) = self.attribute_list()?;
        let decision = self.tokens.required("RandomWoods", "ForestTree")?;
        let window = self.decision(&decision)?;
        let pattern =
            Pattern::new(window, cells).map_err(|error| XmlError::at(line, error.into()))?;
        self.entries += 3usize.pow(pattern.len() as u32);
        if self.entries > MOST_ENTRIES {
            return Err(XmlError::at(line, Fault::TooManyEntries));
        }
        let root = self.tokens.required("ForestTree", "TreeRoot")?;
        let tree = TreeReading::of(&mut self.tokens, &pattern, &root)?;
        self.tokens.close("ForestTree")?;
        self.tokens.close("RandomWoods")?;
        let table = table_of(&tree, pattern.len());
        Ok(Wood { pattern, tree, table, error: None, weight: 1 })
    }

    /// The first list of cells, and its line. Any others are the same pattern in other places of a board.
    fn attribute_list(&mut self) -> Result<(usize, Vec<u16>)> {
        const LIST: &str = "TrainingAttributesList";
        let mut first: Option<(usize, Vec<u16>)> = None;
        while let Some(opened) = self.tokens.child(LIST, "TrainingAttributes")? {
            let [text] = opened.attributes(["attributeIndxs"])?;
            let cells = numbers(&text).ok_or_else(|| {
                opened.value(
                    "attributeIndxs",
                    &text,
                    "numbers of cells joined by commas, such as 0,4,8",
                )
            })?;
            self.tokens.close("TrainingAttributes")?;
            match &first {
                None => first = Some((opened.line, cells)),
                Some((_, pattern)) if pattern.len() != cells.len() => {
                    let expected = format!("{} numbers, as in the first list", pattern.len());
                    return Err(opened.value("attributeIndxs", &text, &expected));
                }
                Some(_) => {}
            }
        }
        first.ok_or_else(|| self.tokens.empty(LIST, "TrainingAttributes"))
    }

    /// The window by the column of the class, which follows those of the cells.
    fn decision(&mut self, opened: &Opened) -> Result<Window> {
        let [text] = opened.attributes(["decisionAttr"])?;
        let cells = text.trim().parse::<usize>().ok();
        let found = cells
            .map(|cells| Window { side: cells.isqrt() })
            .filter(|window| window.side <= Window::MOST_SIDE && cells == Some(window.cells()));
        let expected = match self.window {
            Some(window) => format!(
                "{}, the cells of the {side}x{side} window",
                window.cells(),
                side = window.side
            ),
            None => "the number of cells of a square window, such as 49".to_string(),
        };
        match (found, self.window) {
            (Some(window), None) if window.side > 0 => self.window = found,
            (Some(window), Some(before)) if window == before => {}
            _ => return Err(opened.value("decisionAttr", &text, &expected)),
        }
        self.window.ok_or_else(|| opened.value("decisionAttr", &text, &expected))
    }

    fn finished(self, particulars: Option<(usize, Particulars)>) -> Result<Forest> {
        let mut woods = self.woods;
        let window = self.window.expect("each tree says of which window it is");
        let (mut game, mut spread, mut formula) = Default::default();
        if let Some((line, particulars)) = particulars {
            particulars.check_trees(woods.len()).map_err(|fault| XmlError::at(line, fault))?;
            for (place, wood) in woods.iter_mut().enumerate() {
                (wood.error, wood.weight) = (particulars.errors[place], particulars.weights[place]);
            }
            (game, spread, formula) = (particulars.game, particulars.spread, particulars.formula);
        }
        let woods = woods.into_iter().map(Arc::new).collect();
        Ok(Forest { game, window, spread, formula, woods })
    }
}

fn numbers(text: &str) -> Option<Vec<u16>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// How often each class stands on the leaves below a node.
type Leaves = [usize; 3];

struct TreeReading<'a, 'b> {
    tokens: &'a mut Tokens<'b>,
    pattern: &'a Pattern,
    nodes: Vec<Node>,
}

impl TreeReading<'_, '_> {
    fn of<'b>(tokens: &mut Tokens<'b>, pattern: &Pattern, root: &Opened<'b>) -> Result<Tree> {
        let [header] = root.attributes(["headerIndx"])?;
        let mut reading = TreeReading { tokens, pattern, nodes: Vec::new() };
        let attribute = reading.attribute(root, &header, &[])?;
        reading.split("TreeRoot", attribute, &mut vec![attribute])?;
        Ok(Tree::new(reading.nodes).expect("every branch was put behind its node, once"))
    }

    /// Reads the branches of a question up to its end. Missing ones say what most of the leaves below it say.
    fn split(
        &mut self,
        element: &'static str,
        attribute: u8,
        asked: &mut Vec<u8>,
    ) -> Result<Leaves> {
        let place = self.nodes.len();
        self.nodes.push(Node::Leaf(Class::Draw));
        let mut branches = [None; 3];
        let mut leaves = [0; 3];
        while let Some(opened) = self.tokens.child(element, "TreeNode or TreeLeaf")? {
            let below = match opened.name {
                "TreeNode" => self.node(&opened, &mut branches, asked)?,
                _ => self.leaf(&opened, &mut branches)?,
            };
            leaves.iter_mut().zip(below).for_each(|(sum, count)| *sum += count);
        }
        if branches == [None; 3] {
            return Err(self.tokens.empty(element, "TreeNode or TreeLeaf"));
        }
        let branches = branches.map(|branch| branch.unwrap_or_else(|| self.missing(leaves)));
        self.nodes[place] = Node::Split { attribute, branches };
        Ok(leaves)
    }

    fn node(
        &mut self,
        opened: &Opened,
        branches: &mut [Option<u32>; 3],
        asked: &mut Vec<u8>,
    ) -> Result<Leaves> {
        let [value, header] = opened.attributes(["branchValue", "headerIndx"])?;
        self.branch(opened, &value, branches)?;
        let attribute = self.attribute(opened, &header, asked)?;
        asked.push(attribute);
        let leaves = self.split("TreeNode", attribute, asked)?;
        asked.pop();
        Ok(leaves)
    }

    fn leaf(&mut self, opened: &Opened, branches: &mut [Option<u32>; 3]) -> Result<Leaves> {
        let [value, word] = opened.attributes(["branchValue", "categoryValue"])?;
        self.branch(opened, &value, branches)?;
        let class = Class::ALL
            .into_iter()
            .find(|&class| category(class).eq_ignore_ascii_case(word.trim()))
            .ok_or_else(|| opened.value("categoryValue", &word, "win, draw or loss"))?;
        self.nodes.push(Node::Leaf(class));
        self.tokens.close("TreeLeaf")?;
        let mut leaves = [0; 3];
        leaves[class as usize] = 1;
        Ok(leaves)
    }

    /// Notes that the next node is this branch.
    fn branch(&self, opened: &Opened, text: &str, branches: &mut [Option<u32>; 3]) -> Result<()> {
        let value = text.trim().parse().ok().filter(|&value: &usize| value < 3);
        let value = value.ok_or_else(|| {
            opened.value("branchValue", text, "0 (empty), 1 (own stone) or 2 (the other's)")
        })?;
        if branches[value].is_some() {
            return Err(opened.value("branchValue", text, "one that its node has not had yet"));
        }
        branches[value] = Some(self.nodes.len() as u32);
        Ok(())
    }

    fn missing(&mut self, leaves: Leaves) -> u32 {
        let most = leaves.iter().max();
        let mut leaders = Class::ALL.into_iter().filter(|&c| Some(&leaves[c as usize]) == most);
        let class = match (leaders.next(), leaders.next()) {
            (Some(class), None) => class,
            _ => Class::Draw,
        };
        self.nodes.push(Node::Leaf(class));
        self.nodes.len() as u32 - 1
    }

    fn attribute(&self, opened: &Opened, header: &str, asked: &[u8]) -> Result<u8> {
        let cells = self.pattern.cells();
        let cell = header.trim().parse::<u16>().ok();
        let place = cell.and_then(|cell| cells.iter().position(|&other| other == cell));
        match (cell, place) {
            (Some(index), Some(place)) if asked.contains(&(place as u8)) => {
                Err(opened.refused(Fault::Twice { index }))
            }
            (_, Some(place)) => Ok(place as u8),
            _ => {
                let list: Vec<String> = cells.iter().map(u16::to_string).collect();
                let expected = format!("one of the tree's attributes {}", list.join(","));
                Err(opened.value("headerIndx", header, &expected))
            }
        }
    }
}
