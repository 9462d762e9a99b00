//! `fudan-mcts`: the Monte Carlo agent (pymct). It is flat, without a tree: it plays an immediate
//! win, blocks a five or open four of the opponent, and otherwise decides by random playouts in two
//! stages: short ones for all candidates, longer ones for the best third.

use std::cmp::Reverse;

use tesuji_games::Side;
use tesuji_games::random::{self, Rng};
use tesuji_search::Limits;

use super::board::{CandidateReach, FudanBoard, FudanCell};
use super::limit_meter::LimitMeter;
use super::lines::Stone;
use super::{FudanAgent, FudanChoice, Points, TENTHS, any_empty_cell, central_cell};

/// A stage of playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutStage {
    /// Playouts for each candidate.
    pub playouts: u32,
    /// Rounds of a playout: a move of each side. A playout that reaches the end is a draw.
    pub rounds: u32,
}

/// Options of the agent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FudanMctsOptions {
    /// The stage for all candidates (default: 100 playouts of 10 rounds).
    pub short: PlayoutStage,
    /// The stage for the best third and one more (default: 100 playouts of 40 rounds).
    pub long: PlayoutStage,
    /// The probability that a move in a playout blocks a five or open four, if such a move exists
    /// near the last one (default: 0, as published).
    pub intelligence: f64,
    /// Plays a random cell of the empty board instead of the middle (default: off).
    pub faithful: bool,
    /// The seed; equal seeds give equal moves (default: 0).
    pub seed: u64,
}

impl Default for FudanMctsOptions {
    fn default() -> Self {
        FudanMctsOptions {
            short: PlayoutStage { playouts: 100, rounds: 10 },
            long: PlayoutStage { playouts: 100, rounds: 40 },
            intelligence: 0.0,
            faithful: false,
            seed: 0,
        }
    }
}

/// The Monte Carlo agent.
#[derive(Clone, Debug)]
pub struct FudanMcts {
    options: FudanMctsOptions,
}

impl FudanMcts {
    /// Creates an agent with these options.
    pub fn new(options: FudanMctsOptions) -> Self {
        FudanMcts { options }
    }

    /// Keeps the best third and one more, by the scores of the short stage.
    fn best_third(mut scored: Vec<ScoredMove>) -> Vec<ScoredMove> {
        scored.sort_by_key(|candidate| Reverse(candidate.score));
        scored.truncate(scored.len() / 3 + 1);
        scored.into_iter().map(|candidate| ScoredMove::new(candidate.cell)).collect()
    }
}

impl FudanAgent for FudanMcts {
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice> {
        let side = board.to_move();
        let cells = board.candidates(CandidateReach::Two);
        if let Some(&win) = cells.iter().find(|&&cell| makes(board, cell, side, RowGoal::Five)) {
            return Some(FudanChoice { points: MOST, ..FudanChoice::without_search(win) });
        }
        let cells = must_stop(board, cells, !side);
        if cells.is_empty() {
            let cell = match self.options.faithful {
                true => any_empty_cell(board, self.options.seed),
                false => central_cell(board),
            };
            return cell.map(FudanChoice::without_search);
        }
        let mut playing = PlayoutRunner {
            rng: random::seeded(random::derived(self.options.seed, [board.key()])),
            meter: LimitMeter::start(limits, None),
            intelligence: self.options.intelligence,
            board: board.clone(),
            own: side,
            frontier: Vec::new(),
        };
        let mut scored: Vec<ScoredMove> = cells.into_iter().map(ScoredMove::new).collect();
        let mut ended = playing.stage(&mut scored, self.options.short);
        if ended == StageEnd::Complete {
            scored = FudanMcts::best_third(scored);
            ended = playing.stage(&mut scored, self.options.long);
        }
        let best = first_best(&scored)?;
        Some(FudanChoice {
            points: best.points(),
            nodes: playing.meter.nodes(),
            cut_short: ended == StageEnd::OutOfTime,
            ..FudanChoice::without_search(best.cell)
        })
    }
}

/// The value of a move after which every playout is won.
const MOST: Points = 1000 * TENTHS;

/// The cells where the opponent would make five or an open four; all cells if there are none.
fn must_stop(board: &FudanBoard, cells: Vec<FudanCell>, other: Side) -> Vec<FudanCell> {
    let threatened = |cell: &FudanCell| makes(board, *cell, other, RowGoal::FiveOrOpenFour);
    let urgent: Vec<FudanCell> = cells.iter().copied().filter(threatened).collect();
    if urgent.is_empty() { cells } else { urgent }
}

