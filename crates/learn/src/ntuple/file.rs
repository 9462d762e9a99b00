//! The file of a network (`.tuples`). Numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the mark `tesuji-w` |
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
use crate::forest::{Pattern, Spread, Window};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};

/// Why bytes are no network.
#[derive(Debug, thiserror::Error)]
pub enum TuplesError {
    /// They are something else.
    #[error("not a file of weights: it does not begin with 'tesuji-w'")]
    NotWeights,
    /// They are from another time.
    #[error("the file of weights has version {0}, this program reads version {VERSION}")]
    Version(u8),
    /// They were cut off or altered.
    #[error("the file of weights is damaged: {0}")]
    Damaged(&'static str),
    /// They are sound but say something impossible.
    #[error("these are no weights: {0}")]
    Content(String),
}

impl From<Unsealed> for TuplesError {
    fn from(error: Unsealed) -> TuplesError {
        match error {
            Unsealed::Mark => TuplesError::NotWeights,
            Unsealed::Version { found } => TuplesError::Version(found),
            Unsealed::Damaged { what } => TuplesError::Damaged(what),
        }
    }
}

/// The largest window that is read.
const LARGEST_WINDOW: usize = 64;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    window: Window,
    spread: Spread,
    patterns: Vec<Vec<u16>>,
    scale: f32,
    made: String,
}

impl TupleNetwork {
    /// What every file begins with.
    pub const MARK: &[u8; 8] = b"tesuji-w";

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            game: self.game.clone(),
            window: self.window,
            spread: self.spread,
            patterns: self.patterns.iter().map(|pattern| pattern.cells().to_vec()).collect(),
            scale: self.scale,
            made: self.made.clone(),
        };
        let header = serde_json::to_vec(&header).expect("text and numbers are always JSON");
        sealed(Self::MARK, &header, |bytes| bytes.extend(compressed(&self.weights[0])))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<TupleNetwork, TuplesError> {
        let (header, weights) = opened(bytes, Self::MARK)?;
        let content = |error: &dyn std::fmt::Display| TuplesError::Content(error.to_string());
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| content(&format_args!("its header: {error}")))?;
        let side = header.window.side;
        if side > LARGEST_WINDOW {
            let what = format!("its window has side {side}, at most {LARGEST_WINDOW} are read");
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
        Ok(TupleNetwork { made, ..TupleNetwork::new(game, spread, patterns, tables, scale)? })
    }

    /// No file is longer: twice the size of the most weights, uncompressed.
    pub const LONGEST_FILE: u64 = 4 * TupleNetwork::MOST_WEIGHTS as u64;
}

fn compressed(tables: &[Vec<i16>]) -> Vec<u8> {
    let plain: Vec<u8> = tables.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect();
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(&plain).and_then(|()| out.finish()).expect("memory takes every byte")
}

fn decompressed(stream: &[u8], sizes: &[usize]) -> Result<Vec<Vec<i16>>, TuplesError> {
    let expected = 2 * sizes.iter().sum::<usize>();
    let mut plain = Vec::new();
    ZlibDecoder::new(stream)
        .take(expected as u64 + 1)
        .read_to_end(&mut plain)
        .map_err(|_| TuplesError::Damaged("its weights cannot be unpacked"))?;
    if plain.len() != expected {
        return Err(TuplesError::Damaged("its weights are too few or too many"));
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

    /// Bytes with the right checksum, whatever they say.
    fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    fn with_header(header: &str) -> Vec<u8> {
        let weights = compressed(&[vec![0, 1, -1]]);
        sealed(TupleNetwork::MARK, header.as_bytes(), |bytes| bytes.extend(weights))
    }

    fn complaint(bytes: &[u8]) -> String {
        let text = TupleNetwork::from_bytes(bytes).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn bytes_give_back_what_was_written() {
        for seed in 0..8 {
            let made = "by chance \"quoted\"\n".to_string();
            let network = TupleNetwork { made, ..arbitrary(seed) };
            assert_eq!(TupleNetwork::from_bytes(&network.to_bytes()).unwrap(), network);
        }
    }

    #[test]
    fn what_is_cut_off_or_altered_is_noticed() {
        let bytes = arbitrary(1).to_bytes();
        for length in 0..bytes.len() {
            complaint(&bytes[..length]);
        }
        for place in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[place] ^= 0x10;
            complaint(&altered);
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let mut rng = seeded(2);
        let bytes = arbitrary(1).to_bytes();
        for _ in 0..3_000 {
            // The checksum is made to fit, so that what lies behind it is reached.
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            for _ in 0..=below(&mut rng, 4) {
                let place = 9 + below(&mut rng, altered.len() as u32 - 9) as usize;
                altered[place] = word(&mut rng) as u8;
            }
            let _ = TupleNetwork::from_bytes(&with_checksum(altered));
        }
        for length in 0..40 {
            let noise: Vec<u8> = (0..length).map(|_| word(&mut rng) as u8).collect();
            complaint(&noise);
            complaint(&with_checksum([&TupleNetwork::MARK[..], &[VERSION], &noise].concat()));
        }
    }

    #[test]
    fn complaints_say_what_is_wrong() {
        assert!(complaint(b"<?xml").contains("does not begin with"));
        let mut later = arbitrary(1).to_bytes();
        later[8] = 2;
        assert!(complaint(&later).contains("version 2"));
        let header = |window: &str, patterns: &str, scale: &str| {
            with_header(&format!(
                r#"{{"game":"g","window":{window},"spread":{{}},"patterns":{patterns},"scale":{scale},"made":""}}"#
            ))
        };
        assert!(TupleNetwork::from_bytes(&header("3", "[[4]]", "0.5")).is_ok());
        for (window, patterns, scale, expected) in [
            ("3", "[]", "1", "no pattern"),
            ("3", "[[9]]", "1", "outside"),
            ("3", "[[4,4]]", "1", "twice"),
            ("3", "[[4,5]]", "1", "too few"),
            ("3", "[[4]]", "0", "scale"),
            ("3", "[[4]]", "1e99", "header"),
            ("18446744073709551615", "[[4]]", "1", "at most 64"),
            ("-1", "[[4]]", "1", "header"),
        ] {
            let text = complaint(&header(window, patterns, scale));
            assert!(text.contains(expected), "{text}");
        }
    }
}
