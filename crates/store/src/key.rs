//! Digests for keys. A thing has the same key on every machine and in every version, so these
//! functions must not change their results.

use tesuji_games::bits::mix;

/// A digest of these texts in this order, as 16 hexadecimal digits.
pub fn digest(parts: &[&str]) -> String {
    format!("{:016x}", digest_word(parts))
}

/// The digest as a number.
pub fn digest_word(parts: &[&str]) -> u64 {
    let mut state = mix(parts.len() as u64 ^ 0x7465_7375_6a69);
    for part in parts {
        // The length first: otherwise ("ab", "c") and ("a", "bc") would be equal.
        state = mix(state ^ part.len() as u64);
        for chunk in part.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ u64::from_le_bytes(bytes));
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_never_change() {
        assert_eq!(digest(&["connect4", "random"]), "628ee598a8671286");
        assert_eq!(digest(&[]), "234d88e891a96f93");
    }

    #[test]
    fn different_texts_have_different_keys() {
        let texts: [&[&str]; 8] =
            [&[], &[""], &["", ""], &["a"], &["ab", "c"], &["a", "bc"], &["abc"], &["a\0"]];
        let keys: BTreeSet<String> = texts.iter().map(|parts| digest(parts)).collect();
        assert_eq!(keys.len(), texts.len());
    }
}
