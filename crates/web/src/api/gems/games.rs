//! The running games, in memory. A client knows the id of a game, but not its seed or its hidden
//! medals. The number of games is bounded in total and per address. A game without a request for an
//! hour is removed. At the limit an idle game is evicted: first of the same address, and first one
//! without a move. A game in play is never evicted; the new game is refused instead.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_games::random::{Rng, derived, seeded};
use tesuji_games::rules::gem_island::log::{GemLog, LogHeader, LoggedTurn};
use tesuji_games::rules::gem_island::text::GemSnapshot;
use tesuji_games::rules::gem_island::updates::{TurnUpdates, play_recorded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemStatus, Swap};
use tesuji_play::event::now;

use crate::client::Client;
use crate::errors::ApiError;

/// The most games; each takes about a kilobyte.
const MAX_GAMES: usize = 5_000;
/// The most games of a session; an address may have those of several sessions.
const GAMES_PER_SESSION: usize = 20;
/// The time without a request after which a game is idle: without a move, and with moves.
const IDLE_BEFORE_FIRST_MOVE: Duration = Duration::from_secs(60);
const IDLE_IN_PLAY: Duration = Duration::from_secs(15 * 60);
/// A game without a request for this time is removed.
const MAX_PAUSE: Duration = Duration::from_secs(3600);
/// The shortest time between two removals.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The id of a game, which cannot be guessed.
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
    ApiError::missing("game: not found or expired; start a new game")
}

/// A random number of the system, for ids and seeds.
fn random_word() -> Result<u64, ApiError> {
    getrandom::u64().map_err(|_| ApiError::busy("no system randomness available; retry later"))
}

/// A game, with everything for its replay.
#[derive(Clone, Debug)]
pub(super) struct GemGame {
    pub(super) level: u8,
    /// Determines the board and all falling gems. Published at the end, so that the game can be
    /// verified.
    pub(super) seed: u64,
    /// The client that started the game and may play it.
    pub(super) owner: Client,
    pub(super) game: GemIsland,
    rng: Rng,
    swaps: Vec<Swap>,
    /// Whether the computer gave a hint or played.
    pub(super) helped: bool,
    /// Whether the player allows recording.
    pub(super) record: bool,
    /// Whether it is in the high scores.
    pub(super) entered: bool,
    pub(super) started_at: u64,
}

