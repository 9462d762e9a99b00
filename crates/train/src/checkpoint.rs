//! The file `checkpoint`, from which a run resumes, replaced after each step. It has the format of
//! all files of learned numbers ([`envelope`](tesuji_search::envelope)): a JSON header with the
//! learner and the step, a body by the learner ([`pack`]), and a checksum.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tesuji_search::envelope::{EnvelopeError, VERSION, decode, encode};

use crate::error::TrainError;

const MARK: &[u8; 8] = b"tesuji-t";

/// The state of a run after a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// Number of completed steps.
    pub step: u64,
    /// The state of the learner.
    pub body: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    learner: String,
    step: u64,
}

impl Checkpoint {
    /// Encodes the file.
    pub fn to_bytes(&self, learner: &str) -> Vec<u8> {
        let header = Header { learner: learner.to_string(), step: self.step };
        let header = serde_json::to_vec(&header).expect("text and numbers are always JSON");
        encode(MARK, &header, |bytes| bytes.extend(&self.body))
    }

    /// Decodes the file.
    pub fn from_bytes(bytes: &[u8], learner: &str) -> Result<Checkpoint, TrainError> {
        let (header, body) = decode(bytes, MARK).map_err(|error| match error {
            EnvelopeError::Magic => TrainError::checkpoint("not a checkpoint of a run"),
            EnvelopeError::Version { found } => {
                TrainError::checkpoint(format!("version {found}; expected version {VERSION}"))
            }
            EnvelopeError::Damaged { what } => TrainError::checkpoint(format!("damaged: {what}")),
        })?;
        let header: Header = serde_json::from_slice(header).map_err(TrainError::checkpoint)?;
        if header.learner != learner {
            let found = header.learner.replace(char::is_control, " ");
            return Err(TrainError::checkpoint(format!(
                "belongs to the learner {found}; expected {learner}"
            )));
        }
        Ok(Checkpoint { step: header.step, body: body.to_vec() })
    }
}

/// Encodes the state of a learner. Numbers are stored exactly.
pub fn pack(state: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(state).expect("a state in memory can be written to memory")
}

/// Decodes the state of a learner.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, TrainError> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok(_) => Err(TrainError::checkpoint("longer than its content")),
        Err(_) => Err(TrainError::checkpoint("the content is not that of this learner")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_search::envelope::checksum;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct State {
        games: u64,
        least: Option<f64>,
        weights: Vec<f32>,
        words: Vec<Vec<String>>,
    }

    fn state() -> State {
        let weights = vec![0.1, -f32::MIN_POSITIVE, f32::MAX, 1e-40];
        State { games: u64::MAX, least: Some(0.1), weights, words: vec![vec!["é".to_string()]] }
    }

    #[test]
    fn checkpoints_round_trip() {
        let kept = Checkpoint { step: 7, body: pack(&state()) };
        let read = Checkpoint::from_bytes(&kept.to_bytes("critic"), "critic").unwrap();
        assert_eq!(read, kept);
        assert_eq!(unpack::<State>(&read.body).unwrap(), state());
        let error = Checkpoint::from_bytes(&kept.to_bytes("critic"), "forest").unwrap_err();
        assert!(error.to_string().contains("belongs to the learner critic"), "{error}");
    }

    #[test]
    fn altered_bytes_do_not_panic() {
        let bytes = Checkpoint { step: 7, body: pack(&state()) }.to_bytes("critic");
        assert!(Checkpoint::from_bytes(b"tesuji", "critic").is_err());
        for index in 8..bytes.len() - 8 {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                // The checksum is corrected, so that the parser behind it is reached.
                let mut altered = bytes[..bytes.len() - 8].to_vec();
                altered[index] = value;
                altered.extend(checksum(&altered).to_le_bytes());
                let read = Checkpoint::from_bytes(&altered, "critic");
                let state = read.and_then(|read| unpack::<State>(&read.body));
                if let Err(error) = state {
                    assert!(!error.to_string().contains('\n'), "{error}");
                }
            }
        }
    }
}
