//! A forest to look at: where its patterns lie in their window, how good its trees are, and what they decide by.
//! The same content as text, as SVG and as data.

mod rules;
mod svg;
mod text;

use serde::Serialize;

use super::{Class, Forest, PatternTree, PatternWindow, Spread, VoteFormula};
pub use rules::{Rule, decisive_rules};

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureOptions {
    /// Trees, from the first.
    pub trees: usize,
    /// Rules of each tree for a win, and as many for a loss.
    pub rules: usize,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions { trees: 10, rules: 2 }
    }
}

/// What can be shown of a forest.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForestPicture {
    /// The game that it was made for; empty when nobody knows.
    pub game: String,
    /// The window of its patterns.
    pub window: PatternWindow,
    /// How patterns are laid on the board.
    pub spread: Spread,
    /// What votes are worth.
    pub formula: VoteFormula,
    /// How many trees it has, shown or not.
    pub tree_count: usize,
    /// The mean out-of-bag error of all trees in which it was measured.
    pub mean_error: Option<f64>,
    /// The trees that are shown.
    pub trees: Vec<TreePicture>,
}

/// What can be shown of a tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TreePicture {
    /// Its number in the forest, from 1.
    pub number: usize,
    /// The cells of its pattern, row by row from the top left of the window.
    pub cells: Vec<u16>,
    /// Questions and answers in it.
    pub nodes: usize,
    /// Questions and answers on its longest way.
    pub depth: usize,
    /// The share of samples outside its bootstrap that it got wrong.
    pub error: Option<f64>,
    /// How much its votes count.
    pub weight: u32,
    /// How many contents of the pattern it calls a win, a draw, a loss.
    pub answers: [usize; 3],
    /// Its most decisive rules: for a win, then for a loss.
    pub rules: Vec<Rule>,
}

impl ForestPicture {
    /// What is to be shown of a forest.
    pub fn of(forest: &Forest, extent: PictureOptions) -> ForestPicture {
        let errors: Vec<f64> = forest.trees.iter().filter_map(|tree| tree.error).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let shown = forest.trees.iter().take(extent.trees).enumerate();
        ForestPicture {
            game: forest.game.clone(),
            window: forest.window,
            spread: forest.spread,
            formula: forest.formula,
            tree_count: forest.trees.len(),
            mean_error: (!errors.is_empty()).then_some(mean),
            trees: shown
                .map(|(place, tree)| TreePicture::of(place + 1, tree, extent.rules))
                .collect(),
        }
    }

    /// What the forest is, in one line.
    fn headline(&self) -> String {
        let (side, trees) = (self.window.side, self.tree_count);
        let game = if self.game.is_empty() { "an unknown game" } else { &self.game };
        let trees = if trees == 1 { "1 tree".to_string() } else { format!("{trees} trees") };
        let error = self
            .mean_error
            .map_or(String::new(), |error| format!(", mean out-of-bag error {}", percent(error)));
        format!("forest for {game}: {trees} in a {side}x{side} window{error}")
    }
}

impl TreePicture {
    fn of(number: usize, tree: &PatternTree, rules: usize) -> TreePicture {
        let answers = Class::ALL
            .map(|class| tree.table.iter().filter(|&&entry| entry == class as u8).count());
        TreePicture {
            number,
            cells: tree.pattern.cells().to_vec(),
            nodes: tree.decisions.nodes().len(),
            depth: tree.decisions.depth(),
            error: tree.error,
            weight: tree.weight,
            answers,
            rules: [Class::Win, Class::Loss]
                .into_iter()
                .flat_map(|class| decisive_rules(&tree.decisions, tree.pattern.len(), class, rules))
                .collect(),
        }
    }

    /// What the tree is, in one line.
    fn headline(&self) -> String {
        let [win, draw, loss] = self.answers;
        let error = self.error.map_or("error unknown".to_string(), |error| {
            format!("out-of-bag error {}", percent(error))
        });
        let weight =
            if self.weight == 1 { String::new() } else { format!(", weight {}", self.weight) };
        format!(
            "tree {}: {} cells, {} nodes, depth {}, {error}{weight}; says win {win}, draw {draw}, loss {loss}",
            self.number,
            self.cells.len(),
            self.nodes,
            self.depth
        )
    }

    /// What each cell of the window is in a drawing of the pattern, or of one of its rules.
    fn marks(&self, window: PatternWindow, rule: Option<&Rule>) -> Vec<Mark> {
        let mut marks = vec![Mark::Outside; window.cells()];
        for (place, &cell) in self.cells.iter().enumerate() {
            marks[usize::from(cell)] = match rule.and_then(|rule| rule.contents[place]) {
                Some(content) => Mark::Holds(content),
                None => Mark::Free,
            };
        }
        marks
    }
}

/// A cell of a drawing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Not in the pattern.
    Outside,
    /// In the pattern, whatever it holds.
    Free,
    /// In the pattern and asked for.
    Holds(super::CellContent),
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests;
