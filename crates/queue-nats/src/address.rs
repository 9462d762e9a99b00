//! The address of a queue, with credentials.

use std::fmt;
use std::str::FromStr;

/// `nats://HOST[:PORT]`, `nats://TOKEN@HOST` or `nats://USER:PASSWORD@HOST`; `tls://` instead of
/// `nats://` requires encryption. The servers of a cluster are separated by commas:
/// `nats://HOST,HOST`. `Display` and `Debug` omit secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueAddress {
    pub(crate) hosts: Vec<String>,
    pub(crate) is_encrypted: bool,
    pub(crate) secret: Option<Secret>,
}

/// The text before the `@`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Secret {
    Token(String),
    Password { user: String, password: String },
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The text is not the address of a queue.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "not an address of a queue; expected nats://HOST[:PORT] or tls://HOST[:PORT], with TOKEN@ or \
     USER:PASSWORD@ before the host if the server requires it"
)]
pub struct AddressError;

impl FromStr for QueueAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<QueueAddress, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError)?;
        let is_encrypted = match scheme {
            "nats" => false,
            "tls" => true,
            _ => return Err(AddressError),
        };
        let (secret, hosts) = match rest.rsplit_once('@') {
            Some((secret, hosts)) => (Some(secret), hosts),
            None => (None, rest),
        };
        let secret = match secret.map(|it| it.split_once(':')) {
            None => None,
            Some(None) => {
                secret.filter(|it| !it.is_empty()).map(|it| Secret::Token(it.to_string()))
            }
            Some(Some((user, password))) => {
                Some(Secret::Password { user: user.to_string(), password: password.to_string() })
            }
        };
        let hosts: Vec<String> =
            hosts.trim_end_matches('/').split(',').map(|host| host.trim().to_string()).collect();
        let is_host = |host: &String| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
            !host.is_empty() && host.chars().all(allowed)
        };
        if !hosts.iter().all(is_host) {
            return Err(AddressError);
        }
        Ok(QueueAddress { hosts, is_encrypted, secret })
    }
}

impl fmt::Display for QueueAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "tls" } else { "nats" };
        write!(f, "{scheme}://{}", self.hosts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_parsed_and_never_shown() {
        let of = |text: &str| text.parse::<QueueAddress>().unwrap();
        assert_eq!(of("nats://a:4222").to_string(), "nats://a:4222");
        assert_eq!(of("tls://s3cret@a,b:1/").to_string(), "tls://a,b:1");
        assert_eq!(of("nats://s3cret@a").secret, Some(Secret::Token("s3cret".to_string())));
        let (user, password) = ("u".to_string(), "p@:x".to_string());
        let address = of("nats://u:p@:x@[::1]:4222");
        assert_eq!(address.secret, Some(Secret::Password { user, password }));
        assert!(!format!("{address:?}{address}").contains("p@"));
    }

    #[test]
    fn invalid_addresses_are_refused() {
        for text in ["", "a", "http://a", "nats://", "nats://a b", "nats://a,,b", "nats://x@"] {
            assert_eq!(text.parse::<QueueAddress>(), Err(AddressError), "{text}");
        }
    }
}
