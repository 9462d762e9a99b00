//! Finds the rows of the sorting heuristic on a whole board in three ways, for comparison: one
//! pattern at a time as in the thesis (Boyer, Moore and Horspool, 1980), all patterns in one pass
//! (Aho and Corasick, 1975), and only the changes by a move, as searches do. All give the same
//! values; `tesuji bench forest` compares their speed.

use std::sync::Arc;

use tesuji_games::RowGrid;

use super::CellContent;
use super::order::{LineAccumulator, LineOrder, MINE, RowTables, row_patterns, row_tables};

/// The three searches on one board, with the opponent's rows weighted as in the thesis.
#[derive(Clone, Debug)]
pub struct RowSearch {
    /// All lines of the board with at least k cells.
    lines: Vec<Vec<usize>>,
    opponent_weight: i64,
    /// Each pattern as a row of either side, with its value for the viewer.
    patterns: Vec<SearchPattern>,
    tables: Arc<RowTables>,
    order: LineOrder,
    changes: LineAccumulator,
}

/// How the rows after each move are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowSearchMethod {
    /// Every line is searched for one pattern after another.
    OneByOne,
    /// Every line is read once by an automaton.
    AllAtOnce,
    /// The change by a move is looked up in tables, which are updated for each stone.
    Changes,
}

impl RowSearch {
    /// Creates the searches for a board.
    pub fn new(grid: &RowGrid) -> RowSearch {
        RowSearch::with_weight(grid, 1)
    }

    pub(super) fn with_weight(grid: &RowGrid, opponent_weight: i32) -> RowSearch {
        let opponent_weight = i64::from(opponent_weight);
        let both = row_patterns(grid.k).into_iter().flat_map(|(cells, value)| {
            let value = i64::from(value);
            let theirs = cells.iter().map(|cell| cell.swapped()).collect();
            [SearchPattern::new(cells, value), SearchPattern::new(theirs, -opponent_weight * value)]
        });
        RowSearch {
            lines: lines(grid),
            opponent_weight,
            patterns: both.collect(),
            tables: row_tables(grid.k),
            order: LineOrder::of_thesis(grid),
            changes: LineAccumulator::default(),
        }
    }

    /// The number of patterns, counting those of both sides.
    pub fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// The value of the board after a stone of the viewer on each empty cell, minus its value now.
    /// All methods give the same numbers, in the order of the cells.
    pub fn move_scores(
        &mut self,
        contents: &mut [CellContent],
        method: RowSearchMethod,
    ) -> Vec<i64> {
        if method == RowSearchMethod::Changes {
            self.order.reset(&mut self.changes, contents);
        }
        let before = self.value(contents, method);
        let mut scores = Vec::with_capacity(contents.len());
        for cell in 0..contents.len() {
            if contents[cell] != CellContent::Empty {
                continue;
            }
            scores.push(match method {
                RowSearchMethod::Changes => {
                    i64::from(self.order.change_at(&self.changes, cell, MINE))
                }
                RowSearchMethod::OneByOne | RowSearchMethod::AllAtOnce => {
                    contents[cell] = CellContent::Mine;
                    let after = self.value(contents, method);
                    contents[cell] = CellContent::Empty;
                    after - before
                }
            });
        }
        scores
    }

    fn value(&self, contents: &[CellContent], method: RowSearchMethod) -> i64 {
        match method {
            RowSearchMethod::OneByOne => self.one_by_one(contents),
            RowSearchMethod::AllAtOnce => self.all_at_once(contents),
            RowSearchMethod::Changes => 0,
        }
    }

    /// The value of a board, by one search of every line for each pattern.
    fn one_by_one(&self, contents: &[CellContent]) -> i64 {
        let in_line = |pattern: &SearchPattern, line: &[usize]| {
            pattern.value * pattern.count_in(line, contents)
        };
        self.patterns
            .iter()
            .map(|pattern| self.lines.iter().map(|line| in_line(pattern, line)).sum::<i64>())
            .sum()
    }

