//! The limits of a search among the options of a player.

use tesuji_play::options::Options;
use tesuji_search::{Limits, PuctOptions};

/// Bytes of a tree that a network guides, when it is full. No option changes its capacity.
pub(super) const FULL_GUIDED_TREE: u64 = 40 * PuctOptions::CAPACITY as u64;

/// The limits `nodes` and `time` among the options.
pub(super) fn effort(options: &Options) -> Limits {
    Limits { nodes: options.number("nodes"), time: options.time("time"), ..Limits::default() }
}

/// The limits `depth`, `nodes` and `time` among the options.
pub(super) fn depth_and_effort(options: &Options) -> Limits {
    Limits { depth: options.number("depth").map(|depth| depth as u32), ..effort(options) }
}

/// The limits `sims` and `time` among the options.
pub(super) fn simulations(options: &Options) -> Limits {
    Limits { nodes: options.number("sims"), time: options.time("time"), ..Limits::default() }
}
