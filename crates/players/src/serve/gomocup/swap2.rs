//! The opening rule swap2, and moves that balance a position. In swap2 one player places three
//! stones; the other takes a color, or places two more stones and leaves the choice to the first.
//!
//! All decisions use the player's scores. A player without scores takes the color that it is
//! offered.

use std::time::{Duration, Instant};

use tesuji_games::Rng;
use tesuji_games::point::Point;
use tesuji_games::random::{choose, derived, seeded};
use tesuji_search::Limits;

use super::stones::{StoneList, points_text};
use super::{GomocupEngine, Reply, error};
use tesuji_play::{AnalyzeOptions, Turn};

/// Three stones as columns and rows from the middle of the board: first side, second, first.
type OpeningOffsets = [(i32, i32); 3];

/// Own openings, drawn at random and kept if the engine scores them as even: at most [`EVEN`] for
/// either side after 200,000 positions, in freestyle on 15×15 and 20×20 and with exactly five on
/// 15×15.
const OPENINGS: [OpeningOffsets; 13] = [
    [(-2, 1), (-5, -3), (2, -4)],
    [(-1, 1), (-3, 0), (4, 1)],
    [(2, 2), (-4, 3), (-4, 4)],
    [(2, 2), (4, 1), (-4, 2)],
    [(2, 4), (1, 1), (1, -3)],
    [(3, -5), (1, 2), (-3, 0)],
    [(3, -5), (0, 4), (-2, 1)],
    [(3, -5), (-1, 5), (-1, 4)],
    [(-4, -2), (2, 2), (3, -4)],
    [(3, -4), (0, -4), (-4, -3)],
    [(-4, -2), (-2, -5), (5, 5)],
    [(1, -1), (4, 5), (5, 5)],
    [(5, -5), (2, 4), (4, 2)],
];

/// Maximum score of a position that counts as even. The engine wins such a position in 57 of 100
/// games.
const EVEN: i64 = 60;
/// Number of candidate positions that share the time of a balancing move.
const TRIES: u32 = 24;
/// Maximum distance of a balancing stone from another stone.
const FAR: usize = 4;

