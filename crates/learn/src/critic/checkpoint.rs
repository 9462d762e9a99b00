//! Where a run can be carried on: `checkpoint.critic`, replaced after each block of games. Numbers are little-endian:
//! the mark `tesuji-k`, the version (1 byte), the length of the header (4 bytes), the header (JSON), the weights, their
//! mean and those of earlier selves (4 bytes each, exactly as they were), and the checksum of all that (8 bytes).

use serde::{Deserialize, Serialize};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};

use super::Critic;

const MARK: &[u8; 8] = b"tesuji-k";

/// A critic on the way.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Checkpoint {
    pub(super) games: u64,
    pub(super) averaged: u64,
    pub(super) least_error: f64,
    pub(super) parameters: Vec<f32>,
    pub(super) average: Vec<f32>,
    pub(super) earlier: Vec<Vec<f32>>,
}

/// Why bytes are no checkpoint.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// They are something else.
    #[error("it is no checkpoint of a critic")]
    Mark,
    /// They are from another time.
    #[error("it has version {found}, this program reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// They were cut off or altered.
    #[error("it is damaged: {what}")]
    Damaged {
        /// What does not fit.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    games: u64,
    averaged: u64,
    /// `None` before the first block.
    least_error: Option<f64>,
    earlier: usize,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            games: self.games,
            averaged: self.averaged,
            least_error: self.least_error.is_finite().then_some(self.least_error),
            earlier: self.earlier.len(),
        };
        let header = serde_json::to_vec(&header).expect("finite numbers are always JSON");
        sealed(MARK, &header, |bytes| {
            let all = [&self.parameters, &self.average].into_iter().chain(&self.earlier);
            all.flatten().for_each(|number| bytes.extend(number.to_le_bytes()));
        })
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let (header, body) = opened(bytes, MARK).map_err(|error| match error {
            Unsealed::Mark => CheckpointError::Mark,
            Unsealed::Version { found } => CheckpointError::Version { found },
            Unsealed::Damaged { what } => damaged(what),
        })?;
        let header: Header =
            serde_json::from_slice(header).map_err(|error| damaged(error.to_string()))?;
        let size = Critic::untaught(0).parameters().len();
        let (numbers, rest) = body.as_chunks();
        let expected = header.earlier.checked_add(2).and_then(|lists| lists.checked_mul(size));
        if !rest.is_empty() || Some(numbers.len()) != expected {
            return Err(damaged("its weights are too few or too many"));
        }
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(damaged("a weight is not finite"));
        }
        let mut lists = numbers.chunks_exact(size).map(<[f32]>::to_vec);
        Ok(Checkpoint {
            games: header.games,
            averaged: header.averaged,
            least_error: header.least_error.unwrap_or(f64::INFINITY),
            parameters: lists.next().unwrap_or_default(),
            average: lists.next().unwrap_or_default(),
            earlier: lists.collect(),
        })
    }
}

fn damaged(what: impl Into<String>) -> CheckpointError {
    CheckpointError::Damaged { what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{below, seeded, word};
    use tesuji_search::envelope::checksum;

    fn example() -> Checkpoint {
        let weights = |seed| Critic::untaught(seed).parameters().to_vec();
        Checkpoint {
            games: 7,
            averaged: 3,
            least_error: f64::INFINITY,
            parameters: weights(1),
            average: weights(2),
            earlier: vec![weights(3), weights(4)],
        }
    }

    #[test]
    fn bytes_give_back_what_was_written() {
        let kept = example();
        assert_eq!(Checkpoint::from_bytes(&kept.to_bytes()), Ok(kept.clone()));
        let with_error = Checkpoint { least_error: 0.1, earlier: Vec::new(), ..kept };
        assert_eq!(Checkpoint::from_bytes(&with_error.to_bytes()), Ok(with_error));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let (bytes, mut rng) = (example().to_bytes(), seeded(1));
        assert_eq!(Checkpoint::from_bytes(b"tesuji"), Err(CheckpointError::Mark));
        for _ in 0..300 {
            // The checksum is made to fit, so that what lies behind it is reached.
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            let place = 9 + below(&mut rng, 120) as usize;
            altered[place] = word(&mut rng) as u8;
            altered.truncate(altered.len() - below(&mut rng, 3) as usize);
            altered.extend(checksum(&altered).to_le_bytes());
            if let Err(error) = Checkpoint::from_bytes(&altered) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}
