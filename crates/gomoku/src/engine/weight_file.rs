//! The file format of learned weights (`.weights`). Numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the magic bytes `tesuji-5` |
//! | 1 | the version, 1 |
//! | 4 | the length of the header |
//! | … | the header, text: the rule in the first line, the origin of the weights in the others |
//! | … | 2 bytes a weight: worth, attack, defense (by combination) and threats; in renju for black and for white |
//! | 8 | the checksum of all bytes before it: FNV-1a, 64 bits |

use tesuji_games::{RowRule, Side, UnknownRowRule};
use tesuji_search::envelope::{EnvelopeError, VERSION, decode, encode};

use super::weights::{COMBINATIONS, EngineWeights, SideWeights, THREATS, WeightTables};

/// The first bytes of every file.
pub const MAGIC: &[u8; 8] = b"tesuji-5";

/// The greatest length of a file: the weights of both sides and a page of text.
pub const MAX_FILE_BYTES: usize = 2 * BYTES_OF_SIDE + 4096;

const BYTES_OF_SIDE: usize = 2 * (3 * COMBINATIONS + THREATS);

/// Why bytes are not a valid weight file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightFileError {
    /// The magic bytes are missing.
    #[error(
        "weights file: does not begin with 'tesuji-5'; expected a file made by: tesuji train gomoku-eval FILE.toml"
    )]
    NotWeights,
    /// The version is not supported.
    #[error("weights file: has version {found}; expected version {VERSION}")]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// The file is truncated or corrupt.
    #[error("weights file: damaged: {what}")]
    Damaged {
        /// The mismatch.
        what: &'static str,
    },
    /// The rule is unknown.
    #[error("weights file: {0}")]
    Rule(#[from] UnknownRowRule),
    /// The weights are for another rule.
    #[error("weights file: is for {found}; expected weights for {wanted}")]
    OtherRule {
        /// The rule in the file.
        found: RowRule,
        /// The rule of the game.
        wanted: RowRule,
    },
}

impl From<EnvelopeError> for WeightFileError {
    fn from(error: EnvelopeError) -> Self {
        match error {
            EnvelopeError::Magic => WeightFileError::NotWeights,
            EnvelopeError::Version { found } => WeightFileError::Version { found },
            EnvelopeError::Damaged { what } => WeightFileError::Damaged { what },
        }
    }
}

impl WeightTables {
    /// Loads the weights for a rule from the bytes of a file.
    pub fn load(bytes: &[u8], rule: RowRule) -> Result<WeightTables, WeightFileError> {
        let numbers = EngineWeights::from_bytes(bytes)?;
        if numbers.rule == rule {
            Ok(WeightTables::new(&numbers))
        } else {
            Err(WeightFileError::OtherRule { found: numbers.rule, wanted: rule })
        }
    }
}

/// The weight files shipped with the program. `models/README.md` documents their origin.
#[cfg(feature = "weights")]
fn shipped_file(rule: RowRule) -> Option<&'static [u8]> {
    match rule {
        RowRule::AtLeast => Some(include_bytes!("../../models/gomoku-freestyle.weights")),
        RowRule::Exactly => Some(include_bytes!("../../models/gomoku-standard.weights")),
        RowRule::Renju => Some(include_bytes!("../../models/gomoku-renju.weights")),
        RowRule::Caro => None,
    }
}

#[cfg(not(feature = "weights"))]
fn shipped_file(_: RowRule) -> Option<&'static [u8]> {
    None
}

impl EngineWeights {
    /// The weights shipped with the program: learned ones where available, otherwise handcrafted
    /// ones.
    pub fn shipped(rule: RowRule) -> EngineWeights {
        let learned = shipped_file(rule).and_then(|bytes| EngineWeights::from_bytes(bytes).ok());
        learned.unwrap_or_else(|| EngineWeights::handcrafted(rule))
    }

    /// Whether the sides have separate weights. Sides with the same winning rule share them.
    pub fn sides_differ(rule: RowRule) -> bool {
        rule.of_side(Side::First) != rule.of_side(Side::Second)
    }

