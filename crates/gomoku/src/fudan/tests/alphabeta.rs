//! The alpha-beta agent: move generation under threats, exact pruning, and the effect of faithful
//! faults.

use std::time::Duration;

use tesuji_games::random;
use tesuji_search::Limits;

use super::{board_from, mirrored};
use crate::fudan::count_cache::CountCache;
use crate::fudan::move_generation::{GeneratedMoves, MoveGenerator, NodeType, Urgency};
use crate::fudan::{
    CandidateReach, FUDAN_PATTERNS, FudanAgent, FudanAlphaBeta, FudanAlphaBetaOptions, FudanBoard,
    FudanCell, FudanParameters, ParameterSet, PatternCounts, Points,
};

fn generator(set: ParameterSet) -> MoveGenerator {
    MoveGenerator {
        parameters: FudanParameters::of(set, false),
        faithful: false,
        cache: CountCache::default(),
    }
}

fn generated(set: ParameterSet, board: &FudanBoard, node_type: NodeType) -> GeneratedMoves {
    generator(set).generate(board, &FUDAN_PATTERNS.count(board), node_type, 0)
}

/// A row and a column.
type Coordinates = (u8, u8);

/// The cells that the threats leave, in order, and whether they narrowed the list.
fn left(board: &FudanBoard) -> (Vec<Coordinates>, Urgency) {
    match generated(ParameterSet::Final, board, NodeType::Maximize) {
        GeneratedMoves::Moves(moves, urgency) => {
            let mut cells: Vec<_> = moves.iter().map(|m| (m.cell.row, m.cell.column)).collect();
            cells.sort_unstable();
            (cells, urgency)
        }
        GeneratedMoves::Decided(points, cell) => {
            assert_eq!(points, 10_000_000);
            (vec![(cell.row, cell.column)], Urgency::Quiet)
        }
        GeneratedMoves::None => (Vec::new(), Urgency::Quiet),
    }
}

/// Both sides have what the two rows show; the first side is to move.
#[test]
fn threats_apply_in_the_published_order() {
    let far = "........... ...........  ........... ...........";
    let cases: [(&str, &str, &[Coordinates], Urgency); 5] = [
        // An own five, although the opponent has one too.
        ("OXXXX......", ".XOOOO.....", &[(0, 5)], Urgency::Quiet),
        // The opponent's five, although an own open four is possible.
        ("...XXX.....", "XOOOO......", &[(5, 5)], Urgency::Forced),
        ("...XXX.....", "..OO.OO....", &[(5, 4)], Urgency::Forced),
        // An own open four, although the opponent could make one.
        ("...XXX.....", "....OOO....", &[(0, 2), (0, 6)], Urgency::Forced),
        // The opponent's open four.
        ("..X........", "....OOO....", &[(5, 3), (5, 7)], Urgency::Forced),
    ];
    for (first, second, expected, urgency) in cases {
        let board = board_from(&format!("{first} {far} {second} {far} {far}"));
        assert_eq!(left(&board), (expected.to_vec(), urgency), "{first} {second}");
    }
    // No threat: the eight best.
    let (quiet, urgency) = left(&board_from(&format!("{far} ....X...... .....O..... {far}")));
    assert_eq!((quiet.len(), urgency), (8, Urgency::Quiet));
}

/// Two open twos that cross at an empty cell: a stone there makes two open threes, for either side.
#[test]
fn a_double_three_is_a_winning_move() {
    let empty = "............. ............. ............. .............";
    let crossing = ".....XX...... ....X........ ....X........";
    let board = board_from(&format!("{empty} {crossing} {empty}"));
    let expected = (vec![(4, 4)], Urgency::Forced);
    assert_eq!(left(&board), expected);
    let mut threatened = mirrored(&board);
    threatened.set_to_move(board.to_move());
    assert_eq!(left(&threatened), expected);
}

