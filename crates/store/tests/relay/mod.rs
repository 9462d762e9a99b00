//! A relay to a server that can be closed like a stopped server: connections are cut, and new ones
//! are refused.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A port that forwards to a server while it is open.
pub(crate) struct Relay {
    /// The URL of the database through the relay.
    pub(crate) url: String,
    here: SocketAddr,
    there: SocketAddr,
    open: Option<Open>,
}

struct Open {
    is_over: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
    thread: JoinHandle<()>,
}

impl Relay {
    /// A closed relay to a database.
    pub(crate) fn to(url: &str) -> Relay {
        let config: postgres::Config = url.parse().unwrap();
        let [port] = config.get_ports() else { panic!("one port in the URL") };
        let there = SocketAddr::from(([127, 0, 0, 1], *port));
        let here = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let url = url.replace(&there.to_string(), &here.to_string());
        assert!(url.contains(&here.to_string()), "the server is on 127.0.0.1");
        Relay { url, here, there, open: None }
    }

    /// Accepts connections.
    pub(crate) fn begin(&mut self) {
        let listener = TcpListener::bind(self.here).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let streams: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let there = self.there;
        let thread = std::thread::spawn({
            let (is_over, streams) = (Arc::clone(&is_over), Arc::clone(&streams));
            move || {
                for guest in listener.incoming() {
                    let guest = guest.unwrap();
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let host = TcpStream::connect(there).unwrap();
                    let mut kept = streams.lock().unwrap();
                    kept.push(guest.try_clone().unwrap());
                    kept.push(host.try_clone().unwrap());
                    pass(guest.try_clone().unwrap(), host.try_clone().unwrap());
                    pass(host, guest);
                }
            }
        });
        self.open = Some(Open { is_over, streams, thread });
    }

    /// Cuts all connections and refuses new ones.
    pub(crate) fn end(&mut self) {
        let open = self.open.take().unwrap();
        open.is_over.store(true, Ordering::Relaxed);
        // The connection that wakes the listener.
        drop(TcpStream::connect(self.here));
        open.thread.join().unwrap();
        for stream in open.streams.lock().unwrap().iter() {
            // A connection that its other end closed cannot be closed again.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Forwards bytes in one direction until one end closes.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}
