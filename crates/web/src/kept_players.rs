//! The players of games under way, between one move and the next: what a player found out about a
//! game helps it in its next turn. They are bounded in number and in memory, those that wait longest
//! go first, and a game whose player is gone goes on with a new one.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_app::desk::ScoreSheet;
use tesuji_games::{Move, Position, Side};
use tesuji_play::{Player, PlayerSpec};

use crate::client::Client;

/// Players of all sessions, and of one.
const MOST: usize = 64;
const MOST_OF_SESSION: usize = 4;
/// The part of all memory that one player may hold.
const LARGEST_SHARE: u64 = 4;
/// A game that is not gone on with for so long has lost its player.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// How often idle players are looked for.
pub(crate) const BETWEEN_SWEEPS: Duration = Duration::from_secs(60);

/// Where a player sits: in whose game, with which text, on which side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    session: u64,
    player: String,
    side: Side,
    memory: u64,
}

impl Seat {
    /// The seat of the side to move.
    pub(crate) fn of(client: &Client, player: &PlayerSpec, sheet: &ScoreSheet) -> Seat {
        Seat {
            session: client.session,
            player: player.text().to_string(),
            side: sheet.line.end.to_move(),
            memory: player.memory(),
        }
    }
}

/// The players of games under way.
pub(crate) struct KeptPlayers {
    /// Bytes of all of them.
    most_memory: u64,
    /// The one that waits longest comes first.
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    seat: Seat,
    game: String,
    /// Where the game began, if not at its usual start.
    start: Option<String>,
    /// What was played, the player's own move last.
    moves: Vec<Move>,
    since: Instant,
    player: Box<dyn Player>,
}

impl Waiting {
    /// Whether a game is this one, gone on with by moves of the other side and no others.
    fn is_in(&self, seat: &Seat, sheet: &ScoreSheet) -> bool {
        let known = self.moves.len();
        self.seat == *seat
            && self.game == sheet.game
            && self.start == sheet.start
            && sheet.line.moves.starts_with(&self.moves)
            && sheet.played[known..].iter().all(|played| played.step.side != seat.side)
    }
}

impl KeptPlayers {
    /// No players yet, and never more than hold so many bytes.
    pub(crate) fn new(most_memory: u64) -> KeptPlayers {
        KeptPlayers { most_memory, waiting: Mutex::new(Vec::new()) }
    }

    /// Hands out the player of a game, if it is here: to this one alone.
    pub(crate) fn take(&self, seat: &Seat, sheet: &ScoreSheet) -> Option<Box<dyn Player>> {
        let mut waiting = self.waiting();
        let place = waiting.iter().rposition(|waiting| waiting.is_in(seat, sheet))?;
        Some(waiting.remove(place).player)
    }

    /// Keeps a player for its next turn. It has just made the last move of the game.
    pub(crate) fn keep(&self, seat: Seat, sheet: &ScoreSheet, player: Box<dyn Player>) {
        if seat.memory > self.most_memory / LARGEST_SHARE || sheet.line.end.outcome().is_some() {
            return;
        }
        let new = Waiting {
            seat,
            game: sheet.game.clone(),
            start: sheet.start.clone(),
            moves: sheet.line.moves.clone(),
            since: Instant::now(),
            player,
        };
        let mut waiting = self.waiting();
        waiting.push(new);
        let gone = surplus(&mut waiting, self.most_memory, Instant::now());
        // Large tables are given back after the lock.
        drop(waiting);
        drop(gone);
    }

    /// Lets go of players whose games are not gone on with.
    pub(crate) fn sweep(&self) {
        let gone = surplus(&mut self.waiting(), self.most_memory, Instant::now());
        drop(gone);
    }