    /// The value of a board, by one pass over every line for each side.
    pub(super) fn all_at_once(&self, contents: &[CellContent]) -> i64 {
        let in_line = |line: &[usize]| {
            let mine = self.tables.automaton.scan(line.iter().map(|&cell| contents[cell]));
            let theirs =
                self.tables.automaton.scan(line.iter().map(|&cell| contents[cell].swapped()));
            i64::from(mine) - self.opponent_weight * i64::from(theirs)
        };
        self.lines.iter().map(|line| in_line(line)).sum()
    }
}

/// A pattern with its table of steps for the search by Horspool.
#[derive(Clone, Debug)]
struct SearchPattern {
    cells: Vec<CellContent>,
    /// The step to the next possible place, by the content at the end of the current place.
    steps: [usize; 3],
    value: i64,
}

impl SearchPattern {
    fn new(cells: Vec<CellContent>, value: i64) -> SearchPattern {
        let mut steps = [cells.len(); 3];
        for (place, &content) in cells[..cells.len() - 1].iter().enumerate() {
            steps[content as usize] = cells.len() - 1 - place;
        }
        SearchPattern { cells, steps, value }
    }

    /// How often the pattern occurs in a line.
    fn count_in(&self, line: &[usize], contents: &[CellContent]) -> i64 {
        let (mut count, mut end) = (0, self.cells.len() - 1);
        while end < line.len() {
            let first = end + 1 - self.cells.len();
            let matches = |place: usize| contents[line[first + place]] == self.cells[place];
            count += i64::from((0..self.cells.len()).rev().all(matches));
            end += self.steps[contents[line[end]] as usize];
        }
        count
    }
}

/// All lines of a board with at least k cells, in all four directions.
fn lines(grid: &RowGrid) -> Vec<Vec<usize>> {
    let inside = |x: isize, y: isize| {
        (0..grid.columns as isize).contains(&x) && (0..grid.rows as isize).contains(&y)
    };
    let mut all = Vec::new();
    for cell in 0..grid.cells() {
        let (x, y) = ((cell % grid.columns) as isize, (cell / grid.columns) as isize);
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            if inside(x - dx, y - dy) {
                continue;
            }
            let steps = (0..).map(|steps| (x + dx * steps, y + dy * steps));
            let cells = steps.take_while(|&(x, y)| inside(x, y));
            let line: Vec<usize> =
                cells.map(|(x, y)| y as usize * grid.columns + x as usize).collect();
            if line.len() >= grid.k {
                all.push(line);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::{grid, random_fields};
    use super::*;
    use tesuji_games::random::seeded;

    /// The value of a board by looking at every place of every line.
    fn by_comparison(search: &RowSearch, contents: &[CellContent]) -> i64 {
        let mut sum = 0;
        for pattern in &search.patterns {
            for line in search.lines.iter().filter(|line| line.len() >= pattern.cells.len()) {
                for places in line.windows(pattern.cells.len()) {
                    let equal = places.iter().zip(&pattern.cells).all(|(&p, &c)| contents[p] == c);
                    sum += pattern.value * i64::from(equal);
                }
            }
        }
        sum
    }

    #[test]
    fn all_methods_give_the_same_values() {
        let mut rng = seeded(1);
        for grid in [grid(3, 3, 3), grid(7, 6, 4), grid(10, 10, 5), grid(9, 8, 6), grid(9, 4, 8)] {
            let mut searches = [RowSearch::new(&grid), RowSearch::with_weight(&grid, 2)];
            for _ in 0..20 {
                let mut contents = random_fields(grid.cells(), &mut rng);
                for search in &searches {
                    let expected = by_comparison(search, &contents);
                    assert_eq!(search.one_by_one(&contents), expected, "{grid:?}");
                    assert_eq!(search.all_at_once(&contents), expected, "{grid:?}");
                }
                use RowSearchMethod::{AllAtOnce, Changes, OneByOne};
                let scores = [OneByOne, AllAtOnce, Changes]
                    .map(|method| searches[0].move_scores(&mut contents, method));
                assert!(scores[0] == scores[1] && scores[0] == scores[2], "{grid:?}");
            }
        }
    }
}
