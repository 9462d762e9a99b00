//! Forced lines at five in a row: whether a side wins by fours alone, or by threats that must all be answered, and how.

use serde::Serialize;
use tesuji_games::Side;
use tesuji_gomoku::{Board, Cell, MoveClass, Vcf, VcfOutcome, Vct, VctOutcome};
use tesuji_play::PlayerContext;
use tesuji_players::five_in_a_row::FiveInARow;
use tesuji_players::gomoku::board_of;
use tesuji_search::{Limits, TableSize};

use super::snapshot::Step;
use super::{DeskError, unfinished};

/// What both sides can force.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Threats {
    /// The side to move.
    pub side: Side,
    /// What it can force.
    #[serde(flatten)]
    pub own: ForcedLine,
    /// What the other side could force, were it its turn.
    pub against: ForcedLine,
}

/// A line of threats and their answers, if there is one that wins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ForcedLine {
    /// Whether there is one.
    pub found: bool,
    /// What it consists of: `fours`, where every move threatens to make five, or `threats`, where some make a four
    /// that cannot be stopped.
    pub kind: Option<&'static str>,
    /// Threats and answers in turn.
    pub line: Vec<Step>,
    /// Whether everything was looked at: if not, there may be a line where none was found.
    pub sure: bool,
}

/// Positions that are looked at for a line of fours.
const MOST_FOURS: u64 = 100_000;
/// And for one of threats.
const MOST_THREATS: u64 = 300_000;
/// Both sides' searches, and those that play a line to its end, share the time.
const SHARES: u32 = 4;
/// No line is played on further than this beyond its proof.
const FURTHEST: usize = 40;
/// Memory for proofs.
const TABLE: TableSize = TableSize::megabytes(4);

/// What both sides can force by threats at five in a row.
pub fn threats(
    context: &PlayerContext,
    moves: &str,
    limits: &Limits,
) -> Result<Threats, DeskError> {
    let position = unfinished(&context.game, moves)?.end;
    let game = FiveInARow::for_player("the picture of threats", context)?;
    let board = board_of(&position, game).map_err(DeskError::position)?;
    let side = board.to_move();
    let limits = Limits {
        depth: None,
        nodes: Some(MOST_THREATS),
        time: limits.time.map(|time| time / SHARES),
        stop: limits.stop.clone(),
    };
    let mut search = Forcing { vcf: Vcf::new(), vct: Vct::new(TABLE), limits };
    Ok(Threats { side, own: search.look(&board, side), against: search.look(&board, !side) })
}

struct Forcing {
    vcf: Vcf,
    vct: Vct,
    limits: Limits,
}

impl Forcing {
    fn look(&mut self, board: &Board, attacker: Side) -> ForcedLine {
        let mut turn = board.clone();
        if turn.to_move() != attacker {
            turn.pass();
        }
        let (kind, line, sure) = match self.vcf.shortest(&mut turn.clone(), attacker, MOST_FOURS) {
            VcfOutcome::Win(line) => (Some("fours"), line, true),
            fours => match self.vct.solve(&turn, attacker, &self.limits) {
                VctOutcome::Win(line) => (Some("threats"), self.played_out(&turn, &line), true),
                threats => {
                    let sure = fours == VcfOutcome::None && threats == VctOutcome::None;
                    (None, Vec::new(), sure)
                }
            },
        };
        ForcedLine { found: kind.is_some(), kind, line: written(&turn, &line), sure }
    }

    /// A proof ends where anybody can see the win; here it goes on until there is one.
    fn played_out(&mut self, board: &Board, proof: &[Cell]) -> Vec<Cell> {
        let (attacker, mut board, mut line) = (board.to_move(), board.clone(), proof.to_vec());
        proof.iter().for_each(|&cell| board.play(cell));
        while board.winner().is_none() && line.len() < proof.len() + FURTHEST {
            if board.to_move() == attacker
                && let VcfOutcome::Win(rest) = self.vcf.shortest(&mut board, attacker, MOST_FOURS)
            {
                line.extend(rest);
                break;
            }
            let Some(next) = self.next(&board, attacker) else { break };
            board.play(next);
            line.push(next);
        }
        line
    }

    /// The next threat, or the answer to the last one.
    fn next(&mut self, board: &Board, attacker: Side) -> Option<Cell> {
        if board.to_move() != attacker {
            let fives = board.cells(attacker, MoveClass::Five);
            let places =
                if fives.is_empty() { board.cells(attacker, MoveClass::OpenFour) } else { fives };
            let mut allowed = None;
            places.for_each(|cell| {
                let may_play = || !board.is_forbidden(board.to_move(), cell);
                allowed = allowed.or_else(|| may_play().then_some(cell));
            });
            return allowed;
        }
        match self.vct.solve(board, attacker, &self.limits) {
            VctOutcome::Win(line) => line.first().copied(),
            _ => None,
        }
    }
}

/// A line of cells as moves of both sides in turn.
fn written(board: &Board, line: &[Cell]) -> Vec<Step> {
    let sides = [board.to_move(), !board.to_move()].into_iter().cycle();
    let step = |(&cell, side): (&Cell, Side)| Step {
        text: cell.to_string(),
        side,
        cells: vec![(board.height() - 1 - cell.row()) * board.width() + cell.column()],
    };
    line.iter().zip(sides).map(step).collect()
}
