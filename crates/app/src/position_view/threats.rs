//! Forced wins in five in a row: by continuous fours (VCF), or by continuous threats (VCT).

use serde::Serialize;
use tesuji_games::Side;
use tesuji_gomoku::{Board, Cell, MoveClass, Vcf, VcfOutcome, Vct, VctOutcome};
use tesuji_play::PlayerContext;
use tesuji_players::five_in_a_row::FiveInARow;
use tesuji_players::gomoku::board_of;
use tesuji_search::{Limits, TableSize};

use super::snapshot::BoardMove;
use super::{PositionViewError, unfinished};

/// The forced wins of both sides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Threats {
    /// The side to move.
    pub side: Side,
    /// Its forced win.
    #[serde(flatten)]
    pub own: ForcedLine,
    /// The forced win of the other side if it were to move.
    pub against: ForcedLine,
}

/// A winning line of threats and their answers, if there is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ForcedLine {
    /// Whether a win was found.
    pub found: bool,
    /// `fours` if every move threatens to make five; `threats` if some moves threaten to make an
    /// open four.
    pub kind: Option<&'static str>,
    /// Threats and answers, alternating.
    pub line: Vec<BoardMove>,
    /// Whether the search was complete; if not, an undetected win is possible.
    pub sure: bool,
}

/// The node limit for a win by fours.
const MAX_FOUR_NODES: u64 = 100_000;
/// The node limit for a win by threats.
const MAX_THREAT_NODES: u64 = 300_000;
/// The searches of both sides and those that extend a line to its end share the time.
const TIME_SHARES: u32 = 4;
/// The most moves that a line is extended beyond its proof.
const MAX_EXTENSION: usize = 40;
/// Memory for the proof search.
const TABLE_SIZE: TableSize = TableSize::megabytes(4);

/// Searches the forced wins of both sides in a game of five in a row.
pub fn threats(
    context: &PlayerContext,
    moves: &str,
    limits: &Limits,
) -> Result<Threats, PositionViewError> {
    let position = unfinished(&context.game, moves)?.end;
    let game = FiveInARow::for_player("the threats view", context)?;
    let board = board_of(&position, game).map_err(PositionViewError::invalid_position)?;
    let side = board.to_move();
    let limits = Limits {
        depth: None,
        nodes: Some(MAX_THREAT_NODES),
        time: limits.time.map(|time| time / TIME_SHARES),
        stop: limits.stop.clone(),
    };
    let mut search = ThreatSearch { vcf: Vcf::new(), vct: Vct::new(TABLE_SIZE), limits };
    Ok(Threats {
        side,
        own: search.forced_line(&board, side),
        against: search.forced_line(&board, !side),
    })
}

struct ThreatSearch {
    vcf: Vcf,
    vct: Vct,
    limits: Limits,
}

impl ThreatSearch {
    fn forced_line(&mut self, board: &Board, attacker: Side) -> ForcedLine {
        let mut turn = board.clone();
        if turn.to_move() != attacker {
            turn.pass();
        }
        let (kind, line, sure) =
            match self.vcf.shortest(&mut turn.clone(), attacker, MAX_FOUR_NODES) {
                VcfOutcome::Win(line) => (Some("fours"), line, true),
                fours => match self.vct.solve(&turn, attacker, &self.limits) {
                    VctOutcome::Win(line) => (Some("threats"), self.extended(&turn, &line), true),
                    threats => {
                        let sure = fours == VcfOutcome::None && threats == VctOutcome::None;
                        (None, Vec::new(), sure)
                    }
                },
            };
        ForcedLine { found: kind.is_some(), kind, line: line_moves(&turn, &line), sure }
    }

    /// Extends a proof to the end of the game; the proof itself ends at the last threat that needs
    /// a search.
    fn extended(&mut self, board: &Board, proof: &[Cell]) -> Vec<Cell> {
        let (attacker, mut board, mut line) = (board.to_move(), board.clone(), proof.to_vec());
        proof.iter().for_each(|&cell| board.play(cell));
        while board.winner().is_none() && line.len() < proof.len() + MAX_EXTENSION {
            if board.to_move() == attacker
                && let VcfOutcome::Win(rest) =
                    self.vcf.shortest(&mut board, attacker, MAX_FOUR_NODES)
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

    /// Returns the next threat, or the answer to the last one.
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

/// Converts a line of cells to alternating moves.
fn line_moves(board: &Board, line: &[Cell]) -> Vec<BoardMove> {
    let sides = [board.to_move(), !board.to_move()].into_iter().cycle();
    let step = |(&cell, side): (&Cell, Side)| BoardMove {
        text: cell.to_string(),
        side,
        cells: vec![(board.height() - 1 - cell.row()) * board.width() + cell.column()],
    };
    line.iter().zip(sides).map(step).collect()
}
