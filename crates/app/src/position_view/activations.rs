//! The 81 inputs of a critic, its output, and the changes of both by each move.

use serde::Serialize;
use tesuji_games::{Position, RowBoard, RowPosition, Side, State};
use tesuji_learn::critic::encoding::{INPUTS, INPUTS_PER_COUNT, TO_MOVE_INPUT, push_inputs};
use tesuji_learn::critic::{Candidates, CriticEvaluator, CriticPatternCounts, PATTERNS};
use tesuji_play::{PlayerContext, PlayerSpec};

use super::snapshot::{BoardMove, step};
use super::{PositionViewError, unfinished};

/// The inputs and the output of a critic.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CriticActivations {
    /// The input units.
    pub inputs: Vec<InputUnit>,
    /// The output: the winning probability of the side to move, from 0 to 1.
    pub value: f32,
    /// The side to move.
    pub to_move: Side,
    /// Every move: first the moves that the critic's player considers, then the others; each group
    /// best first.
    pub moves: Vec<MoveActivations>,
}

/// An input unit of the critic.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InputUnit {
    /// The pattern and the count that it stands for.
    pub name: String,
    /// The side that owns the pattern.
    pub side: Side,
    /// The activation; 0 is inactive.
    pub value: f32,
}

/// The effect of a move on the inputs and the output.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveActivations {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The winning probability of the side that makes it, from 0 to 1.
    pub value: f32,
    /// Whether the critic's player considers the move; threats rule moves out.
    pub considered: bool,
    /// The input units that change.
    pub changed: Vec<InputChange>,
}

/// The change of an input unit by a move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct InputChange {
    /// The index of the input unit.
    pub input: usize,
    /// The activation before the move.
    pub from: f32,
    /// The activation after the move.
    pub to: f32,
}

/// Returns the inputs and the output of a critic for a position and for every move.
pub fn activations(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<CriticActivations, PositionViewError> {
    let position = unfinished(&context.game, moves)?.end;
    let view = tesuji_players::critic::board_critic(player, context).ok_or_else(|| {
        let expected = "a critic, such as critic";
        PositionViewError::unsupported_player("the critic view", player, expected)
    })??;
    let unfit = PositionViewError::Unsolved("critic: needs a game with stones on a flat board");
    let board = RowBoard::of(&position).ok_or(unfit)?;
    let (seen, to_move) = (view.of(&board), board.to_move());
    let seen = seen.evaluator();
    let now = numbers(seen.pattern_board().counts(), to_move);
    let names = names(board.grid().k);
    Ok(CriticActivations {
        inputs: (0..INPUTS).map(|input| input_unit(&names, input, now[input])).collect(),
        value: seen.chance(to_move),
        to_move,
        moves: move_activations(&position, &board, seen, &now),
    })
}

fn move_activations(
    position: &State,
    board: &RowBoard,
    seen: &CriticEvaluator,
    now: &[f32; INPUTS],
) -> Vec<MoveActivations> {
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
    let active = moves.into_iter().filter_map(|(m, value, considered)| {
        let step = step(position, position.move_to(board.cell(m))?);
        Some(MoveActivations { step, value, considered, changed: changes(board, seen, m, now) })
    });
    active.collect()
}

fn changes(
    board: &RowBoard,
    seen: &CriticEvaluator,
    m: u16,
    now: &[f32; INPUTS],
) -> Vec<InputChange> {
    let mut after = board.clone();
    after.play(m);
    let counts = seen.pattern_board().counts_with(board.cell(m), board.to_move());
    let then = numbers(&counts, after.to_move());
    let changed = (0..INPUTS).filter(|&input| now[input] != then[input]);
    changed.map(|input| InputChange { input, from: now[input], to: then[input] }).collect()
}

/// The activations of all input units.
fn numbers(counts: &CriticPatternCounts, to_move: Side) -> [f32; INPUTS] {
    let (mut numbers, mut active) = ([0.0; INPUTS], Vec::new());
    push_inputs(counts, to_move, &mut active);
    active.into_iter().for_each(|(input, number)| numbers[input as usize] = number);
    numbers
}

fn input_unit(names: &[String; PATTERNS], input: usize, value: f32) -> InputUnit {
    if input == TO_MOVE_INPUT {
        return InputUnit { name: "to move".to_string(), side: Side::First, value };
    }
    let (pattern, step) = (input / INPUTS_PER_COUNT, input % INPUTS_PER_COUNT);
    let often = ["once", "twice", "three times", "more often"][step];
    let side = if pattern < PATTERNS { Side::First } else { Side::Second };
    InputUnit { name: format!("{}, {often}", names[pattern % PATTERNS]), side, value }
}

/// The names of the ten patterns of a game where `k` stones in a row win.
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
