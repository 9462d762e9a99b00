//! Caches the players of current games between their turns, so that they keep their search state.
//! The cache is bounded in number and memory and evicts the oldest players first; a game without a
//! cached player continues with a new one.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_app::position_view::ScoreSheet;
use tesuji_games::{Move, Position, Side};
use tesuji_play::{Player, PlayerSpec};

use crate::client::Client;

/// The most players in total and of a session.
const MAX_PLAYERS: usize = 64;
const MAX_PER_SESSION: usize = 4;
/// One player may use one part in this many of the memory.
const MEMORY_DIVISOR: u64 = 4;
/// A player that is not used for this time is evicted.
const IDLE_TIME: Duration = Duration::from_secs(10 * 60);
/// The interval between evictions of idle players.
pub(crate) const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The session, the player text and the side of a cached player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlayerKey {
    session: u64,
    player: String,
    side: Side,
    memory: u64,
}

impl PlayerKey {
    /// The key for the side to move.
    pub(crate) fn of(client: &Client, player: &PlayerSpec, sheet: &ScoreSheet) -> PlayerKey {
        PlayerKey {
            session: client.session,
            player: player.text().to_string(),
            side: sheet.line.end.to_move(),
            memory: player.memory(),
        }
    }
}

/// The players of current games between their turns.
pub(crate) struct PlayerCache {
    /// The memory limit of all players, in bytes.
    max_memory: u64,
    /// The cached players, oldest first.
    cached: Mutex<Vec<CachedPlayer>>,
}

struct CachedPlayer {
    key: PlayerKey,
    game: String,
    /// The start position, if it is not the usual one.
    start: Option<String>,
    /// The moves up to the player's own last move.
    moves: Vec<Move>,
    since: Instant,
    player: Box<dyn Player>,
}

impl CachedPlayer {
    /// Whether a game continues this one with moves of the other side only.
    fn matches(&self, key: &PlayerKey, sheet: &ScoreSheet) -> bool {
        let known = self.moves.len();
        self.key == *key
            && self.game == sheet.game
            && self.start == sheet.start
            && sheet.line.moves.starts_with(&self.moves)
            && sheet.played[known..].iter().all(|played| played.step.side != key.side)
    }
}

impl PlayerCache {
    /// An empty cache with a memory limit in bytes.
    pub(crate) fn new(max_memory: u64) -> PlayerCache {
        PlayerCache { max_memory, cached: Mutex::new(Vec::new()) }
    }

    /// Removes and returns the player of a game.
    pub(crate) fn take(&self, key: &PlayerKey, sheet: &ScoreSheet) -> Option<Box<dyn Player>> {
        let mut cached = self.cached();
        let place = cached.iter().rposition(|cached| cached.matches(key, sheet))?;
        Some(cached.remove(place).player)
    }

    /// Whether there is a player of a game.
    pub(crate) fn contains(&self, key: &PlayerKey, sheet: &ScoreSheet) -> bool {
        self.cached().iter().any(|cached| cached.matches(key, sheet))
    }

    /// Caches a player that has just made the last move of a game.
    pub(crate) fn keep(&self, key: PlayerKey, sheet: &ScoreSheet, player: Box<dyn Player>) {
        if key.memory > self.max_memory / MEMORY_DIVISOR || sheet.line.end.outcome().is_some() {
            return;
        }
        let new = CachedPlayer {
            key,
            game: sheet.game.clone(),
            start: sheet.start.clone(),
            moves: sheet.line.moves.clone(),
            since: Instant::now(),
            player,
        };
        let mut cached = self.cached();
        cached.push(new);
        let evicted = evict(&mut cached, self.max_memory, Instant::now());
        // Free large tables after unlocking.
        drop(cached);
        drop(evicted);
    }

    /// Evicts idle players.
    pub(crate) fn sweep(&self) {
        let evicted = evict(&mut self.cached(), self.max_memory, Instant::now());
        drop(evicted);
    }

    /// Evicts all players.
    pub(crate) fn clear(&self) {
        let evicted = std::mem::take(&mut *self.cached());
        drop(evicted);
    }

