//! The queue of searches. A few searches run in parallel; the others wait in a bounded queue. The
//! number of searches is limited per session and per address, and clients with the fewest running
//! searches come first.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::client::Client;
use crate::errors::ApiError;

/// The most waiting searches.
const MAX_QUEUE_LENGTH: usize = 1000;
/// The most running and waiting searches of a session.
const MAX_PER_SESSION: usize = 6;

/// The queue; clones share it.
#[derive(Clone)]
pub(crate) struct SearchQueue(Arc<Mutex<QueueInner>>);

struct QueueInner {
    capacity: usize,
    /// The most running and waiting searches of a network.
    max_per_network: usize,
    running: usize,
    waiting: VecDeque<WaitingClient>,
    /// The number of tickets issued so far.
    tickets: u64,
    /// The number of searches started so far, used as the clock of fair scheduling.
    started: u64,
    /// The load of each session with a search.
    sessions: HashMap<u64, ClientLoad>,
    /// The load of each network with a search.
    networks: HashMap<IpAddr, ClientLoad>,
}

#[derive(Clone, Copy, Default)]
struct ClientLoad {
    running: usize,
    waiting: usize,
    /// The start of its last search.
    last_start: u64,
}

struct WaitingClient {
    client: Client,
    number: u64,
    sender: oneshot::Sender<SearchPermit>,
}

/// Permission to run a search, released on drop.
pub(crate) struct SearchPermit {
    queue: SearchQueue,
    client: Client,
}

/// An entry of the queue.
pub(crate) struct QueueSlot {
    /// The number of searches ahead, at the time of entry.
    pub(crate) ahead: usize,
    state: SlotState,
}

enum SlotState {
    Ready(SearchPermit),
    Waiting(QueueTicket),
}

/// A waiting search; leaves the queue on drop.
struct QueueTicket {
    queue: SearchQueue,
    client: Client,
    number: u64,
    receiver: oneshot::Receiver<SearchPermit>,
}

impl SearchQueue {
    pub(crate) fn new(capacity: usize, sessions_per_address: usize) -> SearchQueue {
        SearchQueue(Arc::new(Mutex::new(QueueInner {
            capacity: capacity.max(1),
            max_per_network: MAX_PER_SESSION.saturating_mul(sessions_per_address.max(1)),
            running: 0,
            waiting: VecDeque::new(),
            tickets: 0,
            started: 0,
            sessions: HashMap::new(),
            networks: HashMap::new(),
        })))
    }

    /// Enters the queue; an error if it is full.
    pub(crate) fn enter(&self, client: &Client) -> Result<QueueSlot, ApiError> {
        let (mut inner, client) = (self.inner(), *client);
        inner.check_limits(&client)?;
        if inner.running < inner.capacity {
            inner.start(&client);
            let permit = SearchPermit { queue: self.clone(), client };
            return Ok(QueueSlot { ahead: 0, state: SlotState::Ready(permit) });
        }
        if inner.waiting.len() >= MAX_QUEUE_LENGTH {
            return Err(ApiError::busy("searches: the queue is full; retry in a few seconds"));
        }
        let (sender, receiver) = oneshot::channel();
        let ahead = inner.waiting.len() + 1;
        inner.tickets += 1;
        let number = inner.tickets;
        inner.waiting.push_back(WaitingClient { client, number, sender });
        inner.update(&client, |load| load.waiting += 1);
        let ticket = QueueTicket { queue: self.clone(), client, number, receiver };
        Ok(QueueSlot { ahead, state: SlotState::Waiting(ticket) })
    }

    fn inner(&self) -> MutexGuard<'_, QueueInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the search of the client with the lowest load, in order of arrival among equals.
    fn start_next(&self) {
        let mut inner = self.inner();
        if inner.running >= inner.capacity {
            return;
        }
        let Some(next) = inner.next().and_then(|index| inner.waiting.remove(index)) else {
            return;
        };
        inner.leave_queue(&next.client);
        inner.start(&next.client);
        drop(inner);
        let permit = SearchPermit { queue: self.clone(), client: next.client };
        // If the client leaves at this moment, the permit is dropped with the message and starts
        // the next search.
        drop(next.sender.send(permit));
    }
}

impl QueueInner {
    /// Checks the limits of the client's session and network.
    fn check_limits(&self, client: &Client) -> Result<(), ApiError> {
        if in_use(&self.sessions, client.session) >= MAX_PER_SESSION {
            return Err(ApiError::too_many(format!(
                "searches: you have {MAX_PER_SESSION} already; wait for one or stop one"
            )));
        }
        if in_use(&self.networks, client.network()) >= self.max_per_network {
            return Err(ApiError::too_many(format!(
                "searches: your address has {} already; wait until one ends",
                self.max_per_network
            )));
        }
        Ok(())
    }

    /// Orders by running searches, then by the time since the last start, then by arrival. The
    /// network counts before the session, so new sessions of a busy address do not come first.
    fn next(&self) -> Option<usize> {
        let rank = |load: Option<&ClientLoad>| load.map(|load| (load.running, load.last_start));
        let claim = |WaitingClient { client, .. }: &WaitingClient| {
            (rank(self.networks.get(&client.network())), rank(self.sessions.get(&client.session)))
        };
        let (index, _) =
            self.waiting.iter().enumerate().min_by_key(|(_, waiting)| claim(waiting))?;
        Some(index)
    }

