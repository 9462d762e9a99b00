//! `report-alphabeta`: minimax with alpha-beta pruning over the few moves that an exploration leaves.
//!
//! In the published program a node of the minimising side starts from minus infinity, so that no reply ever
//! improves it: it returns minus infinity when there is an alpha already, else its own static value. With the
//! final agent's depth of 1 that never shows, because replies are then not searched below; with more depth it
//! makes the search blind. Here it is mended, unless the agent is asked to be faithful.

use tesuji_games::Side;
use tesuji_search::Limits;

use super::board::{Board, Cell};
use super::cache::Cache;
use super::evaluation::Points;
use super::exploration::{Exploration, Explorer, Role, Scored, Urgency};
use super::meter::Meter;
use super::parameters::{ParameterSet, Parameters};
use super::patterns::{Counts, REPORT_PATTERNS};
use super::{Choice, ReportAgent, any_empty_cell, central_cell};

const LOWEST: Points = Points::MIN;
const HIGHEST: Points = Points::MAX;

/// How the agent plays. The default is the final agent, its faults mended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Whose numbers; the final agent's by default.
    pub set: ParameterSet,
    /// Keeps the published faults: minimising nodes that start from minus infinity, slips of sign, counts of before
    /// the move when a position was remembered, a random cell on the empty board. Off by default.
    pub faithful: bool,
    /// Searches again one level deeper as long as there is time, as the published program meant to but does
    /// not. Off by default.
    pub deepening: bool,
    /// For the random cell on the empty board when faithful; 0 by default.
    pub seed: u64,
}

/// The alpha-beta agent.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    options: Options,
    explorer: Explorer,
}

impl AlphaBeta {
    /// An agent that remembers nothing yet.
    pub fn new(options: Options) -> Self {
        let parameters = Parameters::of(options.set, options.faithful);
        AlphaBeta::with_parameters(options, parameters)
    }

    /// An agent with numbers of one's own.
    pub fn with_parameters(options: Options, parameters: Parameters) -> Self {
        let explorer = Explorer { parameters, faithful: options.faithful, cache: Cache::default() };
        AlphaBeta { options, explorer }
    }

    /// Whether searches to come go deeper as long as there is time.
    pub fn set_deepening(&mut self, deepening: bool) {
        self.options.deepening = deepening;
    }

    /// The best move and its worth; `None` when no stone has an empty cell in its reach.
    pub fn search(&mut self, board: &Board, limits: &Limits) -> Option<Choice> {
        self.explorer.cache.make_room(board.stones());
        let own_depth = self.explorer.parameters.depth;
        // Who goes deeper as long as there is time makes use of all that is given.
        let own_time = self
            .explorer
            .parameters
            .time
            .filter(|_| !self.options.deepening || limits.time.is_none());
        let (first, last) = self.levels(limits);
        let mut search = Search {
            meter: Meter::start(limits, own_time),
            own: board.to_move(),
            board: board.clone(),
            explorer: &mut self.explorer,
        };
        let choice = search.deepen(first, last);
        self.explorer.parameters.depth = own_depth;
        choice
    }

    /// The first and the last depth that is searched. Deepening begins at the agent's own and ends where there are no
    /// more widths to use.
    fn levels(&self, limits: &Limits) -> (u32, u32) {
        let parameters = &self.explorer.parameters;
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

impl ReportAgent for AlphaBeta {
    fn consider(&mut self, board: &Board, limits: &Limits) -> Option<Choice> {
        match self.search(board, limits) {
            None if self.options.faithful => any_empty_cell(board, self.options.seed),
            None => central_cell(board),
            found => return found,
        }
        .map(Choice::without_search)
    }

    fn forget(&mut self) {
        self.explorer.cache.clear();
    }
}

/// The values between which a node's value matters.
#[derive(Clone, Copy, Debug)]
struct Window {
    alpha: Points,
    beta: Points,
}

/// A place in the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    counts: Counts<10>,
    /// Counts towards the depth limit; extensions take two away.
    depth: u32,
    /// Moves from the root.
    ply: usize,
}

impl Node {
    fn after(&self, m: &Scored, depth: u32) -> Node {
        Node { counts: m.counts, depth: depth + 1, ply: self.ply + 1 }
    }
}

/// What an exploration says of a node.
enum Outlook {
    Value(Points),
    /// Moves to search, from this depth.
    Moves(Vec<Scored>, u32),
}

/// One choice in the making. Functions that return `None` have run out of what the meter allows.
struct Search<'a> {
    explorer: &'a mut Explorer,
    board: Board,
    /// The maximising side.
    own: Side,
    meter: Meter,
}