    fn cached(&self) -> MutexGuard<'_, Vec<CachedPlayer>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes idle players, then the oldest ones above the limits.
fn evict(cached: &mut Vec<CachedPlayer>, max_memory: u64, now: Instant) -> Vec<CachedPlayer> {
    let is_idle =
        |cached: &mut CachedPlayer| now.saturating_duration_since(cached.since) >= IDLE_TIME;
    let mut evicted: Vec<CachedPlayer> = cached.extract_if(.., is_idle).collect();
    if let Some(session) = cached.last().map(|newest| newest.key.session) {
        let of_session = |cached: &CachedPlayer| cached.key.session == session;
        while cached.iter().filter(|cached| of_session(cached)).count() > MAX_PER_SESSION {
            evicted.extend(cached.iter().position(of_session).map(|place| cached.remove(place)));
        }
    }
    let memory = |cached: &[CachedPlayer]| cached.iter().map(|one| one.key.memory).sum::<u64>();
    while cached.len() > MAX_PLAYERS || memory(cached) > max_memory {
        evicted.push(cached.remove(0));
    }
    evicted
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tesuji_games::GameLine;
    use tesuji_play::{Choice, PlayerError, Turn};

    use super::*;

    /// A player that is identified by its name.
    struct NamedPlayer(String);

    impl Player for NamedPlayer {
        fn name(&self) -> &str {
            &self.0
        }

        fn choose(&mut self, _: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
            Err(PlayerError::NoMove(self.0.clone()))
        }

        fn new_game(&mut self, _: u64) {}
    }

    fn sheet(game: &str, moves: &str) -> ScoreSheet {
        ScoreSheet::read(&tesuji_builtin::registry().open(game).unwrap(), moves).unwrap()
    }

    fn key(session: u64, player: &str, side: Side, memory: u64) -> PlayerKey {
        PlayerKey { session, player: player.to_string(), side, memory }
    }

    /// Caches a player of the side that made the last move.
    fn keep(players: &PlayerCache, key: &PlayerKey, game: &str, moves: &str) {
        players.keep(key.clone(), &sheet(game, moves), Box::new(NamedPlayer(moves.to_string())));
    }

    fn taken(players: &PlayerCache, key: &PlayerKey, game: &str, moves: &str) -> Option<String> {
        players.take(key, &sheet(game, moves)).map(|player| player.name().to_string())
    }

    #[test]
    fn a_key_is_made_by_session_player_and_side() {
        let client = |session| Client { session, address: IpAddr::V4(Ipv4Addr::LOCALHOST) };
        let player: PlayerSpec = tesuji_players::player("pvs:depth=2,tt=2M").unwrap();
        let first = PlayerKey::of(&client(1), &player, &sheet("connect4", "44"));
        assert_eq!(first, key(1, "pvs:depth=2,tt=2M", Side::First, 2 << 20));
        assert_ne!(first, PlayerKey::of(&client(2), &player, &sheet("connect4", "44")));
        assert_ne!(first, PlayerKey::of(&client(1), &player, &sheet("connect4", "4")));
    }

    #[test]
    fn a_player_is_found_by_the_next_turn_of_its_game_alone_and_once() {
        let players = PlayerCache::new(1 << 20);
        let mine = key(1, "pvs", Side::First, 1);
        keep(&players, &mine, "connect4", "443");
        for (other, game, moves) in [
            (key(2, "pvs", Side::First, 1), "connect4", "4435"),
            (key(1, "mcts", Side::First, 1), "connect4", "4435"),
            (key(1, "pvs", Side::Second, 1), "connect4", "443"),
            (mine.clone(), "connect4:7x7", "4435"),
            // Another move, a move taken back, a skipped turn.
            (mine.clone(), "connect4", "4425"),
            (mine.clone(), "connect4", "44"),
            (mine.clone(), "connect4", "443556"),
        ] {
            assert_eq!(taken(&players, &other, game, moves), None, "{other:?} {game} {moves}");
        }
        assert_eq!(taken(&players, &mine, "connect4", "4435").as_deref(), Some("443"));
        assert_eq!(taken(&players, &mine, "connect4", "4435"), None, "another request holds it");
    }

    #[test]
    fn a_turn_of_several_moves_is_one_turn() {
        let players = PlayerCache::new(1 << 20);
        let second = key(1, "connect6", Side::Second, 1);
        keep(&players, &second, "connect6", "j10a1");
        assert_eq!(taken(&players, &second, "connect6", "j10a1").as_deref(), Some("j10a1"));
        keep(&players, &second, "connect6", "j10a1b1");
        let after = taken(&players, &second, "connect6", "j10a1b1c5d6");
        assert_eq!(after.as_deref(), Some("j10a1b1"));
    }

    #[test]
    fn finished_games_and_large_players_are_not_kept() {
        let players = PlayerCache::new(100);
        keep(&players, &key(1, "pvs", Side::First, 1), "connect4", "1212121");
        keep(&players, &key(1, "pvs", Side::First, 26), "connect4", "1");
        assert!(players.cached().is_empty());
        keep(&players, &key(1, "pvs", Side::First, 25), "connect4", "1");
        assert_eq!(players.cached().len(), 1);
        let none = PlayerCache::new(0);
        keep(&none, &key(1, "pvs", Side::First, 1), "connect4", "1");
        assert!(none.cached().is_empty());
    }

    #[test]
    fn number_and_memory_are_bounded_and_the_longest_wait_ends_first() {
        let players = PlayerCache::new(100);
        let at = |session, memory| key(session, "pvs", Side::First, memory);
        for moves in ["1", "2", "3", "4", "5"] {
            keep(&players, &at(1, 1), "connect4", moves);
        }
        assert_eq!(players.cached().len(), MAX_PER_SESSION);
        assert_eq!(taken(&players, &at(1, 1), "connect4", "17"), None);
        for session in 2..6 {
            keep(&players, &at(session, 25), "connect4", "1");
        }
        let sessions = |players: &PlayerCache| {
            players.cached().iter().map(|one| one.key.session).collect::<Vec<_>>()
        };
        assert_eq!(sessions(&players), [2, 3, 4, 5], "there is no memory for more");
        players.clear();
        for session in 0..100 {
            keep(&players, &at(session, 1), "connect4", "1");
        }
        assert_eq!(sessions(&players), (36..100).collect::<Vec<_>>());
    }

    #[test]
    fn who_waits_in_vain_is_let_go() {
        let players = PlayerCache::new(100);
        keep(&players, &key(1, "pvs", Side::First, 1), "connect4", "1");
        let mut cached = players.cached();
        let now = Instant::now();
        assert!(evict(&mut cached, 100, now + IDLE_TIME / 2).is_empty());
        assert_eq!(evict(&mut cached, 100, now + IDLE_TIME).len(), 1);
        assert!(cached.is_empty());
    }
}
