//! Reading forests: element by element as the definition has them, refusing everything else.
//!
//! No limit on depth is needed beside this one: a pattern has at most twelve cells, and none is asked twice on a way.

use std::sync::Arc;

use super::particulars::Particulars;
use super::tokens::{Opened, Tokens};
use super::{MOST_ENTRIES, MOST_TREES, refused};
use crate::forest::id3::{Counts, add, majority};
use crate::forest::{Class, Forest, Node, Pattern, Tree, Window, Wood};
use crate::model::ModelError;

type Result<T> = std::result::Result<T, ModelError>;

/// The forest of a text.
pub(super) fn forest_of(text: &str) -> Result<Forest> {
    let mut tokens = Tokens::new(text);
    tokens.root()?.attributes([])?;
    let particulars = tokens.particulars.take();
    let window = particulars.as_ref().map(|(_, particulars)| particulars.window);
    let mut reading = Reading { tokens, window, woods: Vec::new(), entries: 0 };
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
        while let Some(opened) = self.tokens.child("RandomWoods", self.woods.is_empty())? {
            opened.attributes([])?;
            if self.woods.len() == MOST_TREES {
                return Err(refused(opened.line, format!("more than {MOST_TREES} trees")));
            }
            let wood = self.wood()?;
            self.woods.push(wood);
        }
        Ok(())
    }

    fn wood(&mut self) -> Result<Wood> {
        self.tokens.required("TrainingAttributesList")?.attributes([])?;
        let (line, cells) = self.attribute_list()?;
        let decision = self.tokens.required("ForestTree")?;
        let window = self.decision(&decision)?;
        let pattern = Pattern::new(window, cells).map_err(|error| refused(line, error))?;
        self.entries += 3usize.pow(pattern.len() as u32);
        if self.entries > MOST_ENTRIES {
            let what = format!(
                "the tables of the trees would have more than {MOST_ENTRIES} entries; expected fewer trees or attributes"
            );
            return Err(refused(line, what));
        }
        let root = self.tokens.required("TreeRoot")?;
        let mut reading =
            TreeReading { tokens: &mut self.tokens, pattern: &pattern, nodes: Vec::new() };
        let [header] = root.attributes(["headerIndx"])?;
        let attribute = reading.attribute(&root, &header, &[])?;
        reading.split(attribute, &mut vec![attribute])?;
        let tree = Tree::new(reading.nodes).expect("every branch was put behind its node, once");
        self.tokens.close()?;
        self.tokens.close()?;
        Ok(Wood::new(pattern, tree, None))
    }

    /// The first list of cells, and its line. Any others are the same pattern in other places of a board.
    fn attribute_list(&mut self) -> Result<(usize, Vec<u16>)> {
        const NAME: &str = "attributeIndxs";
        let mut first: Option<(usize, Vec<u16>)> = None;
        while let Some(opened) = self.tokens.child("TrainingAttributes", first.is_none())? {
            let [text] = opened.attributes([NAME])?;
            let numbers = text.split(',').map(|number| number.trim().parse().ok());
            let cells: Vec<u16> = numbers.collect::<Option<_>>().ok_or_else(|| {
                opened.wrong(NAME, &text, "numbers of cells joined by commas, such as 0,4,8")
            })?;
            self.tokens.close()?;
            let count = first.as_ref().map_or(cells.len(), |(_, pattern)| pattern.len());
            if count != cells.len() {
                let expected = format!("{count} numbers, as in the first list");
                return Err(opened.wrong(NAME, &text, &expected));
            }
            first.get_or_insert((opened.line, cells));
        }
        Ok(first.expect("a list without any was refused"))
    }

    /// The window by the column of the class, which follows those of the cells.
    fn decision(&mut self, opened: &Opened) -> Result<Window> {
        let [text] = opened.attributes(["decisionAttr"])?;
        let cells = text.trim().parse::<usize>().ok();
        let found = cells
            .map(|cells| Window { side: cells.isqrt() })
            .filter(|window| (1..=Window::MOST_SIDE).contains(&window.side))
            .filter(|window| cells == Some(window.cells()));
        match found {
            Some(window) if window == *self.window.get_or_insert(window) => Ok(window),
            _ => {
                let usual = || "the number of cells of a square window, such as 49".to_string();
                let expected = self.window.map_or_else(usual, |window| {
                    let (cells, side) = (window.cells(), window.side);
                    format!("{cells}, the cells of the {side}x{side} window")
                });
                Err(opened.wrong("decisionAttr", &text, &expected))
            }
        }
    }

    fn finished(self, particulars: Option<(usize, Particulars)>) -> Result<Forest> {
        let mut woods = self.woods;
        let window = self.window.expect("each tree says of which window it is");
        let (mut game, mut spread, mut formula) = Default::default();
        if let Some((line, particulars)) = particulars {
            particulars.check_trees(woods.len()).map_err(|what| refused(line, what))?;
            for (place, wood) in woods.iter_mut().enumerate() {
                (wood.error, wood.weight) = (particulars.errors[place], particulars.weights[place]);
            }
            (game, spread, formula) = (particulars.game, particulars.spread, particulars.formula);
        }
        let woods = woods.into_iter().map(Arc::new).collect();
        Ok(Forest { game, window, spread, formula, woods })
    }
}

