//! The programs that the tests need in addition to Rust. A package is installed only if its program
//! is missing; if that fails, the suites that need it are left out, and named.

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::{nats, programs, python, steps};

/// A program that the tests need.
pub(crate) struct Requirement {
    /// The program, on the search path or in a folder that `programs` knows.
    pub(crate) program: &'static str,
    /// The package of the program.
    pub(crate) package: Package,
    /// The use of the program.
    pub(crate) why: &'static str,
    /// The test suites that need it. Their targets have `test = false`, so that a plain `cargo
    /// test` works on any machine; `cargo xtask test` runs each by name.
    pub(crate) suites: &'static [Suite],
}

/// A package with a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Package {
    /// A Debian package.
    Debian(&'static str),
    /// The Python package of `nats`, in the build folder.
    Nats,
    /// The Python packages of `python`, in a virtual environment in the build folder.
    Python,
}

impl Package {
    fn debian(self) -> Option<&'static str> {
        match self {
            Package::Debian(name) => Some(name),
            Package::Nats | Package::Python => None,
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Package::Debian(name) => write!(f, "package {name}"),
            Package::Nats => write!(f, "Python package {}", nats::PACKAGE),
            Package::Python => write!(f, "Python packages {}", python::PACKAGES.join(", ")),
        }
    }
}

/// A test target that needs more than Rust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Suite {
    /// The package it belongs to.
    pub(crate) package: &'static str,
    /// The name of its target, unique in the workspace.
    pub(crate) target: &'static str,
    /// The server that it needs.
    pub(crate) server: Option<Server>,
}

/// A server that suites need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Server {
    /// PostgreSQL, whose URL is in an environment variable.
    Postgres,
    /// None: the suites start and kill servers themselves, whose paths are in environment
    /// variables.
    Own,
    /// None, but Python with packages, whose path is in an environment variable.
    Python,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.package, self.target)
    }
}

/// The store's suite about killed processes, which `cargo xtask soak` runs for longer.
pub(crate) const POSTGRES_PROCESSES: Suite =
    Suite { package: "tesuji-store", target: "postgres_processes", server: Some(Server::Postgres) };

/// The program's suite with a server, which kills tournaments.
pub(crate) const CLI_POSTGRES: Suite =
    Suite { package: "tesuji", target: "on_postgres", server: Some(Server::Postgres) };

/// The pages in a real browser.
const BROWSER: Suite = Suite { package: "tesuji", target: "browser", server: None };

/// Workers, a queue and a database, any of which may be killed.
pub(crate) const CLUSTER: Suite =
    Suite { package: "tesuji", target: "cluster", server: Some(Server::Own) };

/// The queue alone, with artificial jobs.
const QUEUE: Suite =
    Suite { package: "tesuji-queue-nats", target: "queue_on_nats", server: Some(Server::Own) };

/// The commands in documents that use other programs.
const DOCUMENTATION: Suite =
    Suite { package: "tesuji", target: "documentation_with_programs", server: Some(Server::Own) };

/// Exported files, read with the libraries that they are written for.
const EXCHANGE: Suite =
    Suite { package: "tesuji", target: "exchange_with_python", server: Some(Server::Python) };

/// The programs that the test suites need.
pub(crate) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        program: "tmux",
        package: Package::Debian("tmux"),
        why: "plays `tesuji play` in a real terminal",
        suites: &[Suite { package: "tesuji", target: "tmux", server: None }],
    },
    Requirement {
        program: "postgres",
        package: Package::Debian("postgresql"),
        why: "keeps games for the tests of the store",
        suites: &[
            Suite { package: "tesuji-store", target: "postgres", server: Some(Server::Postgres) },
            POSTGRES_PROCESSES,
            CLI_POSTGRES,
            CLUSTER,
            DOCUMENTATION,
        ],
    },
    Requirement {
        program: "python3",
        package: Package::Debian("python3"),
        why: "runs the example engines",
        suites: &[
            Suite { package: "tesuji-players", target: "external", server: None },
            DOCUMENTATION,
            EXCHANGE,
        ],
    },
    Requirement {
        program: python::PROGRAM,
        package: Package::Python,
        why: "reads exported tables, tensors and metrics",
        suites: &[EXCHANGE],
    },
    Requirement {
        program: "curl",
        package: Package::Debian("curl"),
        why: "sends the documented requests to the web app",
        suites: &[DOCUMENTATION],
    },
    Requirement {
        program: "chromium",
        package: Package::Debian("chromium"),
        why: "shows the pages of `tesuji serve`",
        suites: &[BROWSER],
    },
    Requirement {
        program: "chromedriver",
        package: Package::Debian("chromium-driver"),
        why: "clicks and types in Chromium for the tests",
        suites: &[BROWSER],
    },
    Requirement {
        program: "openssl",
        package: Package::Debian("openssl"),
        why: "creates a certificate for a queue with TLS",
        suites: &[CLUSTER, DOCUMENTATION],
    },
    Requirement {
        program: nats::PROGRAM,
        package: Package::Nats,
        why: "distributes the jobs of many machines",
        suites: &[QUEUE, CLUSTER, DOCUMENTATION],
    },
];

