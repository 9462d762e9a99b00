//! The notation of checkers: moves by square numbers, positions as in PDN.

use super::{
    Checkers, CheckersBoard, CheckersMove, DIRECTIONS, Jump, KING_ROW, PLAYABLE, bit_of, packed,
    square_of, step,
};
use crate::bits::for_each_bit;
use crate::notation::{GameLine, NotationError};
use crate::{Notation, PlayError, Position, Side};

/// Squares are numbered 1–32 from the top: `11-15` is a step, `22x15` a capture. If several
/// captures have the same origin and target, all squares are written: `1x10x17`. This form is
/// always accepted. A position is written as in PDN, with the side to move first:
/// `B:W21,22,K30:B1,2`.
impl Notation for Checkers {
    const SEPARATOR: &'static str = " ";

    fn move_text(&self, m: CheckersMove) -> String {
        let squares = if self.captures_between(m.from, m.to).len() > 1 {
            Jump::first_trail(&self.board, m)
                .map_or(vec![m.from, m.to], |trail| squares_on(m, trail))
        } else {
            vec![m.from, m.to]
        };
        let numbers: Vec<String> = squares.iter().map(|square| (square + 1).to_string()).collect();
        numbers.join(if m.captured == 0 { "-" } else { "x" })
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(CheckersMove, &'t str), NotationError> {
        let malformed = || NotationError::malformed(text, "a move such as 11-15 or 22x15");
        let (from, rest) = read_square(text).ok_or_else(malformed)?;
        if let Some((to, rest)) = rest.strip_prefix('-').and_then(read_square) {
            return Ok((CheckersMove { from, to, captured: 0 }, rest));
        }
        let (mut squares, mut rest) = (vec![from], rest);
        while let Some((square, after)) = rest.strip_prefix(['x', 'X']).and_then(read_square) {
            squares.push(square);
            rest = after;
        }
        let word = &text[..text.len() - rest.len()];
        match squares[..] {
            [_] => Err(malformed()),
            [from, to] => Ok((self.capture_between(word, from, to)?, rest)),
            _ => Ok((self.capture_along(word, &squares)?, rest)),
        }
    }

    fn parse_line(&self, text: &str) -> Result<GameLine<Self>, NotationError> {
        let text = text.trim_start();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let has_position = word.get(1..2) == Some(":");
        let start = if has_position {
            Checkers::from_board(read_board(word)?, self.draw_plies)
        } else {
            self.clone()
        };
        let mut line = GameLine::new(start);
        line.extend(if has_position { rest } else { text })?;
        Ok(line)
    }

    fn position_text(&self) -> Option<String> {
        let side_to_move = if self.board.to_move == Side::First { 'B' } else { 'W' };
        let [dark, light] = Side::ALL.map(|side| self.board.pieces_text(side));
        Some(format!("{side_to_move}:W{light}:B{dark}"))
    }
}

impl Checkers {
    fn captures_between(&self, from: u8, to: u8) -> Vec<CheckersMove> {
        let mut captures = Vec::new();
        self.for_each_move(|m| {
            if (m.from, m.to) == (from, to) && m.captured != 0 {
                captures.push(m);
            }
        });
        captures
    }

    /// The only capture from `from` to `to`, or the one of a single jump, which has no squares in
    /// between.
    fn capture_between(&self, word: &str, from: u8, to: u8) -> Result<CheckersMove, NotationError> {
        let captures = self.captures_between(from, to);
        let single_jump = captures.iter().find(|m| m.captured.count_ones() == 1);
        match (&captures[..], single_jump) {
            (&[m], _) | (_, Some(&m)) => Ok(m),
            ([], _) => Err(self.refused(word)),
            _ => Err(NotationError::malformed(
                word,
                "all squares of the capture, because several captures end there, such as 1x10x17",
            )),
        }
    }

