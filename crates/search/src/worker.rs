//! One thread of an [`Engine`](crate::Engine): alpha-beta in negamax form with all features of
//! [`EngineOptions`]. The only implementation of the recursion.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_games::{Position, Score, Side, Symmetries};

use crate::limits::MAX_DEPTH;
use crate::options::{EngineOptions, WindowMode};
use crate::ordering::MovePicker;
use crate::principal_variation::PrincipalVariations;
use crate::quiescence::Quiescence;
use crate::shared_table::BusyPositions;
use crate::terminal::terminal_score;
use crate::transposition::{Bound, DepthMatch, TableEntry, TableKey, TranspositionTable};
use crate::{Evaluator, Limits, Meter};

/// The position, buffers and counters of a thread, kept between searches.
pub(crate) struct Worker<P: Position, E> {
    pub(crate) position: P,
    pub(crate) lines: PrincipalVariations<P::Move>,
    pub(crate) meter: Meter,
    evaluator: E,
    pub(crate) picker: MovePicker<P>,
    quiescence: Option<Quiescence<P>>,
    table: Option<Arc<TranspositionTable>>,
    symmetries: Option<Symmetries<P>>,
    depth_match: DepthMatch,
    window: WindowMode,
    win_detection: bool,
    /// The number of the search for which it is prepared.
    pub(crate) search: u64,
    /// The move to search first at the root.
    pub(crate) first_move: Option<P::Move>,
    /// Set while other threads search the same tree.
    pub(crate) busy_positions: Option<Arc<BusyPositions>>,
    /// A flag that ends the current search on all threads.
    halt: Arc<AtomicBool>,
    stopped: bool,
    /// The number of lines cut off by the horizon, in this search or in the table entries it used.
    /// If it does not grow below a node, no greater depth changes the value of the node.
    horizon_hits: u64,
}

/// The minimum depth of nodes in the table. Just above the leaves a memory access takes longer than
/// evaluating the children (measured 1.4× on Connect Four; at depth 2 the table pays off).
const MIN_TABLE_DEPTH: u32 = 2;

/// The minimum depth for looking up all children in the table; below it this costs more than it
/// saves.
const MIN_CHILD_PROBE_DEPTH: u32 = 4;

