//! `fudan-alphabeta`: minimax with alpha-beta pruning over a few generated moves.
//!
//! In the published program a minimizing node starts from minus infinity, so that no reply ever
//! improves it: it returns minus infinity when there is an alpha already, and its own static value
//! otherwise. With the final agent's depth of 1 this has no effect, because replies are not
//! searched; at greater depth it makes the search blind. It is corrected here unless the agent is
//! faithful.

use tesuji_games::Side;
use tesuji_search::Limits;

use super::board::{FudanBoard, FudanCell};
use super::count_cache::CountCache;
use super::evaluation::Points;
use super::limit_meter::LimitMeter;
use super::move_generation::{GeneratedMoves, MoveGenerator, NodeType, ScoredMove, Urgency};
use super::parameters::{FudanParameters, ParameterSet};
use super::patterns::{FUDAN_PATTERNS, PatternCounts};
use super::{FudanAgent, FudanChoice, any_empty_cell, central_cell};

const LOWEST: Points = Points::MIN;
const HIGHEST: Points = Points::MAX;

/// Options of the agent. The default is the final agent with its faults corrected.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FudanAlphaBetaOptions {
    /// The parameter set (default: final).
    pub set: ParameterSet,
    /// Keeps the published faults: minimizing nodes that start from minus infinity, sign errors,
    /// pattern counts from before the move for cached positions, a random cell on the empty board
    /// (default: off).
    pub faithful: bool,
    /// Searches one level deeper as long as there is time, which the published program intended but
    /// does not do (default: off).
    pub deepening: bool,
    /// The seed of the random cell on the empty board for a faithful agent (default: 0).
    pub seed: u64,
}

/// The alpha-beta agent.
#[derive(Clone, Debug)]
pub struct FudanAlphaBeta {
    options: FudanAlphaBetaOptions,
    generator: MoveGenerator,
}

impl FudanAlphaBeta {
    /// Creates an agent with an empty cache.
    pub fn new(options: FudanAlphaBetaOptions) -> Self {
        let parameters = FudanParameters::of(options.set, options.faithful);
        FudanAlphaBeta::with_parameters(options, parameters)
    }

    /// Creates an agent with custom parameters.
    pub fn with_parameters(options: FudanAlphaBetaOptions, parameters: FudanParameters) -> Self {
        let generator =
            MoveGenerator { parameters, faithful: options.faithful, cache: CountCache::default() };
        FudanAlphaBeta { options, generator }
    }

    /// Turns iterative deepening on or off.
    pub fn set_deepening(&mut self, deepening: bool) {
        self.options.deepening = deepening;
    }

    /// The best move and its value; `None` if there is no candidate.
    pub fn search(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice> {
        self.generator.cache.make_room(board.stones());
        let own_depth = self.generator.parameters.depth;
        // Iterative deepening uses all of the given time.
        let own_time = self
            .generator
            .parameters
            .time
            .filter(|_| !self.options.deepening || limits.time.is_none());
        let (first, last) = self.levels(limits);
        let mut search = Search {
            meter: LimitMeter::start(limits, own_time),
            own: board.to_move(),
            board: board.clone(),
            generator: &mut self.generator,
        };
        let choice = search.iterative_deepening(first, last);
        self.generator.parameters.depth = own_depth;
        choice
    }

    /// The first and the last search depth. Iterative deepening starts at the agent's own depth and
    /// ends where the widths end.
    fn levels(&self, limits: &Limits) -> (u32, u32) {
        let parameters = &self.generator.parameters;
        if self.options.deepening {
            let plies = parameters.widths.len() as u32;
            let last = limits.depth.unwrap_or(plies).min(plies);
            (parameters.depth.min(last), last)
        } else {
            let depth = limits.depth.unwrap_or(parameters.depth);
            (depth, depth)
        }
    }
}

impl FudanAgent for FudanAlphaBeta {
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice> {
        match self.search(board, limits) {
            None if self.options.faithful => any_empty_cell(board, self.options.seed),
            None => central_cell(board),
            found => return found,
        }
        .map(FudanChoice::without_search)
    }

    fn forget(&mut self) {
        self.generator.cache.clear();
    }
}

/// A search window.
#[derive(Clone, Copy, Debug)]
struct Window {
    alpha: Points,
    beta: Points,
}

/// A node's place in the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    counts: PatternCounts<10>,
    /// Depth towards the limit; an extension subtracts two.
    depth: u32,
    /// Moves from the root.
    ply: usize,
}

impl Node {
    fn after(&self, m: &ScoredMove, depth: u32) -> Node {
        Node { counts: m.counts, depth: depth + 1, ply: self.ply + 1 }
    }
}

/// The result of generating the moves of a node.
enum Expansion {
    Value(Points),
    /// Moves to search, from this depth.
    Moves(Vec<ScoredMove>, u32),
}

/// The search for one move. Functions return `None` when the limits are reached.
struct Search<'a> {
    generator: &'a mut MoveGenerator,
    board: FudanBoard,
    /// The maximizing side.
    own: Side,
    meter: LimitMeter,
}