fn first_best(scored: &[ScoredMove]) -> Option<&ScoredMove> {
    scored.iter().rev().max_by_key(|candidate| candidate.score)
}

/// The row that a stone must make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RowGoal {
    Five,
    FiveOrOpenFour,
}

/// Whether a stone of `side` on an empty cell makes such a row, within four cells of it.
fn makes(board: &FudanBoard, cell: FudanCell, side: Side, goal: RowGoal) -> bool {
    board.line_cells(cell).into_iter().any(|line_cell| {
        let line = board.line(line_cell.line, side).with_stone(line_cell.bit, Stone::Own);
        let near = (0x1ffu64 << line_cell.bit >> 4) as u32;
        let (own, empty) = (line.own & near, line.empty & near);
        let four = own & own >> 1 & own >> 2 & own >> 3;
        let five = four & own >> 4;
        five != 0 || goal == RowGoal::FiveOrOpenFour && four & empty << 1 & empty >> 4 != 0
    })
}

#[derive(Clone, Copy, Debug)]
struct ScoredMove {
    cell: FudanCell,
    /// Playouts won minus playouts lost.
    score: i64,
    /// Number of playouts.
    tries: i64,
}

impl ScoredMove {
    fn new(cell: FudanCell) -> ScoredMove {
        ScoredMove { cell, score: 0, tries: 0 }
    }

    fn points(&self) -> Points {
        MOST * self.score / self.tries.max(1)
    }
}

/// How a stage ended.
#[derive(PartialEq, Eq)]
enum StageEnd {
    Complete,
    OutOfTime,
}

/// The playouts of one search.
struct PlayoutRunner {
    board: FudanBoard,
    own: Side,
    rng: Rng,
    meter: LimitMeter,
    intelligence: f64,
    frontier: Vec<FudanCell>,
}

impl PlayoutRunner {
    /// Plays all candidates in turn, so that a stage that is cut short is still fair.
    fn stage(&mut self, candidates: &mut [ScoredMove], stage: PlayoutStage) -> StageEnd {
        for _ in 0..stage.playouts {
            for candidate in &mut *candidates {
                if !self.meter.try_spend() {
                    return StageEnd::OutOfTime;
                }
                candidate.score += self.playout(candidate.cell, stage.rounds);
                candidate.tries += 1;
            }
        }
        StageEnd::Complete
    }

    /// Returns 1 for a win, -1 for a loss, 0 when the rounds or the cells are used up.
    fn playout(&mut self, candidate: FudanCell, rounds: u32) -> i64 {
        let mut played = vec![(candidate, self.own)];
        self.board.put_stone(candidate, self.own);
        let result = self.play_on(&mut played, rounds);
        for (cell, side) in played.into_iter().rev() {
            self.board.remove_stone(cell, side);
        }
        result
    }

    fn play_on(&mut self, played: &mut Vec<(FudanCell, Side)>, rounds: u32) -> i64 {
        let mut last = played[0].0;
        for _ in 0..rounds {
            for (side, result) in [(!self.own, -1), (self.own, 1)] {
                let Some(cell) = self.playout_move(last, side) else { return 0 };
                if makes(&self.board, cell, side, RowGoal::Five) {
                    return result;
                }
                self.board.put_stone(cell, side);
                played.push((cell, side));
                last = cell;
            }
        }
        0
    }

