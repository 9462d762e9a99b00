//! The connections: limited in total and per address, closed when a client stalls, and ended by a
//! deadline when the server stops.

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tower::ServiceExt;

use crate::limits::{Slot, Slots, network_of};

/// Connections per session: a browser opens six, and streams stay open.
const PER_SESSION: usize = 16;
/// The most connections, if the system allows that many open files.
const MAX_TOTAL: u64 = 4_096;
/// The delay after a failed accept, for example with too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves connections.
pub(crate) struct Connections {
    slots: Slots,
    stall: Duration,
}

impl Connections {
    /// `stall` is the timeout for the head of a request, between requests, and for writes without
    /// progress.
    pub(crate) fn new(sessions_per_address: usize, stall: Duration) -> Connections {
        let per_network = PER_SESSION.saturating_mul(sessions_per_address.max(1));
        Connections { slots: Slots::new(max_total(), per_network), stall }
    }

    /// Serves until `stop` completes; then open responses have `grace` to finish.
    pub(crate) async fn serve(
        self,
        listener: TcpListener,
        app: Router,
        stop: impl Future<Output = ()>,
        grace: Duration,
    ) {
        let closing = watch::Sender::new(false);
        let mut open = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        // Above the limit the connection is dropped.
                        if let Ok(slot) = self.slots.take(network_of(peer.ip())) {
                            let connection = Connection { stream, peer, stall: self.stall, slot };
                            open.spawn(connection.serve(app.clone(), closing.subscribe()));
                        }
                    }
                    Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
                },
                Some(_) = open.join_next() => (),
            }
        }
        drop(listener);
        closing.send_replace(true);
        // Dropping the set ends the remaining connections.
        let _ = timeout(grace, async { while open.join_next().await.is_some() {} }).await;
    }
}

/// A quarter of the process's file limit stays free for stores, runs and jobs.
fn max_total() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    (files / 4 * 3).clamp(1, MAX_TOTAL) as usize
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    stall: Duration,
    slot: Slot,
}

impl Connection {
    async fn serve(self, app: Router, mut closing: watch::Receiver<bool>) {
        let Connection { stream, peer, stall, slot: _slot } = self;
        // Send events at once, although they are small.
        let _ = stream.set_nodelay(true);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            app.clone().oneshot(request.map(Body::new))
        });
        let mut http = http1::Builder::new();
        // The timeout for the head of the next request starts at the end of the last response, so
        // it also limits idle connections.
        http.timer(TokioTimer::new()).header_read_timeout(stall);
        let io = TokioIo::new(WriteTimeout::new(stream, stall));
        let mut connection = pin!(http.serve_connection(io, answer));
        // An error of a connection concerns only its client.
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = closing.wait_for(|closing| *closing) => (),
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// A stream whose writes fail if the peer reads nothing for too long.
struct WriteTimeout {
    stream: TcpStream,
    stall: Duration,
    /// The deadline of a pending write.
    deadline: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl WriteTimeout {
    fn new(stream: TcpStream, stall: Duration) -> WriteTimeout {
        WriteTimeout { stream, stall, deadline: Box::pin(sleep(stall)), is_waiting: false }
    }

    fn limited<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.stream), cx);
        if written.is_ready() {
            self.is_waiting = false;
            return written;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.deadline.as_mut().reset(Instant::now() + self.stall);
        }
        self.deadline.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.limited(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.limited(cx, |stream, cx| stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.limited(cx, |stream, cx| stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.limited(cx, |stream, cx| stream.poll_shutdown(cx))
    }
}
