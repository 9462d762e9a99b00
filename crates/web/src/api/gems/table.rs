//! The games under way. They live here and nowhere else: a player has their number, never their seed or what the ice
//! hides. Room is bounded: who has not been heard of for an hour is forgotten, and when all places are taken, whoever
//! was quiet longest.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_arena::event::now;
use tesuji_games::random::{Rng, derived, seeded};
use tesuji_games::rules::gem_island::log::{Header, Log, LoggedTurn};
use tesuji_games::rules::gem_island::text::Snapshot;
use tesuji_games::rules::gem_island::updates::{Updates, play_recorded};
use tesuji_games::rules::gem_island::{GemIsland, Settings, Status, Swap};

use crate::client::Client;
use crate::errors::ApiError;

/// Games at once; each takes about a kilobyte.
const MOST_GAMES: usize = 5_000;
/// A game that nobody touches for so long is over.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// Forgotten games are cleared away no more often than this.
const BETWEEN_SWEEPS: Duration = Duration::from_secs(60);

/// What a game is called: nobody can guess it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GameId(u128);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for GameId {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<GameId, ApiError> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.map(GameId).ok_or_else(unknown)
    }
}

fn unknown() -> ApiError {
    ApiError::missing("there is no such game, or it was left alone for too long; start a new one")
}

/// The system's chance, which makes games and their names.
fn chance() -> Result<u64, ApiError> {
    getrandom::u64().map_err(|_| ApiError::busy("the system gives no random numbers; try again"))
}

/// One game, with everything needed to play it again from its beginning.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub(super) level: u8,
    /// Decides the board and all that falls. Told when the game is over, so that anybody can check it.
    pub(super) seed: u64,
    /// Who began it and may play it.
    pub(super) owner: Client,
    pub(super) game: GemIsland,
    rng: Rng,
    swaps: Vec<Swap>,
    /// Whether the computer said what it would do, or did it.
    pub(super) helped: bool,
    /// Whether the player lets us write the game down.
    pub(super) record: bool,
    /// Whether it stands in the high scores.
    pub(super) entered: bool,
    pub(super) started_at: u64,
}

impl Played {
    pub(super) fn new(level: u8, seed: u64, record: bool, owner: Client) -> Option<Played> {
        let (game, rng) = start(level, seed)?;
        Some(Played {
            level,
            seed,
            owner,
            game,
            rng,
            swaps: Vec::new(),
            helped: false,
            record,
            entered: false,
            started_at: now(),
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.game.status() != Status::Running
    }

    /// Plays a swap as the player turned it: a bonus appears on its first cell if it can.
    pub(super) fn play(&mut self, swap: Swap) -> Result<Updates, ApiError> {
        if self.is_over() {
            return Err(ApiError::conflict("the game is over; start a new one"));
        }
        if self.game.oriented(swap.first, swap.second).is_none() {
            let why = "puts no three in a row; the legal swaps are in the game's view";
            return Err(ApiError::conflict(format!("{swap} {why}")));
        }
        let (_, updates) = play_recorded(&mut self.game, swap, &mut self.rng);
        self.swaps.push(swap);
        Ok(updates)
    }

    /// The game once more, from its seed and its swaps alone.
    pub(super) fn again(&self) -> Option<Again> {
        let (start, mut rng) = start(self.level, self.seed)?;
        let mut game = start.clone();
        let mut turns = Vec::with_capacity(self.swaps.len());
        for swap in &self.swaps {
            let before = game.clone();
            let (_, updates) = play_recorded(&mut game, *swap, &mut rng);
            turns.push((before, updates));
        }
        Some(Again { start, turns, end: game })
    }
}

/// A game that was played again.
pub(super) struct Again {
    pub(super) start: GemIsland,
    /// How it stood before each turn, and what came of the turn.
    pub(super) turns: Vec<(GemIsland, Updates)>,
    pub(super) end: GemIsland,
}

impl Again {
    /// The state-action log, in the published form.
    pub(super) fn log(&self) -> Log {
        let number = |n: usize| 2 * n as u32;
        let turn = |(n, (before, updates)): (usize, &(GemIsland, Updates))| LoggedTurn {
            number: number(n),
            state: Snapshot::of(before),
            swap: updates.swap,
        };
        Log {
            header: Header::of(&self.start.grid().settings),
            turns: self.turns.iter().enumerate().map(turn).collect(),
            end_number: number(self.turns.len()),
            end: Snapshot::of(&self.end),
        }
    }
}

/// The beginning of a game and the chance that goes on from it: the same as `tesuji gem play --seed` has.
fn start(level: u8, seed: u64) -> Option<(GemIsland, Rng)> {
    let mut rng = seeded(derived(seed, [0]));
    let game = GemIsland::generate(Settings::level(level.into())?, &mut rng)?;
    Some((game, rng))
}

/// All games under way.
pub(crate) struct Table {
    seats: Mutex<Seats>,
}

struct Seats {
    by_id: HashMap<GameId, Seat>,
    swept: Instant,
}

struct Seat {
    game: Arc<Mutex<Played>>,
    used: Instant,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { seats: Mutex::new(Seats { by_id: HashMap::new(), swept: Instant::now() }) }
    }

    /// A new game, which nobody has seen before.
    pub(super) fn open(
        &self,
        level: u8,
        record: bool,
        owner: Client,
    ) -> Result<(GameId, Shared), ApiError> {
        let id = GameId(u128::from(chance()?) << 64 | u128::from(chance()?));
        let game = Played::new(level, chance()?, record, owner).ok_or_else(|| {
            ApiError::bad(format!("level {level} is unknown; there are 1, 2 and 3"))
        })?;
        let game = Arc::new(Mutex::new(game));
        self.seats().seat(id, game.clone(), Instant::now());
        Ok((id, Shared(game)))
    }

    /// The game of this name.
    pub(super) fn find(&self, id: GameId) -> Result<Shared, ApiError> {
        let now = Instant::now();
        let mut seats = self.seats();
        let seat = seats.by_id.get_mut(&id).filter(|seat| !seat.is_abandoned(now));
        let seat = seat.ok_or_else(unknown)?;
        seat.used = now;
        Ok(Shared(seat.game.clone()))
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seats {
    fn seat(&mut self, id: GameId, game: Arc<Mutex<Played>>, now: Instant) {
        if now.saturating_duration_since(self.swept) >= BETWEEN_SWEEPS {
            self.by_id.retain(|_, seat| !seat.is_abandoned(now));
            self.swept = now;
        }
        if self.by_id.len() >= MOST_GAMES {
            let quietest = self.by_id.iter().min_by_key(|(_, seat)| seat.used);
            if let Some(id) = quietest.map(|(id, _)| *id) {
                self.by_id.remove(&id);
            }
        }
        self.by_id.insert(id, Seat { game, used: now });
    }
}

impl Seat {
    fn is_abandoned(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.used) >= LONGEST_PAUSE
    }
}

/// A game that several requests may ask about at once. Nobody holds it for longer than a turn takes to play.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Played>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Played> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Client {
        Client { session: 1, address: std::net::Ipv4Addr::LOCALHOST.into() }
    }

