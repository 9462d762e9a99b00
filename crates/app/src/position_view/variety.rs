//! Varies the games of deterministic players by a seed: a random choice among moves that the player
//! values equally, and in the opening among moves of nearly equal value. A forced result is never
//! given away: decided scores must be equal.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tesuji_games::random::{choose, seeded, shuffle};
use tesuji_games::{GameLine, Move, Notation, Position, Rng, Score, State};
use tesuji_play::{Choice, PlayerContext, PlayerSpec, SearchProfile, Turn};
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, Search, SearchReport};

use super::{PositionViewError, exact};

/// The plies from the start of a game in which moves of nearly equal value count as equal.
const OPENING_PLIES: usize = 10;
/// The bounds of the nodes for comparing moves; within them, as many as the player searched.
const MIN_NODES: u64 = 20_000;
const MAX_NODES: u64 = 200_000;
/// A player with a time limit gets this share of it for comparing moves.
const EXTRA_TIME: f64 = 0.5;
/// The game's margin is divided by this for players that do not use the game's own evaluation.
const OWN_EVALUATION_DIVISOR: i32 = 8;
/// The number of lines for searches that can analyze several lines at once.
const NUM_LINES: &str = "4";
/// The time limit for the exact values of all moves.
const PROOF_TIME: Duration = Duration::from_secs(3);

/// Returns the player's choice or another move that it values equally, or nearly equally in the
/// opening. The same seed gives the same choice unless the player depends on a clock.
pub fn vary(
    choice: Choice,
    line: &GameLine,
    player: &PlayerSpec,
    context: &PlayerContext,
    turn: &Turn,
    seed: u64,
) -> Result<Choice, PositionViewError> {
    // Players without a search or a report are random by the context's seed.
    let (Some(facts), Some(report)) = (player.search_profile(), &choice.report) else {
        return Ok(choice);
    };
    let variation = VariationContext { line, player, context, given: &turn.limits, facts, report };
    let mut rng = seeded(seed);
    let equals = match variation.facts.exact {
        true => variation.equal_by_proof(),
        false => variation.equal_by_search(choice.m, &mut rng)?,
    };
    let Some(&MoveScore { m, score, .. }) =
        choose(&mut rng, &equals).filter(|picked| picked.m != choice.m)
    else {
        return Ok(choice);
    };
    let report = SearchReport { best: Some(m), score, line: vec![m], ..report.clone() };
    Ok(Choice { m, report: Some(report) })
}

/// A player's search and its result.
struct VariationContext<'a> {
    line: &'a GameLine,
    player: &'a PlayerSpec,
    context: &'a PlayerContext,
    given: &'a Limits,
    facts: SearchProfile,
    report: &'a SearchReport,
}

impl VariationContext<'_> {
    /// The best moves by exact values; empty if they are not found in time.
    fn equal_by_proof(&self) -> Vec<MoveScore> {
        let limits = Limits { time: Some(PROOF_TIME), ..self.given.clone() };
        let Ok(known) = exact::solve_line(&self.context.game, self.line, &limits) else {
            return Vec::new();
        };
        let best = known.moves.iter().take_while(|known_move| known_move.score == known.score);
        let found = best.filter_map(|known| {
            let m = self.line.end.parse_move(&known.step.text).ok()?;
            Some(MoveScore { m, score: known.score, visits: 0 })
        });
        found.collect()
    }

    /// The moves that the player's own search values like the chosen one.
    fn equal_by_search(
        &self,
        chosen: Move,
        rng: &mut Rng,
    ) -> Result<Vec<MoveScore>, PositionViewError> {
        let margin = self.margin();
        let known = self.report.moves.len() > 1;
        let is_rough = margin == 0 && self.complete_score().is_none();
        if !known && (is_rough || self.report.score.is_decided()) {
            return Ok(Vec::new());
        }
        let moves = if known { self.report.moves.clone() } else { self.alternatives(chosen, rng)? };
        let Some(own) = moves.iter().find(|known| known.m == chosen).copied() else {
            return Ok(Vec::new());
        };
        let is_equal = |known: &MoveScore| {
            let tried = !self.facts.simulates() || is_tried_as_much(known, &own, margin);
            tried && is_as_good(known.score, own.score, margin)
        };
        Ok(moves.into_iter().filter(is_equal).collect())
    }

    /// The largest difference of equal values at this point of the game.
    fn margin(&self) -> i32 {
        if self.line.moves.len() >= OPENING_PLIES {
            return 0;
        }
        let margin = self.line.end.nearly_equal();
        match self.facts.heuristic_units {
            true => margin,
            // Their own evaluations have other units and are sharper. With this part of the margin
            // the Gomoku engine scored 48 of 100 at 5,000 nodes and 19 of 40 at 20,000 against
            // itself without a seed.
            false => (margin / OWN_EVALUATION_DIVISOR).max(1),
        }
    }

    /// Values the chosen move and others with a second search.
    fn alternatives(
        &self,
        chosen: Move,
        rng: &mut Rng,
    ) -> Result<Vec<MoveScore>, PositionViewError> {
        // Fewer lines are searched deeper.
        let player = self.player.with_default("best", NUM_LINES);
        let mut search = player.build_search(self.context)?;
        let own = self.facts.limits(self.given);
        let effort = self.report.nodes.clamp(MIN_NODES, MAX_NODES);
        let limits = Limits {
            depth: Some(self.report.depth),
            nodes: own.time.is_none().then_some(effort),
            time: own.time.map(|time| time.mul_f64(EXTRA_TIME)),
            stop: own.stop,
        };
        if !self.facts.heuristic_units {
            let report = search.analyze(&self.line.end, &limits, &mut |_| {});
            if report.moves.len() > 1 {
                return Ok(report.moves);
            }
        }
        let position = &self.line.end;
        let trials = MoveTrials { position, search, limits, started: Instant::now(), nodes: 0 };
        Ok(trials.around(chosen, self.complete_score(), rng))
    }

    /// The value of the chosen move at the depth of the report; `None` if a limit ended the search
    /// within the next depth.
    fn complete_score(&self) -> Option<Score> {
        let limits = self.facts.limits(self.given);
        let unbounded = limits.time.is_none() && limits.nodes.is_none();
        let complete = unbounded || limits.depth == Some(self.report.depth);
        complete.then_some(self.report.score)
    }
}

