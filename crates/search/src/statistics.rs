//! Statistics of game trees: complete games, distinct positions, symmetry classes. Games are
//! counted by dynamic programming over the distinct positions of each ply, so even astronomic
//! numbers of games can be counted. Positions are identified by their 64-bit keys.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tesuji_games::{Outcome, Playable, Position, Side, Symmetries};

/// The options of [`statistics`].
#[derive(Clone, Copy, Debug)]
pub struct StatisticsOptions {
    /// The maximum number of distinct positions in memory.
    pub max_states: usize,
    /// The number of plies to count; `None` counts to the end of every game.
    pub plies: Option<u32>,
}

impl Default for StatisticsOptions {
    fn default() -> Self {
        StatisticsOptions { max_states: 20_000_000, plies: None }
    }
}

/// The error of a count.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// The game has more positions than the limit.
    #[error(
        "{ply} plies: the game has more than {max_states} positions; \
         expected a higher limit or fewer plies"
    )]
    TooLarge {
        /// The limit.
        max_states: usize,
        /// The ply that exceeded the limit.
        ply: u32,
    },
    /// A count exceeds 128 bits.
    #[error("{ply} plies: the number of games exceeds 128 bits; expected fewer plies")]
    Overflow {
        /// The ply at which it overflowed.
        ply: u32,
    },
}

/// Numbers of games or positions by outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OutcomeCounts {
    /// The total.
    pub total: u128,
    /// Wins of the first side.
    pub first: u128,
    /// Wins of the second side.
    pub second: u128,
    /// Draws.
    pub draw: u128,
}

impl OutcomeCounts {
    /// Adds `n`; `None` on overflow.
    fn add(&mut self, outcome: Outcome, n: u128) -> Option<()> {
        let part = match outcome {
            Outcome::Win(Side::First) => &mut self.first,
            Outcome::Win(Side::Second) => &mut self.second,
            Outcome::Draw => &mut self.draw,
        };
        *part = part.checked_add(n)?;
        self.total = self.total.checked_add(n)?;
        Some(())
    }
}

/// The statistics of one ply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlyStatistics {
    /// Moves from the start.
    pub ply: u32,
    /// Distinct positions at this ply.
    pub states: u64,
    /// Symmetry classes of positions, if the game has symmetries.
    pub states_up_to_symmetry: Option<u64>,
    /// Move paths to this ply.
    pub paths: u128,
    /// Games that end at this ply.
    pub games: OutcomeCounts,
    /// Distinct finished positions.
    pub terminal_states: OutcomeCounts,
}

/// Statistics up to symmetry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SymmetryStatistics {
    /// Symmetry classes of positions.
    pub states: u64,
    /// Symmetry classes of finished positions.
    pub terminal_states: OutcomeCounts,
    /// The number of games when, at each position, children of the same class are merged into one.
    /// This is not the number of symmetry classes of games.
    pub games_with_merged_children: OutcomeCounts,
}

/// The statistics of a game tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GameTreeStatistics {
    /// Whether every game was followed to its end.
    pub complete: bool,
    /// Complete games.
    pub games: OutcomeCounts,
    /// Distinct positions, the start included.
    pub states: u64,
    /// Distinct finished positions.
    pub terminal_states: OutcomeCounts,
    /// The statistics up to symmetry; `None` for a game without symmetries.
    pub up_to_symmetry: Option<SymmetryStatistics>,
    /// The statistics of each ply.
    pub plies: Vec<PlyStatistics>,
}

/// Computes the statistics of the game tree below `start`.
pub fn statistics<P: Playable>(
    start: &P,
    options: StatisticsOptions,
) -> Result<GameTreeStatistics, StatisticsError> {
    statistics_with_symmetry(start, P::symmetry(), options)
}

/// Computes the statistics with the given symmetries, for positions outside of the registry.
pub fn statistics_with_symmetry<P: Position>(
    start: &P,
    symmetries: Option<Symmetries<P>>,
    options: StatisticsOptions,
) -> Result<GameTreeStatistics, StatisticsError> {
    let plain = count_levels(start, PositionKeys { symmetries: None }, options)?;
    let merged = match symmetries {
        Some(symmetries) => {
            Some(count_levels(start, PositionKeys { symmetries: Some(symmetries) }, options)?)
        }
        None => None,
    };
    Ok(combined(plain, merged))
}

