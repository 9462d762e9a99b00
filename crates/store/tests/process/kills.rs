//! `kill -9` while games are written: acknowledged batches are stored, and stored batches are
//! complete.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::time::Duration;

use tesuji_games::random::{Rng, below, choose};
use tesuji_store::Store;

use super::{other_process, whole_lines};
use crate::plain::keys;

/// The number of kills in the test suite; `cargo xtask soak` sets more with this variable.
const ROUNDS: &str = "TESUJI_KILLS";

/// The number of rounds.
pub(crate) fn rounds(usual: u32) -> u32 {
    match std::env::var(ROUNDS) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{ROUNDS}: '{text}' is no number")),
        Err(_) => usual,
    }
}

/// When to kill.
enum Moment {
    /// After a delay: some are killed while they open the store, most while they write.
    Time(Duration),
    /// After this many acknowledged batches: a premature acknowledgment is lost then.
    Answer(u32),
}

impl Moment {
    fn random(rng: &mut Rng) -> Moment {
        if below(rng, 3) > 0 {
            return Moment::Answer(1 + below(rng, 60));
        }
        let longest = *choose(rng, &[20, 100, 400]).unwrap();
        Moment::Time(Duration::from_millis(u64::from(below(rng, longest))))
    }
}

/// Starts a process that adds games, kills it at some moment, and returns the batches that were
/// acknowledged.
pub(crate) fn add_and_kill(rng: &mut Rng, place: &str, name: &str) -> Vec<String> {
    let mut child = other_process("add without end", place, name).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut said = Vec::new();
    match Moment::random(rng) {
        Moment::Time(time) => std::thread::sleep(time),
        Moment::Answer(count) => {
            let mut lines = BufReader::with_capacity(64, &mut output);
            for _ in 0..count {
                lines.read_until(b'\n', &mut said).unwrap();
            }
            child.kill().unwrap();
            said.extend_from_slice(lines.buffer());
        }
    }
    child.kill().unwrap();
    output.read_to_end(&mut said).unwrap();
    child.wait().unwrap();
    whole_lines(&said)
}

/// Every acknowledged batch is stored, and every stored batch is complete.
pub(crate) fn check(store: &dyn Store, acknowledged: &BTreeSet<String>) {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for key in keys(store) {
        let (batch, _) = key.rsplit_once(' ').unwrap();
        *found.entry(batch.to_string()).or_default() += 1;
    }
    for batch in acknowledged {
        assert!(found.contains_key(batch), "{batch} was acknowledged and is lost");
    }
    for (batch, count) in &found {
        let (_, size) = batch.rsplit_once(' ').unwrap();
        assert_eq!(count.to_string(), size, "{batch} is not whole");
    }
}
