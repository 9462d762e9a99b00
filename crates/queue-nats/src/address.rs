//! Where a queue is, and who we are there.

use std::fmt;
use std::str::FromStr;

/// `nats://HOST[:PORT]`, `nats://TOKEN@HOST`, `nats://USER:PASSWORD@HOST`; `tls://` instead of `nats://` asks for an
/// encrypted line. Several servers of one cluster: `nats://HOST,HOST`. Shown without secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    pub(crate) hosts: Vec<String>,
    pub(crate) is_encrypted: bool,
    pub(crate) secret: Option<Secret>,
}

/// What was given before the `@`.
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

/// It is no address of a queue.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "this is not a queue; expected nats://HOST[:PORT] or tls://HOST[:PORT], with TOKEN@ or USER:PASSWORD@ before the host where the server wants it"
)]
pub struct AddressError;

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
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
        Ok(Address { hosts, is_encrypted, secret })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "tls" } else { "nats" };
        write!(f, "{scheme}://{}", self.hosts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_understood_and_never_shown() {
        let of = |text: &str| text.parse::<Address>().unwrap();
        assert_eq!(of("nats://a:4222").to_string(), "nats://a:4222");
        assert_eq!(of("tls://s3cret@a,b:1/").to_string(), "tls://a,b:1");
        assert_eq!(of("nats://s3cret@a").secret, Some(Secret::Token("s3cret".to_string())));
        let (user, password) = ("u".to_string(), "p@:x".to_string());
        let address = of("nats://u:p@:x@[::1]:4222");
        assert_eq!(address.secret, Some(Secret::Password { user, password }));
        assert!(!format!("{address:?}{address}").contains("p@"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "a", "http://a", "nats://", "nats://a b", "nats://a,,b", "nats://x@"] {
            assert_eq!(text.parse::<Address>(), Err(AddressError), "{text}");
        }
    }
}
