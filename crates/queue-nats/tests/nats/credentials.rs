//! A server configuration with users by key, and the credentials file of one user, as `nsc` makes
//! them.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nkeys::{KeyPair, KeyPairType};
use serde_json::{Value, json};

/// The configuration of the server, and the credentials of one user.
pub(crate) struct Realm {
    pub(crate) configuration: String,
    pub(crate) credentials: String,
}

impl Realm {
    pub(crate) fn new() -> Realm {
        let key = |kind, number| KeyPair::new_from_raw(kind, [number; 32]).unwrap();
        let operator = key(KeyPairType::Operator, 1);
        let account = key(KeyPairType::Account, 2);
        let user = key(KeyPairType::User, 3);
        let system = key(KeyPairType::Account, 4);
        let operator_token = token(&operator, &operator, json!({ "type": "operator" }));
        let limits = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "conn": -1, "leaf": -1,
            "wildcards": true, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        });
        let account_token =
            token(&operator, &account, json!({ "type": "account", "limits": limits }));
        // JetStream requires a system account.
        let system_token = token(
            &operator,
            &system,
            json!({ "type": "account", "limits": {
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "conn": -1, "leaf": -1,
                "wildcards": true,
            }}),
        );
        let rights = json!({
            "type": "user", "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1,
        });
        let user_token = token(&account, &user, rights);
        let configuration = format!(
            "operator: {operator_token}\nsystem_account: {}\nresolver: MEMORY\n\
             resolver_preload: {{ {}: {account_token}, {}: {system_token} }}\n",
            system.public_key(),
            account.public_key(),
            system.public_key()
        );
        let seed = user.seed().unwrap();
        let credentials = format!(
            "-----BEGIN NATS USER JWT-----\n{user_token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        Realm { configuration, credentials }
    }

    pub(crate) fn write(&self, path: &Path) {
        std::fs::write(path, &self.credentials).unwrap();
    }
}

/// A signed token of an issuer about a subject.
fn token(issuer: &KeyPair, subject: &KeyPair, mut claims: Value) -> String {
    claims["version"] = json!(2);
    let body = json!({
        "jti": subject.public_key(), "iat": 1_700_000_000, "name": "tesuji",
        "iss": issuer.public_key(), "sub": subject.public_key(), "nats": claims,
    });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let signed = format!("{}.{}", part(&head), part(&body));
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}
