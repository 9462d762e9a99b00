//! A summary of a forest: its patterns, the errors of its trees, and their most important rules, as
//! text, SVG and data.

mod rules;
mod svg;
mod text;

use serde::Serialize;

use super::{Class, Forest, PatternTree, PatternWindow, Spread, Vote, VoteFormula};
pub use rules::{Rule, decisive_rules};

/// How much to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureOptions {
    /// The number of trees to show.
    pub trees: usize,
    /// The number of rules for a win of each tree, and as many for a loss.
    pub rules: usize,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions { trees: 10, rules: 2 }
    }
}

/// The summary of a forest.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForestPicture {
    /// The game that it was trained for; empty if unknown.
    pub game: String,
    /// The window of its patterns.
    pub window: PatternWindow,
    /// Where patterns are placed on the board.
    pub spread: Spread,
    /// How votes become a score.
    pub formula: VoteFormula,
    /// The number of trees in the forest, shown or not.
    pub tree_count: usize,
    /// The mean out-of-bag error of all trees with a measured error.
    pub mean_error: Option<f64>,
    /// The trees shown.
    pub trees: Vec<TreePicture>,
}

/// The summary of a tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TreePicture {
    /// Its number in the forest, from 1.
    pub number: usize,
    /// The cells of its pattern, numbered row by row from the top left of the window.
    pub cells: Vec<u16>,
    /// The number of nodes, leaves included.
    pub nodes: usize,
    /// The number of nodes on the longest path.
    pub depth: usize,
    /// The out-of-bag error.
    pub error: Option<f64>,
    /// The weight of its votes.
    pub weight: u32,
    /// How many contents of the pattern it classifies as win, draw and loss.
    pub answers: [usize; 3],
    /// Its most important rules: for a win, then for a loss.
    pub rules: Vec<Rule>,
}

impl ForestPicture {
    /// Summarizes a forest.
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

    /// Describes the forest in one line.
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
        let says = |entry| Vote::of_entry(entry).class();
        let answers = Class::ALL
            .map(|class| tree.table.iter().filter(|&&it| says(it) == Some(class)).count());
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

    /// Describes the tree in one line.
    fn headline(&self) -> String {
        let [win, draw, loss] = self.answers;
        let error = self.error.map_or("error unknown".to_string(), |error| {
            format!("out-of-bag error {}", percent(error))
        });
        let weight =
            if self.weight == 1 { String::new() } else { format!(", weight {}", self.weight) };
        format!(
            "tree {}: {} cells, {} nodes, depth {}, {error}{weight}; says win {win}, draw {draw}, \
             loss {loss}",
            self.number,
            self.cells.len(),
            self.nodes,
            self.depth
        )
    }

    /// The mark of each cell of the window in a drawing of the pattern or of one of its rules.
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
    /// In the pattern, with any content.
    Free,
    /// In the pattern, with a required content.
    Holds(super::CellContent),
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests;