impl GomocupEngine<'_> {
    /// Executes `SWAP2BOARD` with zero, three or five stones.
    pub(super) fn swap2(&mut self, list: &[String]) -> Reply {
        let stones = StoneList::from_opening(list).map_err(error)?;
        match stones.len() {
            0 => self.try_stones(stones, GomocupEngine::open_swap2),
            3 => self.try_stones(stones, GomocupEngine::choose_of_three),
            5 => self.try_stones(stones, GomocupEngine::choose_of_two),
            n => Err(error(format!("SWAP2BOARD: {n} stones; expected 0, 3 or 5"))),
        }
    }

    /// Places three stones.
    fn open_swap2(&mut self) -> Reply {
        let (width, height) = self.size.ok_or_else(|| error("no board; expected START first"))?;
        let mut rng = self.seeded_rng();
        let fitting: Vec<Vec<Point>> =
            OPENINGS.iter().filter_map(|opening| on_board(opening, width, height)).collect();
        // Used only on boards that are too small for the openings.
        let others = [(0, 0), (1, 1), (3, 3)].map(|(x, y)| Point { x, y });
        self.put_all(choose(&mut rng, &fitting).map_or(&others[..], Vec::as_slice))
    }

    /// After three stones: plays the second side, takes the first side, or places two more stones.
    fn choose_of_three(&mut self) -> Reply {
        let turn = self.turn();
        let half = turn.limits.time.map(|time| time / 2);
        let started = Instant::now();
        let answer = self.think_within(&with_time(&turn, half), &AnalyzeOptions::default())?;
        match answer.value() {
            Some(value) if value < -EVEN => Ok(vec!["SWAP".to_string()]),
            Some(value) if value <= EVEN => {
                let left = turn.limits.time.map(|time| time.saturating_sub(started.elapsed()));
                self.put_evenly(2, 0, &with_time(&turn, left))
            }
            _ => self.answer(&answer),
        }
    }

    /// After five stones: plays the second side, or takes the first side.
    fn choose_of_two(&mut self) -> Reply {
        let answer = self.think(&AnalyzeOptions::default())?;
        match answer.value() {
            Some(value) if value < 0 => Ok(vec!["SWAP".to_string()]),
            _ => self.answer(&answer),
        }
    }

    /// Executes `YXBALANCEONE` and `YXBALANCETWO`: places stones after which the position has the
    /// score `bias` for the player that placed them.
    pub(super) fn balanced(&mut self, count: usize, rest: &str) -> Reply {
        let bias = match rest.split_whitespace().next() {
            None => 0,
            Some(word) => {
                word.parse::<i32>().map_err(|_| error("invalid bias; expected a whole number"))?
            }
        };
        let turn = self.turn();
        self.put_evenly(count, bias, &turn)
    }

    /// Tries random stones while there is time, and places those whose score is nearest to the
    /// bias.
    fn put_evenly(&mut self, count: usize, bias: i32, turn: &Turn) -> Reply {
        let (started, mut rng) = (Instant::now(), self.seeded_rng());
        let slice = turn.limits.time.map(|time| time / TRIES);
        let nodes = turn.limits.nodes.map(|nodes| (nodes / u64::from(TRIES)).max(1));
        let mut part = with_time(turn, slice);
        part.limits.nodes = nodes;
        let mut best: Option<(i64, Vec<Point>)> = None;
        for tried in 0..TRIES {
            let is_late = turn.limits.time.is_some_and(|time| started.elapsed() >= time);
            if tried > 0 && best.is_some() && (is_late || self.is_stopped()) {
                break;
            }
            let Some(points) = self.some_stones(count, &mut rng) else { continue };
            let value = self
                .value_with(&points, &part)
                .ok_or_else(|| error(format!("{} does not report scores", self.player)))?;
            // After one stone the other side is to move, after two the side that placed them.
            let value = if count == 1 { -value } else { value };
            let distance = (value - i64::from(bias)).abs();
            if best.as_ref().is_none_or(|known| distance < known.0) {
                best = Some((distance, points));
            }
        }
        let (_, points) = best.ok_or_else(|| error("no stones balance the game"))?;
        self.put_all(&points)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Picks random legal stones near the others.
    fn some_stones(&mut self, count: usize, rng: &mut Rng) -> Option<Vec<Point>> {
        let before = self.stones.clone();
        let mut points = Vec::new();
        for _ in 0..count {
            let point = self.empty_points_near().and_then(|near| choose(rng, &near).copied());
            let put = point.filter(|&point| self.stones.put(point).is_ok());
            points.extend(put.filter(|_| self.place().is_ok()));
        }
        self.stones = before;
        (points.len() == count).then_some(points)
    }

    fn empty_points_near(&self) -> Option<Vec<Point>> {
        let ((width, height), stones) = (self.size?, self.stones.order().ok()?);
        let middle = Point { x: width / 2, y: height / 2 };
        let around = if stones.is_empty() { vec![middle] } else { stones.clone() };
        let is_near =
            |p: &Point| around.iter().any(|s| s.x.abs_diff(p.x) <= FAR && s.y.abs_diff(p.y) <= FAR);
        let all = (0..height).flat_map(|y| (0..width).map(move |x| Point { x, y }));
        Some(all.filter(|p| is_near(p) && !stones.contains(p)).collect())
    }

    /// Returns the score for the side to move after these stones; `None` if the player reports
    /// none. Stones that end the game have the largest score.
    fn value_with(&mut self, points: &[Point], turn: &Turn) -> Option<i64> {
        let before = self.stones.clone();
        let put = points.iter().try_for_each(|&point| self.stones.put(point));
        let answer = put.and_then(|()| self.think_within(turn, &AnalyzeOptions::default()));
        self.stones = before;
        answer.map_or(Some(i64::from(i32::MAX)), |answer| answer.value())
    }

    /// Places stones of both sides in turn and returns the points.
    fn put_all(&mut self, points: &[Point]) -> Reply {
        points.iter().try_for_each(|&point| self.stones.put(point)).map_err(error)?;
        self.place()?;
        Ok(vec![points_text(points)])
    }

    /// Seeds random choices: different for each game and number of stones, the same in the next
    /// run.
    fn seeded_rng(&self) -> Rng {
        seeded(derived(self.games, [self.stones.len() as u64]))
    }
}

fn with_time(turn: &Turn, time: Option<Duration>) -> Turn {
    let mut turn = turn.clone();
    turn.limits = Limits { time, ..turn.limits };
    // A player that uses the clock must see its part of the time, not all of it.
    if let Some(time) = time {
        (turn.clock.per_move, turn.clock.left) = (Some(time), None);
    }
    turn
}

/// Returns the points of an opening, if all are on the board.
fn on_board(opening: &OpeningOffsets, width: usize, height: usize) -> Option<Vec<Point>> {
    let place = |middle: usize, offset: i32, side: usize| {
        usize::try_from(middle as i32 + offset).ok().filter(|&place| place < side)
    };
    let point = |&(x, y): &(i32, i32)| {
        Some(Point { x: place(width / 2, x, width)?, y: place(height / 2, y, height)? })
    };
    opening.iter().map(point).collect()
}
