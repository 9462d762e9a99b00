//! The tree of all positions of the first plies in the order in which play reaches them: ply by
//! ply, the moves of each position from left to right, and of two mirror images the one with the
//! smaller code. The order is the same for every geometry of a board, so scores can be stored
//! without positions.

use tesuji_games::bits::mix;
use tesuji_games::rules::connect4::{Connect4, Connect4Move, Geometry};
use tesuji_games::{Outcome, Position};

use super::compact_code;
use crate::connect4::TableWord;

/// The maximum number of positions, more than can be solved in practice. It also limits the memory
/// that a corrupted file can claim.
pub(super) const MAX_POSITIONS: usize = 1 << 27;

/// There are more positions than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooManyPositions;

/// Maps the codes of positions to their indices.
#[derive(Clone)]
pub(super) struct PositionIndex {
    codes: Vec<u128>,
    /// The index of the first position of each ply, and the end.
    plies: Vec<usize>,
    /// An open hash table of indices into `codes`, at most half full.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl PositionIndex {
    /// Creates an index with capacity for about this many positions.
    fn with_capacity(positions: usize) -> Self {
        let positions = positions.clamp(1 << 8, 1 << 20);
        let slots = vec![FREE; (positions * 2).next_power_of_two()];
        PositionIndex { codes: Vec::with_capacity(positions), plies: vec![0], slots }
    }

    /// The number of stones of the deepest positions.
    pub(super) fn plies(&self) -> u32 {
        self.plies.len() as u32 - 2
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The range of positions with `ply` stones.
    pub(super) fn at(&self, ply: u32) -> std::ops::Range<usize> {
        self.plies[ply as usize]..self.plies[ply as usize + 1]
    }

    /// The index of a position.
    pub(super) fn find(&self, code: u128) -> Option<usize> {
        let index = self.slots[self.find_slot(code)];
        (index != FREE).then_some(index as usize)
    }

    /// Inserts a position; returns its index and whether it is new.
    fn insert(&mut self, code: u128) -> (u32, bool) {
        let slot = self.find_slot(code);
        if self.slots[slot] != FREE {
            return (self.slots[slot], false);
        }
        let index = self.codes.len() as u32;
        self.slots[slot] = index;
        self.codes.push(code);
        if self.codes.len() * 2 > self.slots.len() {
            self.grow();
        }
        (index, true)
    }

    /// The slot of a code, or the free slot where it belongs.
    fn find_slot(&self, code: u128) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = mix(code as u64 ^ mix((code >> 64) as u64)) as usize & last;
        while self.slots[slot] != FREE && self.codes[self.slots[slot] as usize] != code {
            slot = (slot + 1) & last;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; self.slots.len() * 2];
        for index in 0..self.codes.len() {
            let slot = self.find_slot(self.codes[index]);
            self.slots[slot] = index as u32;
        }
    }
}

/// Positions and the results of their moves.
pub(super) struct Tree {
    pub(super) index: PositionIndex,
    /// The results of the moves of all positions except the deepest, one position after the other.
    moves: Vec<u32>,
    /// The index of the first move of each position, and the end.
    first_moves: Vec<usize>,
}

/// Marks a move that wins, in place of the index of a position.
const WINS: u32 = u32::MAX;
/// Marks a move that fills the board.
const FILLS: u32 = u32::MAX - 1;

impl Tree {
    /// Enumerates all positions with at most `plies` stones; also returns the positions of the
    /// deepest ply.
    pub(super) fn grow<G: Geometry<Bits: TableWord>>(
        geometry: G,
        plies: u32,
        max_positions: usize,
    ) -> Result<(Tree, Vec<Connect4<G>>), TooManyPositions> {
        // When a file is read, `max_positions` is the exact number.
        let index = PositionIndex::with_capacity(if max_positions < MAX_POSITIONS {
            max_positions
        } else {
            0
        });
        let mut tree = Tree { index, moves: Vec::new(), first_moves: vec![0] };
        let start = Connect4::on(geometry);
        tree.index.insert(compact_code(&start));
        tree.index.plies.push(1);
        let mut layer = vec![start];
        for _ in 0..plies {
            layer = tree.add_ply(&layer, max_positions)?;
            tree.index.plies.push(tree.index.len());
        }
        Ok((tree, layer))
    }

