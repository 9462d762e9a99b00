//! Records the tree of an alpha-beta search. The search is a simple one that records every node.
//! All values are for the first side, which maximizes; the second side minimizes.

use serde::Serialize;
use tesuji_games::{Move, Position, Score, Side, State};
use tesuji_play::PlayerContext;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, Meter};

use super::snapshot::{BoardMove, step};
use super::{PositionViewError, unfinished};

/// A recorded search tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchTree {
    /// Plies from the root to the leaves.
    pub depth: u32,
    /// The side to move at the root.
    pub to_move: Side,
    /// The recorded nodes in preorder; the root comes first.
    pub nodes: Vec<TreeNode>,
    /// The nodes of the principal variation from the root, as far as they are recorded.
    pub best: Vec<usize>,
    /// Whether the search was completed and every node is recorded.
    pub complete: bool,
    /// The node counts of the library's searches at the same depth.
    pub counts: Vec<NodeCount>,
}

/// A node of a [`SearchTree`].
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TreeNode {
    /// Its index in the list.
    pub id: usize,
    /// The parent node.
    pub parent: Option<usize>,
    /// The move that leads to it.
    pub step: Option<BoardMove>,
    /// Alpha on entry, if bounded.
    pub alpha: Option<Score>,
    /// Beta on entry, if bounded.
    pub beta: Option<Score>,
    /// The value for the first side, from the searched moves; `None` if time ran out. Wins and
    /// losses count plies from the root.
    pub value: Option<Score>,
    /// The tick of its entry; entering and leaving a node take one tick each.
    pub entered: usize,
    /// The tick of its exit.
    pub left: usize,
    /// Whether it was cut off.
    pub cut: bool,
    /// The number of moves that the cutoff skipped.
    pub skipped: usize,
    /// The number of searched moves that are not recorded.
    pub undrawn: usize,
}

/// The node count of one of the four searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeCount {
    /// `minimax`, `alphabeta`, `ordered` (with move ordering) or `table` (and with a transposition
    /// table).
    pub algorithm: &'static str,
    /// Searched positions; `None` if the search did not finish within the limits.
    pub nodes: Option<u64>,
}

/// The most recorded nodes; the root's moves are recorded in any case.
const MAX_DRAWN: usize = 2000;
/// The node limit.
const MAX_NODES: u64 = 1_000_000;
/// The searches that share the time: the recorded one and the counted ones.
const SEARCHES: u32 = 5;
/// The library's searches sort this many moves and leave the others in generation order.
const MAX_ORDERED: usize = 12;

/// The compared algorithms and their players.
const COUNTED_PLAYERS: [(&str, &str); 4] = [
    ("minimax", "minimax"),
    ("alphabeta", "alphabeta"),
    ("ordered", "engine:order=game"),
    ("table", "engine:order=on,tt=1M"),
];

/// Records the tree of an alpha-beta search, and counts the nodes of the classic searches. Moves
/// are searched in generation order or, if `ordered`, by the game's move ordering.
pub fn tree(
    context: &PlayerContext,
    moves: &str,
    depth: u32,
    ordered: bool,
    limits: &Limits,
) -> Result<SearchTree, PositionViewError> {
    let mut position = unfinished(&context.game, moves)?.end;
    let limits = Limits {
        depth: Some(depth),
        nodes: Some(limits.nodes.map_or(MAX_NODES, |nodes| nodes.min(MAX_NODES))),
        time: limits.time.map(|time| time / SEARCHES),
        stop: limits.stop.clone(),
    };
    let meter = Meter::start(&limits);
    let (nodes, best_child) = (Vec::new(), Vec::new());
    let mut recorder =
        TreeRecorder { nodes, best_child, clock: 0, ordered, meter, all_drawn: true };
    let root = Window { depth, ply: 0, alpha: Score::MIN, beta: Score::MAX };
    let value = recorder.visit(&mut position, None, None, root);
    let counts = COUNTED_PLAYERS.into_iter().map(|(algorithm, player)| {
        Ok(NodeCount { algorithm, nodes: nodes_of(&position, player, context, &limits)? })
    });
    Ok(SearchTree {
        depth,
        to_move: position.to_move(),
        best: recorder.best_line(),
        complete: recorder.all_drawn && value.is_some(),
        counts: counts.collect::<Result<_, PositionViewError>>()?,
        nodes: recorder.nodes,
    })
}