impl Search<'_> {
    /// Iterative deepening. An interrupted search counts only if there is no other.
    fn iterative_deepening(&mut self, first: u32, last: u32) -> Option<FudanChoice> {
        let mut best: Option<FudanChoice> = None;
        for depth in first..=last {
            self.generator.parameters.depth = depth;
            let choice = self.root(depth)?;
            let cut_short = choice.cut_short;
            match &mut best {
                Some(best) if cut_short => {
                    best.nodes = choice.nodes;
                    best.cut_short = true;
                }
                _ => best = Some(choice),
            }
            if cut_short {
                break;
            }
        }
        best
    }

    /// The root is always expanded, because there must be an answer.
    fn root(&mut self, depth: u32) -> Option<FudanChoice> {
        let counts = FUDAN_PATTERNS.count(&self.board);
        let node = Node { counts, depth: 0, ply: 0 };
        let spent = self.meter.try_spend();
        let choice =
            |cell, points| FudanChoice { cell, points, depth, nodes: 0, cut_short: !spent };
        let mut best = match self.generator.generate(&self.board, &counts, NodeType::Maximize, 0) {
            GeneratedMoves::None => return None,
            GeneratedMoves::Decided(points, cell) => choice(cell, points),
            GeneratedMoves::Moves(moves, _) => {
                let static_best = choice(moves[0].cell, moves[0].points);
                if spent && !self.generator.parameters.ends_at(0, 0) {
                    self.search_root(&node, &moves, static_best)
                } else {
                    static_best
                }
            }
        };
        best.nodes = self.meter.nodes();
        Some(best)
    }

    /// Searches the moves of the root; returns the best so far when the limits are reached.
    fn search_root(
        &mut self,
        node: &Node,
        moves: &[ScoredMove],
        mut best: FudanChoice,
    ) -> FudanChoice {
        let mut window = Window { alpha: LOWEST, beta: HIGHEST };
        for m in moves {
            let child = node.after(m, node.depth);
            let Some(value) = self.with_move(m.cell, |search| search.minimize(child, window))
            else {
                best.cut_short = true;
                break;
            };
            if value > window.alpha {
                (best.cell, best.points, window.alpha) = (m.cell, value, value);
            }
        }
        best
    }

    fn maximize(&mut self, node: Node, mut window: Window) -> Option<Points> {
        let (moves, depth) = match self.expand(&node, NodeType::Maximize)? {
            Expansion::Value(value) => return Some(value),
            Expansion::Moves(moves, depth) => (moves, depth),
        };
        let mut best = LOWEST;
        for m in &moves {
            let child = node.after(m, depth);
            best = best.max(self.with_move(m.cell, |search| search.minimize(child, window))?);
            if best > window.beta {
                return Some(best);
            }
            window.alpha = window.alpha.max(best);
        }
        Some(if best == LOWEST { self.static_value(&node) } else { best })
    }

    fn minimize(&mut self, node: Node, mut window: Window) -> Option<Points> {
        let (moves, depth) = match self.expand(&node, NodeType::Minimize)? {
            Expansion::Value(value) => return Some(value),
            Expansion::Moves(moves, depth) => (moves, depth),
        };
        let worst = if self.generator.faithful { LOWEST } else { HIGHEST };
        let mut best = worst;
        for m in &moves {
            let child = node.after(m, depth);
            best = best.min(self.with_move(m.cell, |search| search.maximize(child, window))?);
            if best < window.alpha {
                return Some(best);
            }
            window.beta = window.beta.min(best);
        }
        Some(if best == worst { self.static_value(&node) } else { best })
    }

    /// Plays a move, evaluates, and takes the move back.
    fn with_move<T>(&mut self, cell: FudanCell, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let side = self.board.to_move();
        self.board.put_stone(cell, side);
        self.board.set_to_move(!side);
        let result = evaluate(self);
        self.board.remove_stone(cell, side);
        self.board.set_to_move(side);
        result
    }

    fn expand(&mut self, node: &Node, node_type: NodeType) -> Option<Expansion> {
        if !self.meter.try_spend() {
            return None;
        }
        let (moves, urgency) =
            match self.generator.generate(&self.board, &node.counts, node_type, node.ply) {
                GeneratedMoves::None => return Some(Expansion::Value(self.static_value(node))),
                GeneratedMoves::Decided(points, _) => return Some(Expansion::Value(points)),
                GeneratedMoves::Moves(moves, urgency) => (moves, urgency),
            };
        let depth = extended(node.depth, node_type, urgency);
        Some(match self.generator.parameters.ends_at(depth, node.ply) {
            true => Expansion::Value(moves[0].points),
            false => Expansion::Moves(moves, depth),
        })
    }

    fn static_value(&self, node: &Node) -> Points {
        let evaluation = &self.generator.parameters.evaluation;
        evaluation.points(&node.counts, self.own, self.board.to_move())
    }
}

/// The depth of a node after extensions: a forced move costs no depth and gains one level. A
/// minimizing node is never at the root's level.
fn extended(depth: u32, node_type: NodeType, urgency: Urgency) -> u32 {
    let least = if node_type == NodeType::Maximize { 0 } else { 1 };
    match urgency {
        Urgency::Quiet => depth,
        Urgency::Forced => depth.saturating_sub(2).max(least),
    }
}