    fn add_ply<G: Geometry<Bits: TableWord>>(
        &mut self,
        layer: &[Connect4<G>],
        max_positions: usize,
    ) -> Result<Vec<Connect4<G>>, TooManyPositions> {
        let mut next = Vec::new();
        for position in layer {
            position.for_each_move(|m| {
                let target = self.add_move(position, m, &mut next);
                self.moves.push(target);
            });
            self.first_moves.push(self.moves.len());
            if self.index.len() > max_positions {
                return Err(TooManyPositions);
            }
        }
        Ok(next)
    }

    fn add_move<G: Geometry<Bits: TableWord>>(
        &mut self,
        position: &Connect4<G>,
        m: Connect4Move,
        next: &mut Vec<Connect4<G>>,
    ) -> u32 {
        let mut child = *position;
        child.play(m);
        match child.outcome() {
            Some(Outcome::Win(_)) => return WINS,
            Some(Outcome::Draw) => return FILLS,
            None => {}
        }
        let (index, is_new) = self.index.insert(compact_code(&child));
        if is_new {
            next.push(smaller_image(child));
        }
        index
    }

    /// Computes the scores of all positions from those of the deepest ply: each is the score of the
    /// best move.
    pub(super) fn all_scores(&self, cells: i32, deepest: &[i8]) -> Vec<i8> {
        let mut scores = vec![0; self.index.len()];
        let plies = self.index.plies();
        scores[self.index.at(plies)].copy_from_slice(deepest);
        for ply in (0..plies).rev() {
            let win = win_at(cells, ply as i32 + 1);
            for index in self.index.at(ply) {
                let moves = &self.moves[self.first_moves[index]..self.first_moves[index + 1]];
                let score_of = |&target: &u32| match target {
                    WINS => win,
                    FILLS => 0,
                    child => -scores[child as usize],
                };
                scores[index] = moves.iter().map(score_of).max().unwrap_or(0);
            }
        }
        scores
    }
}

/// The position or its mirror image, whichever has the smaller code.
fn smaller_image<G: Geometry<Bits: TableWord>>(position: Connect4<G>) -> Connect4<G> {
    let image = position.mirrored();
    if image.code() < position.code() { image } else { position }
}

/// The score of a win with stone number `ply`.
pub(super) fn win_at(cells: i32, ply: i32) -> i8 {
    ((cells + 2 - ply) >> 1) as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use tesuji_games::rules::connect4::{Connect4Size, FixedSize, RuntimeSize};

    /// The numbers of positions at plies 0 to 8 on the 7x6 board, finished ones included, mirror
    /// images counted (OEIS A212693), and the numbers of finished positions.
    #[test]
    fn every_position_is_reached_once() {
        let totals = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275];
        let finished = [0, 0, 0, 0, 0, 0, 0, 728, 1892];
        let mut ended = HashSet::new();
        for ply in 0..=8 {
            let (_, layer) = Tree::grow(FixedSize::<7, 6>, ply, MAX_POSITIONS).unwrap();
            let symmetric = layer.iter().filter(|p| p.mirrored() == **p).count();
            assert_eq!(2 * layer.len() - symmetric + ended.len(), totals[ply as usize]);
            assert_eq!(ended.len(), finished[ply as usize]);
            ended.clear();
            for position in layer {
                position.for_each_move(|m| {
                    let mut child = position;
                    child.play(m);
                    if child.outcome().is_some() {
                        ended.extend([child.code(), child.mirrored().code()]);
                    }
                });
            }
        }
    }

    #[test]
    fn the_order_does_not_depend_on_the_geometry() {
        let size = Connect4Size::STANDARD;
        let (fixed, _) = Tree::grow(FixedSize::<7, 6>, 5, MAX_POSITIONS).unwrap();
        let (narrow, _) = Tree::grow(RuntimeSize::narrow(size).unwrap(), 5, MAX_POSITIONS).unwrap();
        let (wide, _) = Tree::grow(RuntimeSize::wide(size), 5, MAX_POSITIONS).unwrap();
        assert!(fixed.index.codes == narrow.index.codes && fixed.index.codes == wide.index.codes);
        assert!(fixed.moves == narrow.moves && fixed.moves == wide.moves);
    }

    #[test]
    fn too_many_positions_are_refused() {
        assert_eq!(Tree::grow(FixedSize::<7, 6>, 4, 100).err(), Some(TooManyPositions));
        let (tree, _) = Tree::grow(FixedSize::<7, 6>, 3, 200).unwrap();
        assert_eq!((tree.index.len(), tree.index.plies()), (1 + 4 + 25 + 121, 3));
    }
}
