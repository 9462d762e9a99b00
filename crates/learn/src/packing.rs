//! Lossless encoding of numbers as a short text, for the notes of remote work items: integers as
//! varints, floats as they are, all deflated and encoded in base64.

use std::io::{Read, Write};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use tesuji_queue::JobError;

/// Encodes numbers.
#[derive(Default)]
pub(crate) struct Packer(Vec<u8>);

impl Packer {
    /// Appends an integer: seven bits per byte, the lowest first.
    pub(crate) fn uint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn float(&mut self, number: f32) {
        self.0.extend(number.to_le_bytes());
    }

    /// The encoded text.
    pub(crate) fn text(self) -> String {
        let mut file = DeflateEncoder::new(Vec::new(), Compression::fast());
        let bytes = file
            .write_all(&self.0)
            .and_then(|()| file.finish())
            .unwrap_or_else(|error| unreachable!("writing to memory cannot fail: {error}"));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// Decodes numbers in the order in which they were encoded.
pub(crate) struct Unpacker {
    bytes: Vec<u8>,
    at: usize,
}

impl Unpacker {
    /// Decodes a text.
    pub(crate) fn new(text: &str) -> Result<Unpacker, JobError> {
        let packed = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| damaged())?;
        Ok(Unpacker { bytes: inflated(&packed, MAX_BYTES).ok_or_else(damaged)?, at: 0 })
    }

    pub(crate) fn uint(&mut self) -> Result<u64, JobError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or_else(damaged)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    pub(crate) fn float(&mut self) -> Result<f32, JobError> {
        let bytes = self.bytes.get(self.at..self.at + 4).and_then(|four| four.try_into().ok());
        self.at += 4;
        bytes.map(f32::from_le_bytes).ok_or_else(damaged)
    }

    /// Whether all numbers were read.
    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }
}

/// The maximum size of an item's numbers. Usually they are a few megabytes at most, because the
/// note is part of a message of about one.
const MAX_BYTES: u64 = 64 << 20;

/// Inflates bytes; `None` if they are damaged or inflate to more than `most` bytes. A few kilobytes
/// can inflate to gigabytes.
pub(crate) fn inflated(packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// The error for damaged numbers.
pub(crate) fn damaged() -> JobError {
    JobError("the numbers of a work item are damaged".to_string())
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::{below, seeded, word};

    use super::*;

    #[test]
    fn inflation_is_limited() {
        let mut file = DeflateEncoder::new(Vec::new(), Compression::best());
        file.write_all(&vec![0; 100_000]).unwrap();
        let packed = file.finish().unwrap();
        assert!(packed.len() < 1000);
        assert_eq!(inflated(&packed, 100_000), Some(vec![0; 100_000]));
        assert_eq!(inflated(&packed, 99_999), None);
        // A text of less than 100 KB that inflates to more than the maximum.
        let bomb = Packer(vec![0; MAX_BYTES as usize + 1]).text();
        assert!(bomb.len() < 1 << 20 && Unpacker::new(&bomb).is_err());
    }

    #[test]
    fn numbers_survive_a_round_trip() {
        let rng = &mut seeded(5);
        for count in 0..50 {
            let numbers: Vec<(u64, u32)> =
                (0..count).map(|n| (word(rng) >> (n % 64), word(rng) as u32)).collect();
            let mut packer = Packer::default();
            for &(whole, float) in &numbers {
                packer.uint(whole);
                packer.float(f32::from_bits(float));
            }
            let text = packer.text();
            assert!(text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)));
            let mut unpacker = Unpacker::new(&text).unwrap();
            for &(whole, float) in &numbers {
                assert!(!unpacker.is_empty());
                assert_eq!(unpacker.uint(), Ok(whole));
                assert_eq!(unpacker.float().map(f32::to_bits), Ok(float));
            }
            assert!(unpacker.is_empty());
            assert!(unpacker.uint().is_err() && unpacker.float().is_err());
        }
    }

    #[test]
    fn arbitrary_text_never_panics() {
        let rng = &mut seeded(6);
        let mut packer = Packer::default();
        (0..100).for_each(|n| packer.uint(n * n));
        let text = packer.text().into_bytes();
        for _ in 0..300 {
            let mut altered = text.clone();
            let place = below(rng, altered.len() as u32) as usize;
            altered[place] = b'!' + below(rng, 90) as u8;
            altered.truncate(text.len() - below(rng, 4) as usize);
            let Ok(text) = String::from_utf8(altered) else { continue };
            if let Ok(mut unpacker) = Unpacker::new(&text) {
                while !unpacker.is_empty() && unpacker.uint().is_ok() {}
            }
        }
        assert!(Unpacker::new("äöü").is_err());
    }
}
