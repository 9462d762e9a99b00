//! Signatures that only this server can make and verify.

/// The secret key of this server, created at its start.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

/// The length of a signature in hexadecimal digits: 128 bits are enough against guessing.
const DIGITS: usize = 32;

impl Secret {
    /// A random key; `None` without system randomness.
    pub(crate) fn new() -> Option<Secret> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        Some(Secret(bytes))
    }

    /// Signs texts in this order.
    pub(crate) fn sign(&self, parts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            // Hash the length first, so that ("ab", "c") and ("a", "bc") differ.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..DIGITS].to_string()
    }

    /// Verifies the signature of texts, in constant time.
    pub(crate) fn verify(&self, parts: &[&str], signature: &str) -> bool {
        let right = self.sign(parts);
        right.len() == signature.len()
            && right.bytes().zip(signature.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_texts_signed_here_are_confirmed() {
        let (ours, another) = (Secret::new().unwrap(), Secret::new().unwrap());
        let signature = ours.sign(&["connect4", "44"]);
        assert!(ours.verify(&["connect4", "44"], &signature));
        assert!(!ours.verify(&["connect", "444"], &signature));
        assert!(!ours.verify(&["connect4", "44"], &signature[1..]));
        assert!(!another.verify(&["connect4", "44"], &signature));
    }
}
