//! The file of a network (`.tuples`). Numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the magic bytes `tesuji-w` |
//! | 1 | the version, 1 |
//! | 4 | the length of the header |
//! | … | the header, a JSON object: game, window, spread, patterns (lists of cells), scale, made |
//! | … | the weights with the first side to move, 2 bytes each, pattern by pattern, as a zlib stream |
//! | 8 | the checksum of everything before it: FNV-1a, 64 bits |

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use super::TupleNetwork;
use super::network::{check_patterns, entries};
use crate::forest::{Pattern, PatternWindow, Spread};
use tesuji_search::envelope::{EnvelopeError, VERSION, decode, encode};

/// Why bytes are not a valid file.
#[derive(Debug, thiserror::Error)]
pub enum TuplesError {
    /// They are another kind of file.
    #[error("not a weights file; expected a file that begins with 'tesuji-w'")]
    NotWeights,
    /// The file has another version.
    #[error("version {0} of the weights file: not supported; expected version {VERSION}")]
    Version(u8),
    /// The file was cut off or altered.
    #[error("damaged weights file: {0}")]
    Damaged(&'static str),
    /// The file is intact but its content is invalid.
    #[error("invalid weights: {0}")]
    Content(String),
}

impl From<EnvelopeError> for TuplesError {
    fn from(error: EnvelopeError) -> TuplesError {
        match error {
            EnvelopeError::Magic => TuplesError::NotWeights,
            EnvelopeError::Version { found } => TuplesError::Version(found),
            EnvelopeError::Damaged { what } => TuplesError::Damaged(what),
        }
    }
}

/// The largest supported window.
const MAX_WINDOW: usize = 64;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    window: PatternWindow,
    spread: Spread,
    patterns: Vec<Vec<u16>>,
    scale: f32,
    made: String,
}

impl TupleNetwork {
    /// The magic bytes at the start of a file.
    pub const MAGIC: &[u8; 8] = b"tesuji-w";

    /// Encodes a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            game: self.game.clone(),
            window: self.window,
            spread: self.spread,
            patterns: self.patterns.iter().map(|pattern| pattern.cells().to_vec()).collect(),
            scale: self.scale,
            made: self.origin.clone(),
        };
        let header = serde_json::to_vec(&header).expect("text and numbers are always JSON");
        encode(Self::MAGIC, &header, |bytes| bytes.extend(compressed(&self.weights[0])))
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<TupleNetwork, TuplesError> {
        let (header, weights) = decode(bytes, Self::MAGIC)?;
        let content = |error: &dyn std::fmt::Display| TuplesError::Content(error.to_string());
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| content(&format_args!("header: {error}")))?;
        let side = header.window.side;
        if side > MAX_WINDOW {
            let what = format!("the window has side {side}; expected up to {MAX_WINDOW}");
            return Err(TuplesError::Content(what));
        }
        let patterns = header.patterns.into_iter();
        let patterns: Vec<Pattern> = patterns
            .map(|cells| Pattern::new(header.window, cells))
            .collect::<Result<_, _>>()
            .map_err(|error| content(&error))?;
        check_patterns(&patterns)?;
        let sizes: Vec<usize> = patterns.iter().map(entries).collect();
        let tables = decompressed(weights, &sizes)?;
        let Header { game, spread, scale, made, .. } = header;
        Ok(TupleNetwork {
            origin: made,
            ..TupleNetwork::new(game, spread, patterns, tables, scale)?
        })
    }

    /// The maximum size of a file: twice that of the maximum number of weights, uncompressed.
    pub const MAX_BYTES: u64 = 4 * TupleNetwork::MAX_WEIGHTS as u64;
}

fn compressed(tables: &[Vec<i16>]) -> Vec<u8> {
    let plain: Vec<u8> = tables.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect();
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(&plain).and_then(|()| out.finish()).expect("writing to memory cannot fail")
}

fn decompressed(stream: &[u8], sizes: &[usize]) -> Result<Vec<Vec<i16>>, TuplesError> {
    let expected = 2 * sizes.iter().sum::<usize>();
    let mut plain = Vec::new();
    ZlibDecoder::new(stream)
        .take(expected as u64 + 1)
        .read_to_end(&mut plain)
        .map_err(|_| TuplesError::Damaged("the weights cannot be decompressed"))?;
    if plain.len() != expected {
        return Err(TuplesError::Damaged("wrong number of weights"));
    }
    let mut weights = plain.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
    Ok(sizes.iter().map(|&size| weights.by_ref().take(size).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::network::tests::arbitrary;
    use super::*;
    use tesuji_games::random::{below, seeded, word};
    use tesuji_search::envelope::checksum;

    /// Bytes with a correct checksum.
    fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    fn with_header(header: &str) -> Vec<u8> {
        let weights = compressed(&[vec![0, 1, -1]]);
        encode(TupleNetwork::MAGIC, header.as_bytes(), |bytes| bytes.extend(weights))
    }

    fn error_text(bytes: &[u8]) -> String {
        let text = TupleNetwork::from_bytes(bytes).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn files_round_trip() {
        for seed in 0..8 {
            let origin = "by chance \"quoted\"\n".to_string();
            let network = TupleNetwork { origin, ..arbitrary(seed) };
            assert_eq!(TupleNetwork::from_bytes(&network.to_bytes()).unwrap(), network);
        }
    }

    #[test]
    fn truncated_and_altered_files_are_rejected() {
        let bytes = arbitrary(1).to_bytes();
        for length in 0..bytes.len() {
            error_text(&bytes[..length]);
        }
        for index in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[index] ^= 0x10;
            error_text(&altered);
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic() {
        let mut rng = seeded(2);
        let bytes = arbitrary(1).to_bytes();
        for _ in 0..3_000 {
            // The checksum is corrected, so that the code after its check is reached.
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            for _ in 0..=below(&mut rng, 4) {
                let index = 9 + below(&mut rng, altered.len() as u32 - 9) as usize;
                altered[index] = word(&mut rng) as u8;
            }
            let _ = TupleNetwork::from_bytes(&with_checksum(altered));
        }
        for length in 0..40 {
            let noise: Vec<u8> = (0..length).map(|_| word(&mut rng) as u8).collect();
            error_text(&noise);
            error_text(&with_checksum([&TupleNetwork::MAGIC[..], &[VERSION], &noise].concat()));
        }
    }

    #[test]
    fn errors_name_the_problem() {
        assert!(error_text(b"<?xml").contains("tesuji-w"));
        let mut later = arbitrary(1).to_bytes();
        later[8] = 2;
        assert!(error_text(&later).contains("version 2"));
        let header = |window: &str, patterns: &str, scale: &str| {
            with_header(&format!(
                r#"{{"game":"g","window":{window},"spread":{{}},"patterns":{patterns},"scale":{scale},"made":""}}"#
            ))
        };
        assert!(TupleNetwork::from_bytes(&header("3", "[[4]]", "0.5")).is_ok());
        for (window, patterns, scale, expected) in [
            ("3", "[]", "1", "no pattern"),
            ("3", "[[9]]", "1", "invalid weights"),
            ("3", "[[4,4]]", "1", "invalid weights"),
            ("3", "[[4,5]]", "1", "wrong number"),
            ("3", "[[4]]", "0", "scale"),
            ("3", "[[4]]", "1e99", "header"),
            ("18446744073709551615", "[[4]]", "1", "expected up to 64"),
            ("-1", "[[4]]", "1", "header"),
        ] {
            let text = error_text(&header(window, patterns, scale));
            assert!(text.contains(expected), "{text}");
        }
    }
}
