//! Turns the books of Connect Four, which store values, into opening books with the best move of
//! every position but the deepest.

use std::collections::HashMap;

use tesuji_games::rules::connect4::{Connect4, Connect4Size, Geometry};
use tesuji_games::{Heuristic, MoveOrder, Outcome, Position, Score, Side, Symmetries, Symmetry};

#[cfg(feature = "serde")]
use super::LabeledPositions;
use super::{Connect4Book, ForGeometry, with_best_geometry};
use crate::book::{Book, BookEntry, BookKeys, layers};
use crate::connect4::{TableWord, last_ply};

impl Connect4Book {
    /// The exact score and the best move of every position but the deepest, for searches of the
    /// game with this name. Of equally good moves it has the one nearest to the center.
    pub fn with_moves(&self, game: &str) -> Book {
        let plies = self.plies();
        with_best_geometry(self.size, Propagation { game, plies, leaves: Leaves::Exact(self) })
    }
}

#[cfg(feature = "serde")]
impl LabeledPositions {
    /// The values that follow from the labels of the deepest ply, and the best move of every earlier
    /// position. A label does not say how soon a win comes, so it counts as a win with the last
    /// stone. A position without a label has its immediate win, otherwise the game's estimate, as in
    /// Anigmo.
    pub fn with_moves(&self, game: &str) -> Book {
        let plies = self.plies();
        let leaves = Leaves::Labeled(self);
        with_best_geometry(Connect4Size::STANDARD, Propagation { game, plies, leaves })
    }
}

/// The source of the values of the deepest ply.
#[derive(Clone, Copy)]
enum Leaves<'a> {
    Exact(&'a Connect4Book),
    #[cfg(feature = "serde")]
    Labeled(&'a LabeledPositions),
}

impl Leaves<'_> {
    /// The value of an unfinished position of the deepest ply for the side to move.
    fn value<G: Geometry<Bits: TableWord>>(self, position: &Connect4<G>) -> Score {
        let cells = position.geometry().size().cells() as u32;
        let sign_with_plies = |sign: i32, plies: u32| match sign {
            1.. => Score::win_in(plies),
            0 => Score::DRAW,
            _ => Score::loss_in(plies),
        };
        match self {
            Leaves::Exact(book) => {
                let score = book.score(position).unwrap_or(0);
                sign_with_plies(score, last_ply(cells, position.ply(), score) - position.ply())
            }
            #[cfg(feature = "serde")]
            Leaves::Labeled(list) => match list.first_players_sign(position) {
                Some(sign) if position.to_move() == Side::First => {
                    sign_with_plies(sign, cells - position.ply())
                }
                Some(sign) => sign_with_plies(-sign, cells - position.ply()),
                None if position.winning_move().is_some() => Score::win_in(1),
                None => Score::estimate(position.evaluate()),
            },
        }
    }

    /// The search depth to which the value of a position corresponds.
    fn depth(self, cells: u32, plies: u32, ply: u32) -> u8 {
        let last = match self {
            Leaves::Exact(_) => cells,
            #[cfg(feature = "serde")]
            Leaves::Labeled(_) => plies,
        };
        (last - ply).min(255) as u8
    }
}

/// Passes the values of the deepest ply up to the empty board.
struct Propagation<'a> {
    game: &'a str,
    plies: u32,
    leaves: Leaves<'a>,
}

impl ForGeometry for Propagation<'_> {
    type Output = Book;

    fn run<G: Geometry<Bits: TableWord>>(self, geometry: G) -> Book {
        let Propagation { game, plies, leaves } = self;
        let keys = BookKeys::new(Some(Symmetries::of()));
        let start = Connect4::on(geometry);
        let cells = geometry.size().cells() as u32;
        let layers: Vec<Vec<Connect4<G>>> = layers(&start, keys).take(plies as usize + 1).collect();
        let mut book = Book::new(game);
        let mut values: HashMap<u64, Score> = HashMap::new();
        for position in layers.iter().rev().flatten() {
            let mut value = leaves.value(position);
            if position.ply() < plies {
                let (after_best, best) = best_move(position, &values);
                let depth = leaves.depth(cells, plies, position.ply());
                book.insert(position, keys, BookEntry { score: best, depth, after_best });
                value = best;
            }
            values.insert(position.canonical_key(), value);
        }
        book
    }
}

/// The key after the best move, and its value.
fn best_move<G: Geometry>(position: &Connect4<G>, values: &HashMap<u64, Score>) -> (u64, Score) {
    let mut found = (0, Score::MIN);
    position.for_each_move_in_order(|m| {
        let mut child = *position;
        child.play(m);
        let key = child.canonical_key();
        let value = match child.outcome() {
            Some(Outcome::Win(_)) => Score::win_in(1),
            Some(Outcome::Draw) => Score::DRAW,
            None => -values.get(&key).copied().unwrap_or(Score::DRAW).further(1),
        };
        if value > found.1 {
            found = (key, value);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::test_support::small_book;
    use super::*;
    use crate::connect4::Connect4Solver;
    use crate::{Limits, TableSize};
    use tesuji_games::rules::connect4::RuntimeSize;

    #[test]
    fn moves_of_an_exact_book_are_the_solvers() {
        let book = small_book(5, 4, 5);
        let searched = book.with_moves("connect4:5x4");
        let geometry = RuntimeSize::narrow(book.size()).unwrap();
        let keys = BookKeys::new(Some(Symmetries::of()));
        let mut solver = Connect4Solver::new(geometry, TableSize::megabytes(1));
        let mut seen = 0;
        for layer in layers(&Connect4::on(geometry), keys).take(5) {
            for position in layer {
                let (best, entry) = searched.look_up(&position, keys).expect("in the book");
                let scores = solver.scores(&position, &Limits::default()).unwrap();
                let highest = scores.iter().map(|&(_, score)| score).max().unwrap();
                assert!(scores.contains(&(best, highest)), "{position:?}");
                assert_eq!(entry.score.is_win(), highest > 0);
                assert_eq!(entry.score.is_loss(), highest < 0);
                if let Some(plies) = entry.score.plies_to_end() {
                    assert_eq!(position.ply() + plies, solver.last_ply(&position, highest));
                }
                seen += 1;
            }
        }
        assert_eq!(seen, searched.len());
    }

    /// The labels of the quiet positions are enough to play the first moves of perfect play.
    #[cfg(feature = "serde")]
    #[test]
    fn labels_lead_to_the_center() {
        let exact = Connect4Book::built_in(Connect4Size::STANDARD).expect("built in");
        let list = LabeledPositions::of_book(&exact).unwrap();
        let book = list.with_moves("connect4");
        let keys = BookKeys::new(Some(Symmetries::of()));
        let start = Connect4::new();
        let (best, entry) = book.look_up(&start, keys).expect("in the book");
        assert_eq!((start.column(best), entry.score.is_win(), entry.depth), (3, true, 8));
        assert_eq!(exact.with_moves("connect4").len(), book.len());
    }
}
