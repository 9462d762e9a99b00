//! A summary of a book: the number of positions of each ply and their results.

use tesuji_games::rules::connect4::{Bits, Connect4, Geometry};

use super::tree::{MAX_POSITIONS, Tree};
use super::{Connect4Book, ForGeometry, with_best_geometry};
use crate::connect4::TableWord;

/// Numbers of positions by result for the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ResultCounts {
    /// The first player wins.
    pub won: usize,
    /// The game is a draw.
    pub drawn: usize,
    /// The second player wins.
    pub lost: usize,
}

impl ResultCounts {
    /// The total number of positions.
    pub fn total(self) -> usize {
        self.won + self.drawn + self.lost
    }

    /// Counts a position by the sign of the first player's score.
    pub(super) fn add(&mut self, sign: i32) {
        match sign {
            1 => self.won += 1,
            0 => self.drawn += 1,
            _ => self.lost += 1,
        }
    }
}

/// One ply of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlySummary {
    /// Stones on the board.
    pub ply: u32,
    /// The number of unfinished positions; mirror images count once.
    pub positions: usize,
    /// Their results.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub results: ResultCounts,
}

/// The summary of all plies and of the quiet positions of the deepest ply.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BookSummary {
    /// From the empty board onward.
    pub plies: Vec<PlySummary>,
    /// The positions of the deepest ply in which neither side can win with the next stone.
    pub quiet: ResultCounts,
}

impl Connect4Book {
    /// Counts positions by ply and result.
    pub fn summary(&self) -> BookSummary {
        let ply_summary = |ply: u32| {
            let mut results = ResultCounts::default();
            for &score in &self.scores[self.index.at(ply)] {
                results.add(first_players_sign(score, ply));
            }
            PlySummary { ply, positions: results.total(), results }
        };
        let plies = (0..=self.plies()).map(ply_summary).collect();
        let mut quiet = ResultCounts::default();
        self.for_each_quiet(|_, sign| quiet.add(sign));
        BookSummary { plies, quiet }
    }

    /// Calls `each` with every quiet position of the deepest ply and the sign of the first player's
    /// score.
    pub(super) fn for_each_quiet(&self, each: impl FnMut(&PlayerStones, i32)) {
        with_best_geometry(self.size, QuietVisitor { book: self, each });
    }
}

fn first_players_sign(score: i8, ply: u32) -> i32 {
    let sign = i32::from(score.signum());
    if ply.is_multiple_of(2) { sign } else { -sign }
}

/// The stones of both players on a board without gaps: bit `(height + 1) * column + row`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PlayerStones {
    pub(super) first: u128,
    pub(super) second: u128,
}

impl PlayerStones {
    pub(super) fn of<G: Geometry>(position: &Connect4<G>) -> PlayerStones {
        let geometry = position.geometry();
        let compact = |stones: G::Bits| {
            let mut compact = 0_u128;
            stones.for_each(|bit| {
                let (column, row) = (bit / geometry.stride(), bit % geometry.stride());
                compact |= 1 << (column * (geometry.height() + 1) + row);
            });
            compact
        };
        let (own, other) = (compact(position.own_stones()), compact(position.opponent_stones()));
        if position.ply().is_multiple_of(2) {
            PlayerStones { first: own, second: other }
        } else {
            PlayerStones { first: other, second: own }
        }
    }
}

/// Whether neither side could win with the next stone.
pub(super) fn is_quiet<G: Geometry>(position: &Connect4<G>) -> bool {
    let wins = position.winning_cells() | position.opponent_winning_cells();
    wins & position.playable_cells() == G::Bits::ZERO
}

struct QuietVisitor<'a, F> {
    book: &'a Connect4Book,
    each: F,
}

impl<F: FnMut(&PlayerStones, i32)> ForGeometry for QuietVisitor<'_, F> {
    type Output = ();

    fn run<G: Geometry<Bits: TableWord>>(mut self, geometry: G) {
        let ply = self.book.plies();
        let Ok((_, deepest)) = Tree::grow(geometry, ply, MAX_POSITIONS) else { return };
        let scores = &self.book.scores[self.book.index.at(ply)];
        for (position, &score) in deepest.iter().zip(scores) {
            if is_quiet(position) {
                (self.each)(&PlayerStones::of(position), first_players_sign(score, ply));
            }
        }
    }
}
