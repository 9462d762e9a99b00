//! Different games from different seeds, by players that leave nothing to chance: a random choice
//! among moves that the player values equally, and in the opening among moves that are about as
//! good. A forced result is never given away: moves with one compare equal or not at all.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tesuji_games::random::{choose as any_of, seeded, shuffle};
use tesuji_games::{GameLine, Move, Notation, Position, Rng, Score, State};
use tesuji_play::{Choice, PlayerContext, PlayerSpec, SearchProfile, Turn};
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, Search, SearchReport};

use super::{DeskError, exact};

/// Plies from the start of a game in which moves of slightly different value count as equal.
const OPENING: usize = 10;
/// Positions spent on comparing moves: as many as the player searched, within these bounds.
const LEAST_EFFORT: u64 = 20_000;
const MOST_EFFORT: u64 = 200_000;
/// A player with a clock gets this share of its time again to compare moves.
const EXTRA_TIME: f64 = 0.5;
/// The part of a game's margin for players that do not use the game's own estimate.
const CAUTION: i32 = 8;
/// How many moves are valued at once, by searches that can.
const FEW: &str = "4";
/// How long the exact values of all moves may take.
const FOR_PROOF: Duration = Duration::from_secs(3);

/// The move that the player chose, or another one that it values as much, or nearly so in the opening. The same seed
/// makes the same choice wherever the player itself does not depend on a clock.
pub fn vary(
    choice: Choice,
    line: &GameLine,
    player: &PlayerSpec,
    context: &PlayerContext,
    turn: &Turn,
    seed: u64,
) -> Result<Choice, DeskError> {
    // Players without a search or a report take their chance from the context's seed.
    let (Some(facts), Some(report)) = (player.search_profile(), &choice.report) else {
        return Ok(choice);
    };
    let asked = Asked { line, player, context, given: &turn.limits, facts, report };
    let mut rng = seeded(seed);
    let equals = match asked.facts.exact {
        true => asked.equal_by_proof(),
        false => asked.equal_by_search(choice.m, &mut rng)?,
    };
    let Some(&MoveScore { m, score, .. }) =
        any_of(&mut rng, &equals).filter(|picked| picked.m != choice.m)
    else {
        return Ok(choice);
    };
    let report = SearchReport { best: Some(m), score, line: vec![m], ..report.clone() };
    Ok(Choice { m, report: Some(report) })
}

/// What the player was asked, and what it found.
struct Asked<'a> {
    line: &'a GameLine,
    player: &'a PlayerSpec,
    context: &'a PlayerContext,
    given: &'a Limits,
    facts: SearchProfile,
    report: &'a SearchReport,
}

impl Asked<'_> {
    /// The best moves by perfect play; none where that is not found in time.
    fn equal_by_proof(&self) -> Vec<MoveScore> {
        let limits = Limits { time: Some(FOR_PROOF), ..self.given.clone() };
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

    /// Moves that the player's own search values like the one it chose.
    fn equal_by_search(&self, chosen: Move, rng: &mut Rng) -> Result<Vec<MoveScore>, DeskError> {
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

    /// By how much values may differ at this point of the game.
    fn margin(&self) -> i32 {
        if self.line.moves.len() >= OPENING {
            return 0;
        }
        let margin = self.line.end.nearly_equal();
        match self.facts.heuristic_units {
            true => margin,
            // Evaluations of their own, in other units and sharper. With this part of the margin
            // the Gomoku engine scored 48 of 100 at 5,000 nodes and 19 of 40 at 20,000 against
            // itself without a seed.
            false => (margin / CAUTION).max(1),
        }
    }

    /// Values for the chosen move and others, by a second search.
    fn alternatives(&self, chosen: Move, rng: &mut Rng) -> Result<Vec<MoveScore>, DeskError> {
        // Few lines are searched deeper than many.
        let player = self.player.with_default("best", FEW);
        let mut search = player.build_search(self.context)?;
        let own = self.facts.limits(self.given);
        let effort = self.report.nodes.clamp(LEAST_EFFORT, MOST_EFFORT);
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
        let trials = Trials { position, search, limits, started: Instant::now(), nodes: 0 };
        Ok(trials.around(chosen, self.complete_score(), rng))
    }

    /// The value of the chosen move at the depth of the report; `None` where a limit ended the
    /// search on its way to the next depth.
    fn complete_score(&self) -> Option<Score> {
        let limits = self.facts.limits(self.given);
        let unbounded = limits.time.is_none() && limits.nodes.is_none();
        let complete = unbounded || limits.depth == Some(self.report.depth);
        complete.then_some(self.report.score)
    }
}

/// Whether a move may be played in place of one with the value `own`. One that seems better does not
/// count: the player did not choose it, so the comparison sees less than the player did.
fn is_as_good(score: Score, own: Score, margin: i32) -> bool {
    match score.is_decided() || own.is_decided() {
        true => score == own,
        false => (own.widened(-margin)..=own.widened(margin)).contains(&score),
    }
}

/// The same where moves are valued by simulated games: the value of a move that was seldom tried
/// says little.
fn is_tried_as_much(known: &MoveScore, own: &MoveScore, margin: i32) -> bool {
    own.score.is_decided()
        || if margin > 0 { known.visits * 2 >= own.visits } else { known.visits == own.visits }
}

/// Moves valued one by one, each by a search of the position after it, all to the same depth.
struct Trials<'a> {
    position: &'a State,
    search: Box<dyn Search<State>>,
    limits: Limits,
    started: Instant,
    nodes: u64,
}

/// How far into its effort the first trial may go: there should be something to compare with.
const FIRST_TRIAL: u32 = 2;

impl Trials<'_> {
    /// The chosen move and as many others as there is effort for, the promising ones first.
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
        // A search that was stopped would choose among fewer moves than the same seed does at another time.
        if is_raised(&self.limits) { Vec::new() } else { known }
    }

    /// The value of the chosen move and the depth of it: one ply less than the player's search
    /// where all of it would leave no effort for other moves. A larger difference would let moves
    /// pass that the player knows to be worse.
    fn reference(&mut self, chosen: Move, deepest: u32) -> Option<(u32, Score)> {
        (deepest.saturating_sub(1)..=deepest).rev().find_map(|depth| {
            self.nodes = 0;
            self.started = Instant::now();
            self.value(chosen, depth, FIRST_TRIAL).map(|score| (depth, score))
        })
    }

    /// What a move is worth to the side that makes it; `None` when the `share`th part of the effort
    /// does not suffice.
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
        if nodes == Some(0) || time == Some(Duration::ZERO) || is_raised(all) {
            return None;
        }
        let limits = Limits { depth: Some(depth), nodes, time, stop: all.stop.clone() };
        let report = self.search.run(&after, &limits);
        self.nodes += report.nodes;
        let complete = nodes.is_none_or(|most| report.nodes < most)
            && time.is_none_or(|most| report.time < most)
            && !is_raised(&limits);
        let score = if after.to_move() == mover { report.score } else { -report.score };
        complete.then(|| score.further(1))
    }
}

fn is_raised(limits: &Limits) -> bool {
    limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}