    fn played() -> Arc<Mutex<Played>> {
        Arc::new(Mutex::new(Played::new(1, 7, true, owner()).unwrap()))
    }

    #[test]
    fn room_is_bounded_and_the_quietest_goes_first() {
        let table = Table::new();
        let now = Instant::now();
        for n in 0..MOST_GAMES as u128 {
            table.seats().seat(GameId(n), played(), now + Duration::from_millis(n as u64));
        }
        table.seats().by_id.get_mut(&GameId(0)).unwrap().used = now + Duration::from_secs(30);
        table.seats().seat(GameId(u128::MAX), played(), now + Duration::from_secs(31));
        let seats = table.seats();
        assert_eq!(seats.by_id.len(), MOST_GAMES);
        assert!(seats.by_id.contains_key(&GameId(0)), "it was asked for since");
        assert!(!seats.by_id.contains_key(&GameId(1)), "nobody was quiet for longer");
    }

    #[test]
    fn abandoned_games_are_forgotten() {
        let table = Table::new();
        let now = Instant::now();
        table.seats().seat(GameId(1), played(), now);
        table.seats().seat(GameId(2), played(), now + LONGEST_PAUSE);
        assert_eq!(table.seats().by_id.keys().collect::<Vec<_>>(), [&GameId(2)]);
    }

    #[test]
    fn a_game_played_again_is_the_same_game() {
        for level in 1..=3 {
            let mut played = Played::new(level, 20 + u64::from(level), true, owner()).unwrap();
            let mut updates = Vec::new();
            while !played.is_over() {
                let swap = played.game.swap_at(0);
                updates.push(played.play(swap).unwrap());
            }
            let again = played.again().unwrap();
            assert_eq!(again.end.board(), played.game.board());
            assert_eq!(again.end.final_score(), played.game.final_score());
            assert!(again.turns.iter().map(|(_, turn)| turn).eq(&updates));
            let log = again.log();
            assert_eq!(log.header.level(), Some(level.into()));
            assert_eq!(log.turns.len(), updates.len());
            assert_eq!(log.end.score, played.game.score());
        }
    }

    #[test]
    fn names_are_read_as_written_and_nothing_else_is() {
        let id = GameId(0xabc);
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "abc", "+0000000000000000000000000000abc", &"f".repeat(33), "é"] {
            assert!(text.parse::<GameId>().is_err(), "{text}");
        }
    }
}
