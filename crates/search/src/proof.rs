//! Depth-first proof-number search (df-pn; Nagai, 2002): does a side win by force? It always
//! expands the position that needs the fewest further proofs, so it finds narrow wins far deeper
//! than alpha-beta.
//!
//! Positions are stored by key, without their history. In games where a line can repeat a position,
//! a *disproof* can therefore be wrong (the graph-history interaction problem), and also a proof
//! where repetition is a rule. In games that only fill the board both are exact.

use std::time::Duration;

use tesuji_games::{Move, Outcome, Playable, Position, Side};

use crate::transposition::TableSize;
use crate::{GameCapabilities, Limits, Meter, memory};

/// The result of a proof search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum ProofVerdict {
    /// The side wins by force.
    Proven,
    /// The side cannot force a win: the other side can at least draw.
    Disproven,
    /// The limits were reached.
    Unknown,
}

/// The report of a proof search.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Proof<M = Move> {
    /// The result.
    pub verdict: ProofVerdict,
    /// The move to play: it keeps the win if the winning side is to move, otherwise the other
    /// result.
    pub best: Option<M>,
    /// A line of the proof, as far as it is still in the table.
    pub line: Vec<M>,
    /// Positions visited.
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

/// Proves or disproves that a side wins by force.
pub struct ProofSearch<P: Position> {
    capabilities: GameCapabilities<P>,
    table: ProofTable,
}

impl<P: Playable> ProofSearch<P> {
    /// Creates a search that uses all capabilities of the game, with a table of this size.
    pub fn new(table: TableSize) -> Self {
        ProofSearch::with_capabilities(GameCapabilities::declared(), table)
    }
}

impl<P: Position> ProofSearch<P> {
    /// Creates a search with the given capabilities.
    pub fn with_capabilities(capabilities: GameCapabilities<P>, table: TableSize) -> Self {
        ProofSearch { capabilities, table: ProofTable::new(table) }
    }

    /// Determines whether `side` wins. Ignores `limits.depth`.
    pub fn prove(&mut self, position: &P, side: Side, limits: &Limits) -> Proof<P::Move> {
        self.table.clear();
        let mut search = DfpnSearch {
            position: position.clone(),
            attacker: side,
            capabilities: self.capabilities,
            table: &mut self.table,
            children: Vec::new(),
            buffer: Vec::new(),
            replies: Vec::new(),
            meter: Meter::start(limits),
            depth: 0,
            line_too_long: false,
        };
        let numbers = match search.immediate_numbers() {
            Some(numbers) => numbers,
            None => search.expand(Numbers { proof: UNREACHABLE, disproof: UNREACHABLE }),
        };
        let verdict = match numbers {
            Numbers { proof: 0, .. } => ProofVerdict::Proven,
            Numbers { disproof: 0, .. } if !search.line_too_long => ProofVerdict::Disproven,
            _ => ProofVerdict::Unknown,
        };
        let line = if verdict == ProofVerdict::Unknown { Vec::new() } else { search.line(verdict) };
        let (nodes, time) = (search.meter.nodes(), search.meter.elapsed());
        Proof { verdict, best: line.first().copied(), line, nodes, time }
    }
}

/// Proof and disproof number: the minimum number of leaves to decide for a proof or a disproof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

/// The number of a position that can no longer be proven.
const INFINITE: u32 = 1 << 30;
/// A threshold that only a decision reaches.
const UNREACHABLE: u32 = INFINITE;

impl Numbers {
    const PROVEN: Numbers = Numbers { proof: 0, disproof: INFINITE };
    const DISPROVEN: Numbers = Numbers { proof: INFINITE, disproof: 0 };

    fn decided(won: bool) -> Self {
        if won { Numbers::PROVEN } else { Numbers::DISPROVEN }
    }

    fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Swaps the numbers for the defender: an AND node for one side is an OR node for the other, so
    /// the same code handles both.
    fn for_chooser(self, chooser: Chooser) -> Numbers {
        match chooser {
            Chooser::Attacker => self,
            Chooser::Defender => Numbers { proof: self.disproof, disproof: self.proof },
        }
    }
}

