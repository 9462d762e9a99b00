//! The tree that alpha-beta walks through, node by node: a search that is slow and obvious, and writes down what it
//! does. All values are those of the first side, which takes the largest; the second side takes the smallest.

use serde::Serialize;
use tesuji_games::{Move, Position, Score, Side, State};
use tesuji_play::PlayerContext;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, Meter};

use super::snapshot::{Step, step};
use super::{DeskError, unfinished};

/// A search tree to be drawn.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchTree {
    /// Plies from the root to the leaves.
    pub depth: u32,
    /// Who is to move at the root.
    pub to_move: Side,
    /// In the order in which they were entered; the root comes first.
    pub nodes: Vec<TreeNode>,
    /// The way of best play from the root, as far as it is drawn.
    pub best: Vec<usize>,
    /// Whether every node that was looked at is drawn, and none was left to be looked at.
    pub complete: bool,
    /// How many positions the searches of the library look at, to the same depth.
    pub counts: Vec<NodeCount>,
}

/// A node of a [`SearchTree`].
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TreeNode {
    /// Its place in the list.
    pub id: usize,
    /// The node above it.
    pub parent: Option<usize>,
    /// The move that leads to it.
    pub step: Option<Step>,
    /// What the first side had already when the node was entered, if anything.
    pub alpha: Option<Score>,
    /// What the second side had already when the node was entered, if anything.
    pub beta: Option<Score>,
    /// What the node is worth to the first side, as far as its moves were looked at: `None` if there was no time. Wins
    /// and losses are counted from the root.
    pub value: Option<Score>,
    /// When it was entered: entering and leaving a node are one tick each.
    pub entered: usize,
    /// When it was left.
    pub left: usize,
    /// Whether it ended early, since one side would never let it come to this.
    pub cut: bool,
    /// How many of its moves were therefore never looked at.
    pub skipped: usize,
    /// How many of its moves were looked at and are not drawn.
    pub undrawn: usize,
}

/// What one of the four searches costs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeCount {
    /// `minimax`, `alphabeta`, `ordered` (good moves first) or `table` (and no position twice).
    pub algorithm: &'static str,
    /// Positions that it looked at; `None` if it was not done within the limits.
    pub nodes: Option<u64>,
}

/// So many nodes are drawn, and the root's moves in any case.
const MOST_DRAWN: usize = 2000;
/// So many are looked at.
const MOST_NODES: u64 = 1_000_000;
/// Searches that share the time: the one that is drawn, and those that are counted.
const SEARCHES: u32 = 5;
/// The library's searches put so many moves in order; the others come as they lie.
const PUT_IN_ORDER: usize = 12;

/// The algorithms that are compared, as players.
const COUNTED: [(&str, &str); 4] = [
    ("minimax", "minimax"),
    ("alphabeta", "alphabeta"),
    ("ordered", "negaalphabeta:order=game"),
    ("table", "negaalphabeta:order=on,tt=1M"),
];

/// The tree that alpha-beta walks through, and what the classic searches cost. Moves are looked at as the rules have
/// them, or `ordered`: those that the game thinks most of come first.
pub fn tree(
    context: &PlayerContext,
    moves: &str,
    depth: u32,
    ordered: bool,
    limits: &Limits,
) -> Result<SearchTree, DeskError> {
    let mut position = unfinished(&context.game, moves)?.end;
    let limits = Limits {
        depth: Some(depth),
        nodes: Some(limits.nodes.map_or(MOST_NODES, |nodes| nodes.min(MOST_NODES))),
        time: limits.time.map(|time| time / SEARCHES),
        stop: limits.stop.clone(),
    };
    let meter = Meter::start(&limits);
    let (nodes, best_child) = (Vec::new(), Vec::new());
    let mut recorder = Recorder { nodes, best_child, clock: 0, ordered, meter, all_drawn: true };
    let root = Window { depth, ply: 0, alpha: Score::MIN, beta: Score::MAX };
    let value = recorder.visit(&mut position, None, None, root);
    let counts = COUNTED.into_iter().map(|(algorithm, player)| {
        Ok(NodeCount { algorithm, nodes: nodes_of(&position, player, context, &limits)? })
    });
    Ok(SearchTree {
        depth,
        to_move: position.to_move(),
        best: recorder.best_way(),
        complete: recorder.all_drawn && value.is_some(),
        counts: counts.collect::<Result<_, DeskError>>()?,
        nodes: recorder.nodes,
    })
}

/// How many positions a player's search looks at, if it gets to the depth.
fn nodes_of(
    position: &State,
    player: &str,
    context: &PlayerContext,
    limits: &Limits,
) -> Result<Option<u64>, DeskError> {
    let mut search = tesuji_players::player(player)?.build_search(context)?;
    let report = search.run(position, limits);
    Ok((Some(report.depth) == limits.depth).then_some(report.nodes))
}

/// Where a node is, and what would matter there.
#[derive(Clone, Copy)]
struct Window {
    depth: u32,
    ply: u32,
    alpha: Score,
    beta: Score,
}

struct Recorder {
    nodes: Vec<TreeNode>,
    /// By node: the move to be played there.
    best_child: Vec<Option<usize>>,
    clock: usize,
    ordered: bool,
    meter: Meter,
    all_drawn: bool,
}

impl Recorder {
    /// Looks at a position, and draws it if there is room. `None`: there was no time.
    fn visit(
        &mut self,
        position: &mut State,
        parent: Option<usize>,
        by: Option<Step>,
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

    fn enter(&mut self, parent: Option<usize>, by: Option<Step>, window: &Window) -> Option<usize> {
        let id = self.nodes.len();
        if window.ply > 1 && (parent.is_none() || id >= MOST_DRAWN) {
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

    /// The moves in the order in which they are looked at, which is that of the library's searches.
    fn moves(&self, position: &State) -> Vec<Move> {
        let moves = position.legal_moves();
        if !self.ordered {
            return moves;
        }
        let mut places: Vec<usize> = (0..moves.len()).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(position.move_score(moves[place])));
        places[PUT_IN_ORDER.min(moves.len())..].sort_unstable();
        places.into_iter().map(|place| moves[place]).collect()
    }

    fn best_way(&self) -> Vec<usize> {
        let root = self.nodes.first().filter(|root| root.value.is_some()).map(|_| 0);
        std::iter::successors(root, |&id| self.best_child[id]).collect()
    }
}
