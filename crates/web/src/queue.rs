//! The queue of searches. A machine runs a few searches at once; the others wait in a line of
//! bounded length. A session and an address each have a bounded number of places, and those with
//! the fewest searches under way come first.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::client::Client;
use crate::errors::ApiError;

/// So many may wait.
const LONGEST_LINE: usize = 1000;
/// So much may one session have under way and waiting.
const MOST_OF_ONE: usize = 6;

/// The line, and those who are at it.
#[derive(Clone)]
pub(crate) struct Queue(Arc<Mutex<Inside>>);

struct Inside {
    places: usize,
    /// The most that one network may have under way and waiting.
    most_of_network: usize,
    running: usize,
    waiting: VecDeque<Waiting>,
    /// How many have ever waited.
    numbers: u64,
    /// How many searches have ever begun: the time by which turns are shared out.
    begun: u64,
    /// Of each session that has anything here: how much is under way and how much waits.
    sessions: HashMap<u64, Share>,
    /// The same of each network.
    networks: HashMap<IpAddr, Share>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    running: usize,
    waiting: usize,
    /// When its last search began.
    last_turn: u64,
}

struct Waiting {
    client: Client,
    number: u64,
    call: oneshot::Sender<Permit>,
}

/// Leave to think, for as long as it is held.
pub(crate) struct Permit {
    queue: Queue,
    client: Client,
}

/// A place in the line.
pub(crate) struct Place {
    /// How many were before this one when it came.
    pub(crate) ahead: usize,
    turn: Turn,
}

enum Turn {
    Now(Permit),
    Later(Ticket),
}

/// Leaves the line when it is dropped.
struct Ticket {
    queue: Queue,
    client: Client,
    number: u64,
    called: oneshot::Receiver<Permit>,
}

impl Queue {
    pub(crate) fn new(places: usize, sessions_per_address: usize) -> Queue {
        Queue(Arc::new(Mutex::new(Inside {
            places: places.max(1),
            most_of_network: MOST_OF_ONE.saturating_mul(sessions_per_address.max(1)),
            running: 0,
            waiting: VecDeque::new(),
            numbers: 0,
            begun: 0,
            sessions: HashMap::new(),
            networks: HashMap::new(),
        })))
    }

    /// Stands in the line, unless that is too long.
    pub(crate) fn enter(&self, client: &Client) -> Result<Place, ApiError> {
        let (mut inside, client) = (self.inside(), *client);
        inside.check_share(&client)?;
        if inside.running < inside.places {
            inside.start(&client);
            let permit = Permit { queue: self.clone(), client };
            return Ok(Place { ahead: 0, turn: Turn::Now(permit) });
        }
        if inside.waiting.len() >= LONGEST_LINE {
            return Err(ApiError::busy("everybody wants to think at once; try again in a moment"));
        }
        let (call, called) = oneshot::channel();
        let ahead = inside.waiting.len() + 1;
        inside.numbers += 1;
        let number = inside.numbers;
        inside.waiting.push_back(Waiting { client, number, call });
        inside.change(&client, |share| share.waiting += 1);
        let ticket = Ticket { queue: self.clone(), client, number, called };
        Ok(Place { ahead, turn: Turn::Later(ticket) })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls whoever has least under way, the one who came first among equals.
    fn call_next(&self) {
        let mut inside = self.inside();
        if inside.running >= inside.places {
            return;
        }
        let Some(next) = inside.next().and_then(|index| inside.waiting.remove(index)) else {
            return;
        };
        inside.leave_line(&next.client);
        inside.start(&next.client);
        drop(inside);
        let permit = Permit { queue: self.clone(), client: next.client };
        // If that one has left in this very moment, the permit comes back, is dropped, and calls the next.
        drop(next.call.send(permit));
    }
}

impl Inside {
    /// Whether the session and the network of a client may have one more search.
    fn check_share(&self, client: &Client) -> Result<(), ApiError> {
        if held(&self.sessions, client.session) >= MOST_OF_ONE {
            return Err(ApiError::too_many(format!(
                "you have {MOST_OF_ONE} searches under way; wait for one of them, or stop one"
            )));
        }
        if held(&self.networks, client.network()) >= self.most_of_network {
            return Err(ApiError::too_many(format!(
                "your address has {} searches under way; wait until one of them is over",
                self.most_of_network
            )));
        }
        Ok(())
    }

    /// The fewest searches under way, then the longest time without a turn, then the order of
    /// arrival. The network counts before the session: new sessions of a busy address do not come
    /// first.
    fn next(&self) -> Option<usize> {
        let rank = |share: Option<&Share>| share.map(|share| (share.running, share.last_turn));
        let claim = |Waiting { client, .. }: &Waiting| {
            (rank(self.networks.get(&client.network())), rank(self.sessions.get(&client.session)))
        };
        let (index, _) =
            self.waiting.iter().enumerate().min_by_key(|(_, waiting)| claim(waiting))?;
        Some(index)
    }

    fn start(&mut self, client: &Client) {
        self.running += 1;
        self.begun += 1;
        let last_turn = self.begun;
        self.change(client, |share| {
            *share = Share { running: share.running + 1, last_turn, ..*share }
        });
    }