/// A node while its moves are searched.
pub(crate) struct Node<M> {
    side: Side,
    pub(crate) depth: u32,
    pub(crate) ply: u32,
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
    pub(crate) best: Score,
    best_move: Option<M>,
    searched: u32,
    /// Whether the principal variation is needed: not in a null window, but always at the root.
    needs_line: bool,
}

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    pub(crate) fn new(
        position: &P,
        evaluator: E,
        options: &EngineOptions<P>,
        table: Option<Arc<TranspositionTable>>,
        halt: Arc<AtomicBool>,
    ) -> Self {
        Worker {
            position: position.clone(),
            lines: PrincipalVariations::new(),
            meter: Meter::start(&Limits::default()),
            evaluator,
            picker: MovePicker::new(position, options.ordering),
            quiescence: options
                .quiescence
                .map(|forcing| Quiescence::new(forcing, options.quiescence_depth)),
            table,
            symmetries: options.symmetries,
            depth_match: options.depth_match,
            window: options.window,
            win_detection: options.win_detection,
            search: 0,
            first_move: None,
            busy_positions: None,
            halt,
            stopped: false,
            horizon_hits: 0,
        }
    }

    /// Prepares a new search.
    pub(crate) fn prepare(&mut self, position: &P, limits: &Limits) {
        self.position.clone_from(position);
        self.evaluator.start(position);
        self.picker.prepare(position);
        self.meter = Meter::start(limits);
        self.first_move = None;
        self.horizon_hits = 0;
    }

    pub(crate) fn forget(&mut self) {
        self.picker.forget();
    }

    /// Whether the last search was interrupted; its return value is then invalid.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The number that is mixed into position keys to get table keys.
    pub(crate) fn salt(&self) -> u64 {
        self.evaluator.salt()
    }

    /// The evaluator's estimate of the root.
    pub(crate) fn estimate(&mut self) -> Score {
        Score::estimate(self.evaluator.evaluate(&self.position))
    }

    pub(crate) fn horizon_hits(&self) -> u64 {
        self.horizon_hits
    }

    /// The root's moves in search order.
    pub(crate) fn root_moves(&mut self, moves: &mut Vec<P::Move>) {
        let all = self.root_queue(None);
        moves.clear();
        for next in all.clone() {
            moves.push(self.picker.pick(&all, next));
        }
        self.picker.pop(all);
    }

    /// Searches the root, which must not be finished.
    pub(crate) fn search_root(&mut self, depth: u32, alpha: Score, beta: Score) -> Score {
        self.stopped = self.meter.tick();
        self.value(depth, 0, alpha, beta)
    }

    /// Searches one root move to `depth` plies after it. With `null_first`, a null-window search
    /// must first show that it is better than alpha.
    pub(crate) fn search_root_move(
        &mut self,
        m: P::Move,
        depth: u32,
        (alpha, beta): (Score, Score),
        null_first: bool,
    ) -> Score {
        self.stopped = self.meter.is_stopped() || self.halt.load(Relaxed);
        self.lines.end_at(0);
        let mut node = Node::new(self.position.to_move(), depth + 1, 0, alpha, beta);
        node.searched = u32::from(null_first);
        let _ = self.search_move(&mut node, m);
        node.best
    }

    /// The value of the unfinished position for the side to move if it lies between alpha and beta;
    /// otherwise a bound on the same side of the window.
    fn value(&mut self, depth: u32, ply: u32, alpha: Score, beta: Score) -> Score {
        self.lines.end_at(ply);
        if depth == 0 {
            return self.leaf_value(ply, (alpha, beta));
        }
        if self.win_detection
            && let Some(m) = self.position.winning_move()
        {
            self.lines.end_with(ply, m);
            return Score::win_in(ply + 1);
        }
        self.stopped |= self.halt.load(Relaxed);
        let (alpha, beta) = match self.possible_window(ply, alpha, beta) {
            ControlFlow::Continue(window) => window,
            ControlFlow::Break(score) => return score,
        };
        let key = self.key(depth);
        let entry = self.probe(key, depth);
        if let Some(score) = self.decisive_score(entry, depth, ply, (alpha, beta)) {
            return score;
        }
        let table_move = entry.and_then(|entry| entry.best);
        let horizon_hits = self.horizon_hits;
        let mut node = Node::new(self.position.to_move(), depth, ply, alpha, beta);
        let all = match ply {
            0 => self.root_queue(table_move),
            _ => self.candidates(ply, table_move),
        };
        let cutoff = self
            .cutoff_from_children(&node, &all)
            .or_else(|| self.search_moves(&mut node, &all, key));
        self.picker.pop(all);
        if let Some(score) = cutoff {
            return score;
        }
        if !self.stopped {
            self.store(key, &node, alpha, self.horizon_hits == horizon_hits);
        }
        node.best
    }

    /// Narrows the window to possible values: a game that is not over takes at least one more move
    /// to lose, and at least two to win when no move wins at once.
    #[inline]
    fn possible_window(
        &self,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> ControlFlow<Score, (Score, Score)> {
        if !self.win_detection {
            return ControlFlow::Continue((alpha, beta));
        }
        let soonest = if P::FINDS_WINS { ply + 2 } else { ply + 1 };
        let (worst, best) = (Score::loss_in(ply + 1), Score::win_in(soonest));
        if alpha >= best {
            ControlFlow::Break(best)
        } else if beta <= worst {
            ControlFlow::Break(worst)
        } else {
            // A move that reaches `best` ends the node: no move can be better.
            ControlFlow::Continue((alpha.max(worst.previous()), beta.min(best)))
        }
    }

    #[inline]
    fn leaf_value(&mut self, ply: u32, window: (Score, Score)) -> Score {
        self.horizon_hits += 1;
        match &mut self.quiescence {
            None => Score::estimate(self.evaluator.evaluate(&self.position)),
            Some(quiescence) => quiescence.value(
                &mut self.position,
                &mut self.evaluator,
                &mut self.meter,
                ply,
                window,
            ),
        }
    }

    /// The position's key in the table. Nodes that the table does not store need no canonical key.
    #[inline]
    pub(crate) fn key(&self, depth: u32) -> TableKey {
        let symmetries = self.symmetries.filter(|_| depth >= MIN_TABLE_DEPTH);
        TableKey::of(&self.position, symmetries, self.evaluator.salt())
    }

    #[inline]
    pub(crate) fn probe(&self, key: TableKey, depth: u32) -> Option<TableEntry> {
        if depth < MIN_TABLE_DEPTH { None } else { self.table.as_ref()?.get_image(key) }
    }

    /// The score of a table entry if it decides the node. Not at the root, where a move is needed.
    #[inline]
    pub(crate) fn decisive_score(
        &mut self,
        entry: Option<TableEntry>,
        depth: u32,
        ply: u32,
        window: (Score, Score),
    ) -> Option<Score> {
        let entry = entry.filter(|_| ply > 0)?;
        let score = entry.decisive_score(depth, ply, window, self.depth_match)?;
        self.horizon_hits += u64::from(!entry.holds_at_any_depth(depth));
        Some(score)
    }

    #[inline]
    fn candidates(&mut self, ply: u32, table_move: Option<u16>) -> Range<usize> {
        self.picker.push(&self.position, &mut self.evaluator, ply, table_move)
    }

    fn root_queue(&mut self, table_move: Option<u16>) -> Range<usize> {
        let all = self.candidates(0, table_move);
        if let Some(first) = self.first_move {
            self.picker.bring_to_front(&all, first);
        }
        all
    }

    /// Searches the moves until one causes a cutoff.
    #[inline]
    fn search_moves(
        &mut self,
        node: &mut Node<P::Move>,
        all: &Range<usize>,
        key: TableKey,
    ) -> Option<Score> {
        if self.busy_positions.is_some() && node.depth >= BusyPositions::MIN_DEPTH {
            return self.search_moves_with_others(node, all, key);
        }
        for next in all.clone() {
            let m = self.picker.pick(all, next);
            if self.search_move(node, m).is_break() {
                break;
            }
        }
        None
    }

    #[inline]
    pub(crate) fn search_move(&mut self, node: &mut Node<P::Move>, m: P::Move) -> ControlFlow<()> {
        self.evaluator.before_play(&self.position, m);
        let undo = self.position.play(m);
        self.stopped |= self.meter.tick();
        let score = self.value_after_move(node);
        self.position.undo(m, undo);
        self.evaluator.after_undo(&self.position, m);
        if self.stopped {
            return ControlFlow::Break(());
        }
        node.searched += 1;
        if score <= node.best {
            return ControlFlow::Continue(());
        }
        node.best = score;
        if score > node.alpha {
            node.alpha = score;
            node.best_move = Some(m);
            if node.needs_line {
                self.lines.prepend(node.ply, m);
            }
            if score >= node.beta {
                self.picker.reward_cutoff(&self.position, m, node.depth, node.ply);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// The value of the position after a move of `node`, for the side that played it.
    #[inline]
    fn value_after_move(&mut self, node: &Node<P::Move>) -> Score {
        if let Some(outcome) = self.position.outcome() {
            self.lines.end_at(node.ply + 1);
            return terminal_score(outcome, node.side, node.ply + 1);
        }
        if self.window == WindowMode::PrincipalVariation && node.searched > 0 && node.depth > 1 {
            let score = self.value_for(node, node.alpha, node.alpha.next());
            if self.stopped || score <= node.alpha || score >= node.beta {
                return score;
            }
        }
        self.value_for(node, node.alpha, node.beta)
    }

    /// The sign changes with the side to move, not at every ply.
    #[inline]
    fn value_for(&mut self, node: &Node<P::Move>, alpha: Score, beta: Score) -> Score {
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        if self.position.to_move() == node.side {
            self.value(depth, ply, alpha, beta)
        } else {
            -self.value(depth, ply, -beta, -alpha)
        }
    }

    /// Enhanced transposition cutoff: a child's table entry that causes a cutoff before any move is
    /// searched (Schaeffer and Plaat, 1996). Saves a seventh of the nodes on Connect Four.
    #[inline]
    fn cutoff_from_children(&mut self, node: &Node<P::Move>, all: &Range<usize>) -> Option<Score> {
        if node.depth < MIN_CHILD_PROBE_DEPTH || node.ply == 0 || self.table.is_none() {
            return None;
        }
        all.clone().find_map(|index| {
            let m = self.picker.at(index);
            let undo = self.position.play(m);
            let score = self.probe_after_move(node).filter(|&score| score >= node.beta);
            self.position.undo(m, undo);
            score
        })
    }

    /// The table score of the position after a move of `node`, for the side that played it.
    #[inline]
    fn probe_after_move(&mut self, node: &Node<P::Move>) -> Option<Score> {
        if self.position.outcome().is_some() {
            return None;
        }
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        let entry = self.probe(self.key(depth), depth);
        if self.position.to_move() == node.side {
            self.decisive_score(entry, depth, ply, (node.alpha, node.beta))
        } else {
            self.decisive_score(entry, depth, ply, (-node.beta, -node.alpha)).map(|score| -score)
        }
    }

    #[inline]
    fn store(&self, key: TableKey, node: &Node<P::Move>, alpha: Score, settled: bool) {
        let Some(table) = self.table.as_ref().filter(|_| node.depth >= MIN_TABLE_DEPTH) else {
            return;
        };
        let bound = if node.best >= node.beta {
            Bound::Lower
        } else if node.best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best = node.best_move.map(|m| self.position.move_index(m) as u16);
        let score = node.best.nearer(node.ply);
        let depth = node.depth.min(MAX_DEPTH);
        table.put_image(key, TableEntry { score, bound, depth, settled, best });
    }
}

impl<M> Node<M> {
    #[inline]
    fn new(side: Side, depth: u32, ply: u32, alpha: Score, beta: Score) -> Self {
        Node {
            side,
            depth,
            ply,
            alpha,
            beta,
            best: Score::MIN,
            best_move: None,
            searched: 0,
            needs_line: ply == 0 || alpha.next() < beta,
        }
    }
}
