//! Every command in the documents that need other programs works: engines in Python, a queue, a
//! database, and clients of the web app.

#[allow(dead_code, reason = "the other suite checks the list of exceptions")]
mod doc_commands;
#[allow(dead_code, reason = "only the other users kill programs")]
#[path = "cluster/processes.rs"]
mod processes;
#[path = "../../../xtask/src/servers/mod.rs"]
mod servers;
mod terminal;

use std::path::{Path, PathBuf};

use doc_commands::Services;
use servers::nats::{NatsServer, Options};
use servers::postgres::Postgres;

#[test]
fn every_command_works() {
    let mut documents = doc_commands::documents();
    documents.retain(doc_commands::needs_other_programs);
    let nats_server = PathBuf::from(required_variable(servers::NATS_SERVER));
    let postgres_programs = PathBuf::from(required_variable(servers::POSTGRES_PROGRAMS));
    // Each document has its own queue and database, so that runs of the same name do not collide.
    doc_commands::run(documents, |run_document| {
        let queue = NatsServer::start(&nats_server, &Options::default()).unwrap();
        let store = Postgres::start(&postgres_programs).unwrap();
        run_document(services(&queue, &store, [&nats_server, &postgres_programs.join("createdb")]));
    });
}

fn services(queue: &NatsServer, store: &Postgres, programs: [&Path; 2]) -> Services {
    let (queue, store) = (queue.url(), store.url());
    // postgres://tesuji:PASSWORD@127.0.0.1:PORT/postgres
    let (_, password) = store.split_once("tesuji:").unwrap();
    let (password, host) = password.split_once('@').unwrap();
    let (port, _) = host.strip_prefix("127.0.0.1:").unwrap().split_once('/').unwrap();
    let variables = [
        ("PGHOST", "127.0.0.1"),
        ("PGPORT", port),
        ("PGUSER", "tesuji"),
        ("PGPASSWORD", password),
        ("PGDATABASE", "postgres"),
    ];
    Services {
        variables: variables.map(|(name, value)| (name, value.to_string())).to_vec(),
        programs: programs.iter().filter_map(|it| it.parent()).map(Path::to_path_buf).collect(),
        urls: vec![("nats://", queue.clone()), ("tls://", queue), ("postgres://", store)],
    }
}

fn required_variable(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set; run this suite through `cargo xtask test`")
    })
}