/// The side to choose at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Chooser {
    Attacker,
    Defender,
}

struct Child<M> {
    m: M,
    numbers: Numbers,
}

/// The maximum length of a line; only games that repeat positions exceed it.
const MAX_LINE: u32 = 1000;

struct DfpnSearch<'s, P: Position> {
    position: P,
    attacker: Side,
    capabilities: GameCapabilities<P>,
    table: &'s mut ProofTable,
    /// The children of all nodes on the path, as one stack.
    children: Vec<Child<P::Move>>,
    buffer: Vec<P::Move>,
    replies: Vec<P::Move>,
    meter: Meter,
    depth: u32,
    line_too_long: bool,
}

impl<P: Position> DfpnSearch<'_, P> {
    fn chooser(&self) -> Chooser {
        if self.position.to_move() == self.attacker { Chooser::Attacker } else { Chooser::Defender }
    }

    /// The numbers of a finished game or an immediate win.
    fn immediate_numbers(&self) -> Option<Numbers> {
        if let Some(outcome) = self.position.outcome() {
            return Some(Numbers::decided(outcome == Outcome::Win(self.attacker)));
        }
        let wins = self.position.winning_move().is_some();
        wins.then(|| Numbers::decided(self.chooser() == Chooser::Attacker))
    }

    /// Expands the position until it is decided or a number reaches its threshold.
    fn expand(&mut self, threshold: Numbers) -> Numbers {
        if self.depth >= MAX_LINE {
            self.line_too_long = true;
            return Numbers::DISPROVEN;
        }
        let start = self.children.len();
        let nodes_before = self.meter.nodes();
        let chooser = self.chooser();
        let stopped = self.meter.tick();
        self.push_children();
        let numbers = loop {
            let node = NodeNumbers::of(&self.children[start..], chooser);
            let (chooser_numbers, limit) = (node.numbers, threshold.for_chooser(chooser));
            let is_threshold_reached =
                chooser_numbers.proof >= limit.proof || chooser_numbers.disproof >= limit.disproof;
            if is_threshold_reached
                || chooser_numbers.is_decided()
                || stopped
                || self.meter.is_stopped()
            {
                break chooser_numbers.for_chooser(chooser);
            }
            let best = start + node.best;
            let budget = node.budget(limit, self.children[best].numbers.for_chooser(chooser));
            let m = self.children[best].m;
            let undo = self.position.play(m);
            self.depth += 1;
            self.children[best].numbers = self.expand(budget.for_chooser(chooser));
            self.depth -= 1;
            self.position.undo(m, undo);
        };
        self.children.truncate(start);
        let work = self.meter.nodes() - nodes_before;
        self.table.put(self.position.key(), numbers, work as u32);
        numbers
    }

    fn push_children(&mut self) {
        self.buffer.clear();
        self.capabilities.push_relevant_moves(&self.position, &mut self.buffer);
        for next in 0..self.buffer.len() {
            let m = self.buffer[next];
            let undo = self.position.play(m);
            let numbers = self.child_numbers();
            self.position.undo(m, undo);
            self.children.push(Child { m, numbers });
        }
    }

    fn child_numbers(&mut self) -> Numbers {
        let known = self.table.get(self.position.key());
        known.or_else(|| self.immediate_numbers()).unwrap_or_else(|| self.initial_numbers())
    }

    /// The initial numbers: the number of replies estimates how many moves must be refuted. This
    /// leads the search to positions with few replies, such as those after a threat: (6,6,4) is
    /// proven with 0.4 million nodes, without the count not with 3 million.
    fn initial_numbers(&mut self) -> Numbers {
        let start = self.replies.len();
        self.capabilities.push_relevant_moves(&self.position, &mut self.replies);
        let replies = (self.replies.len() - start) as u32;
        self.replies.truncate(start);
        Numbers { proof: 1, disproof: replies.max(1) }.for_chooser(self.chooser())
    }

    /// Extracts the line of the proof from the table.
    fn line(&mut self, verdict: ProofVerdict) -> Vec<P::Move> {
        let target = Numbers::decided(verdict == ProofVerdict::Proven);
        let mut line = Vec::new();
        while self.position.outcome().is_none() && line.len() < MAX_LINE as usize {
            self.children.clear();
            self.push_children();
            let known = |child: &&Child<P::Move>| match verdict {
                ProofVerdict::Proven => child.numbers.proof == target.proof,
                _ => child.numbers.disproof == target.disproof,
            };
            let winning = self.position.winning_move();
            let known = self.children.iter().find(known).map(|child| child.m);
            let Some(m) = winning.or(known) else { break };
            self.position.play(m);
            line.push(m);
        }
        line
    }
}