impl GemGame {
    pub(super) fn new(level: u8, seed: u64, record: bool, owner: Client) -> Option<GemGame> {
        let (game, rng) = start(level, seed)?;
        Some(GemGame {
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
        self.game.status() != GemStatus::Running
    }

    /// Plays a swap. A bonus appears on its first cell if possible.
    pub(super) fn play(&mut self, swap: Swap) -> Result<TurnUpdates, ApiError> {
        if self.is_over() {
            return Err(ApiError::conflict("the game is over: start a new game"));
        }
        if self.game.oriented(swap.first, swap.second).is_none() {
            let problem = "makes no row of three; expected one of the view's `swaps`";
            return Err(ApiError::conflict(format!("swap {swap}: {problem}")));
        }
        let (_, updates) = play_recorded(&mut self.game, swap, &mut self.rng);
        self.swaps.push(swap);
        Ok(updates)
    }

    /// Replays the game from its seed and its swaps.
    pub(super) fn replay(&self) -> Option<ReplayedGame> {
        let (start, mut rng) = start(self.level, self.seed)?;
        let mut game = start.clone();
        let mut turns = Vec::with_capacity(self.swaps.len());
        for swap in &self.swaps {
            let before = game.clone();
            let (_, updates) = play_recorded(&mut game, *swap, &mut rng);
            turns.push((before, updates));
        }
        Some(ReplayedGame { start, turns, end: game })
    }
}

/// A replayed game.
pub(super) struct ReplayedGame {
    pub(super) start: GemIsland,
    /// The state before each turn, and the updates of the turn.
    pub(super) turns: Vec<(GemIsland, TurnUpdates)>,
    pub(super) end: GemIsland,
}

impl ReplayedGame {
    /// The state-action log, in the published format.
    pub(super) fn log(&self) -> GemLog {
        let number = |n: usize| 2 * n as u32;
        let turn = |(n, (before, updates)): (usize, &(GemIsland, TurnUpdates))| LoggedTurn {
            number: number(n),
            state: GemSnapshot::of(before),
            swap: updates.swap,
        };
        GemLog {
            header: LogHeader::of(&self.start.grid().settings),
            turns: self.turns.iter().enumerate().map(turn).collect(),
            end_number: number(self.turns.len()),
            end: GemSnapshot::of(&self.end),
        }
    }
}

/// The start of a game and the generator for the rest of it; the same as in `tesuji gem play
/// --seed`.
fn start(level: u8, seed: u64) -> Option<(GemIsland, Rng)> {
    let mut rng = seeded(derived(seed, [0]));
    let game = GemIsland::generate(GemSettings::level(level.into())?, &mut rng)?;
    Some((game, rng))
}

/// All running games.
pub(crate) struct GemGames {
    slots: Mutex<GameSlots>,
    /// The most games of one address.
    max_per_network: usize,
}

struct GameSlots {
    by_id: HashMap<GameId, GameSlot>,
    swept: Instant,
}

struct GameSlot {
    game: Arc<Mutex<GemGame>>,
    /// The network that started it.
    network: IpAddr,
    used: Instant,
}

impl GemGames {
    pub(crate) fn new(sessions_per_address: usize) -> GemGames {
        GemGames {
            slots: Mutex::new(GameSlots { by_id: HashMap::new(), swept: Instant::now() }),
            max_per_network: GAMES_PER_SESSION.saturating_mul(sessions_per_address.max(1)),
        }
    }

    /// Starts a new game.
    pub(super) fn open(
        &self,
        level: u8,
        record: bool,
        owner: Client,
    ) -> Result<(GameId, SharedGame), ApiError> {
        let id = GameId(u128::from(random_word()?) << 64 | u128::from(random_word()?));
        let game = GemGame::new(level, random_word()?, record, owner)
            .ok_or_else(|| ApiError::bad(format!("level {level}: unknown; expected 1, 2 or 3")))?;
        let game = Arc::new(Mutex::new(game));
        self.insert(id, game.clone(), owner.network(), Instant::now())?;
        Ok((id, SharedGame(game)))
    }

    fn insert(
        &self,
        id: GameId,
        game: Arc<Mutex<GemGame>>,
        network: IpAddr,
        now: Instant,
    ) -> Result<(), ApiError> {
        let mut slots = self.slots();
        slots.sweep(now);
        slots.make_room(network, self.max_per_network, now)?;
        slots.by_id.insert(id, GameSlot { game, network, used: now });
        Ok(())
    }

    /// Finds a game by its id.
    pub(super) fn find(&self, id: GameId) -> Result<SharedGame, ApiError> {
        let now = Instant::now();
        let mut slots = self.slots();
        let slot = slots.by_id.get_mut(&id).filter(|slot| !slot.is_abandoned(now));
        let slot = slot.ok_or_else(unknown)?;
        slot.used = now;
        Ok(SharedGame(slot.game.clone()))
    }

    fn slots(&self) -> MutexGuard<'_, GameSlots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameSlots {
    fn sweep(&mut self, now: Instant) {
        if now.saturating_duration_since(self.swept) >= SWEEP_INTERVAL {
            self.by_id.retain(|_, slot| !slot.is_abandoned(now));
            self.swept = now;
        }
    }

    /// Makes room for one more game of a network, or returns an error.
    fn make_room(&mut self, network: IpAddr, most: usize, now: Instant) -> Result<(), ApiError> {
        let own = |slot: &GameSlot| slot.network == network;
        if self.by_id.values().filter(|slot| own(slot)).count() >= most && !self.evict(own, now) {
            return Err(ApiError::too_many(format!(
                "games: your address has {most} running games; finish one or retry in a minute"
            )));
        }
        let full = self.by_id.len() >= MAX_GAMES;
        if full && !self.evict(own, now) && !self.evict(|_| true, now) {
            return Err(ApiError::busy("games: the server is full; retry in a minute"));
        }
        Ok(())
    }

    /// Removes the idle game of the lowest rank, if there is one.
    fn evict(&mut self, among: impl Fn(&GameSlot) -> bool, now: Instant) -> bool {
        let candidates = self.by_id.iter().filter(|(_, slot)| among(slot));
        let idle = candidates.filter_map(|(id, slot)| Some((slot.idle_rank(now)?, *id)));
        let least = idle.min_by_key(|(rank, _)| *rank).map(|(_, id)| id);
        least.is_some_and(|id| self.by_id.remove(&id).is_some())
    }
}

impl GameSlot {
    fn is_abandoned(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.used) >= MAX_PAUSE
    }

    /// The rank of an idle game: first without moves, then the least recently used.
    fn idle_rank(&self, now: Instant) -> Option<(bool, Instant)> {
        let has_moves = !lock(&self.game).swaps.is_empty();
        let idle = if has_moves { IDLE_IN_PLAY } else { IDLE_BEFORE_FIRST_MOVE };
        let is_idle = now.saturating_duration_since(self.used) >= idle;
        is_idle.then_some((has_moves, self.used))
    }
}

fn lock(game: &Mutex<GemGame>) -> MutexGuard<'_, GemGame> {
    game.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A game shared by parallel requests. It is locked for one turn at most.
#[derive(Clone)]
pub(super) struct SharedGame(Arc<Mutex<GemGame>>);

impl SharedGame {
    pub(super) fn lock(&self) -> MutexGuard<'_, GemGame> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Client {
        Client { session: 1, address: std::net::Ipv4Addr::LOCALHOST.into() }
    }

