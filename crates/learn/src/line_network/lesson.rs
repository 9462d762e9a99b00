//! What a line network learns from: positions, with the move that should be played and how the game should end.

use tesuji_games::{RowRule, Side};
use tesuji_gomoku::Cell;
use tesuji_gomoku::engine::weights::SCALE;

use super::board::LONGEST_SIDE;
use crate::gomoku::record::{DECIDED, GameRecord, RecordError, Thought};

/// A position to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example<'a> {
    /// Columns of the board.
    pub columns: usize,
    /// By cell: 0 empty, 1 of the side to move, 2 of the other side.
    pub stones: &'a [u8],
    /// The chance of the side to move, a drawn game being half a win.
    pub chance: f32,
    /// The move to be played, where there is one to be learned.
    pub best: Option<u16>,
}

/// Positions to learn from.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    stones: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// Where its stones begin.
    start: usize,
    side: u8,
    chance: f32,
    best: Option<u16>,
}

impl Lesson {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A position.
    pub fn get(&self, n: usize) -> Example<'_> {
        let &Entry { start, side, chance, best } = &self.entries[n];
        let columns = usize::from(side);
        Example { columns, stones: &self.stones[start..start + columns * columns], chance, best }
    }

    /// Adds all positions of a game in which the engine was asked. `result_share` is how much the end of the game counts
    /// beside the score of the search.
    pub fn add(
        &mut self,
        game: &GameRecord,
        rule: RowRule,
        result_share: f32,
    ) -> Result<(), RecordError> {
        if game.board > LONGEST_SIDE {
            let what = format!(
                "its board has side {}; line networks learn up to {LONGEST_SIDE}",
                game.board
            );
            return Err(RecordError::Moves { game: game.game, what });
        }
        game.replay(rule, |thought| self.add_position(&thought, result_share))
    }

    fn add_position(&mut self, thought: &Thought<'_>, result_share: f32) {
        let Thought { board, best, score, result } = thought;
        let (start, side, own) = (self.stones.len(), board.width(), board.to_move());
        let cells = (0..side * side).map(|cell| Cell::new(cell % side, cell / side));
        self.stones.extend(cells.map(|cell| match board.stone(cell) {
            None => 0,
            Some(stone) => {
                if stone == own {
                    1
                } else {
                    2
                }
            }
        }));
        // Where all is lost, one move is as good as another.
        let best = (*score > -DECIDED).then_some((best.row() * side + best.column()) as u16);
        let chance = target(result_share, *score, *result);
        self.entries.push(Entry { start, side: side as u8, chance, best });
    }
}

fn target(result_share: f32, score: i32, result: i32) -> f32 {
    if score.abs() >= DECIDED {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    let (ended, thought) =
        ((result + 1) as f32 / 2.0, 1.0 / (1.0 + (-score as f32 / SCALE as f32).exp()));
    result_share * ended + (1.0 - result_share) * thought
}

impl Example<'_> {
    /// The stones as the plain network wants them: the side to move is the first.
    pub fn sides(&self) -> Vec<Option<Side>> {
        let side = |&stone: &u8| match stone {
            0 => None,
            1 => Some(Side::First),
            _ => Some(Side::Second),
        };
        self.stones.iter().map(side).collect()
    }
}
