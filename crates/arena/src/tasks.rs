//! What a worker can do of this crate.

use std::sync::Arc;

use tesuji_games::Line;
use tesuji_learn::evolution::scenarios::{self, Rival, RivalSource};
use tesuji_queue::{Task, Trouble};
use tesuji_search::{Game, Registry};

use crate::{Player, PlayerContext, PlayerSpec, Turn, books, gem_island, round};

/// Whether a worker may start other programs for the runs of other machines (players
/// `external:cmd=…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// It starts whatever a run names.
    Allowed,
    /// A job with such a player fails.
    Refused,
}

/// Every task of this crate: those of [`Brief`](tesuji_queue::Brief)s that its runs write.
pub fn tasks(games: &Registry, programs: Programs) -> Vec<Task> {
    vec![
        round::written::task(games, programs),
        exercises(games, programs),
        gem_island::bench::task(),
        books::exact_task(),
        books::searched_task(games),
    ]
}

/// Players as rivals in the exercises of a learner.
pub fn rivals(games: &Registry, programs: Programs) -> RivalSource {
    let games = games.clone();
    Arc::new(move |game, player| {
        let spec: PlayerSpec = player.parse().map_err(|error| format!("{error}"))?;
        programs.admit(&spec).map_err(|trouble| trouble.to_string())?;
        let game = games.open(game).map_err(|error| error.to_string())?;
        let make = move || {
            let player = spec.build(&PlayerContext::new(&game, 0));
            let player = player.map_err(|error| error.to_string())?;
            Ok(Box::new(ArenaRival { game: game.clone(), player }) as Box<dyn Rival>)
        };
        // One is made here, so that a slip is told before a run begins.
        make()?;
        Ok(Box::new(make))
    })
}

/// Does the exercises of a learner's run.
fn exercises(games: &Registry, programs: Programs) -> Task {
    let rivals = rivals(games, programs);
    Task::new(scenarios::TASK, move |parcel| scenarios::open(parcel, &rivals))
}

struct ArenaRival {
    game: Game,
    player: Box<dyn Player>,
}

impl Rival for ArenaRival {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(&mut self, cells: &[usize]) -> Result<usize, String> {
        let mut line = Line::new(self.game.start().clone());
        let other_game = || format!("{} is no game of rows", self.game.name());
        for &cell in cells {
            let m = line.end.move_to(cell).ok_or_else(other_game)?;
            line.play(m).map_err(|error| error.to_string())?;
        }
        let choice = self.player.choose(&line, &Turn::default());
        let choice = choice.map_err(|error| format!("{}: {error}", self.player.name()))?;
        line.end.cell(choice.m).ok_or_else(other_game)
    }
}

impl Programs {
    /// An error for a player that is another program, where none may be started.
    pub(crate) fn admit(self, player: &PlayerSpec) -> Result<(), Trouble> {
        if self == Programs::Allowed || player.external().is_none() {
            return Ok(());
        }
        Err(Trouble(format!(
            "player '{}': this worker starts no programs; expected a worker that was started with \
             --allow-programs",
            player.text()
        )))
    }
}
