//! Gomoku on a plain array, directly by the rules: the reference for the fast code.

use std::collections::HashSet;

use tesuji_games::random::{Rng, below};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::{Board, Cell};

const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

pub(crate) type Point = (i32, i32);

type Stones = Vec<Option<Side>>;

#[derive(Clone)]
pub(crate) struct ReferenceBoard {
    rule: RowRule,
    width: i32,
    height: i32,
    stones: Stones,
}

impl ReferenceBoard {
    pub(crate) fn new(rule: RowRule, width: usize, height: usize) -> ReferenceBoard {
        let stones = vec![None; width * height];
        ReferenceBoard { rule, width: width as i32, height: height as i32, stones }
    }

    /// A board with about `percent` of the cells occupied by both sides, without a winner.
    pub(crate) fn random(
        rule: RowRule,
        (width, height): (usize, usize),
        percent: u32,
        rng: &mut Rng,
    ) -> Self {
        let mut board = ReferenceBoard::new(rule, width, height);
        for point in board.points() {
            if below(rng, 100) < percent {
                let side = Side::ALL[below(rng, 2) as usize];
                if !board.wins(side, point) {
                    board.set(point, Some(side));
                }
            }
        }
        board
    }

    /// The rows from the top: `x` black, `o` white, anything else empty. Spaces are ignored.
    pub(crate) fn from_picture(rule: RowRule, rows: &[&str]) -> ReferenceBoard {
        let rows: Vec<String> = rows.iter().rev().map(|row| row.replace(' ', "")).collect();
        let mut board = ReferenceBoard::new(rule, rows[0].len(), rows.len());
        for (y, row) in rows.iter().enumerate() {
            for (x, letter) in row.chars().enumerate() {
                let stone = match letter {
                    'x' => Some(Side::First),
                    'o' => Some(Side::Second),
                    _ => None,
                };
                board.set((x as i32, y as i32), stone);
            }
        }
        board
    }

