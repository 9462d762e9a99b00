//! Tests the parts of the solver against exhaustive search: follow-up bounds are never too low, and
//! the table never takes one position for another.

#[path = "../../tests/plain_connect4/mod.rs"]
mod plain_connect4;

use std::collections::HashMap;
use std::ops::RangeInclusive;

use plain_connect4::{after, final_score, late_positions, narrow, plain_score, wide};
use tesuji_games::Position;
use tesuji_games::random::{seeded, word};
use tesuji_games::rules::connect4::{Bits, Connect4, FixedSize, Geometry};

use super::Connect4Solver;
use super::board::Board;
use super::follow_up::QuietPosition;
use super::table::{BoundsTable, ScoreBounds, TableWord};
use crate::{Limits, TableSize};

/// The range of scores of the boards in these tests.
const GOALS: RangeInclusive<i32> = -32..=32;

/// The position as input for the bounds: neither side can win with the next stone.
fn quiet_position<G: Geometry>(position: &Connect4<G>) -> Option<QuietPosition<G::Bits>> {
    let playable = position.playable_cells();
    let threats = position.opponent_winning_cells();
    let wins = (position.winning_cells() | threats) & playable;
    let is_quiet = position.outcome().is_none() && wins == G::Bits::ZERO;
    let stones = Board::stones_of(position);
    is_quiet.then(|| QuietPosition { stones, threats, ply: position.ply() as i32 })
}

/// Checks the bounds of a position; returns how many were not trivial.
fn check_bounds<G: Geometry>(position: &Connect4<G>, score: impl FnOnce() -> i32) -> usize {
    let board = Board::new(position.geometry());
    let Some(quiet_position) = quiet_position(position) else { return 0 };
    let bounds = GOALS.map(|goal| board.follow_up_bound(quiet_position, goal));
    let nontrivial = bounds.filter(|bound| GOALS.contains(bound)).collect::<Vec<_>>();
    let Some(&lowest) = nontrivial.iter().min() else { return 0 };
    let score = score();
    assert!(
        lowest >= score,
        "bound {lowest}, score {score}: {:?} {:#x?} {:#x?}",
        position.geometry(),
        position.own_stones(),
        position.stones()
    );
    nontrivial.len()
}

/// The scores of every position of a small board.
struct ExhaustiveScores<G: Geometry> {
    scores: HashMap<G::Bits, i32>,
    bounds: usize,
}

impl<G: Geometry> ExhaustiveScores<G> {
    fn score(&mut self, position: &Connect4<G>) -> i32 {
        let code = position.code().min(position.mirrored().code());
        if let Some(&score) = self.scores.get(&code) {
            return score;
        }
        let mut best = final_score(position).unwrap_or(-i32::MAX);
        position.for_each_move(|m| best = best.max(-self.score(&after(position, m))));
        self.scores.insert(code, best);
        self.bounds += check_bounds(position, || best);
        best
    }
}

fn bounds_hold_in_every_position<G: Geometry>(start: Connect4<G>) {
    let mut exhaustive = ExhaustiveScores { scores: HashMap::new(), bounds: 0 };
    exhaustive.score(&start);
    assert!(exhaustive.bounds > 1000, "only {} bounds", exhaustive.bounds);
}

#[test]
fn follow_up_bounds_hold_in_every_position_of_small_boards() {
    bounds_hold_in_every_position(narrow(4, 4));
    bounds_hold_in_every_position(narrow(4, 5));
    bounds_hold_in_every_position(Connect4::on(FixedSize::<5, 4>));
}

fn bounds_hold<G: Geometry>(start: Connect4<G>, empty: RangeInclusive<u32>, positions: usize) {
    let found = late_positions(&start, empty, positions, 11);
    let bounds: usize = found.iter().map(|p| check_bounds(p, || plain_score(p))).sum();
    assert!(bounds > positions, "only {bounds} bounds");
}

#[test]
fn follow_up_bounds_hold_in_late_positions_of_large_boards() {
    bounds_hold(Connect4::new(), 4..=16, 6000);
    bounds_hold(Connect4::on(FixedSize::<7, 7>), 4..=16, 6000);
    bounds_hold(narrow(6, 5), 4..=17, 6000);
    bounds_hold(narrow(8, 6), 4..=15, 4000);
    bounds_hold(narrow(4, 12), 4..=20, 4000);
    bounds_hold(narrow(5, 9), 4..=18, 4000);
    bounds_hold(wide(9, 7), 4..=15, 4000);
    bounds_hold(wide(10, 6), 4..=15, 4000);
}

/// Bounds that are almost unique to a code.
fn bounds_of<W: TableWord>(code: W) -> ScoreBounds {
    let key = code.key();
    ScoreBounds { lower: (key % 61) as i32 - 30, upper: (key / 61 % 61) as i32 - 30 }
}

