//! Finds the password of a server if the URL has none, so that it need not be on a command line,
//! which every user of the machine can read: `PGPASSWORD`, else the password file (`PGPASSFILE`,
//! `~/.pgpass`), by the rules of libpq.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use postgres::Config;
use postgres::config::Host;

/// Longer password files are ignored.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Finds the password. Fails if it is in a file that other users may read.
pub(super) fn find(config: &Config) -> Result<Option<String>, String> {
    if let Some(password) = variable("PGPASSWORD") {
        return Ok(Some(password));
    }
    let usual = || Some(Path::new(&variable("HOME")?).join(".pgpass"));
    let Some(path) = variable("PGPASSFILE").map(PathBuf::from).or_else(usual) else {
        return Ok(None);
    };
    in_file(&path, config)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn in_file(path: &Path, config: &Config) -> Result<Option<String>, String> {
    let Ok(about) = fs::metadata(path) else { return Ok(None) };
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Ok(None);
    }
    let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
    let found = in_text(&text, config);
    // libpq ignores such a file; here it is an error, since its passwords are no longer secret.
    if found.is_some() && about.permissions().mode() & 0o077 != 0 {
        let path = path.display();
        return Err(format!("password file {path}: readable by other users; expected mode 600"));
    }
    Ok(found)
}

/// The password of the first matching line: `HOST:PORT:DATABASE:USER:PASSWORD`.
fn in_text(text: &str, config: &Config) -> Option<String> {
    let user = config.get_user().map(str::to_string).or_else(|| variable("USER"))?;
    let database = config.get_dbname().unwrap_or(&user);
    let ports = config.get_ports().iter().copied().chain(std::iter::repeat(5432));
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(_) => "localhost".to_string(),
    });
    hosts.zip(ports).find_map(|(host, port)| {
        let wanted = [&host, &port.to_string(), database, &user];
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let fields = fields(line);
            let fits = |(field, wanted): (&String, &&str)| field == "*" || field == *wanted;
            let is_it = fields.len() == 5 && fields.iter().zip(&wanted).all(fits);
            is_it.then(|| fields[4].clone())
        })
    })
}

/// The fields of a line; a backslash escapes a colon or a backslash.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' if fields.len() < 5 => fields.push(String::new()),
            letter => {
                let letter = if letter == '\\' { letters.next().unwrap_or(letter) } else { letter };
                fields.last_mut().into_iter().for_each(|field| field.push(letter));
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, url: &str) -> Option<String> {
        in_text(text, &url.parse().unwrap())
    }

    #[test]
    fn the_first_matching_line_counts() {
        let text = "# a comment\n\nother:5432:games:me:no\nhost:5433:games:me:port\n\
                    host:*:games:me:first\nhost:*:*:me:second\n*:*:*:*:any\n";
        for (url, password) in [
            ("postgres://me@host/games", "first"),
            ("postgres://me@host:5433/games", "port"),
            ("postgres://me@host/more", "second"),
            ("postgres://you@host/games", "any"),
            ("postgres://me@other/games", "no"),
        ] {
            assert_eq!(found(text, url).as_deref(), Some(password), "{url}");
        }
        assert_eq!(found("host:5432:games:me:x\n", "postgres://you@host/games"), None);
        assert_eq!(
            found("not a matching line\nhost:5432:games\n", "postgres://me@host/games"),
            None
        );
    }

    #[test]
    fn backslashes_and_colons_may_be_part_of_a_password() {
        let text = "ho\\:st:1:a\\\\b:me:p\\:q:r\\\\s\n";
        assert_eq!(fields(text.trim()), ["ho:st", "1", "a\\b", "me", "p:q:r\\s"]);
    }

    #[test]
    fn a_file_that_other_users_may_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let config: Config = "postgres://me@host/games".parse().unwrap();
        assert_eq!(in_file(&path, &config), Ok(None), "no file");
        fs::write(&path, "host:*:*:me:secret\n").unwrap();
        mode(0o644);
        let error = in_file(&path, &config).unwrap_err();
        assert!(error.contains("mode 600") && !error.contains("secret"), "{error}");
        let other: Config = "postgres://you@host/games".parse().unwrap();
        assert_eq!(in_file(&path, &other), Ok(None), "no line matches this server");
        mode(0o600);
        assert_eq!(in_file(&path, &config), Ok(Some("secret".to_string())));
    }
}