impl Search<'_> {
    /// Searches at each depth in turn. A search that was cut short counts only when there is no other.
    fn deepen(&mut self, first: u32, last: u32) -> Option<Choice> {
        let mut best: Option<Choice> = None;
        for depth in first..=last {
            self.explorer.parameters.depth = depth;
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

    /// The root is explored even when nothing may be spent: there must be an answer.
    fn root(&mut self, depth: u32) -> Option<Choice> {
        let counts = REPORT_PATTERNS.count(&self.board);
        let node = Node { counts, depth: 0, ply: 0 };
        let paid = self.meter.pay();
        let choice = |cell, points| Choice { cell, points, depth, nodes: 0, cut_short: !paid };
        let mut best = match self.explorer.explore(&self.board, &counts, Role::Maximise, 0) {
            Exploration::Nothing => return None,
            Exploration::Decided(points, cell) => choice(cell, points),
            Exploration::Moves(moves, _) => {
                let static_best = choice(moves[0].cell, moves[0].points);
                if paid && !self.explorer.parameters.ends_at(0, 0) {
                    self.search_root(&node, &moves, static_best)
                } else {
                    static_best
                }
            }
        };
        best.nodes = self.meter.nodes();
        Some(best)
    }

    /// Searches the moves of the root one by one; when time is up, the best so far is the answer.
    fn search_root(&mut self, node: &Node, moves: &[Scored], mut best: Choice) -> Choice {
        let mut window = Window { alpha: LOWEST, beta: HIGHEST };
        for m in moves {
            let child = node.after(m, node.depth);
            let Some(value) = self.with_move(m.cell, |search| search.minimise(child, window))
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

    fn maximise(&mut self, node: Node, mut window: Window) -> Option<Points> {
        let (moves, depth) = match self.outlook(&node, Role::Maximise)? {
            Outlook::Value(value) => return Some(value),
            Outlook::Moves(moves, depth) => (moves, depth),
        };
        let mut best = LOWEST;
        for m in &moves {
            let child = node.after(m, depth);
            best = best.max(self.with_move(m.cell, |search| search.minimise(child, window))?);
            if best > window.beta {
                return Some(best);
            }
            window.alpha = window.alpha.max(best);
        }
        Some(if best == LOWEST { self.static_value(&node) } else { best })
    }

    fn minimise(&mut self, node: Node, mut window: Window) -> Option<Points> {
        let (moves, depth) = match self.outlook(&node, Role::Minimise)? {
            Outlook::Value(value) => return Some(value),
            Outlook::Moves(moves, depth) => (moves, depth),
        };
        let worst = if self.explorer.faithful { LOWEST } else { HIGHEST };
        let mut best = worst;
        for m in &moves {
            let child = node.after(m, depth);
            best = best.min(self.with_move(m.cell, |search| search.maximise(child, window))?);
            if best < window.alpha {
                return Some(best);
            }
            window.beta = window.beta.min(best);
        }
        Some(if best == worst { self.static_value(&node) } else { best })
    }

    /// Plays a move, looks, and takes it back.
    fn with_move<T>(&mut self, cell: Cell, look: impl FnOnce(&mut Self) -> T) -> T {
        let side = self.board.to_move();
        self.board.put(cell, side);
        self.board.set_to_move(!side);
        let seen = look(self);
        self.board.lift(cell, side);
        self.board.set_to_move(side);
        seen
    }

    fn outlook(&mut self, node: &Node, role: Role) -> Option<Outlook> {
        if !self.meter.pay() {
            return None;
        }
        let (moves, urgency) =
            match self.explorer.explore(&self.board, &node.counts, role, node.ply) {
                Exploration::Nothing => return Some(Outlook::Value(self.static_value(node))),
                Exploration::Decided(points, _) => return Some(Outlook::Value(points)),
                Exploration::Moves(moves, urgency) => (moves, urgency),
            };
        let depth = extended(node.depth, role, urgency);
        Some(match self.explorer.parameters.ends_at(depth, node.ply) {
            true => Outlook::Value(moves[0].points),
            false => Outlook::Moves(moves, depth),
        })
    }

    fn static_value(&self, node: &Node) -> Points {
        let evaluation = &self.explorer.parameters.evaluation;
        evaluation.points(&node.counts, self.own, self.board.to_move())
    }
}

/// A forced move costs no depth, and one more level is gained; a minimising node is never at the root's level.
fn extended(depth: u32, role: Role, urgency: Urgency) -> u32 {
    let least = if role == Role::Maximise { 0 } else { 1 };
    match urgency {
        Urgency::Quiet => depth,
        Urgency::Forced => depth.saturating_sub(2).max(least),
    }
}
