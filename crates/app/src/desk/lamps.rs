//! A critic at work: the 81 numbers that it looks at, what it makes of them, and how each move would change them.

use serde::Serialize;
use tesuji_games::{Position, RowBoard, RowPosition, Side, State};
use tesuji_learn::critic::encoding::{INPUTS, INPUTS_PER_COUNT, TO_MOVE_INPUT, push_inputs};
use tesuji_learn::critic::{Candidates, Counts, CriticEvaluator, PATTERNS};
use tesuji_play::{PlayerContext, PlayerSpec};

use super::snapshot::{Step, step};
use super::{DeskError, unfinished};

/// What a critic sees.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CriticLamps {
    /// The numbers that go in.
    pub inputs: Vec<Lamp>,
    /// The chance of the side to move, from 0 to 1.
    pub value: f32,
    /// The side to move.
    pub to_move: Side,
    /// Every move: those that the critic's player chooses among, best first, then the others, best first.
    pub moves: Vec<LitMove>,
}

/// One of the numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Lamp {
    /// What it says.
    pub name: String,
    /// Of whom.
    pub side: Side,
    /// 0: dark.
    pub value: f32,
}

/// What a move would change.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LitMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// The chance of the side that makes it, from 0 to 1.
    pub value: f32,
    /// Whether threats leave it among the moves that the critic's player chooses among.
    pub considered: bool,
    /// The numbers that would be others.
    pub changed: Vec<ChangedLamp>,
}

/// A number that a move changes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ChangedLamp {
    /// Its place among the inputs.
    pub input: usize,
    /// What it is.
    pub from: f32,
    /// What it would be.
    pub to: f32,
}

/// What a critic looks at, and what it makes of that.
pub fn lamps(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<CriticLamps, DeskError> {
    let position = unfinished(&context.game, moves)?.end;
    let view = tesuji_players::critic::board_critic(player, context).ok_or_else(|| {
        let expected = "a critic, such as critic";
        DeskError::another_player("the picture of a critic", player, expected)
    })??;
    let unfit = DeskError::Unsolved("critics look at games with stones on a flat board");
    let board = RowBoard::of(&position).ok_or(unfit)?;
    let (seen, to_move) = (view.of(&board), board.to_move());
    let seen = seen.evaluator();
    let now = numbers(seen.pattern_board().counts(), to_move);
    let names = names(board.grid().k);
    Ok(CriticLamps {
        inputs: (0..INPUTS).map(|input| lamp(&names, input, now[input])).collect(),
        value: seen.chance(to_move),
        to_move,
        moves: lit_moves(&position, &board, seen, &now),
    })
}

fn lit_moves(
    position: &State,
    board: &RowBoard,
    seen: &CriticEvaluator,
    now: &[f32; INPUTS],
) -> Vec<LitMove> {
    let mut considered = Candidates::default();
    seen.candidates(board, &mut considered);
    considered.sort();
    let considered = considered.moves.iter().map(|known| (known.m, known.chance, true));
    let mut moves: Vec<(u16, f32, bool)> = considered.collect();
    let first = moves.len();
    board.for_each_move(|m| {
        if moves[..first].iter().all(|known| known.0 != m) {
            moves.push((m, seen.chance_after(board, m), false));
        }
    });
    moves[first..].sort_by(|one, other| other.1.total_cmp(&one.1));
    let lit = moves.into_iter().filter_map(|(m, value, considered)| {
        let step = step(position, position.move_to(board.cell(m))?);
        Some(LitMove { step, value, considered, changed: changes(board, seen, m, now) })
    });
    lit.collect()
}

fn changes(
    board: &RowBoard,
    seen: &CriticEvaluator,
    m: u16,
    now: &[f32; INPUTS],
) -> Vec<ChangedLamp> {
    let mut after = board.clone();
    after.play(m);
    let counts = seen.pattern_board().counts_with(board.cell(m), board.to_move());
    let then = numbers(&counts, after.to_move());
    let changed = (0..INPUTS).filter(|&input| now[input] != then[input]);
    changed.map(|input| ChangedLamp { input, from: now[input], to: then[input] }).collect()
}

/// The numbers in their order.
fn numbers(counts: &Counts, to_move: Side) -> [f32; INPUTS] {
    let (mut numbers, mut lit) = ([0.0; INPUTS], Vec::new());
    push_inputs(counts, to_move, &mut lit);
    lit.into_iter().for_each(|(input, number)| numbers[input as usize] = number);
    numbers
}

fn lamp(names: &[String; PATTERNS], input: usize, value: f32) -> Lamp {
    if input == TO_MOVE_INPUT {
        return Lamp { name: "to move".to_string(), side: Side::First, value };
    }
    let (pattern, step) = (input / INPUTS_PER_COUNT, input % INPUTS_PER_COUNT);
    let often = ["once", "twice", "three times", "more often"][step];
    let side = if pattern < PATTERNS { Side::First } else { Side::Second };
    Lamp { name: format!("{}, {often}", names[pattern % PATTERNS]), side, value }
}

/// The ten patterns where `k` stones in a row win.
fn names(k: usize) -> [String; PATTERNS] {
    const WORDS: [&str; 9] =
        ["none", "one", "two", "three", "four", "five", "six", "seven", "eight"];
    let word = |less: usize| WORDS.get(k.saturating_sub(less)).copied().unwrap_or("many");
    let (row, four, three, two) = (word(0), word(1), word(2), word(3));
    [
        format!("{row} in a row"),
        format!("open {four}"),
        format!("{four} with two ways"),
        format!("simple {four}"),
        format!("open {three}"),
        format!("simple {three}"),
        "every other cell".to_string(),
        format!("open {two}"),
        format!("broken {three}"),
        format!("simple {two}"),
    ]
}