struct TreeReading<'a, 'b> {
    tokens: &'a mut Tokens<'b>,
    pattern: &'a Pattern,
    nodes: Vec<Node>,
}

impl TreeReading<'_, '_> {
    /// Reads the branches of a question up to its end. Missing ones say what most of the leaves below it say.
    fn split(&mut self, attribute: u8, asked: &mut Vec<u8>) -> Result<Counts> {
        let place = self.nodes.len();
        self.nodes.push(Node::Leaf(Class::Draw));
        let (mut branches, mut leaves) = ([None; 3], Counts::default());
        let is_first = |branches| branches == [None; 3];
        while let Some(opened) = self.tokens.child("TreeNode or TreeLeaf", is_first(branches))? {
            let below = match opened.name {
                "TreeNode" => self.node(&opened, &mut branches, asked)?,
                _ => self.leaf(&opened, &mut branches)?,
            };
            add(&mut leaves, below);
        }
        let branches = branches.map(|branch| {
            branch.unwrap_or_else(|| {
                self.nodes.push(Node::Leaf(majority(leaves, Class::Draw)));
                self.nodes.len() as u32 - 1
            })
        });
        self.nodes[place] = Node::Split { attribute, branches };
        Ok(leaves)
    }

    fn node(
        &mut self,
        opened: &Opened,
        branches: &mut [Option<u32>; 3],
        asked: &mut Vec<u8>,
    ) -> Result<Counts> {
        let [value, header] = opened.attributes(["branchValue", "headerIndx"])?;
        self.branch(opened, &value, branches)?;
        let attribute = self.attribute(opened, &header, asked)?;
        asked.push(attribute);
        let leaves = self.split(attribute, asked)?;
        asked.pop();
        Ok(leaves)
    }

    fn leaf(&mut self, opened: &Opened, branches: &mut [Option<u32>; 3]) -> Result<Counts> {
        let [value, word] = opened.attributes(["branchValue", "categoryValue"])?;
        self.branch(opened, &value, branches)?;
        let class = Class::ALL
            .into_iter()
            .find(|class| class.word().eq_ignore_ascii_case(word.trim()))
            .ok_or_else(|| opened.wrong("categoryValue", &word, "win, draw or loss"))?;
        self.nodes.push(Node::Leaf(class));
        self.tokens.close()?;
        let mut leaves = Counts::default();
        leaves[class as usize] = 1;
        Ok(leaves)
    }

    /// Notes that the next node is this branch.
    fn branch(&self, opened: &Opened, text: &str, branches: &mut [Option<u32>; 3]) -> Result<()> {
        let wrong = |expected| Err(opened.wrong("branchValue", text, expected));
        match text.trim().parse().ok().and_then(|value: usize| branches.get_mut(value)) {
            None => wrong("0 (empty), 1 (own stone) or 2 (the other's)"),
            Some(Some(_)) => wrong("one that its node has not had yet"),
            Some(branch) => {
                *branch = Some(self.nodes.len() as u32);
                Ok(())
            }
        }
    }

    fn attribute(&self, opened: &Opened, header: &str, asked: &[u8]) -> Result<u8> {
        let cells = self.pattern.cells();
        let place = header.trim().parse().ok();
        let place = place.and_then(|cell: u16| cells.iter().position(|&other| other == cell));
        let Some(place) = place else {
            let list: Vec<String> = cells.iter().map(u16::to_string).collect();
            let expected = format!("one of the tree's attributes {}", list.join(","));
            return Err(opened.wrong("headerIndx", header, &expected));
        };
        if asked.contains(&(place as u8)) {
            let index = cells[place];
            let what = format!(
                "attribute index {index} is asked twice on one way down; expected each at most once"
            );
            return Err(refused(opened.line, what));
        }
        Ok(place as u8)
    }
}