/// The numbers of a node from its children, for the side to choose: one proven child suffices for a
/// proof, a disproof needs all.
struct NodeNumbers {
    numbers: Numbers,
    best: usize,
    /// The proof number of the second-best child.
    second: u32,
}

impl NodeNumbers {
    fn of<M>(children: &[Child<M>], chooser: Chooser) -> NodeNumbers {
        let mut node = NodeNumbers {
            numbers: Numbers { proof: INFINITE, disproof: 0 },
            best: 0,
            second: INFINITE,
        };
        for (index, child) in children.iter().enumerate() {
            let numbers = child.numbers.for_chooser(chooser);
            node.numbers.disproof = (node.numbers.disproof + numbers.disproof).min(INFINITE);
            if numbers.proof < node.numbers.proof {
                node.second = node.numbers.proof;
                node.numbers.proof = numbers.proof;
                node.best = index;
            } else {
                node.second = node.second.min(numbers.proof);
            }
        }
        if node.numbers.proof == 0 {
            node.numbers.disproof = INFINITE;
        }
        node
    }

    /// The thresholds for the best child: until it is clearly worse than the second-best (by a
    /// quarter, to avoid frequent switching; Pawlewicz and Lew, 2007) or the node itself reaches
    /// its threshold.
    fn budget(&self, limit: Numbers, best: Numbers) -> Numbers {
        let second_limit = (self.second + self.second / 4 + 1).min(INFINITE);
        Numbers {
            proof: limit.proof.min(second_limit),
            disproof: (limit.disproof - self.numbers.disproof + best.disproof).min(INFINITE),
        }
    }
}

/// The numbers of positions in buckets of four; replaces the entry with the least work.
struct ProofTable {
    entries: Vec<ProofEntry>,
    buckets: u64,
}

#[derive(Clone, Copy, Default)]
struct ProofEntry {
    key: u64,
    proof: u32,
    disproof: u32,
    /// The number of nodes in the subtree; 0 in an empty slot.
    work: u32,
}

const WAYS: usize = 4;

impl ProofTable {
    fn new(size: TableSize) -> Self {
        let count = (size.bytes() / (WAYS * size_of::<ProofEntry>()) as u64).max(1);
        let entries = memory::filled(count as usize * WAYS, ProofEntry::default);
        let buckets = (entries.len() / WAYS) as u64;
        ProofTable { entries, buckets }
    }

    fn clear(&mut self) {
        self.entries.fill(ProofEntry::default());
    }

    fn bucket(&self, key: u64) -> usize {
        ((u128::from(key) * u128::from(self.buckets)) >> 64) as usize * WAYS
    }

    fn get(&self, key: u64) -> Option<Numbers> {
        let start = self.bucket(key);
        let entry =
            self.entries[start..start + WAYS].iter().find(|s| s.work > 0 && s.key == key)?;
        Some(Numbers { proof: entry.proof, disproof: entry.disproof })
    }

    fn put(&mut self, key: u64, numbers: Numbers, work: u32) {
        let start = self.bucket(key);
        let bucket = &mut self.entries[start..start + WAYS];
        let index = match bucket.iter().position(|s| s.key == key) {
            Some(index) => index,
            None => (0..WAYS).min_by_key(|&index| bucket[index].work).unwrap_or(0),
        };
        let Numbers { proof, disproof } = numbers;
        let work = work.max(1);
        bucket[index] = ProofEntry { key, proof, disproof, work };
    }
}