    fn played() -> Arc<Mutex<GemGame>> {
        Arc::new(Mutex::new(GemGame::new(1, 7, true, owner()).unwrap()))
    }

    fn network(n: u16) -> IpAddr {
        let [high, low] = n.to_be_bytes();
        IpAddr::from([192, 0, high, low])
    }

    fn with_a_move() -> Arc<Mutex<GemGame>> {
        let game = played();
        let swap = lock(&game).game.swap_at(0);
        lock(&game).play(swap).unwrap();
        game
    }

    const ADDRESS_LIMIT: usize = 2 * GAMES_PER_SESSION;

    #[test]
    fn an_address_has_bounded_games_and_games_in_play_stay() {
        let games = GemGames::new(2);
        let now = Instant::now();
        games.insert(GameId(0), with_a_move(), network(1), now).unwrap();
        let shared = played();
        for n in 1..ADDRESS_LIMIT as u128 {
            games.insert(GameId(n), shared.clone(), network(1), now).unwrap();
        }
        let insert = |n: u128, of: u16, after: Duration| {
            games.insert(GameId(n), shared.clone(), network(of), now + after).map_err(|e| e.status)
        };
        let refused = insert(1000, 1, Duration::from_secs(5)).unwrap_err();
        assert_eq!((refused.as_u16(), games.slots().by_id.len()), (429, ADDRESS_LIMIT));
        assert_eq!(insert(1001, 2, Duration::from_secs(5)), Ok(()), "another address has room");
        // Later, games without a move are evicted, and the game in play stays.
        let mut taken = 0;
        for n in 0..200 {
            let after = IDLE_BEFORE_FIRST_MOVE + Duration::from_secs(n);
            taken += usize::from(insert(2000 + u128::from(n), 1, after).is_ok());
        }
        assert!(taken > ADDRESS_LIMIT, "{taken}");
        let slots = games.slots();
        assert_eq!(slots.by_id.len(), ADDRESS_LIMIT + 1);
        assert!([0, 1001].iter().all(|n| slots.by_id.contains_key(&GameId(*n))));
    }

    #[test]
    fn a_full_table_refuses_rather_than_end_games_of_others() {
        let games = GemGames::new(1);
        let now = Instant::now();
        let (played, begun) = (with_a_move(), played());
        for n in 0..MAX_GAMES {
            let of = network(n as u16 / 2);
            games.insert(GameId(n as u128), played.clone(), of, now).unwrap();
        }
        let insert = |n: u128, after: Duration| {
            games.insert(GameId(n), begun.clone(), network(u16::MAX), now + after)
        };
        assert_eq!(insert(10_000, Duration::from_secs(120)).unwrap_err().status, 503);
        games.slots().by_id.get_mut(&GameId(0)).unwrap().used = now + IDLE_IN_PLAY;
        insert(10_001, IDLE_IN_PLAY).unwrap();
        let slots = games.slots();
        assert_eq!(slots.by_id.len(), MAX_GAMES);
        assert!(slots.by_id.contains_key(&GameId(0)), "it was used since");
    }

    #[test]
    fn abandoned_games_are_removed() {
        let games = GemGames::new(8);
        let now = Instant::now();
        games.insert(GameId(1), played(), network(1), now).unwrap();
        games.insert(GameId(2), played(), network(1), now + MAX_PAUSE).unwrap();
        assert_eq!(games.slots().by_id.keys().collect::<Vec<_>>(), [&GameId(2)]);
    }

    #[test]
    fn a_replayed_game_is_the_same_game() {
        for level in 1..=3 {
            let mut played = GemGame::new(level, 20 + u64::from(level), true, owner()).unwrap();
            let mut updates = Vec::new();
            while !played.is_over() {
                let swap = played.game.swap_at(0);
                updates.push(played.play(swap).unwrap());
            }
            let again = played.replay().unwrap();
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
    fn ids_are_parsed_as_written() {
        let id = GameId(0xabc);
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "abc", "+0000000000000000000000000000abc", &"f".repeat(33), "é"] {
            assert!(text.parse::<GameId>().is_err(), "{text}");
        }
    }
}
