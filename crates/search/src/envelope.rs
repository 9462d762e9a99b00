//! The form that all binary files of learned numbers have: a mark, a version, a header, a body, a checksum. Numbers are
//! little-endian.

/// The version of the form.
pub const VERSION: u8 = 1;

/// Why bytes are no file of the kind that was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnvelopeError {
    /// They begin with another mark.
    Magic,
    /// They are from another time.
    Version {
        /// The version in the file.
        found: u8,
    },
    /// They were cut off or altered.
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
}

/// The bytes of a file.
pub fn encode(magic: &[u8; 8], header: &[u8], body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.push(VERSION);
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    body(&mut bytes);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Header and body of a file with this mark, if nothing of it is missing or altered.
pub fn decode<'b>(bytes: &'b [u8], magic: &[u8; 8]) -> Result<(&'b [u8], &'b [u8]), EnvelopeError> {
    let damaged = |what| EnvelopeError::Damaged { what };
    let rest = bytes.strip_prefix(magic).ok_or(EnvelopeError::Magic)?;
    match rest.first() {
        Some(&VERSION) => {}
        Some(&found) => return Err(EnvelopeError::Version { found }),
        None => return Err(damaged("it ends after its mark")),
    }
    let (body, sum) = rest.split_last_chunk().ok_or(damaged("it is too short"))?;
    if checksum(&bytes[..bytes.len() - sum.len()]) != u64::from_le_bytes(*sum) {
        return Err(damaged("its checksum does not fit"));
    }
    let body = body.get(1..).ok_or(damaged("it is too short"))?;
    let (length, body) = body.split_first_chunk().ok_or(damaged("it is too short"))?;
    body.split_at_checked(u32::from_le_bytes(*length) as usize)
        .ok_or(damaged("its header is longer than the file"))
}

/// FNV-1a (Fowler, Noll and Vo, 1991): slips and cut files are found, forgery is not.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