/// Whether a move may replace one with the value `own`. A move that seems better does not count:
/// the player did not choose it, so the comparison sees less than the player did.
fn is_as_good(score: Score, own: Score, margin: i32) -> bool {
    match score.is_decided() || own.is_decided() {
        true => score == own,
        false => (own.widened(-margin)..=own.widened(margin)).contains(&score),
    }
}

/// Whether a move has enough visits to replace another one: the value of a rarely visited move is
/// unreliable.
fn is_tried_as_much(known: &MoveScore, own: &MoveScore, margin: i32) -> bool {
    own.score.is_decided()
        || if margin > 0 { known.visits * 2 >= own.visits } else { known.visits == own.visits }
}

/// Values moves one by one with a search of the position after each, all to the same depth.
struct MoveTrials<'a> {
    position: &'a State,
    search: Box<dyn Search<State>>,
    limits: Limits,
    started: Instant,
    nodes: u64,
}

/// The first trial may use one part in this many of the effort.
const FIRST_TRIAL_SHARE: u32 = 2;

impl MoveTrials<'_> {
    /// Values the chosen move and as many others as the effort allows, in move order.
    fn around(mut self, chosen: Move, score: Option<Score>, rng: &mut Rng) -> Vec<MoveScore> {
        let deepest = self.limits.depth.unwrap_or(0).saturating_sub(1);
        let reference = score.map(|score| (deepest, score));
        let Some((depth, score)) = reference.or_else(|| self.reference(chosen, deepest)) else {
            return Vec::new();
        };
        let own = MoveScore { m: chosen, score, visits: 0 };
        let mut others = self.position.legal_moves();
        others.retain(|m| *m != chosen);
        shuffle(rng, &mut others);
        others.sort_by_key(|m| Reverse(self.position.move_score(*m)));
        let known = others.into_iter().map_while(|m| {
            let score = self.value(m, depth, 1)?;
            Some(MoveScore { m, score, visits: 0 })
        });
        let known = std::iter::once(own).chain(known).collect();
        // A stopped search would choose among fewer moves, so the seed would not determine the
        // choice.
        if is_stopped(&self.limits) { Vec::new() } else { known }
    }

    /// Returns the value of the chosen move and its depth: one ply less than the player's search
    /// where the full depth would leave no effort for other moves. A larger difference would accept
    /// moves that the player knows to be worse.
    fn reference(&mut self, chosen: Move, deepest: u32) -> Option<(u32, Score)> {
        (deepest.saturating_sub(1)..=deepest).rev().find_map(|depth| {
            self.nodes = 0;
            self.started = Instant::now();
            self.value(chosen, depth, FIRST_TRIAL_SHARE).map(|score| (depth, score))
        })
    }

    /// Returns the value of a move for the side that makes it; `None` if one part in `share` of the
    /// effort does not suffice.
    fn value(&mut self, m: Move, depth: u32, share: u32) -> Option<Score> {
        let mover = self.position.to_move();
        let mut after = self.position.clone();
        after.play(m);
        if let Some(outcome) = after.outcome() {
            return Some(terminal_score(outcome, mover, 1));
        }
        let all = &self.limits;
        let nodes = all.nodes.map(|most| (most / u64::from(share)).saturating_sub(self.nodes));
        let time = all.time.map(|most| (most / share).saturating_sub(self.started.elapsed()));
        if nodes == Some(0) || time == Some(Duration::ZERO) || is_stopped(all) {
            return None;
        }
        let limits = Limits { depth: Some(depth), nodes, time, stop: all.stop.clone() };
        let report = self.search.run(&after, &limits);
        self.nodes += report.nodes;
        let complete = nodes.is_none_or(|most| report.nodes < most)
            && time.is_none_or(|most| report.time < most)
            && !is_stopped(&limits);
        let score = if after.to_move() == mover { report.score } else { -report.score };
        complete.then(|| score.further(1))
    }
}

fn is_stopped(limits: &Limits) -> bool {
    limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}
