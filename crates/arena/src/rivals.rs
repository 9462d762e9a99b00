//! Players of the arena as rivals of a learner, and the exercises that they are part of, for runs of other machines.

use std::any::Any;

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Line, Playable};
use tesuji_learn::evolution::scenarios::{self, Rival, RivalMaker};
use tesuji_queue::{Parcel, Task};

use crate::{Player, PlayerContext, PlayerSpec, Programs, Turn};

/// Does the exercises of a learner's run.
pub fn exercises(programs: Programs) -> Task {
    let open: fn(&Parcel) -> _ = match programs {
        Programs::Allowed => |parcel| scenarios::open(parcel, maker),
        Programs::Refused => |parcel| scenarios::open(parcel, maker_without_programs),
    };
    Task { name: scenarios::TASK, open }
}

/// The same as [`maker`] on a worker that starts no other programs.
fn maker_without_programs(game: &str, player: &str) -> Result<Box<dyn Any + Send + Sync>, String> {
    let spec: PlayerSpec = player.parse().map_err(|error| format!("{error}"))?;
    Programs::Refused.admit(&spec).map_err(|trouble| trouble.to_string())?;
    maker(game, player)
}

/// The maker of a rival: a [`RivalMaker`] for the positions of the game. One is made here, so that a slip is told before
/// a run begins.
pub fn maker(game: &str, player: &str) -> Result<Box<dyn Any + Send + Sync>, String> {
    let spec: PlayerSpec = player.parse().map_err(|error| format!("{error}"))?;
    let context = PlayerContext { game: game.to_string(), ..PlayerContext::default() };
    let made = registry::open(game, Making { spec, context });
    made.map_err(|error| error.to_string())?
}

struct Making {
    spec: PlayerSpec,
    context: PlayerContext,
}

impl Visitor for Making {
    type Output = Result<Box<dyn Any + Send + Sync>, String>;

    fn visit<P: Playable>(self, _: P) -> Self::Output {
        let make = move || {
            let player = self.spec.build::<P>(&self.context).map_err(|error| error.to_string())?;
            Ok(Box::new(ArenaRival { player }) as Box<dyn Rival<P>>)
        };
        make()?;
        let make: RivalMaker<P> = Box::new(make);
        Ok(Box::new(make))
    }
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