    /// Lets go of all of them.
    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.waiting());
        drop(gone);
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out who is idle, and then as many as are too many, those that wait longest first.
fn surplus(waiting: &mut Vec<Waiting>, most_memory: u64, now: Instant) -> Vec<Waiting> {
    let is_idle = |waiting: &mut Waiting| now.saturating_duration_since(waiting.since) >= IDLE;
    let mut gone: Vec<Waiting> = waiting.extract_if(.., is_idle).collect();
    if let Some(session) = waiting.last().map(|newest| newest.seat.session) {
        let of_session = |waiting: &Waiting| waiting.seat.session == session;
        while waiting.iter().filter(|waiting| of_session(waiting)).count() > MOST_OF_SESSION {
            gone.extend(waiting.iter().position(of_session).map(|place| waiting.remove(place)));
        }
    }
    let memory = |waiting: &[Waiting]| waiting.iter().map(|one| one.seat.memory).sum::<u64>();
    while waiting.len() > MOST || memory(waiting) > most_memory {
        gone.push(waiting.remove(0));
    }
    gone
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tesuji_games::GameLine;
    use tesuji_play::{Choice, PlayerError, Turn};

    use super::*;

    /// Known by its name.
    struct Named(String);

    impl Player for Named {
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

    fn seat(session: u64, player: &str, side: Side, memory: u64) -> Seat {
        Seat { session, player: player.to_string(), side, memory }
    }

    /// Keeps a player of the side that made the last move.
    fn keep(players: &KeptPlayers, seat: &Seat, game: &str, moves: &str) {
        players.keep(seat.clone(), &sheet(game, moves), Box::new(Named(moves.to_string())));
    }

    fn taken(players: &KeptPlayers, seat: &Seat, game: &str, moves: &str) -> Option<String> {
        players.take(seat, &sheet(game, moves)).map(|player| player.name().to_string())
    }

    #[test]
    fn a_seat_is_known_by_session_player_and_side() {
        let client = |session| Client { session, address: IpAddr::V4(Ipv4Addr::LOCALHOST) };
        let player: PlayerSpec = tesuji_players::player("pvs:depth=2,tt=2M").unwrap();
        let first = Seat::of(&client(1), &player, &sheet("connect4", "44"));
        assert_eq!(first, seat(1, "pvs:depth=2,tt=2M", Side::First, 2 << 20));
        assert_ne!(first, Seat::of(&client(2), &player, &sheet("connect4", "44")));
        assert_ne!(first, Seat::of(&client(1), &player, &sheet("connect4", "4")));
    }

    #[test]
    fn a_player_is_found_by_the_next_turn_of_its_game_alone_and_once() {
        let players = KeptPlayers::new(1 << 20);
        let mine = seat(1, "pvs", Side::First, 1);
        keep(&players, &mine, "connect4", "443");
        for (other, game, moves) in [
            (seat(2, "pvs", Side::First, 1), "connect4", "4435"),
            (seat(1, "mcts", Side::First, 1), "connect4", "4435"),
            (seat(1, "pvs", Side::Second, 1), "connect4", "443"),
            (mine.clone(), "connect4:7x7", "4435"),
            // Another move, a game taken back, a turn that was left out.
            (mine.clone(), "connect4", "4425"),
            (mine.clone(), "connect4", "44"),
            (mine.clone(), "connect4", "443556"),
        ] {
            assert_eq!(taken(&players, &other, game, moves), None, "{other:?} {game} {moves}");
        }
        assert_eq!(taken(&players, &mine, "connect4", "4435").as_deref(), Some("443"));
        assert_eq!(taken(&players, &mine, "connect4", "4435"), None, "somebody has it");
    }

    #[test]
    fn a_turn_of_several_moves_is_one_turn() {
        let players = KeptPlayers::new(1 << 20);
        let second = seat(1, "connect6", Side::Second, 1);
        keep(&players, &second, "connect6", "j10a1");
        assert_eq!(taken(&players, &second, "connect6", "j10a1").as_deref(), Some("j10a1"));
        keep(&players, &second, "connect6", "j10a1b1");
        let after = taken(&players, &second, "connect6", "j10a1b1c5d6");
        assert_eq!(after.as_deref(), Some("j10a1b1"));
    }

    #[test]
    fn finished_games_and_large_players_are_not_kept() {
        let players = KeptPlayers::new(100);
        keep(&players, &seat(1, "pvs", Side::First, 1), "connect4", "1212121");
        keep(&players, &seat(1, "pvs", Side::First, 26), "connect4", "1");
        assert!(players.waiting().is_empty());
        keep(&players, &seat(1, "pvs", Side::First, 25), "connect4", "1");
        assert_eq!(players.waiting().len(), 1);
        let none = KeptPlayers::new(0);
        keep(&none, &seat(1, "pvs", Side::First, 1), "connect4", "1");
        assert!(none.waiting().is_empty());
    }

    #[test]
    fn number_and_memory_are_bounded_and_the_longest_wait_ends_first() {
        let players = KeptPlayers::new(100);
        let at = |session, memory| seat(session, "pvs", Side::First, memory);
        for moves in ["1", "2", "3", "4", "5"] {
            keep(&players, &at(1, 1), "connect4", moves);
        }
        assert_eq!(players.waiting().len(), MOST_OF_SESSION);
        assert_eq!(taken(&players, &at(1, 1), "connect4", "17"), None);
        for session in 2..6 {
            keep(&players, &at(session, 25), "connect4", "1");
        }
        let sessions = |players: &KeptPlayers| {
            players.waiting().iter().map(|one| one.seat.session).collect::<Vec<_>>()
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
        let players = KeptPlayers::new(100);
        keep(&players, &seat(1, "pvs", Side::First, 1), "connect4", "1");
        let mut waiting = players.waiting();
        let now = Instant::now();
        assert!(surplus(&mut waiting, 100, now + IDLE / 2).is_empty());
        assert_eq!(surplus(&mut waiting, 100, now + IDLE).len(), 1);
        assert!(waiting.is_empty());
    }
}