fn work_of<W: TableWord>(code: W) -> u32 {
    (code.key() >> 40) as u32 % 40
}

/// Checks that each of these codes is absent or has its own bounds; returns the number of codes
/// found.
fn count_found<W: TableWord>(table: &BoundsTable<W>, codes: impl Iterator<Item = W>) -> usize {
    let check = |code: &W| {
        let found = table.get(*code);
        assert!(found.is_none_or(|bounds| bounds == bounds_of(*code)), "{code:#x?}: {found:?}");
        found.is_some()
    };
    codes.filter(check).count()
}

/// Fills a table until it has its maximum size. All codes found before it grows are found
/// afterward.
fn codes_are_told_apart<W: TableWord>(code_bits: u32, size: TableSize, codes: impl Fn() -> Vec<W>) {
    let mut table = BoundsTable::<W>::new(code_bits, size);
    let codes = codes();
    for round in 0.. {
        for &code in codes.iter().skip(round).step_by(3) {
            table.put(code, bounds_of(code), work_of(code));
            assert_eq!(table.get(code), Some(bounds_of(code)), "{code:#x?}");
        }
        let before = count_found(&table, codes.iter().copied());
        assert!(before > 0);
        if table.is_at_max_size() {
            break;
        }
        table.grow();
        assert_eq!(count_found(&table, codes.iter().copied()), before, "round {round}");
    }
    table.clear();
    assert_eq!(count_found(&table, codes.iter().copied()), 0);
}

const TABLE_SIZES: [TableSize; 4] = [
    TableSize::from_bytes(1),
    TableSize::from_bytes(1 << 12),
    TableSize::megabytes(2),
    TableSize::megabytes(32),
];

/// The first 2^18 codes, which differ in their lowest bits, and as many random ones.
fn some_codes<W: TableWord>(code_bits: u32) -> Vec<W> {
    let mut rng = seeded(u64::from(code_bits));
    let unused = W::COUNT - code_bits;
    let mut random = || {
        let (high, low) = (word(&mut rng), word(&mut rng));
        // Two shifts, since a shift by all 64 bits overflows.
        (W::from_low(high) << (W::COUNT / 2 - 1) << 1 ^ W::from_low(low)) << unused >> unused
    };
    let near = (0..1u64 << code_bits.min(18)).map(W::from_low);
    let far: Vec<W> = (0..1 << 17).map(|_| random()).collect();
    near.chain(far).collect()
}

#[test]
fn the_table_tells_all_codes_apart() {
    for size in TABLE_SIZES {
        codes_are_told_apart(20, size, || (0..1u64 << 20).collect());
        codes_are_told_apart(20, size, || (0..1u128 << 20).collect());
    }
}

#[test]
fn the_table_tells_codes_of_large_boards_apart() {
    for size in TABLE_SIZES {
        for code_bits in [7, 21, 49, 56, 63, 64] {
            codes_are_told_apart(code_bits, size, || some_codes::<u64>(code_bits));
        }
        for code_bits in [49, 64, 72, 127, 128] {
            codes_are_told_apart(code_bits, size, || some_codes::<u128>(code_bits));
        }
    }
}

/// Different positions have different codes, except for mirror images.
#[test]
fn codes_are_those_of_one_position_and_its_mirror_image() {
    fn check<G: Geometry<Bits: TableWord>>(start: Connect4<G>) {
        let board = Board::new(start.geometry());
        let mut seen: HashMap<G::Bits, Connect4<G>> = HashMap::new();
        for position in late_positions(&start, 1..=30, 20_000, 12) {
            let code = board.code(Board::stones_of(&position));
            let mirrored = position.mirrored();
            assert_eq!(code, board.code(Board::stones_of(&mirrored)));
            assert!(
                code >> (start.geometry().bits() - 1) >> 1 == G::Bits::ZERO,
                "code has too many bits"
            );
            let entry = seen.entry(code).or_insert(position);
            assert!(*entry == position || *entry == mirrored, "{code:#x?}");
        }
    }
    check(Connect4::new());
    check(narrow(5, 6));
    check(wide(8, 8));
}

/// A table that grows during a search does not change the result.
#[test]
fn growing_during_a_search_changes_no_result() {
    let start = Connect4::new();
    let sizes = [TableSize::from_bytes(1 << 19), TableSize::megabytes(64)];
    let mut solvers = sizes.map(|size| Connect4Solver::new(start.geometry(), size));
    let mut grown = 0;
    for position in late_positions(&start, 30..=33, 12, 13) {
        let [fixed, growing] = &mut solvers;
        let limits = Limits::default();
        growing.forget();
        assert_eq!(fixed.score(&position, &limits), growing.score(&position, &limits));
        grown += u32::from(growing.table.len() > 1 << 16);
    }
    assert!(grown > 0, "no search was large enough");
}