    fn capture_along(&self, word: &str, squares: &[u8]) -> Result<CheckersMove, NotationError> {
        let mut captured = 0;
        for pair in squares.windows(2) {
            let (from, to) = (bit_of(pair[0]), bit_of(pair[1]));
            let over = DIRECTIONS.into_iter().map(|d| (step(from, d), step(step(from, d), d)));
            let jumped = over.into_iter().find(|&(over, end)| end == to && over & PLAYABLE != 0);
            captured |= jumped.ok_or_else(|| self.refused(word))?.0;
        }
        let (from, to) = (squares[0], squares[squares.len() - 1]);
        Ok(CheckersMove { from, to, captured: packed(captured) })
    }

    fn refused(&self, word: &str) -> NotationError {
        let over = self.board.outcome.is_some();
        NotationError::refused(word, if over { PlayError::GameOver } else { PlayError::Illegal })
    }
}

/// The squares on which the piece lands in a capture.
fn squares_on(m: CheckersMove, trail: u32) -> Vec<u8> {
    let mut at = bit_of(m.from);
    let mut squares = vec![m.from];
    for jump in (0..m.captured.count_ones()).rev() {
        let direction = (trail >> (2 * jump) & 3) as usize;
        at = step(step(at, direction), direction);
        squares.push(square_of(at));
    }
    squares
}

/// Reads a square number; returns it counted from 0.
fn read_square(text: &str) -> Option<(u8, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let number: u8 = text[..digits].parse().ok()?;
    (1..=32).contains(&number).then(|| (number - 1, &text[digits..]))
}

/// Reads a position in PDN notation.
fn read_board(text: &str) -> Result<CheckersBoard, NotationError> {
    let wrong = |what: &str| {
        NotationError::malformed(text, format!("a position such as B:W21,22,K30:B1,2 ({what})"))
    };
    let parts: Vec<&str> = text.trim_end_matches('.').split(':').collect();
    let [to_move, one, another] = parts[..] else {
        return Err(wrong("it has three parts separated by colons"));
    };
    let to_move = read_side(to_move).ok_or_else(|| wrong("the side to move is B or W"))?;
    let (mut pieces, mut kings, mut seen) = ([0; 2], 0, 0);
    for part in [one, another] {
        let side = part.get(..1).and_then(read_side).ok_or_else(|| wrong("a side is B or W"))?;
        let (all, crowned) = read_pieces(&part[1..])
            .ok_or_else(|| wrong("pieces are numbers from 1 to 32, with K before a king"))?;
        if pieces[side.index()] != 0 || seen & all != 0 {
            return Err(wrong("each side and each square occurs once"));
        }
        if all.count_ones() > 12 {
            return Err(wrong("a side has at most 12 pieces"));
        }
        if all & !crowned & KING_ROW[side.index()] != 0 {
            return Err(wrong("a man cannot be on the king row"));
        }
        pieces[side.index()] = all;
        kings |= crowned;
        seen |= all;
    }
    Ok(CheckersBoard::new(pieces, kings, to_move))
}

fn read_side(text: &str) -> Option<Side> {
    match text {
        "B" | "b" => Some(Side::First),
        "W" | "w" => Some(Side::Second),
        _ => None,
    }
}

/// Reads `1,2,K30`: all pieces and the kings among them.
fn read_pieces(text: &str) -> Option<(u64, u64)> {
    let (mut all, mut kings) = (0, 0);
    for item in text.split(',').filter(|_| !text.is_empty()) {
        let number = item.strip_prefix(['K', 'k']).unwrap_or(item);
        let (square, rest) = read_square(number)?;
        let bit = bit_of(square);
        if !rest.is_empty() || all & bit != 0 {
            return None;
        }
        all |= bit;
        kings |= if number.len() < item.len() { bit } else { 0 };
    }
    Some((all, kings))
}

impl CheckersBoard {
    fn pieces_text(&self, side: Side) -> String {
        let mut items = Vec::new();
        for_each_bit(self.pieces[side.index()], |place| {
            let crown = if self.kings >> place & 1 != 0 { "K" } else { "" };
            items.push(format!("{crown}{}", square_of(1 << place) + 1));
        });
        items.join(",")
    }
}