    /// Encodes a file; `made` describes the origin of the weights.
    pub fn to_bytes(&self, made: &str) -> Vec<u8> {
        let made: String = made.chars().take(1000).collect();
        let header = format!("{}\n{made}", self.rule);
        let sides = if EngineWeights::sides_differ(self.rule) { 2 } else { 1 };
        encode(MAGIC, header.as_bytes(), |bytes| {
            for side in &self.sides[..sides] {
                let tables = [&side.worth, &side.attack, &side.defense, &side.threats];
                bytes.extend(tables.into_iter().flatten().flat_map(|number| number.to_le_bytes()));
            }
        })
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<EngineWeights, WeightFileError> {
        let damaged = |what| WeightFileError::Damaged { what };
        let (header, body) = decode(bytes, MAGIC)?;
        let header = std::str::from_utf8(header).map_err(|_| damaged("the header is not text"))?;
        let rule: RowRule = header.lines().next().unwrap_or_default().parse()?;
        let sides = if EngineWeights::sides_differ(rule) { 2 } else { 1 };
        if body.len() != sides * BYTES_OF_SIDE {
            return Err(damaged("wrong number of weights"));
        }
        let black = SideWeights::from_body(&body[..BYTES_OF_SIDE]);
        let white = SideWeights::from_body(&body[body.len() - BYTES_OF_SIDE..]);
        Ok(EngineWeights { rule, sides: [black, white] })
    }
}

impl SideWeights {
    fn from_body(body: &[u8]) -> SideWeights {
        let mut numbers = body.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let mut table = |length| numbers.by_ref().take(length).collect();
        SideWeights {
            worth: table(COMBINATIONS),
            attack: table(COMBINATIONS),
            defense: table(COMBINATIONS),
            threats: table(THREATS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{below, seeded, word};
    use tesuji_search::envelope::checksum;

    fn arbitrary(rule: RowRule, seed: u64) -> EngineWeights {
        let mut rng = seeded(seed);
        let mut table = |length| (0..length).map(|_| word(&mut rng) as i16).collect::<Vec<i16>>();
        let mut side = || SideWeights {
            worth: table(COMBINATIONS),
            attack: table(COMBINATIONS),
            defense: table(COMBINATIONS),
            threats: table(THREATS),
        };
        let (black, white) = (side(), side());
        let white = if EngineWeights::sides_differ(rule) { white } else { black.clone() };
        EngineWeights { rule, sides: [black, white] }
    }

    fn error_text(bytes: &[u8]) -> String {
        let text = EngineWeights::from_bytes(bytes).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn encoding_round_trips() {
        for rule in RowRule::ALL {
            for numbers in [arbitrary(rule, 1), EngineWeights::handcrafted(rule)] {
                let bytes = numbers.to_bytes("random\nin two lines");
                assert_eq!(EngineWeights::from_bytes(&bytes), Ok(numbers));
                assert!(bytes.len() < 40_000 && bytes.len() < MAX_FILE_BYTES);
            }
        }
    }

    #[test]
    fn shipped_files_are_valid_for_their_rule() {
        for rule in RowRule::ALL {
            let learned = shipped_file(rule).map(EngineWeights::from_bytes);
            let found = learned.map(|numbers| numbers.map(|numbers| numbers.rule));
            assert!(found.is_none_or(|found| found == Ok(rule)), "{rule}");
            assert_eq!(EngineWeights::shipped(rule).rule, rule);
        }
    }

    #[test]
    fn truncated_and_altered_files_are_rejected() {
        let bytes = arbitrary(RowRule::Renju, 1).to_bytes("");
        for length in (0..60).chain((60..bytes.len()).step_by(97)) {
            error_text(&bytes[..length]);
        }
        for place in (0..60).chain((60..bytes.len()).step_by(97)) {
            let mut altered = bytes.clone();
            altered[place] ^= 0x10;
            error_text(&altered);
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic() {
        let mut rng = seeded(2);
        let with_checksum = |mut bytes: Vec<u8>| {
            bytes.extend(checksum(&bytes).to_le_bytes());
            bytes
        };
        let bytes = arbitrary(RowRule::Caro, 3).to_bytes("x");
        for _ in 0..500 {
            // A valid checksum lets the test reach the code behind it.
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            let reach = if below(&mut rng, 2) == 0 { 30 } else { altered.len() as u32 };
            altered[below(&mut rng, reach) as usize] = word(&mut rng) as u8;
            altered.truncate(altered.len() - below(&mut rng, 3) as usize);
            let _ = EngineWeights::from_bytes(&with_checksum(altered));
        }
        for length in 0..60 {
            let noise: Vec<u8> = (0..length).map(|_| word(&mut rng) as u8).collect();
            error_text(&noise);
            error_text(&with_checksum([&MAGIC[..], &[VERSION], &noise].concat()));
        }
    }

    #[test]
    fn errors_name_the_problem() {
        let sealed = |header: &[u8]| encode(MAGIC, header, |bytes| bytes.push(0));
        for (bytes, words) in [
            (b"<?xml".to_vec(), "does not begin with"),
            ([&MAGIC[..], &[2]].concat(), "version 2"),
            (sealed(b"pente\n"), "pente"),
            (sealed(b""), "rule"),
            (sealed(&[0xff]), "not text"),
            (sealed(b"caro"), "wrong number of weights"),
        ] {
            let text = error_text(&bytes);
            assert!(text.contains(words), "{text}");
        }
        let renju = EngineWeights::handcrafted(RowRule::Renju).to_bytes("");
        let error = WeightTables::load(&renju, RowRule::Caro).unwrap_err().to_string();
        assert!(
            error.contains("is for renju") && error.contains("expected weights for caro"),
            "{error}"
        );
        assert!(WeightTables::load(&renju, RowRule::Renju).is_ok());
    }
}
