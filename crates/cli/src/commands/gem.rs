//! `tesuji gem`: Gem Island: play it, measure and tune agents, check the rules.

mod bench;
mod log;
mod play;
mod tune;
mod verify;

use clap::Args;
use tesuji_games::rules::gem_island::{GemSettings, NAME};
use tesuji_games::{Spec, SpecError};

pub(crate) use play::{HINT_AGENT, SessionArgs};

commands! {
    enum GemCommand {
        Play(Box<play::PlayArgs>),
        Bench(bench::BenchArgs),
    Tune(tune::TuneArgs),
        Log(log::LogArgs),
        Verify(verify::VerifyArgs),
    }
}

/// The options that select the game.
#[derive(Args, Clone, Debug)]
struct GameArgs {
    /// Play this level: 1, 2 or 3 [default: 1]
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(1..=3))]
    level: Option<u8>,
    /// Play this game, such as gem-island:level=2,rules=original or gem-island:16x7,moves=30
    #[arg(long, value_name = "GAME", conflicts_with = "level")]
    game: Option<String>,
}

impl GameArgs {
    fn settings(&self) -> Result<GemSettings, SpecError> {
        let text = match (&self.game, self.level) {
            (Some(game), _) => game.clone(),
            (None, level) => format!("{NAME}:level={}", level.unwrap_or(1)),
        };
        let spec = Spec::parse(&text)?;
        if spec.name() != NAME {
            let (name, known) = (spec.name().to_string(), vec![NAME.to_string()]);
            return Err(SpecError::UnknownName { kind: "game", name, known });
        }
        GemSettings::from_spec(spec)
    }
}
