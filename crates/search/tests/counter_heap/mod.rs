//! A tiny test game with properties that are hard for searches: a side may move twice in a row or
//! lose by its own move, and the estimates are random.

use tesuji_games::bits::zobrist;
use tesuji_games::{
    Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, NotationError, Outcome, Position,
    Side,
};

/// A heap of counters; a move takes 1, 2 or 3. A side that takes 2 moves again. Taking the last
/// counter with a move of 1 is a draw, with 2 a win, with 3 a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CounterHeap {
    counters: u8,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl CounterHeap {
    pub(crate) fn new(counters: u8) -> Self {
        CounterHeap { counters, to_move: Side::First, outcome: None }
    }
}

impl Position for CounterHeap {
    type Move = u8;
    type Undo = Self;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn key(&self) -> u64 {
        zobrist(u64::from(self.counters) << 1 | self.to_move.index() as u64)
    }

    fn for_each_move(&self, each: impl FnMut(u8)) {
        if self.outcome.is_none() {
            (1..=self.counters.min(3)).for_each(each);
        }
    }

    fn is_legal(&self, m: u8) -> bool {
        self.outcome.is_none() && (1..=self.counters.min(3)).contains(&m)
    }

    fn play(&mut self, m: u8) -> Self {
        let before = *self;
        self.counters -= m;
        if self.counters == 0 {
            self.outcome = Some(match m {
                1 => Outcome::Draw,
                2 => Outcome::Win(self.to_move),
                _ => Outcome::Win(!self.to_move),
            });
        }
        // In a finished game the side to move is meaningless; no search may use it.
        if m != 2 || self.outcome.is_some() {
            self.to_move = !self.to_move;
        }
        before
    }

    fn undo(&mut self, _: u8, before: Self) {
        *self = before;
    }

    fn move_index(&self, m: u8) -> usize {
        usize::from(m)
    }

    fn num_move_indices(&self) -> usize {
        4
    }
}

impl Notation for CounterHeap {
    fn move_text(&self, m: u8) -> String {
        m.to_string()
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        match text.as_bytes().first() {
            Some(digit @ b'1'..=b'3') => Ok((digit - b'0', &text[1..])),
            _ => Err(NotationError::malformed(text, "a number of counters from 1 to 3")),
        }
    }
}

impl Draw for CounterHeap {
    fn diagram(&self) -> Diagram {
        let piece = DiagramCell::Piece { side: self.to_move, symbol: 'o' };
        Diagram::lettered(usize::from(self.counters), 1, |_, _| piece)
    }

    fn cells_of(&self, m: u8) -> Vec<usize> {
        (usize::from(self.counters - m)..usize::from(self.counters)).collect()
    }
}

tesuji_games::capabilities!(CounterHeap: Heuristic, MoveOrder);

impl Heuristic for CounterHeap {
    fn evaluate(&self) -> i32 {
        (self.key() % 41) as i32 - 20
    }
}

impl MoveOrder for CounterHeap {
    fn move_score(&self, m: u8) -> i32 {
        (zobrist(u64::from(m) + self.key()) % 5) as i32
    }
}