    fn start(&mut self, client: &Client) {
        self.running += 1;
        self.started += 1;
        let last_start = self.started;
        self.update(client, |load| {
            *load = ClientLoad { running: load.running + 1, last_start, ..*load }
        });
    }

    fn finish(&mut self, client: &Client) {
        self.running -= 1;
        self.update(client, |load| load.running -= 1);
    }

    fn leave_queue(&mut self, client: &Client) {
        self.update(client, |load| load.waiting -= 1);
    }

    fn update(&mut self, client: &Client, change: impl Fn(&mut ClientLoad)) {
        // A new key comes before the latest one, but not before those that have waited longer.
        let new =
            ClientLoad { last_start: self.started.saturating_sub(1), ..ClientLoad::default() };
        update_load(&mut self.sessions, client.session, new, &change);
        update_load(&mut self.networks, client.network(), new, &change);
    }
}

/// The running and waiting searches of a key.
fn in_use<K: Eq + Hash>(loads: &HashMap<K, ClientLoad>, name: K) -> usize {
    loads.get(&name).map_or(0, |load| load.running + load.waiting)
}

/// Updates the load of a key, and removes it when it is empty.
fn update_load<K: Copy + Eq + Hash>(
    loads: &mut HashMap<K, ClientLoad>,
    name: K,
    new: ClientLoad,
    change: impl Fn(&mut ClientLoad),
) {
    let load = loads.entry(name).or_insert(new);
    change(load);
    if load.running + load.waiting == 0 {
        loads.remove(&name);
    }
}

impl Drop for SearchPermit {
    fn drop(&mut self) {
        self.queue.inner().finish(&self.client);
        self.queue.start_next();
    }
}

impl QueueSlot {
    /// Waits for the permit.
    pub(crate) async fn permit(self) -> Result<SearchPermit, ApiError> {
        match self.state {
            SlotState::Ready(permit) => Ok(permit),
            SlotState::Waiting(mut ticket) => {
                let receiver = (&mut ticket.receiver).await;
                receiver.map_err(|_| ApiError::busy("searches: the queue was closed; retry later"))
            }
        }
    }
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        let mut inner = self.queue.inner();
        if let Some(place) = inner.waiting.iter().position(|other| other.number == self.number) {
            inner.waiting.remove(place);
            inner.leave_queue(&self.client);
        }
        drop(inner);
        // A permit sent at this moment is dropped with the channel.
        self.receiver.close();
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
        let queue = SearchQueue::new(1, SESSIONS);
        let mut held: Vec<QueueSlot> =
            (0..50 * SESSIONS as u64).map_while(|n| queue.enter(&client(n)).ok()).collect();
        assert_eq!(held.len(), SESSIONS * MAX_PER_SESSION);
        assert_eq!(queue.enter(&client(9999)).err().unwrap().status, 429);
        let other = queue.enter(&client_at([192, 0, 2, 1], 9999)).unwrap();
        // Its address has no running search, so it does not wait for earlier clients.
        let first = held.remove(0).permit().await.unwrap();
        let second = held.remove(0);
        drop(first);
        let other = other.permit().await.unwrap();
        drop((other, second, held));
        let inner = queue.inner();
        assert_eq!((inner.sessions.len(), inner.networks.len()), (0, 0));
    }

    #[tokio::test]
    async fn who_has_less_under_way_comes_first() {
        let queue = SearchQueue::new(2, 8);
        let greedy: Vec<QueueSlot> =
            (0..MAX_PER_SESSION).map(|_| queue.enter(&client(1)).unwrap()).collect();
        assert_eq!(queue.enter(&client(1)).err().unwrap().status, 429);
        let modest = queue.enter(&client(2)).unwrap();
        assert_eq!(modest.ahead, MAX_PER_SESSION - 2 + 1);
        let mut greedy = greedy.into_iter();
        let first = greedy.next().unwrap().permit().await.unwrap();
        let _second = greedy.next().unwrap().permit().await.unwrap();
        let third = greedy.next().unwrap();
        drop(first);
        let modest = modest.permit().await.unwrap();
        drop(modest);
        third.permit().await.unwrap();
    }

    #[tokio::test]
    async fn who_leaves_makes_room_and_nothing_is_left_behind() {
        let queue = SearchQueue::new(1, 8);
        let first = queue.enter(&client(1)).unwrap().permit().await.unwrap();
        let second = queue.enter(&client(2)).unwrap();
        let third = queue.enter(&client(3)).unwrap();
        drop(second);
        assert_eq!(queue.inner().waiting.len(), 1);
        drop(first);
        drop(third.permit().await.unwrap());
        let inner = queue.inner();
        assert_eq!((inner.running, inner.waiting.len(), inner.sessions.len()), (0, 0, 0));
    }

    #[test]
    fn a_permit_that_nobody_takes_goes_to_the_next() {
        let queue = SearchQueue::new(1, 8);
        let Ok(QueueSlot { state: SlotState::Ready(first), .. }) = queue.enter(&client(1)) else {
            panic!("the first need not wait");
        };
        let second = queue.enter(&client(2)).unwrap();
        drop(first);
        assert_eq!(queue.inner().running, 1, "the permit waits in its channel");
        drop(second);
        assert_eq!(queue.inner().running, 0);
    }
}
