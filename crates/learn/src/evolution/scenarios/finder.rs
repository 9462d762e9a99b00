//! Finds scenarios in games with many mistakes, and proves their answers.

use tesuji_games::random::{Rng, unit};
use tesuji_games::{Position, RowBoard, RowPosition, Score, Side};
use tesuji_search::{Engine, EngineOptions, Limits, Search, TableSize, ZeroEvaluator};

use super::{Scenario, ScenarioKind};
use crate::evolution::seeds::{SeedPurpose, SeedSource};
use crate::forest::{LineOrder, heuristic_move};

/// The maximum number of games to search for each kind. A kind that does not occur is left out.
const GAMES: u64 = 300;
/// The probability of a random move in these games, which creates mistakes to punish.
const RANDOM_MOVE_PROBABILITY: f64 = 0.25;
/// The maximum cost of one proof, in nodes.
const NODES: u64 = 50_000;
/// The maximum cost of all proofs of a kind. Counted in nodes, so that every machine finds the same
/// positions.
const ALL_NODES: u64 = 5_000_000;

/// Finds scenarios of a kind.
pub(super) struct ScenarioFinder {
    start: RowBoard,
    order: LineOrder,
    prover: Engine<RowBoard, ZeroEvaluator>,
    /// The number of stones per turn.
    stones_per_turn: u32,
    /// The cost of the proofs so far, in nodes.
    nodes_spent: u64,
}

impl ScenarioFinder {
    pub(super) fn new(start: &RowBoard) -> ScenarioFinder {
        let options =
            EngineOptions { table: Some(TableSize::megabytes(4)), ..EngineOptions::exact() };
        ScenarioFinder {
            start: start.clone(),
            order: LineOrder::new(&start.grid()),
            prover: Engine::new(ZeroEvaluator, options),
            stones_per_turn: stones_per_turn(start),
            nodes_spent: 0,
        }
    }

    /// The first `count` scenarios of a kind, at most one per game.
    pub(super) fn collect(
        &mut self,
        kind: ScenarioKind,
        count: usize,
        seeds: &SeedSource,
    ) -> Vec<Scenario> {
        let mut found = Vec::new();
        self.nodes_spent = 0;
        for game in 0..GAMES {
            if found.len() >= count || self.nodes_spent > ALL_NODES {
                break;
            }
            let mut rng = seeds.rng(SeedPurpose::Scenario, &[kind as u64, game]);
            found.extend(self.find_in_game(kind, &mut rng));
        }
        found
    }

    fn find_in_game(&mut self, kind: ScenarioKind, rng: &mut Rng) -> Option<Scenario> {
        let mut position = self.start.clone();
        while position.outcome().is_none() {
            if let Some(answers) = self.answers(kind, &position) {
                return Some((position, answers));
            }
            let m = if unit(rng) < RANDOM_MOVE_PROBABILITY {
                position.random_move(rng)
            } else {
                heuristic_move(&position, &self.order, rng)
            };
            position.play(m);
        }
        None
    }

    /// The moves that solve a position, if it is of this kind. A position that every move solves is
    /// not.
    fn answers(&mut self, kind: ScenarioKind, position: &RowBoard) -> Option<Vec<u16>> {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        let all = || moves.iter().copied();
        let answers: Vec<u16> = match kind {
            ScenarioKind::Attack => all().filter(|&m| wins_by(position, m)).collect(),
            _ if self.stones_per_turn != 1 || can_win_at_once(position) => return None,
            // Exactly one move leaves the opponent without a winning move.
            ScenarioKind::Defend => {
                let safe: Vec<u16> = all().filter(|&m| is_safe(position, m)).collect();
                Some(safe).filter(|safe| safe.len() == 1)?
            }
            // Neither side can win immediately, and threats are rare.
            ScenarioKind::Force if all().all(|m| is_safe(position, m)) => {
                let threats: Vec<u16> = all().filter(|&m| forces(position, m)).collect();
                Some(threats).filter(|threats| 3 * threats.len() <= moves.len())?
            }
            ScenarioKind::Force => return None,
            // Requires that some move forces: most wins in three begin so, and proving the others
            // costs far more.
            ScenarioKind::WinInThree => {
                let found = all().any(|m| forces(position, m))
                    && self.value(position, 5) == Some(Score::win_in(5));
                let wins = |m: &u16| {
                    self.value(&position_after(position, *m), 4) == Some(Score::loss_in(4))
                };
                all().filter(|_| found).filter(wins).collect()
            }
            // Most moves lose immediately, and the best ones a little later.
            ScenarioKind::Survive => {
                let unsafe_moves = all().filter(|&m| !is_safe(position, m)).count();
                let found = 2 * unsafe_moves > moves.len()
                    && unsafe_moves < moves.len()
                    && self.value(position, 4) == Some(Score::loss_in(4));
                let lasts = |m: &u16| {
                    self.value(&position_after(position, *m), 3) == Some(Score::win_in(3))
                };
                all().filter(|_| found).filter(lasts).collect()
            }
        };
        (!answers.is_empty() && answers.len() < moves.len()).then_some(answers)
    }

    /// The value of an unfinished position within `depth` plies; `None` if it costs too much.
    fn value(&mut self, position: &RowBoard, depth: u32) -> Option<Score> {
        if position.outcome().is_some() {
            return None;
        }
        self.prover.forget();
        let limits = Limits { nodes: Some(NODES), ..Limits::depth(depth) };
        let report = self.prover.run(position, &limits);
        self.nodes_spent += report.nodes;
        (report.depth == depth || report.score.is_decided()).then_some(report.score)
    }
}

pub(super) fn position_after(position: &RowBoard, m: u16) -> RowBoard {
    let mut next = position.clone();
    next.play(m);
    next
}

fn wins_by(position: &RowBoard, m: u16) -> bool {
    let winner = position_after(position, m).outcome().and_then(|outcome| outcome.winner());
    winner == Some(position.to_move())
}

/// Whether the opponent cannot win immediately after this move.
fn is_safe(position: &RowBoard, m: u16) -> bool {
    !can_win_at_once(&position_after(position, m))
}

/// Whether most replies to this move lose immediately: a threat that must be answered.
fn forces(position: &RowBoard, m: u16) -> bool {
    let next = position_after(position, m);
    let (mut answers, mut losing) = (0, 0);
    next.for_each_move(|answer| {
        answers += 1;
        losing += u32::from(can_win_at_once(&position_after(&next, answer)));
    });
    2 * losing > answers
}

/// Whether the side to move has a winning move.
fn can_win_at_once(position: &RowBoard) -> bool {
    if position.outcome().is_some() {
        return false;
    }
    if RowBoard::FINDS_WINS {
        return position.winning_move().is_some();
    }
    let mut wins = false;
    position.for_each_move(|m| wins = wins || wins_by(position, m));
    wins
}

/// The number of stones per turn, except in the first turn.
fn stones_per_turn(start: &RowBoard) -> u32 {
    let (mut position, mut stones, mut moves) = (start.clone(), 0, Vec::new());
    while position.outcome().is_none() && (stones == 0 || position.to_move() == Side::Second) {
        stones += u32::from(position.to_move() == Side::Second);
        moves.clear();
        position.push_moves(&mut moves);
        position.play(moves[0]);
    }
    stones
}
