//! The three printed boards of Table 5-2, and games that lead from one to the next. A board of
//! Connect Four determines the order of the stones in a column, so the heights of the columns
//! identify a position on the way.

use std::collections::HashSet;

use tesuji_games::random::{Rng, below};
use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_games::{GameLine, Position, Side};

/// Connect Four as in the thesis.
pub(super) type ConnectFour7 = Connect4<FixedSize<7, 7>>;
pub(super) const SIDE: usize = 7;
/// The computer has the odd turns.
pub(super) const COMPUTER: Side = Side::First;
pub(super) const HUMAN: Side = Side::Second;

/// As printed, the upper row first. The right half of turn 9 is empty.
pub(super) const TURN_9: &str = "....... ....... ...X... ...X... ...X... .OOO... XOX....";
pub(super) const TURN_35: &str = ".XOX.OX .XXO.XX .OOX.OO .XOX.XO .OXX.OX .OOO.XO .XOX.OX";
pub(super) const TURN_44: &str = "OXOX.OX XXXO.XX OOOX.OO XXOX.XO OOXX.OX XOOOOXO OXOXXOX";

/// Stones on a board, the upper row first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PrintedBoard(pub(super) Vec<Option<Side>>);

impl PrintedBoard {
    /// Reads a printed board.
    pub(super) fn read(printed: &str) -> PrintedBoard {
        let cells = printed.chars().filter(|c| !c.is_whitespace());
        let stone = |c| match c {
            'X' => Some(COMPUTER),
            'O' => Some(HUMAN),
            _ => None,
        };
        PrintedBoard(cells.map(stone).collect())
    }

    /// Returns the board with the lowest row moved one column to the right.
    pub(super) fn with_lowest_row_moved(mut self) -> PrintedBoard {
        self.0[SIDE * (SIDE - 1)..].rotate_right(1);
        self
    }

    pub(super) fn stones(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Returns the columns, counted from 1, with a floating stone.
    pub(super) fn hanging(&self) -> Vec<usize> {
        let hangs = |column: &usize| {
            let filled = (0..SIDE).map(|row| self.0[row * SIDE + column].is_some());
            filled.skip_while(|stone| !stone).any(|stone| !stone)
        };
        (0..SIDE).filter(hangs).map(|column| column + 1).collect()
    }

    /// Whether the other board has all these stones.
    pub(super) fn is_within(&self, other: &PrintedBoard) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine.is_none() || mine == theirs)
    }

    /// Returns the height of each column.
    pub(super) fn heights(&self) -> Heights {
        std::array::from_fn(|column| self.column(column).count())
    }

    /// Returns the stones of a column in the order in which they fell.
    fn column(&self, column: usize) -> impl Iterator<Item = Side> + '_ {
        (0..SIDE).rev().filter_map(move |row| self.0[row * SIDE + column])
    }
}

pub(super) type Heights = [usize; SIDE];

/// Searches an order of a board's stones in which neither side is ever to move with an immediate
/// win.
pub(super) struct Orders<'a> {
    board: &'a PrintedBoard,
    goal: Heights,
    /// Heights from which the goal cannot be reached.
    dead: HashSet<Heights>,
}

impl Orders<'_> {
    /// Makes a search that ends at these heights.
    pub(super) fn to(board: &PrintedBoard, goal: Heights) -> Orders<'_> {
        Orders { board, goal, dead: HashSet::new() }
    }

    /// Extends the game with a random order; returns whether there is one.
    pub(super) fn extend(&mut self, line: &mut GameLine<ConnectFour7>, rng: &mut Rng) -> bool {
        let now = heights(line);
        if now == self.goal {
            return true;
        }
        if self.dead.contains(&now) || overlooks(&line.end) {
            return false;
        }
        let mut columns: Vec<usize> = (0..SIDE).filter(|&c| self.fits(line, &now, c)).collect();
        while !columns.is_empty() {
            let column = columns.swap_remove(below(rng, columns.len() as u32) as usize);
            if drop_stone(line, column).is_some() {
                if self.extend(line, rng) {
                    return true;
                }
                line.take_back();
            }
        }
        self.dead.insert(now);
        false
    }

    /// Whether the next stone of this column belongs to the side to move.
    fn fits(&self, line: &GameLine<ConnectFour7>, now: &Heights, column: usize) -> bool {
        let next = self.board.column(column).nth(now[column]);
        now[column] < self.goal[column] && next == Some(line.end.to_move())
    }
}

/// Whether the side to move can win immediately.
fn overlooks(position: &ConnectFour7) -> bool {
    position.winning_cells() & position.playable_cells() != 0
}

fn heights(line: &GameLine<ConnectFour7>) -> Heights {
    let mut heights = [0; SIDE];
    line.moves.iter().for_each(|&m| heights[line.end.column(m)] += 1);
    heights
}

/// Drops a stone; `None` if that is illegal.
pub(super) fn drop_stone(line: &mut GameLine<ConnectFour7>, column: usize) -> Option<()> {
    let m = line.end.drop_into(column)?;
    line.play(m).ok()
}
