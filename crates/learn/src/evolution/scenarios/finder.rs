//! Looks through careless games for positions of a kind, and proves the answers.

use tesuji_games::random::{Rng, unit};
use tesuji_games::{Position, RowBoard, Score, Stones};
use tesuji_search::{Engine, EngineOptions, Limits, Search, TableSize, Zero};

use super::{Kind, Scenario};
use crate::evolution::chance::{Chance, Purpose};
use crate::forest::{LineOrder, heuristic_move};

/// Games that are looked through for each kind, at most. A kind that a game does not have is left out.
const GAMES: u64 = 300;
/// How often a player of these games moves at random, so that there are mistakes to be punished.
const CARELESS: f64 = 0.25;
/// What the proof of one position may cost, in nodes.
const NODES: u64 = 50_000;
/// What all proofs of a kind may cost. Counted in nodes, so that the same positions are found on any machine.
const ALL_NODES: u64 = 5_000_000;

/// Looks for positions of a kind.
pub(super) struct Finder {
    start: RowBoard,
    order: LineOrder,
    prover: Engine<RowBoard, Zero>,
    /// Stones a turn.
    turn: u32,
    /// What proofs have cost so far.
    spent: u64,
}

impl Finder {
    pub(super) fn new(start: &RowBoard) -> Finder {
        let options =
            EngineOptions { table: Some(TableSize::megabytes(4)), ..EngineOptions::exact() };
        Finder {
            start: start.clone(),
            order: LineOrder::new(&start.grid()),
            prover: Engine::new(Zero, options),
            turn: stones_a_turn(start),
            spent: 0,
        }
    }

    /// The first so many positions of a kind, one from each game at most.
    pub(super) fn collect(&mut self, kind: Kind, count: usize, chance: &Chance) -> Vec<Scenario> {
        let mut found = Vec::new();
        self.spent = 0;
        for game in 0..GAMES {
            if found.len() >= count || self.spent > ALL_NODES {
                break;
            }
            let mut rng = chance.rng(Purpose::Scenario, &[kind as u64, game]);
            found.extend(self.in_one_game(kind, &mut rng));
        }
        found
    }

    fn in_one_game(&mut self, kind: Kind, rng: &mut Rng) -> Option<Scenario> {
        let mut position = self.start.clone();
        while position.outcome().is_none() {
            if let Some(answers) = self.answers(kind, &position) {
                return Some(Scenario { position, answers });
            }
            let careless = unit(rng) < CARELESS;
            let m = if careless {
                position.random_move(rng)
            } else {
                heuristic_move(&position, &self.order, rng)
            };
            position.play(m);
        }
        None
    }

    /// The moves that solve a position, if it is one of the kind. A position that every move solves is none.
    fn answers(&mut self, kind: Kind, position: &RowBoard) -> Option<Vec<u16>> {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        let answers = match kind {
            Kind::Attack => self.attacks(position, &moves),
            Kind::Defend => self.defences(position, &moves),
            Kind::Force => self.threats(position, &moves),
            Kind::WinInThree => self.wins_in_three(position, &moves),
            Kind::Survive => self.longest(position, &moves),
        };
        (!answers.is_empty() && answers.len() < moves.len()).then_some(answers)
    }

    fn attacks(&self, position: &RowBoard, moves: &[u16]) -> Vec<u16> {
        moves.iter().copied().filter(|&m| wins_by(position, m)).collect()
    }

    /// Only where exactly one move leaves the other side without a win in its next turn.
    fn defences(&self, position: &RowBoard, moves: &[u16]) -> Vec<u16> {
        if self.turn != 1 || can_win_at_once(position) {
            return Vec::new();
        }
        let safe: Vec<u16> = moves.iter().copied().filter(|&m| is_safe(position, m)).collect();
        if safe.len() == 1 { safe } else { Vec::new() }
    }

