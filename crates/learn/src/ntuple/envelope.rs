//! The form that all files of weights have: a mark, a version, a header, a body, a checksum. Numbers are little-endian.

use super::TuplesError;

pub(super) const VERSION: u8 = 1;

/// The bytes of a file.
pub(super) fn sealed(mark: &[u8; 8], header: &[u8], body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    bytes.push(VERSION);
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    body(&mut bytes);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Header and body of a file with this mark, if nothing of it is missing or altered.
pub(super) fn opened<'b>(
    bytes: &'b [u8],
    mark: &[u8; 8],
    otherwise: TuplesError,
) -> Result<(&'b [u8], &'b [u8]), TuplesError> {
    let damaged = |what| TuplesError::Damaged { what };
    let rest = bytes.strip_prefix(mark).ok_or(otherwise)?;
    match rest.first() {
        Some(&VERSION) => {}
        Some(&found) => return Err(TuplesError::Version { found }),
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
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