    /// A random neighbor of a stone, or sometimes a move that blocks a threat of the last one.
    fn playout_move(&mut self, last: FudanCell, side: Side) -> Option<FudanCell> {
        self.board.push_candidates(CandidateReach::One, &mut self.frontier);
        if self.intelligence > 0.0 && random::unit(&mut self.rng) < self.intelligence {
            let urgent: Vec<FudanCell> = self
                .board
                .around(last, 4)
                .filter(|cell| self.frontier.binary_search(cell).is_ok())
                .filter(|&cell| makes(&self.board, cell, !side, RowGoal::FiveOrOpenFour))
                .collect();
            if let Some(&cell) = random::choose(&mut self.rng, &urgent) {
                return Some(cell);
            }
        }
        random::choose(&mut self.rng, &self.frontier).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn playing(stones: &[(u8, Side)], walls: &[u8], own: Side, intelligence: f64) -> PlayoutRunner {
        let mut board = FudanBoard::new(1, 9).unwrap();
        for &(column, side) in stones {
            board.place(FudanCell::row_column(0, column), side).unwrap();
        }
        for &column in walls {
            board.block(FudanCell::row_column(0, column)).unwrap();
        }
        board.set_to_move(own);
        let meter = LimitMeter::start(&Limits::default(), None);
        let rng = random::seeded(3);
        PlayoutRunner { board, own, rng, meter, intelligence, frontier: Vec::new() }
    }

    /// Four stones of the first side, one empty cell next to them, and a wall behind it.
    fn four() -> Vec<(u8, Side)> {
        (0..4).map(|column| (column, Side::First)).collect()
    }

    #[test]
    fn playouts_count_wins_for_the_own_side() {
        for (own, expected) in [(Side::First, 1), (Side::Second, -1)] {
            let mut playing = playing(&four(), &[5], own, 0.0);
            let before = playing.board.clone();
            let results: Vec<i64> =
                (0..60).map(|_| playing.playout(FudanCell::row_column(0, 8), 5)).collect();
            assert!(results.contains(&expected) && results.contains(&0), "{own:?}");
            assert!(!results.contains(&-expected), "{own:?}");
            assert_eq!(playing.board, before);
        }
    }

    #[test]
    fn an_intelligent_move_blocks() {
        let block = Some(FudanCell::row_column(0, 4));
        let last = FudanCell::row_column(0, 3);
        let moves = |intelligence| {
            let mut stones = four();
            stones.push((7, Side::Second));
            let mut playing = playing(&stones, &[5], Side::First, intelligence);
            (0..30).filter(|_| playing.playout_move(last, Side::Second) == block).count()
        };
        assert_eq!(moves(1.0), 30);
        assert!((1..30).contains(&moves(0.0)));
    }

    #[test]
    fn an_intelligent_move_does_not_look_for_its_own_five() {
        let mut stones = four();
        stones.push((7, Side::Second));
        let mut playing = playing(&stones, &[5], Side::Second, 1.0);
        let five = Some(FudanCell::row_column(0, 4));
        let last = FudanCell::row_column(0, 3);
        let found = (0..30).filter(|_| playing.playout_move(last, Side::First) == five).count();
        assert!((1..30).contains(&found));
    }

    #[test]
    fn fives_and_open_fours_are_detected_before_they_are_made() {
        // Stones of the first side, and the cells where one more makes five or an open four.
        let cases: [(&[u8], &[u8], &[u8]); 5] = [
            (&[3, 4, 5], &[], &[2, 6]),
            (&[0, 1, 2], &[], &[]),
            (&[1, 2, 3], &[], &[4]),
            (&[2, 3, 5], &[], &[4]),
            (&[1, 2, 4, 5], &[3], &[]),
        ];
        for (stones, fives, open_fours) in cases {
            let stones: Vec<(u8, Side)> = stones.iter().map(|&at| (at, Side::First)).collect();
            let board = playing(&stones, &[], Side::Second, 0.0).board;
            let empty = || board.cells().filter(|&cell| board.is_empty(cell));
            let columns = |goal| -> Vec<u8> {
                let made = empty().filter(|&cell| makes(&board, cell, Side::First, goal));
                made.map(|cell| cell.column).collect()
            };
            assert_eq!(columns(RowGoal::Five), fives);
            let urgent = [fives, open_fours].concat();
            assert_eq!(columns(RowGoal::FiveOrOpenFour), urgent);
            let to_stop = must_stop(&board, empty().collect(), Side::First);
            let expected = if urgent.is_empty() { empty().count() } else { urgent.len() };
            assert_eq!(to_stop.len(), expected);
        }
    }

    #[test]
    fn the_best_third_and_one_more_stay() {
        let scores = [3, -1, 9, 9, 0, 2, 4];
        let scored = scores.iter().enumerate().map(|(column, &score)| ScoredMove {
            score,
            ..ScoredMove::new(FudanCell::row_column(0, column as u8))
        });
        let kept = FudanMcts::best_third(scored.collect());
        let columns: Vec<u8> = kept.iter().map(|candidate| candidate.cell.column).collect();
        assert_eq!(columns, [2, 3, 6]);
        assert!(kept.iter().all(|candidate| candidate.score == 0));
    }
}