    pub(crate) fn points(&self) -> Vec<Point> {
        (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y))).collect()
    }

    pub(crate) fn empty_points(&self) -> Vec<Point> {
        self.points().into_iter().filter(|&point| self.at(point).is_none()).collect()
    }

    fn is_on_board(&self, (x, y): Point) -> bool {
        (0..self.width).contains(&x) && (0..self.height).contains(&y)
    }

    pub(crate) fn at(&self, (x, y): Point) -> Option<Side> {
        self.is_on_board((x, y)).then(|| self.stones[(y * self.width + x) as usize]).flatten()
    }

    fn is_empty(&self, point: Point) -> bool {
        self.is_on_board(point) && self.at(point).is_none()
    }

    pub(crate) fn set(&mut self, (x, y): Point, stone: Option<Side>) {
        self.stones[(y * self.width + x) as usize] = stone;
    }

    /// The result of `question` with a stone added on an empty cell.
    pub(crate) fn with<T>(
        &mut self,
        point: Point,
        side: Side,
        question: impl FnOnce(&mut ReferenceBoard) -> T,
    ) -> T {
        self.set(point, Some(side));
        let answer = question(self);
        self.set(point, None);
        answer
    }

    /// The same position as an engine's board.
    pub(crate) fn board(&self, to_move: Side) -> Board {
        let stone = |point| self.at(point).map(|side| (side, cell(point)));
        let stones: Vec<(Side, Cell)> = self.points().into_iter().filter_map(stone).collect();
        let size = (self.width as usize, self.height as usize);
        Board::with_stones(self.rule, size, &stones, to_move).expect("a board")
    }

    /// The length of the row through a stone in one direction, and the points before and after it.
    fn row(&self, side: Side, (x, y): Point, (dx, dy): (i32, i32)) -> (i32, [Point; 2]) {
        let count = |sign: i32| {
            (1..)
                .take_while(|n| self.at((x + sign * n * dx, y + sign * n * dy)) == Some(side))
                .count() as i32
        };
        let (before, after) = (count(-1), count(1));
        let end = |n| (x + n * dx, y + n * dy);
        (before + 1 + after, [end(-before - 1), end(after + 1)])
    }

    fn is_five(&self, side: Side, point: Point, direction: (i32, i32)) -> bool {
        let (length, ends) = self.row(side, point, direction);
        match (self.rule, side) {
            (RowRule::AtLeast, _) | (RowRule::Renju, Side::Second) => length >= 5,
            (RowRule::Exactly, _) | (RowRule::Renju, Side::First) => length == 5,
            (RowRule::Caro, _) => {
                length == 5 && !ends.into_iter().all(|end| self.at(end) == Some(!side))
            }
        }
    }

    /// Whether a stone on this cell, empty or not, makes or has five.
    pub(crate) fn wins(&mut self, side: Side, point: Point) -> bool {
        let before = self.at(point);
        self.set(point, Some(side));
        let five = DIRECTIONS.into_iter().any(|direction| self.is_five(side, point, direction));
        self.set(point, before);
        five
    }

    /// The cells where a stone makes five.
    pub(crate) fn fives(&mut self, side: Side) -> Vec<Point> {
        let empty = self.empty_points();
        empty.into_iter().filter(|&point| self.wins(side, point)).collect()
    }

    /// Whether the cell is forbidden to the side, which happens only to black in renju.
    pub(crate) fn is_forbidden(&mut self, side: Side, point: Point) -> bool {
        let black_in_renju = self.rule == RowRule::Renju && side == Side::First;
        black_in_renju && self.with(point, side, |board| board.is_fault(point))
    }

    /// Whether the black stone on this cell is part of a five.
    fn has_five(&self, stone: Point) -> bool {
        DIRECTIONS.into_iter().any(|direction| self.row(Side::First, stone, direction).0 == 5)
    }

    /// Whether the black stone on this cell breaks the rules of renju.
    fn is_fault(&mut self, stone: Point) -> bool {
        let black = Side::First;
        let longest = |board: &ReferenceBoard| DIRECTIONS.map(|d| board.row(black, stone, d).0);
        if self.has_five(stone) {
            return false;
        }
        let fours: usize = DIRECTIONS.into_iter().map(|d| self.fours(stone, d)).sum();
        let overline = longest(self).into_iter().any(|length| length > 5);
        overline || fours > 1 || {
            DIRECTIONS
                .into_iter()
                .filter(|&d| self.fours(stone, d) == 0 && self.is_three(stone, d))
                .count()
                > 1
        }
    }

    fn empty_points_in_line(&self, (x, y): Point, (dx, dy): (i32, i32)) -> Vec<Point> {
        let points = (-5..=5).map(|n| (x + n * dx, y + n * dy));
        points.filter(|&point| self.is_empty(point)).collect()
    }

    /// The cells where black makes five in this line together with the stone.
    fn fives_with(&mut self, stone: Point, direction: (i32, i32)) -> Vec<Point> {
        let empty = self.empty_points_in_line(stone, direction);
        let five = |board: &mut ReferenceBoard| board.row(Side::First, stone, direction).0 == 5;
        empty.into_iter().filter(|&point| self.with(point, Side::First, five)).collect()
    }

    /// The number of fours in one line that contain the black stone.
    fn fours(&mut self, stone: Point, direction: (i32, i32)) -> usize {
        match self.fives_with(stone, direction).len() {
            2 if self.row(Side::First, stone, direction).0 == 4 => 1,
            fives => fives,
        }
    }

    fn is_straight_four(&mut self, stone: Point, direction: (i32, i32)) -> bool {
        let fives = self.fives_with(stone, direction).len();
        fives == 2 && self.row(Side::First, stone, direction).0 == 4
    }

    /// Whether the black stone is part of a three in this line that a legal move, which makes no
    /// five, turns into a straight four.
    fn is_three(&mut self, stone: Point, direction: (i32, i32)) -> bool {
        let empty = self.empty_points_in_line(stone, direction);
        empty.into_iter().any(|point| {
            self.with(point, Side::First, |board| {
                board.is_straight_four(stone, direction)
                    && board.row(Side::First, point, direction)
                        == board.row(Side::First, stone, direction)
                    && !board.has_five(point)
                    && !board.is_fault(point)
            })
        })
    }

    /// Whether the side to move can win by fours alone, by trying every move and every reply.
    pub(crate) fn has_vcf(&mut self, attacker: Side) -> bool {
        self.has_vcf_knowing(attacker, &mut HashSet::new())
    }

    /// The least number of fours before the five with which the side to move wins, up to `most`.
    pub(crate) fn fewest_fours(&mut self, attacker: Side, most: usize) -> Option<usize> {
        (0..=most).find(|&fours| self.wins_with_fours(attacker, fours))
    }

    fn wins_with_fours(&mut self, attacker: Side, fours: usize) -> bool {
        if fours == 0 || !self.fives(attacker).is_empty() {
            return !self.fives(attacker).is_empty();
        }
        self.empty_points().into_iter().any(|four| {
            !self.is_forbidden(attacker, four)
                && self.with(four, attacker, |board| {
                    board.fives(!attacker).is_empty()
                        && !board.fives(attacker).is_empty()
                        && board.all_answers_lose(attacker, fours - 1)
                })
        })
    }

    fn all_answers_lose(&mut self, attacker: Side, fours: usize) -> bool {
        self.empty_points().into_iter().all(|answer| {
            self.is_forbidden(!attacker, answer)
                || self.with(answer, !attacker, |board| board.wins_with_fours(attacker, fours))
        })
    }

    /// Same as [`Self::has_vcf`]; positions in `failed` have no such win.
    fn has_vcf_knowing(&mut self, attacker: Side, failed: &mut HashSet<Stones>) -> bool {
        if !self.fives(attacker).is_empty() {
            return true;
        }
        if failed.contains(&self.stones) {
            return false;
        }
        let wins = self.empty_points().into_iter().any(|four| {
            !self.is_forbidden(attacker, four)
                && self.with(four, attacker, |board| board.four_wins(attacker, failed))
        });
        if !wins {
            failed.insert(self.stones.clone());
        }
        wins
    }

    /// Whether the attacker's last move is a four against which every reply loses.
    fn four_wins(&mut self, attacker: Side, failed: &mut HashSet<Stones>) -> bool {
        if self.fives(attacker).is_empty() || !self.fives(!attacker).is_empty() {
            return false;
        }
        self.empty_points().into_iter().all(|answer| {
            self.is_forbidden(!attacker, answer)
                || self.with(answer, !attacker, |board| board.has_vcf_knowing(attacker, failed))
        })
    }
}

pub(crate) fn cell((x, y): Point) -> Cell {
    Cell::new(x as usize, y as usize)
}