/// Adds the statistics up to symmetry to the plain ones.
fn combined(
    mut plain: GameTreeStatistics,
    merged: Option<GameTreeStatistics>,
) -> GameTreeStatistics {
    let Some(merged) = merged else { return plain };
    for (ply, classes) in plain.plies.iter_mut().zip(&merged.plies) {
        ply.states_up_to_symmetry = Some(classes.states);
    }
    plain.up_to_symmetry = Some(SymmetryStatistics {
        states: merged.states,
        terminal_states: merged.terminal_states,
        games_with_merged_children: merged.games,
    });
    plain
}

/// Maps positions that count as equal to the same key.
struct PositionKeys<P: Position> {
    symmetries: Option<Symmetries<P>>,
}

impl<P: Position> PositionKeys<P> {
    fn key(&self, position: &P) -> u64 {
        match &self.symmetries {
            Some(symmetries) => (symmetries.canonical_key)(position),
            None => position.key(),
        }
    }
}

/// The positions of one ply, each with the number of paths to it.
type Level<P> = HashMap<u64, (P, u128), BuildHasherDefault<KeyHasher>>;
type Keys = HashSet<u64, BuildHasherDefault<KeyHasher>>;

fn count_levels<P: Position>(
    start: &P,
    keys: PositionKeys<P>,
    options: StatisticsOptions,
) -> Result<GameTreeStatistics, StatisticsError> {
    let mut found = GameTreeStatistics { complete: true, ..GameTreeStatistics::default() };
    let mut seen = Keys::default();
    let mut level = Level::default();
    level.insert(keys.key(start), (start.clone(), 1));
    let mut ply = 0;
    while !level.is_empty() {
        count_level(&level, ply, &mut seen, &mut found)?;
        if options.plies == Some(ply) {
            found.complete = level.values().all(|(position, _)| position.outcome().is_some());
            break;
        }
        let remaining = options.max_states.saturating_sub(seen.len());
        ply += 1;
        level = next_level(&level, &keys, remaining, ply, options.max_states)?;
    }
    found.states = seen.len() as u64;
    Ok(found)
}

fn count_level<P: Position>(
    level: &Level<P>,
    ply: u32,
    seen: &mut Keys,
    found: &mut GameTreeStatistics,
) -> Result<(), StatisticsError> {
    let overflow = StatisticsError::Overflow { ply };
    let mut here = PlyStatistics { ply, states: level.len() as u64, ..PlyStatistics::default() };
    for (&key, (position, paths)) in level {
        let is_new = seen.insert(key);
        here.paths = here.paths.checked_add(*paths).ok_or(overflow.clone())?;
        if let Some(outcome) = position.outcome() {
            here.games.add(outcome, *paths).ok_or(overflow.clone())?;
            found.games.add(outcome, *paths).ok_or(overflow.clone())?;
            here.terminal_states.add(outcome, 1).ok_or(overflow.clone())?;
            if is_new {
                found.terminal_states.add(outcome, 1).ok_or(overflow.clone())?;
            }
        }
    }
    found.plies.push(here);
    Ok(())
}

/// The positions one ply later. Up to symmetry, children of one class count once per parent;
/// otherwise every move counts, even if two lead to the same position.
fn next_level<P: Position>(
    level: &Level<P>,
    keys: &PositionKeys<P>,
    remaining: usize,
    ply: u32,
    max_states: usize,
) -> Result<Level<P>, StatisticsError> {
    let mut next = Level::default();
    let mut siblings = Vec::new();
    for (position, paths) in level.values() {
        siblings.clear();
        position.for_each_move(|m| {
            let mut child = position.clone();
            child.play(m);
            siblings.push((keys.key(&child), child));
        });
        if keys.symmetries.is_some() {
            siblings.sort_unstable_by_key(|(key, _)| *key);
            siblings.dedup_by_key(|(key, _)| *key);
        }
        for (key, child) in siblings.drain(..) {
            let entry = next.entry(key).or_insert((child, 0));
            entry.1 = entry.1.checked_add(*paths).ok_or(StatisticsError::Overflow { ply })?;
        }
        if next.len() > remaining {
            return Err(StatisticsError::TooLarge { max_states, ply });
        }
    }
    Ok(next)
}

/// Uses the key as its own hash: keys are already random.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
