//! A way to a server that can be closed, as a server that is shut down closes it: whoever is connected is cut off, and
//! nobody gets in.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A port that leads to a server, or for now to nobody.
pub(crate) struct Relay {
    /// The URL of the database, by this way.
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
    /// A way to this database, closed.
    pub(crate) fn to(url: &str) -> Relay {
        let config: postgres::Config = url.parse().unwrap();
        let [port] = config.get_ports() else { panic!("one port in the URL") };
        let there = SocketAddr::from(([127, 0, 0, 1], *port));
        let here = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let url = url.replace(&there.to_string(), &here.to_string());
        assert!(url.contains(&here.to_string()), "the server is on 127.0.0.1");
        Relay { url, here, there, open: None }
    }

    /// Lets everybody in.
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

    /// Cuts everybody off.
    pub(crate) fn end(&mut self) {
        let open = self.open.take().unwrap();
        open.is_over.store(true, Ordering::Relaxed);
        // The one who wakes the listener.
        drop(TcpStream::connect(self.here));
        open.thread.join().unwrap();
        for stream in open.streams.lock().unwrap().iter() {
            // One that was closed by its other end cannot be closed again.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Passes on what one says to the other, until one of them has gone.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}