/// The suites that can run, and those that are left out.
pub(crate) struct Suites {
    pub(crate) ready: Vec<Suite>,
    pub(crate) left_out: Vec<Suite>,
}

/// Installs missing programs where possible.
pub(crate) fn prepare() -> Result<Suites, String> {
    check_toolchain()?;
    let missing: Vec<&Requirement> =
        REQUIREMENTS.iter().filter(|need| !is_installed(need.program)).collect();
    if missing.is_empty() {
        println!("all system packages are installed");
        return Ok(sorted_suites(is_installed));
    }
    for need in &missing {
        println!("missing: {} ({}), which {}", need.program, need.package, need.why);
    }
    let packages: Vec<&str> = missing.iter().filter_map(|need| need.package.debian()).collect();
    if !packages.is_empty()
        && let Err(reason) = install(&packages)
    {
        println!("cannot install: {reason}");
        println!("to install them manually: sudo apt-get install -y {}", packages.join(" "));
    }
    if missing.iter().any(|need| need.package == Package::Nats)
        && let Err(reason) = nats::install()
    {
        println!("cannot install {}: {reason}", nats::PROGRAM);
        println!("to install it manually: put version 2.10 or newer on the search path");
    }
    if missing.iter().any(|need| need.package == Package::Python)
        && let Err(reason) = python::install()
    {
        println!("cannot install {}: {reason}", python::PACKAGES.join(", "));
    }
    Ok(sorted_suites(is_installed))
}

fn sorted_suites(has: impl Fn(&str) -> bool) -> Suites {
    let (installed, missing): (Vec<_>, Vec<_>) =
        REQUIREMENTS.iter().partition(|need| has(need.program));
    let suites = |needs: Vec<&Requirement>| {
        let mut suites: Vec<Suite> = Vec::new();
        for suite in needs.iter().flat_map(|need| need.suites) {
            // A suite may need several programs.
            if !suites.contains(suite) {
                suites.push(*suite);
            }
        }
        suites
    };
    let (mut ready, left_out) = (suites(installed), suites(missing));
    ready.retain(|suite| !left_out.contains(suite));
    Suites { ready, left_out }
}

fn is_installed(program: &str) -> bool {
    let found = match program {
        nats::PROGRAM => nats::find(),
        python::PROGRAM => python::find(),
        program => programs::find(program),
    };
    found.is_some()
}

/// Installs packages of the system.
pub(crate) fn install(packages: &[&str]) -> Result<(), String> {
    if !is_installed("apt-get") {
        return Err("no apt-get; expected a Debian machine".to_string());
    }
    let prefix: &[&str] = if is_root() {
        &[]
    } else if Command::new("sudo").args(["-n", "true"]).status().is_ok_and(|s| s.success()) {
        &["sudo", "-n"]
    } else {
        return Err("no permission to install packages; expected root or sudo without a password"
            .to_string());
    };
    println!("installing {} with apt-get", packages.join(" "));
    let apt = |words: &[&str]| {
        let words: Vec<&str> = prefix.iter().copied().chain(words.iter().copied()).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
        steps::run(&mut command)
    };
    apt(&["apt-get", "update", "-q"])?;
    let install: Vec<&str> = ["apt-get", "install", "-q", "-y", "--no-install-recommends"]
        .iter()
        .chain(packages)
        .copied()
        .collect();
    apt(&install)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn check_toolchain() -> Result<(), String> {
    for (words, remedy) in [
        (["fmt", "--version"], "rustup component add rustfmt"),
        (["clippy", "--version"], "rustup component add clippy"),
    ] {
        let works = steps::cargo(&words).output().is_ok_and(|output| output.status.success());
        if !works {
            return Err(format!("`cargo {}` does not work; to install it: {remedy}", words[0]));
        }
    }
    Ok(())
}

/// The folder `shared` next to the checkout, if it exists.
pub(crate) fn shared_folder() -> Option<std::path::PathBuf> {
    let folder = steps::root().join("../shared");
    Path::new(&folder).join("data").is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_leaves_out_its_suites_by_name() {
        let names = |suites: &[Suite]| suites.iter().map(Suite::to_string).collect::<Vec<_>>();
        assert!(sorted_suites(|_| true).left_out.is_empty());
        assert!(sorted_suites(|_| false).ready.is_empty());
        let without_tmux = sorted_suites(|program| program != "tmux");
        assert_eq!(names(&without_tmux.left_out), ["tesuji/tmux"]);
        for half in ["chromium", "chromedriver"] {
            let half_missing = sorted_suites(|program| program != half);
            assert_eq!(names(&half_missing.left_out), ["tesuji/browser"]);
            assert!(!half_missing.ready.contains(&BROWSER));
        }
        let without_nats = sorted_suites(|program| program != nats::PROGRAM);
        assert_eq!(
            names(&without_nats.left_out),
            [
                "tesuji-queue-nats/queue_on_nats",
                "tesuji/cluster",
                "tesuji/documentation_with_programs"
            ]
        );
        for suite in [BROWSER, CLUSTER] {
            let ready = sorted_suites(|_| true).ready;
            assert_eq!(ready.iter().filter(|other| **other == suite).count(), 1);
        }
    }
}
