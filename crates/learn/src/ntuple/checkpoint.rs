//! Where a run can be carried on: `checkpoint.weights`, replaced after each block of games. Numbers are little-endian:
//! the mark `tesuji-c`, the version (1 byte), the length of the header (4 bytes), the header (JSON: games, window,
//! spread, patterns), for each entry its weight and its two sums of errors (4 bytes each, exactly as they were), and
//! the checksum of all that (8 bytes).

use serde::{Deserialize, Serialize};

use super::network::check_patterns;
use super::{Layout, TuplesError};
use crate::forest::{Pattern, Spread, Window};
use tesuji_search::envelope::{opened, sealed};

const MARK: &[u8; 8] = b"tesuji-c";

/// Weights on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// Games that were learned from.
    pub games: u64,
    /// What is looked at.
    pub patterns: Vec<Pattern>,
    /// How that is laid on the board.
    pub spread: Spread,
    /// By entry.
    pub weights: Vec<f32>,
    /// By entry, the sum of all errors and of their absolute values.
    pub coherence: Vec<[f32; 2]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    games: u64,
    window: Window,
    spread: Spread,
    patterns: Vec<Vec<u16>>,
}

/// Bytes of one entry.
const ENTRY: usize = 12;

impl Checkpoint {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            games: self.games,
            window: self.patterns.first().map_or(Window { side: 1 }, Pattern::window),
            spread: self.spread,
            patterns: self.patterns.iter().map(|pattern| pattern.cells().to_vec()).collect(),
        };
        let header = serde_json::to_vec(&header).expect("numbers are always JSON");
        sealed(MARK, &header, |bytes| {
            for (weight, [net, total]) in self.weights.iter().zip(&self.coherence) {
                let numbers = [weight, net, total].into_iter();
                numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
            }
        })
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, TuplesError> {
        let otherwise = TuplesError::Damaged { what: "it is no checkpoint of weights" };
        let (header, numbers) =
            opened(bytes, MARK).map_err(|error| TuplesError::unsealed(error, otherwise))?;
        read(header, numbers)
    }
}

fn read(header: &[u8], numbers: &[u8]) -> Result<Checkpoint, TuplesError> {
    let content = |what: String| TuplesError::Content { what };
    let header: Header = serde_json::from_slice(header)
        .map_err(|error| content(format!("the header of the checkpoint: {error}")))?;
    let patterns: Vec<Pattern> = header
        .patterns
        .into_iter()
        .map(|cells| Pattern::new(header.window, cells))
        .collect::<Result<_, _>>()
        .map_err(|error| content(error.to_string()))?;
    check_patterns(&patterns)?;
    let entries: usize = patterns.iter().map(super::network::entries).sum();
    if numbers.len() != ENTRY * entries {
        return Err(TuplesError::Damaged { what: "its weights are too few or too many" });
    }
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let rows = || numbers.chunks_exact(ENTRY);
    Ok(Checkpoint {
        games: header.games,
        patterns,
        spread: header.spread,
        weights: rows().map(|row| number(&row[..4])).collect(),
        coherence: rows().map(|row| [number(&row[4..8]), number(&row[8..])]).collect(),
    })
}

impl Checkpoint {
    /// Whether it is one for these patterns on this board.
    pub(super) fn fits(&self, layout: &Layout) -> bool {
        self.weights.len() == layout.entries() && layout.placements() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{seeded, unit, word};

    fn arbitrary() -> Checkpoint {
        let mut rng = seeded(1);
        let pattern = Pattern::new(Window { side: 3 }, vec![4, 1]).unwrap();
        Checkpoint {
            games: 7,
            patterns: vec![pattern],
            spread: Spread::default(),
            weights: (0..9).map(|_| unit(&mut rng) as f32 - 0.5).collect(),
            coherence: (0..9).map(|_| [unit(&mut rng) as f32, 0.0]).collect(),
        }
    }

    #[test]
    fn a_checkpoint_comes_back_as_it_was() {
        let checkpoint = arbitrary();
        assert_eq!(Checkpoint::from_bytes(&checkpoint.to_bytes()).unwrap(), checkpoint);
    }

    #[test]
    fn damage_is_noticed_in_one_line() {
        let bytes = arbitrary().to_bytes();
        for length in 0..bytes.len() {
            let error = Checkpoint::from_bytes(&bytes[..length]).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
        let mut rng = seeded(2);
        for _ in 0..2_000 {
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            let place = 9 + word(&mut rng) as usize % (altered.len() - 9);
            altered[place] = word(&mut rng) as u8;
            assert!(
                altered == bytes[..bytes.len() - 8] || {
                    let unsealed = [&altered[..], &bytes[bytes.len() - 8..]].concat();
                    Checkpoint::from_bytes(&unsealed).is_err()
                }
            );
            altered.extend(tesuji_search::envelope::checksum(&altered).to_le_bytes());
            let _ = Checkpoint::from_bytes(&altered);
        }
    }
}