/// For a cached position the published program counts threats on the lines from before the move.
#[test]
fn a_faithful_generator_overlooks_a_cached_double_three() {
    let empty = "............. ............. ............. .............";
    let crossing = ".....XX...... ....X........ ....X........";
    let board = board_from(&format!("{empty} {crossing} {empty}"));
    let counts = FUDAN_PATTERNS.count(&board);
    for (faithful, second_look) in [(false, Urgency::Forced), (true, Urgency::Quiet)] {
        let mut generator = MoveGenerator { faithful, ..generator(ParameterSet::Final) };
        let mut look = || match generator.generate(&board, &counts, NodeType::Maximize, 0) {
            GeneratedMoves::Moves(_, urgency) => urgency,
            other => panic!("{other:?}"),
        };
        assert_eq!([look(), look()], [Urgency::Forced, second_look]);
    }
}

#[test]
fn pydan2_ends_at_decisive_threats() {
    let far = "........... ...........  ........... ...........";
    let value = |first: &str, second: &str, node_type| {
        let board = board_from(&format!("{first} {far} {second} {far}"));
        match generated(ParameterSet::Pydan2, &board, node_type) {
            GeneratedMoves::Decided(points, cell) => Some((points, (cell.row, cell.column))),
            _ => None,
        }
    };
    let five = 10_000_000;
    let must_block = ("...XXX.....", "XOOOO......");
    assert_eq!(value(must_block.0, must_block.1, NodeType::Maximize), Some((-five, (5, 5))));
    assert_eq!(value(must_block.0, must_block.1, NodeType::Minimize), Some((five, (5, 5))));
    assert_eq!(value("...XXX.....", "...........", NodeType::Maximize), Some((five, (0, 2))));
    assert_eq!(value("..X........", "....OOO....", NodeType::Maximize), None);
}

/// A position after some random moves near the middle.
fn opening(seed: u64, moves: usize) -> FudanBoard {
    let mut rng = random::seeded(seed);
    let mut board = FudanBoard::new(13, 13).unwrap();
    board.play(FudanCell::row_column(6, 6)).unwrap();
    for _ in 1..moves {
        let cells = board.candidates(CandidateReach::Two);
        board.play(*random::choose(&mut rng, &cells).unwrap()).unwrap();
    }
    board
}

/// Plain minimax over the same moves: no windows, no cache between nodes.
struct Plain {
    generator: MoveGenerator,
}

impl Plain {
    fn value(
        &mut self,
        board: &FudanBoard,
        counts: &PatternCounts<10>,
        node_type: NodeType,
        depth: u32,
        ply: usize,
    ) -> Points {
        self.generator.cache.clear();
        let (moves, urgency) = match self.generator.generate(board, counts, node_type, ply) {
            GeneratedMoves::Moves(moves, urgency) => (moves, urgency),
            GeneratedMoves::Decided(points, _) => return points,
            GeneratedMoves::None => panic!("a candidate is always left here"),
        };
        let least = if node_type == NodeType::Maximize { 0 } else { 1 };
        let depth = match urgency {
            Urgency::Quiet => depth,
            Urgency::Forced => depth.saturating_sub(2).max(least),
        };
        if depth + 1 > self.generator.parameters.depth || ply + 1 > 11 {
            return moves[0].points;
        }
        let values = moves.iter().map(|m| {
            let mut after = board.clone();
            after.play(m.cell).unwrap();
            match node_type {
                NodeType::Maximize => {
                    self.value(&after, &m.counts, NodeType::Minimize, depth + 1, ply + 1)
                }
                NodeType::Minimize => {
                    self.value(&after, &m.counts, NodeType::Maximize, depth + 1, ply + 1)
                }
            }
        });
        match node_type {
            NodeType::Maximize => values.max().unwrap(),
            NodeType::Minimize => values.min().unwrap(),
        }
    }
}

#[test]
fn pruning_and_cache_change_no_value() {
    for set in [ParameterSet::Final, ParameterSet::Pydan2] {
        for seed in 0..4 {
            let board = opening(seed, 7);
            let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions {
                set,
                ..FudanAlphaBetaOptions::default()
            });
            for depth in 1..=2 {
                let mut plain = Plain { generator: generator(set) };
                plain.generator.parameters.depth = depth;
                let counts = FUDAN_PATTERNS.count(&board);
                let expected = plain.value(&board, &counts, NodeType::Maximize, 0, 0);
                let limits = Limits::depth(depth);
                let new = agent.search(&board, &limits).unwrap();
                assert_eq!(new.points, expected, "{set:?} seed {seed} depth {depth}");
                // Again, with a full cache.
                assert_eq!(agent.search(&board, &limits).unwrap(), new);
            }
        }
    }
}

