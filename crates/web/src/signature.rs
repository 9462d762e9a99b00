//! What this server vouches for: texts that only it can have signed, since only it knows its secret.

/// A key of this server, made when it starts.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

/// Hexadecimal digits of a signature: 128 bits are enough against guessing.
const DIGITS: usize = 32;

impl Secret {
    /// From the system's source of chance; `None` where there is none.
    pub(crate) fn new() -> Option<Secret> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        Some(Secret(bytes))
    }

    /// The signature of these texts, in this order.
    pub(crate) fn sign(&self, parts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            // The length first: otherwise ("ab", "c") and ("a", "bc") would be one.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..DIGITS].to_string()
    }

    /// Whether the signature is that of these texts; takes as long for wrong ones as for right ones.
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
