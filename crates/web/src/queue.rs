//! Who may think now. A machine can only do so many searches at once; the others wait in a line of bounded length, in
//! which nobody can stand more than a few times, and those who have least under way come first.

use std::collections::{HashMap, VecDeque};
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
    running: usize,
    waiting: VecDeque<Waiting>,
    /// How many have ever waited.
    numbers: u64,
    /// Of each session that has anything here: how much is under way and how much waits.
    sessions: HashMap<u64, Share>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    running: usize,
    waiting: usize,
}

struct Waiting {
    session: u64,
    number: u64,
    call: oneshot::Sender<Permit>,
}

/// Leave to think, for as long as it is held.
pub(crate) struct Permit {
    queue: Queue,
    session: u64,
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
    session: u64,
    number: u64,
    called: oneshot::Receiver<Permit>,
}

impl Queue {
    pub(crate) fn new(places: usize) -> Queue {
        Queue(Arc::new(Mutex::new(Inside {
            places: places.max(1),
            running: 0,
            waiting: VecDeque::new(),
            numbers: 0,
            sessions: HashMap::new(),
        })))
    }

    /// Stands in the line, unless that is too long.
    pub(crate) fn enter(&self, client: &Client) -> Result<Place, ApiError> {
        let mut inside = self.inside();
        let session = client.session;
        let share = inside.sessions.get(&session).copied().unwrap_or_default();
        if share.running + share.waiting >= MOST_OF_ONE {
            return Err(ApiError::too_many(format!(
                "you have {MOST_OF_ONE} searches under way; wait for one of them, or stop one"
            )));
        }
        if inside.running < inside.places {
            inside.start(session);
            let permit = Permit { queue: self.clone(), session };
            return Ok(Place { ahead: 0, turn: Turn::Now(permit) });
        }
        if inside.waiting.len() >= LONGEST_LINE {
            return Err(ApiError::busy("everybody wants to think at once; try again in a moment"));
        }
        let (call, called) = oneshot::channel();
        let ahead = inside.waiting.len() + 1;
        inside.numbers += 1;
        let number = inside.numbers;
        inside.waiting.push_back(Waiting { session, number, call });
        inside.sessions.entry(session).or_default().waiting += 1;
        let ticket = Ticket { queue: self.clone(), session, number, called };
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
        inside.leave_line(next.session);
        inside.start(next.session);
        drop(inside);
        let permit = Permit { queue: self.clone(), session: next.session };
        // If that one has left in this very moment, the permit comes back, is dropped, and calls the next.
        drop(next.call.send(permit));
    }
}

impl Inside {
    fn next(&self) -> Option<usize> {
        let running =
            |waiting: &Waiting| self.sessions.get(&waiting.session).map_or(0, |s| s.running);
        let (index, _) =
            self.waiting.iter().enumerate().min_by_key(|(_, waiting)| running(waiting))?;
        Some(index)
    }

    fn start(&mut self, session: u64) {
        self.running += 1;
        self.sessions.entry(session).or_default().running += 1;
    }

    fn finish(&mut self, session: u64) {
        self.running -= 1;
        self.change(session, |share| share.running -= 1);
    }

    fn leave_line(&mut self, session: u64) {
        self.change(session, |share| share.waiting -= 1);
    }

    fn change(&mut self, session: u64, change: impl FnOnce(&mut Share)) {
        if let Some(share) = self.sessions.get_mut(&session) {
            change(share);
            if share.running + share.waiting == 0 {
                self.sessions.remove(&session);
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.inside().finish(self.session);
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
            inside.leave_line(self.session);
        }
        drop(inside);
        // A permit may have been sent in the very moment of leaving: it is dropped with the channel.
        self.called.close();
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn client(session: u64) -> Client {
        Client { session, address: IpAddr::V4(Ipv4Addr::LOCALHOST) }
    }

    #[tokio::test]
    async fn who_has_less_under_way_comes_first() {
        let queue = Queue::new(2);
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
        let queue = Queue::new(1);
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
        let queue = Queue::new(1);
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