/// The node count of a player's search; `None` if it does not reach the depth.
fn nodes_of(
    position: &State,
    player: &str,
    context: &PlayerContext,
    limits: &Limits,
) -> Result<Option<u64>, PositionViewError> {
    let mut search = tesuji_players::player(player)?.build_search(context)?;
    let report = search.run(position, limits);
    Ok((Some(report.depth) == limits.depth).then_some(report.nodes))
}

/// The depth, ply and window of a node.
#[derive(Clone, Copy)]
struct Window {
    depth: u32,
    ply: u32,
    alpha: Score,
    beta: Score,
}

struct TreeRecorder {
    nodes: Vec<TreeNode>,
    /// The best child of each node.
    best_child: Vec<Option<usize>>,
    clock: usize,
    ordered: bool,
    meter: Meter,
    all_drawn: bool,
}

impl TreeRecorder {
    /// Searches a position, and records it if there is room. Returns `None` if time ran out.
    fn visit(
        &mut self,
        position: &mut State,
        parent: Option<usize>,
        by: Option<BoardMove>,
        window: Window,
    ) -> Option<Score> {
        let id = self.enter(parent, by, &window);
        let value = if self.meter.tick() { None } else { self.value(position, id, window) };
        if let Some(id) = id {
            self.nodes[id].value = value;
            self.nodes[id].left = self.tick();
        }
        value
    }

    fn enter(
        &mut self,
        parent: Option<usize>,
        by: Option<BoardMove>,
        window: &Window,
    ) -> Option<usize> {
        let id = self.nodes.len();
        if window.ply > 1 && (parent.is_none() || id >= MAX_DRAWN) {
            self.all_drawn = false;
            if let Some(parent) = parent {
                self.nodes[parent].undrawn += 1;
            }
            return None;
        }
        let entered = self.tick();
        self.best_child.push(None);
        self.nodes.push(TreeNode {
            id,
            parent,
            step: by,
            alpha: (window.alpha > Score::MIN).then_some(window.alpha),
            beta: (window.beta < Score::MAX).then_some(window.beta),
            entered,
            left: entered,
            ..TreeNode::default()
        });
        Some(id)
    }

    fn tick(&mut self) -> usize {
        self.clock += 1;
        self.clock - 1
    }

    fn value(
        &mut self,
        position: &mut State,
        id: Option<usize>,
        mut window: Window,
    ) -> Option<Score> {
        if let Some(outcome) = position.outcome() {
            return Some(terminal_score(outcome, Side::First, window.ply));
        }
        let first = position.to_move() == Side::First;
        if window.depth == 0 {
            let estimate = Score::estimate(position.estimate().unwrap_or(0));
            return Some(if first { estimate } else { -estimate });
        }
        let moves = self.moves(position);
        let mut best = if first { Score::MIN } else { Score::MAX };
        for (tried, &m) in moves.iter().enumerate() {
            let (next, by) = (self.nodes.len(), id.map(|_| step(position, m)));
            let undo = position.play(m);
            let below = Window { depth: window.depth - 1, ply: window.ply + 1, ..window };
            let value = self.visit(position, id, by, below);
            position.undo(m, undo);
            let value = value?;
            if if first { value > best } else { value < best } {
                best = value;
                if let Some(id) = id {
                    self.best_child[id] = (self.nodes.len() > next).then_some(next);
                }
            }
            if first {
                window.alpha = window.alpha.max(value);
            } else {
                window.beta = window.beta.min(value);
            }
            if window.alpha >= window.beta {
                if let Some(id) = id {
                    self.nodes[id].cut = true;
                    self.nodes[id].skipped = moves.len() - tried - 1;
                }
                break;
            }
        }
        Some(best)
    }

    /// The moves in search order, which is that of the library's searches.
    fn moves(&self, position: &State) -> Vec<Move> {
        let moves = position.legal_moves();
        if !self.ordered {
            return moves;
        }
        let mut places: Vec<usize> = (0..moves.len()).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(position.move_score(moves[place])));
        places[MAX_ORDERED.min(moves.len())..].sort_unstable();
        places.into_iter().map(|place| moves[place]).collect()
    }

    fn best_line(&self) -> Vec<usize> {
        let root = self.nodes.first().filter(|root| root.value.is_some()).map(|_| 0);
        std::iter::successors(root, |&id| self.best_child[id]).collect()
    }
}