    /// Only in positions in which nobody wins at once, and where threats are rare.
    fn threats(&self, position: &RowBoard, moves: &[u16]) -> Vec<u16> {
        let quiet = || moves.iter().all(|&m| is_safe(position, m));
        if self.turn != 1 || can_win_at_once(position) || !quiet() {
            return Vec::new();
        }
        let found: Vec<u16> = moves.iter().copied().filter(|&m| forces(position, m)).collect();
        if 3 * found.len() <= moves.len() { found } else { Vec::new() }
    }

    /// Only where some move forces: most wins in three begin so, and to prove the others costs far more.
    fn wins_in_three(&mut self, position: &RowBoard, moves: &[u16]) -> Vec<u16> {
        let worth_a_proof = self.turn == 1
            && !can_win_at_once(position)
            && moves.iter().any(|&m| forces(position, m));
        if !worth_a_proof || self.value(position, 5) != Some(Score::win_in(5)) {
            return Vec::new();
        }
        let wins = |m: &u16| self.value(&after(position, *m), 4) == Some(Score::loss_in(4));
        moves.iter().copied().filter(wins).collect()
    }

    /// Only where most moves lose at once, and the best ones a little later.
    fn longest(&mut self, position: &RowBoard, moves: &[u16]) -> Vec<u16> {
        let unsafe_moves = moves.iter().filter(|&&m| !is_safe(position, m)).count();
        let pressed = self.turn == 1
            && !can_win_at_once(position)
            && 2 * unsafe_moves > moves.len()
            && unsafe_moves < moves.len();
        if !pressed || self.value(position, 4) != Some(Score::loss_in(4)) {
            return Vec::new();
        }
        let is_last = |m: &u16| self.value(&after(position, *m), 3) == Some(Score::win_in(3));
        moves.iter().copied().filter(is_last).collect()
    }

    /// The value of an unfinished position as far as wins and losses within `depth` plies go; `None` when that
    /// costs too much.
    fn value(&mut self, position: &RowBoard, depth: u32) -> Option<Score> {
        if position.outcome().is_some() {
            return None;
        }
        self.prover.forget();
        let limits = Limits { nodes: Some(NODES), ..Limits::depth(depth) };
        let report = self.prover.run(position, &limits);
        self.spent += report.nodes;
        (report.depth == depth || report.score.is_decided()).then_some(report.score)
    }
}

pub(super) fn after(position: &RowBoard, m: u16) -> RowBoard {
    let mut next = position.clone();
    next.play(m);
    next
}

fn wins_by(position: &RowBoard, m: u16) -> bool {
    let winner = after(position, m).outcome().and_then(|outcome| outcome.winner());
    winner == Some(position.to_move())
}

/// Whether the other side cannot win at once after this move.
fn is_safe(position: &RowBoard, m: u16) -> bool {
    !can_win_at_once(&after(position, m))
}

/// Whether most answers to this move lose at once: a threat that must be met.
fn forces(position: &RowBoard, m: u16) -> bool {
    let next = after(position, m);
    let (mut answers, mut losing) = (0, 0);
    next.for_each_move(|answer| {
        answers += 1;
        losing += u32::from(can_win_at_once(&after(&next, answer)));
    });
    2 * losing > answers
}

/// Whether the side to move has a move that wins.
fn can_win_at_once(position: &RowBoard) -> bool {
    if position.outcome().is_some() {
        return false;
    }
    if RowBoard::WIN_DETECTION {
        return position.winning_move().is_some();
    }
    let mut wins = false;
    position.for_each_move(|m| wins = wins || wins_by(position, m));
    wins
}

/// How many stones a side places in its turn, the very first turn aside.
fn stones_a_turn(start: &RowBoard) -> u32 {
    let mut position = start.clone();
    let mut stones = 0;
    for _ in 0..2 {
        let side = position.to_move();
        stones = 0;
        while position.outcome().is_none() && position.to_move() == side {
            let mut first = None;
            position.for_each_move(|m| first = first.or(Some(m)));
            let Some(m) = first else { break };
            position.play(m);
            stones += 1;
        }
    }
    stones
}