#[test]
fn both_sides_play_alike() {
    for seed in 0..10 {
        let board = opening(seed, 10);
        let choice = |board: &FudanBoard| {
            FudanAlphaBeta::new(FudanAlphaBetaOptions::default())
                .search(board, &Limits::default())
                .unwrap()
        };
        assert_eq!(choice(&board), choice(&mirrored(&board)));
    }
}

#[test]
fn a_faithful_search_below_replies_is_blind() {
    let mut different = 0;
    for seed in 0..20 {
        let board = opening(seed, 6);
        let search = |faithful, depth| {
            let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions {
                faithful,
                ..FudanAlphaBetaOptions::default()
            });
            agent.search(&board, &Limits::depth(depth)).unwrap()
        };
        // Without a search below replies the fault has no effect, and so few stones have no double
        // threats to miscount.
        let shallow = [search(false, 1), search(true, 1)];
        assert_eq!(shallow[0].points, shallow[1].points, "seed {seed}");
        different += u32::from(search(false, 2).points != search(true, 2).points);
    }
    assert!(different > 10, "{different} of 20 differ");
}

#[test]
fn the_empty_board_and_the_full_one() {
    let empty = FudanBoard::new(15, 15).unwrap();
    let corrected =
        FudanAlphaBeta::new(FudanAlphaBetaOptions::default()).choose(&empty, &Limits::default());
    assert_eq!(corrected, Some(FudanCell::row_column(7, 7)));
    let faithful = |seed| {
        let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions {
            faithful: true,
            seed,
            ..FudanAlphaBetaOptions::default()
        });
        agent.choose(&empty, &Limits::default())
    };
    assert_eq!(faithful(1), faithful(1));
    assert!((0..20).any(|seed| faithful(seed) != corrected));
    let full = board_from("XO OX");
    assert_eq!(
        FudanAlphaBeta::new(FudanAlphaBetaOptions::default()).choose(&full, &Limits::default()),
        None
    );
}

#[test]
fn limits_cut_short_and_still_give_a_move() {
    let board = opening(4, 12);
    let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions::default());
    let whole = agent.search(&board, &Limits::depth(3)).unwrap();
    assert!(!whole.cut_short && whole.nodes > 10);
    for nodes in [0, 1, 2, 7, whole.nodes - 1] {
        let limits = Limits { nodes: Some(nodes), depth: Some(3), ..Limits::default() };
        let cut = agent.search(&board, &limits).unwrap();
        assert!(cut.cut_short && cut.nodes <= nodes, "{nodes}");
        assert!(board.is_empty(cut.cell));
    }
    let enough = Limits { nodes: Some(whole.nodes), depth: Some(3), ..Limits::default() };
    assert_eq!(agent.search(&board, &enough), Some(whole));
    let at_once = agent.choose(&board, &Limits::time(Duration::ZERO)).unwrap();
    assert!(board.is_empty(at_once));
}

#[test]
fn deepening_ends_at_the_deepest_level_or_with_the_limits() {
    let board = opening(5, 8);
    let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions {
        deepening: true,
        ..FudanAlphaBetaOptions::default()
    });
    let two = agent.search(&board, &Limits::depth(2)).unwrap();
    assert_eq!(two.depth, 2);
    let direct = FudanAlphaBeta::new(FudanAlphaBetaOptions::default())
        .search(&board, &Limits::depth(2))
        .unwrap();
    assert_eq!((two.cell, two.points), (direct.cell, direct.points));
    let few = agent.search(&board, &Limits::nodes(two.nodes + 1)).unwrap();
    assert_eq!((few.cell, few.depth, few.cut_short), (two.cell, 2, true));
}

#[test]
fn the_cache_can_be_cleared() {
    let board = opening(6, 8);
    let mut generator = generator(ParameterSet::Final);
    generator.generate(&board, &FUDAN_PATTERNS.count(&board), NodeType::Maximize, 0);
    let candidates = board.candidates(CandidateReach::Two).len();
    assert_eq!(generator.cache.len(), 2 * candidates);
    generator.cache.clear();
    assert_eq!(generator.cache.len(), 0);
}
