//! The opening rule swap2, and moves that leave a position even. In swap2 one player puts three stones; the other takes
//! a colour, or puts two more stones and leaves the choice to the first.
//!
//! All of it rests on what the player says that positions are worth. A player that says nothing takes the colour that
//! it is offered.

use std::time::{Duration, Instant};

use tesuji_games::Rng;
use tesuji_games::point::Point;
use tesuji_games::random::{choose, derived, seeded};
use tesuji_search::Limits;

use super::stones::{Stones, points_text};
use super::{Brain, Said, error};
use tesuji_play::{AnalyzeOptions, Turn};

/// Three stones as columns and rows from the middle of the board: first side, second, first.
type Opening = [(i32, i32); 3];

/// Openings of our own, drawn by chance and kept if the engine found them even: worth at most [`EVEN`] to either side
/// after 200,000 positions, in freestyle on 15×15 and 20×20 and with exactly five on 15×15.
const OPENINGS: [Opening; 13] = [
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

/// A position that is worth no more than this to either side is left to the other to choose from: to the engine it is
/// won in 57 games of 100.
const EVEN: i64 = 60;
/// How many positions share the time of a move when an even one is looked for.
const TRIES: u32 = 24;
/// How far from another stone a stone may be that makes a position even.
const FAR: usize = 4;

impl Brain<'_> {
    /// `SWAP2BOARD`, with none, three or five stones.
    pub(super) fn swap2(&mut self, list: &[String]) -> Said {
        let stones = Stones::of_opening(list).map_err(error)?;
        match stones.len() {
            0 => self.try_stones(stones, Brain::open_swap2),
            3 => self.try_stones(stones, Brain::choose_of_three),
            5 => self.try_stones(stones, Brain::choose_of_two),
            n => Err(error(format!("SWAP2BOARD comes with 0, 3 or 5 stones, not {n}"))),
        }
    }

    /// Puts three stones.
    fn open_swap2(&mut self) -> Said {
        let (width, height) = self.size.ok_or_else(|| error("START comes first"))?;
        let mut rng = self.chance();
        let fitting: Vec<Vec<Point>> =
            OPENINGS.iter().filter_map(|opening| on_board(opening, width, height)).collect();
        // Only boards that are too small for any game worth balancing.
        let others = [(0, 0), (1, 1), (3, 3)].map(|(x, y)| Point { x, y });
        self.put_all(choose(&mut rng, &fitting).map_or(&others[..], Vec::as_slice))
    }

    /// After three stones: the second side's move, the first side, or two more stones.
    fn choose_of_three(&mut self) -> Said {
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

    /// After five stones: the second side's move, or the first side.
    fn choose_of_two(&mut self) -> Said {
        let answer = self.think(&AnalyzeOptions::default())?;
        match answer.value() {
            Some(value) if value < 0 => Ok(vec!["SWAP".to_string()]),
            _ => self.answer(&answer),
        }
    }

    /// `YXBALANCEONE` and `YXBALANCETWO`: so many stones after which the position is worth `bias` to who put them.
    pub(super) fn balanced(&mut self, count: usize, rest: &str) -> Said {
        let bias = match rest.split_whitespace().next() {
            None => 0,
            Some(word) => word.parse::<i32>().map_err(|_| error("the bias is a whole number"))?,
        };
        let turn = self.turn();
        self.put_evenly(count, bias, &turn)
    }

    /// Tries one stone or two after the other, as long as there is time, and puts those that come nearest.
    fn put_evenly(&mut self, count: usize, bias: i32, turn: &Turn) -> Said {
        let (started, mut rng) = (Instant::now(), self.chance());
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
            let value = self.value_with(&points, &part).ok_or_else(|| {
                error(format!("{} does not say what positions are worth", self.player))
            })?;
            // With one stone the other side is to move then, with two the one that put them.
            let value = if count == 1 { -value } else { value };
            let distance = (value - i64::from(bias)).abs();
            if best.as_ref().is_none_or(|known| distance < known.0) {
                best = Some((distance, points));
            }
        }
        let (_, points) = best.ok_or_else(|| error("no stones leave the game open"))?;
        self.put_all(&points)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Legal stones by chance, not far from the others.
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

    /// What the position is worth to the side to move after these stones; `None` if the player does not say. A
    /// game that they would end is worth all the world.
    fn value_with(&mut self, points: &[Point], turn: &Turn) -> Option<i64> {
        let before = self.stones.clone();
        let put = points.iter().try_for_each(|&point| self.stones.put(point));
        let answer = put.and_then(|()| self.think_within(turn, &AnalyzeOptions::default()));
        self.stones = before;
        answer.map_or(Some(i64::from(i32::MAX)), |answer| answer.value())
    }

    /// Puts stones of both sides in turn and says where.
    fn put_all(&mut self, points: &[Point]) -> Said {
        points.iter().try_for_each(|&point| self.stones.put(point)).map_err(error)?;
        self.place()?;
        Ok(vec![points_text(points)])
    }

    /// Chance that differs from game to game and from position to position, and is the same in the next run.
    fn chance(&self) -> Rng {
        seeded(derived(self.games, [self.stones.len() as u64]))
    }
}

fn with_time(turn: &Turn, time: Option<Duration>) -> Turn {
    let mut turn = turn.clone();
    turn.limits = Limits { time, ..turn.limits };
    // A player that looks at the clock itself must see the part, not the whole.
    if let Some(time) = time {
        (turn.clock.per_move, turn.clock.left) = (Some(time), None);
    }
    turn
}

/// The points of an opening, if all are on the board.
fn on_board(opening: &Opening, width: usize, height: usize) -> Option<Vec<Point>> {
    let place = |middle: usize, offset: i32, side: usize| {
        usize::try_from(middle as i32 + offset).ok().filter(|&place| place < side)
    };
    let point = |&(x, y): &(i32, i32)| {
        Some(Point { x: place(width / 2, x, width)?, y: place(height / 2, y, height)? })
    };
    opening.iter().map(point).collect()
}
