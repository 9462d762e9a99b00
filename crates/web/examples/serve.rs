//! The web app in another program:
//! `cargo run -p tesuji-web --example serve -- --addr 127.0.0.1:7800 --store games.db`.
#![allow(clippy::print_stdout)]

use tesuji_web::{AppState, ServerOptions, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = tesuji_builtin::registry();
    let mut options = ServerOptions { registry, ..ServerOptions::default() };
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--addr" => options.address = value.parse()?,
            "--store" => options.store = Some(value),
            "--runs" => options.runs = value.into(),
            "--program" => options.program = Some(value.into()),
            _ => return Err(format!("unknown option {word}").into()),
        }
    }
    let state = AppState::new(options)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let until = async { drop(tokio::signal::ctrl_c().await) };
    runtime.block_on(serve(state, |address| println!("http://{address}"), until))?;
    Ok(())
}