    fn finish(&mut self, client: &Client) {
        self.running -= 1;
        self.change(client, |share| share.running -= 1);
    }

    fn leave_line(&mut self, client: &Client) {
        self.change(client, |share| share.waiting -= 1);
    }

    fn change(&mut self, client: &Client, change: impl Fn(&mut Share)) {
        // A new name comes before those that had the latest turn, and not before those that wait
        // for longer.
        let new = Share { last_turn: self.begun.saturating_sub(1), ..Share::default() };
        change_share(&mut self.sessions, client.session, new, &change);
        change_share(&mut self.networks, client.network(), new, &change);
    }
}

/// How much a name has under way and waiting.
fn held<K: Eq + Hash>(shares: &HashMap<K, Share>, name: K) -> usize {
    shares.get(&name).map_or(0, |share| share.running + share.waiting)
}

/// Names that have nothing here any more are forgotten.
fn change_share<K: Copy + Eq + Hash>(
    shares: &mut HashMap<K, Share>,
    name: K,
    new: Share,
    change: impl Fn(&mut Share),
) {
    let share = shares.entry(name).or_insert(new);
    change(share);
    if share.running + share.waiting == 0 {
        shares.remove(&name);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.inside().finish(&self.client);
        self.queue.call_next();
    }
}

impl Place {
    /// Waits for one's turn.
    pub(crate) async fn turn(self) -> Result<Permit, ApiError> {
        match self.turn {
            Turn::Now(permit) => Ok(permit),
            Turn::Later(mut ticket) => {
                let called = (&mut ticket.called).await;
                called.map_err(|_| ApiError::busy("the line was closed; try again in a moment"))
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut inside = self.queue.inside();
        if let Some(place) = inside.waiting.iter().position(|other| other.number == self.number) {
            inside.waiting.remove(place);
            inside.leave_line(&self.client);
        }
        drop(inside);
        // A permit may have been sent in the very moment of leaving: it is dropped with the channel.
        self.called.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(session: u64) -> Client {
        client_at([127, 0, 0, 1], session)
    }

    fn client_at(address: [u8; 4], session: u64) -> Client {
        Client { session, address: IpAddr::from(address) }
    }

    #[tokio::test]
    async fn new_sessions_of_one_address_have_a_bounded_part_of_the_line() {
        const SESSIONS: usize = 8;
        let queue = Queue::new(1, SESSIONS);
        let mut held: Vec<Place> =
            (0..50 * SESSIONS as u64).map_while(|n| queue.enter(&client(n)).ok()).collect();
        assert_eq!(held.len(), SESSIONS * MOST_OF_ONE);
        assert_eq!(queue.enter(&client(9999)).err().unwrap().status, 429);
        let other = queue.enter(&client_at([192, 0, 2, 1], 9999)).unwrap();
        // Its address has nothing under way, so it does not wait for those who came before.
        let first = held.remove(0).turn().await.unwrap();
        let second = held.remove(0);
        drop(first);
        let other = other.turn().await.unwrap();
        drop((other, second, held));
        let inside = queue.inside();
        assert_eq!((inside.sessions.len(), inside.networks.len()), (0, 0));
    }

    #[tokio::test]
    async fn who_has_less_under_way_comes_first() {
        let queue = Queue::new(2, 8);
        let greedy: Vec<Place> =
            (0..MOST_OF_ONE).map(|_| queue.enter(&client(1)).unwrap()).collect();
        assert_eq!(queue.enter(&client(1)).err().unwrap().status, 429);
        let modest = queue.enter(&client(2)).unwrap();
        assert_eq!(modest.ahead, MOST_OF_ONE - 2 + 1);
        let mut greedy = greedy.into_iter();
        let first = greedy.next().unwrap().turn().await.unwrap();
        let _second = greedy.next().unwrap().turn().await.unwrap();
        let third = greedy.next().unwrap();
        drop(first);
        let modest = modest.turn().await.unwrap();
        drop(modest);
        third.turn().await.unwrap();
    }

    #[tokio::test]
    async fn who_leaves_makes_room_and_nothing_is_left_behind() {
        let queue = Queue::new(1, 8);
        let first = queue.enter(&client(1)).unwrap().turn().await.unwrap();
        let second = queue.enter(&client(2)).unwrap();
        let third = queue.enter(&client(3)).unwrap();
        drop(second);
        assert_eq!(queue.inside().waiting.len(), 1);
        drop(first);
        drop(third.turn().await.unwrap());
        let inside = queue.inside();
        assert_eq!((inside.running, inside.waiting.len(), inside.sessions.len()), (0, 0, 0));
    }

    #[test]
    fn a_permit_that_nobody_takes_goes_to_the_next() {
        let queue = Queue::new(1, 8);
        let Ok(Place { turn: Turn::Now(first), .. }) = queue.enter(&client(1)) else {
            panic!("the first need not wait");
        };
        let second = queue.enter(&client(2)).unwrap();
        drop(first);
        assert_eq!(queue.inside().running, 1, "the permit waits in its channel");
        drop(second);
        assert_eq!(queue.inside().running, 0);
    }
}
