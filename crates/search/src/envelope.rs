//! The container format of all binary model files: magic bytes, version, header, body, checksum.
//! Numbers are little-endian.

/// The version of the container format.
pub const VERSION: u8 = 1;

/// The error of reading a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnvelopeError {
    /// The file begins with other magic bytes.
    Magic,
    /// The file has an unsupported version.
    Version {
        /// The version in the file.
        found: u8,
    },
    /// The file is truncated or corrupted.
    Damaged {
        /// The defect.
        what: &'static str,
    },
}

/// Serializes a file.
pub fn encode(magic: &[u8; 8], header: &[u8], body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.push(VERSION);
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    body(&mut bytes);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Checks the magic bytes, the version and the checksum of a file; returns its header and body.
pub fn decode<'b>(bytes: &'b [u8], magic: &[u8; 8]) -> Result<(&'b [u8], &'b [u8]), EnvelopeError> {
    let damaged = |what| EnvelopeError::Damaged { what };
    let rest = bytes.strip_prefix(magic).ok_or(EnvelopeError::Magic)?;
    match rest.first() {
        Some(&VERSION) => {}
        Some(&found) => return Err(EnvelopeError::Version { found }),
        None => return Err(damaged("truncated after the magic bytes")),
    }
    let (body, sum) = rest.split_last_chunk().ok_or(damaged("truncated file"))?;
    if checksum(&bytes[..bytes.len() - sum.len()]) != u64::from_le_bytes(*sum) {
        return Err(damaged("checksum mismatch"));
    }
    let body = body.get(1..).ok_or(damaged("truncated file"))?;
    let (length, body) = body.split_first_chunk().ok_or(damaged("truncated file"))?;
    body.split_at_checked(u32::from_le_bytes(*length) as usize)
        .ok_or(damaged("header longer than the file"))
}

/// FNV-1a (Fowler, Noll and Vo, 1991): detects errors and truncation, not deliberate changes.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
