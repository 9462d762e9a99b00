//! Statistics of a whole game tree: complete games, distinct positions, classes under symmetry. Games
//! are counted by dynamic programming over the distinct positions of each ply, so a game may have far
//! more games than could ever be walked. Positions are told apart by their 64-bit keys.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tesuji_games::{Outcome, Playable, Position, Side, Symmetries};

/// How far [`statistics`] goes.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsOptions {
    /// The most distinct positions that are kept in memory.
    pub max_states: usize,
    /// Counts only this many plies; `None` counts to the end of every game.
    pub plies: Option<u32>,
}

impl Default for StatisticsOptions {
    fn default() -> Self {
        StatisticsOptions { max_states: 20_000_000, plies: None }
    }
}

/// Why there are no statistics.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The game has more positions than the limit.
    #[error(
        "the game has more than {max_states} positions within {ply} plies; \
         allow more of them or count fewer plies"
    )]
    TooLarge {
        /// The limit.
        max_states: usize,
        /// The ply that went over it.
        ply: u32,
    },
    /// A count does not fit 128 bits.
    #[error("the number of games within {ply} plies does not fit 128 bits; count fewer plies")]
    Overflow {
        /// The ply that went over it.
        ply: u32,
    },
}

/// Numbers of games or positions by how they ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OutcomeCounts {
    /// All of them.
    pub total: u128,
    /// Won by the first side.
    pub first: u128,
    /// Won by the second side.
    pub second: u128,
    /// Drawn.
    pub draw: u128,
}

impl OutcomeCounts {
    /// Adds `n`; `None` when that does not fit.
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

/// What there is at one ply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlyStatistics {
    /// Moves from the start.
    pub ply: u32,
    /// Distinct positions after that many moves.
    pub states: u64,
    /// Classes of them under symmetry, if the game has any.
    pub states_up_to_symmetry: Option<u64>,
    /// Move paths of that length.
    pub paths: u128,
    /// Games that end at this ply.
    pub games: OutcomeCounts,
    /// Distinct finished positions.
    pub terminal_states: OutcomeCounts,
}

/// What there is of symmetry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SymmetryStatistics {
    /// Classes of positions.
    pub states: u64,
    /// Classes of finished positions.
    pub terminal_states: OutcomeCounts,
    /// Games when, at each position, children of the same class are merged into one. This is not the
    /// number of classes of games.
    pub games_with_merged_children: OutcomeCounts,
}

/// The statistics of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Statistics {
    /// Whether every game was followed to its end.
    pub complete: bool,
    /// Complete games.
    pub games: OutcomeCounts,
    /// Distinct positions, the start included.
    pub states: u64,
    /// Distinct finished positions.
    pub terminal_states: OutcomeCounts,
    /// The same up to symmetry; absent for a game without symmetries.
    pub up_to_symmetry: Option<SymmetryStatistics>,
    /// Ply by ply.
    pub plies: Vec<PlyStatistics>,
}

/// Counts everything below `start`.
pub fn statistics<P: Playable>(
    start: &P,
    options: StatisticsOptions,
) -> Result<Statistics, StatisticsError> {
    statistics_with_symmetry(start, P::symmetry(), options)
}

/// The same for a position outside the registry, with its symmetries if it has any.
pub fn statistics_with_symmetry<P: Position>(
    start: &P,
    images: Option<Symmetries<P>>,
    options: StatisticsOptions,
) -> Result<Statistics, StatisticsError> {
    let plain = sweep(start, Identity { images: None }, options)?;
    let merged = match images {
        Some(images) => Some(sweep(start, Identity { images: Some(images) }, options)?),
        None => None,
    };
    Ok(combined(plain, merged))
}

/// A statistic in which symmetric positions are one, put beside the plain one.
fn combined(mut plain: Statistics, merged: Option<Statistics>) -> Statistics {
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

/// When two positions are the same.
struct Identity<P: Position> {
    images: Option<Symmetries<P>>,
}

impl<P: Position> Identity<P> {
    fn key(&self, position: &P) -> u64 {
        match &self.images {
            Some(images) => (images.canonical_key)(position),
            None => position.key(),
        }
    }
}

/// The positions of one ply, each with the number of paths that lead to it.
type Level<P> = HashMap<u64, (P, u128), BuildHasherDefault<KeyHasher>>;
type Keys = HashSet<u64, BuildHasherDefault<KeyHasher>>;

fn sweep<P: Position>(
    start: &P,
    identity: Identity<P>,
    options: StatisticsOptions,
) -> Result<Statistics, StatisticsError> {
    let mut found = Statistics { complete: true, ..Statistics::default() };
    let mut seen = Keys::default();
    let mut level = Level::default();
    level.insert(identity.key(start), (start.clone(), 1));
    let mut ply = 0;
    while !level.is_empty() {
        count_level(&level, ply, &mut seen, &mut found)?;
        if options.plies == Some(ply) {
            found.complete = level.values().all(|(position, _)| position.outcome().is_some());
            break;
        }
        let room = options.max_states.saturating_sub(seen.len());
        ply += 1;
        level = next_level(&level, &identity, room, ply, options.max_states)?;
    }
    found.states = seen.len() as u64;
    Ok(found)
}

fn count_level<P: Position>(
    level: &Level<P>,
    ply: u32,
    seen: &mut Keys,
    found: &mut Statistics,
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

/// The positions one ply on. Under symmetry, children of one class count once for each parent; without
/// it every move counts, also where two of them lead to the same position.
fn next_level<P: Position>(
    level: &Level<P>,
    identity: &Identity<P>,
    room: usize,
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
            siblings.push((identity.key(&child), child));
        });
        if identity.images.is_some() {
            siblings.sort_unstable_by_key(|(key, _)| *key);
            siblings.dedup_by_key(|(key, _)| *key);
        }
        for (key, child) in siblings.drain(..) {
            let entry = next.entry(key).or_insert((child, 0));
            entry.1 = entry.1.checked_add(*paths).ok_or(StatisticsError::Overflow { ply })?;
        }
        if next.len() > room {
            return Err(StatisticsError::TooLarge { max_states, ply });
        }
    }
    Ok(next)
}

/// Keys are random already: the table takes them as they are.
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
