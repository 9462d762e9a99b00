//! Players of the arena as rivals of a learner.

use tesuji_arena::{Player, PlayerContext, PlayerSpec, Turn};
use tesuji_games::{Line, Playable, SpecError};
use tesuji_learn::evolution::Settings;
use tesuji_learn::evolution::scenarios::{Rival, RivalMaker};

/// A maker for each rival of the settings. Each is made once here, so that a slip is told before the run begins.
pub(super) fn makers<P: Playable>(settings: &Settings) -> Result<Vec<RivalMaker<P>>, SpecError> {
    let maker = |text: &String| {
        let spec: PlayerSpec = text.parse()?;
        let context = PlayerContext { game: settings.game.clone(), ..PlayerContext::default() };
        spec.build::<P>(&context)?;
        let make = move || {
            let player = spec.build::<P>(&context).map_err(|error| error.to_string())?;
            Ok(Box::new(ArenaRival { player }) as Box<dyn Rival<P>>)
        };
        Ok(Box::new(make) as RivalMaker<P>)
    };
    settings.evolution.scenarios.rivals.iter().map(maker).collect()
}

struct ArenaRival<P: Playable> {
    player: Box<dyn Player<P>>,
}

impl<P: Playable> Rival<P> for ArenaRival<P> {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(&mut self, game: &Line<P>) -> Result<P::Move, String> {
        let choice = self.player.choose(game, &Turn::default());
        choice.map(|choice| choice.m).map_err(|error| format!("{}: {error}", self.player.name()))
    }
}
