//! The input from the manager, read on a separate thread, so that a stop arrives while the engine
//! thinks.
//!
//! Lines wait in a bounded queue, each cut to a bounded length; a sender that is too fast blocks.
//! `STOP` never enters the queue; it ends the thinking about all earlier lines. `END` ends
//! everything at once and silently, unless it arrives together with earlier lines, as in a
//! conversation that is piped from a file: then these lines are still answered, with little time if
//! needed.

use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::read_line;
use crate::external::command;

/// Number of bytes of a line that are kept. Only commands with very long folder names are longer,
/// and these are ignored.
const LONGEST_LINE: u64 = 4096;
/// Maximum number of waiting lines.
const MAX_QUEUED: usize = 1024;
/// An `END` within this time after another line, or read together with it, belongs to a piped
/// conversation.
const PIPED_GAP: Duration = Duration::from_millis(50);
/// How long the engine may still think after such an `END`. Managers kill after a second.
const END_GRACE: Duration = Duration::from_millis(500);

/// The lines that have arrived and were not read yet.
pub(super) struct CommandQueue {
    lines: Receiver<Input>,
    /// The next line, if it was read ahead.
    next: Option<Input>,
    signals: Arc<Mutex<Signals>>,
    /// The number of the last line that was read.
    last: u64,
}

enum Input {
    Line { number: u64, text: String },
    End,
}

/// Signals from the reading thread to the thinking thread.
#[derive(Default)]
struct Signals {
    /// Whether an `END` arrived after which nothing is answered.
    ended: bool,
    /// The number of the last `STOP`; thinking about earlier lines ends.
    stopped: u64,
    /// Set to stop the current thinking.
    thinking: Option<Arc<AtomicBool>>,
}

fn locked(signals: &Mutex<Signals>) -> MutexGuard<'_, Signals> {
    signals.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CommandQueue {
    /// Starts to read. The thread ends with the input, with `END`, or some time after the queue is
    /// dropped.
    pub(super) fn open(input: impl Read + Send + 'static) -> CommandQueue {
        let (sender, lines) = sync_channel(MAX_QUEUED);
        let signals: Arc<Mutex<Signals>> = Arc::default();
        let reader = ReaderThread {
            input: BufReader::new(input),
            sender,
            signals: signals.clone(),
            had_more: false,
        };
        thread::spawn(move || reader.run());
        CommandQueue { lines, next: None, signals, last: 0 }
    }

    /// Returns the next line that is not blank; `None` after `END` and at the end of the input.
    pub(super) fn next_line(&mut self) -> Option<String> {
        self.next_line_or(|| ())
    }

    /// The same, but calls `meanwhile` first if no line is waiting.
    pub(super) fn next_line_or(&mut self, meanwhile: impl FnOnce()) -> Option<String> {
        if self.is_empty() {
            meanwhile();
        }
        let input = self.next.take().or_else(|| self.lines.recv().ok());
        match input {
            Some(Input::Line { number, text }) if !self.is_ended() => {
                self.last = number;
                Some(text)
            }
            _ => None,
        }
    }

    /// Whether no line is waiting.
    pub(super) fn is_empty(&mut self) -> bool {
        self.next = self.next.take().or_else(|| self.lines.try_recv().ok());
        self.next.is_none()
    }

    /// Whether an `END` arrived after which nothing is answered.
    pub(super) fn is_ended(&self) -> bool {
        locked(&self.signals).ended
    }

    /// Returns a flag that is set when the thinking about the last line must end.
    pub(super) fn stop_flag(&self) -> Arc<AtomicBool> {
        let mut signals = locked(&self.signals);
        let sign = Arc::new(AtomicBool::new(signals.stopped > self.last));
        signals.thinking = Some(sign.clone());
        sign
    }
}

impl Signals {
    fn stop(&mut self, number: u64) {
        self.stopped = number;
        if let Some(sign) = &self.thinking {
            sign.store(true, Ordering::Relaxed);
        }
    }
}

struct ReaderThread<R> {
    input: BufReader<R>,
    sender: SyncSender<Input>,
    signals: Arc<Mutex<Signals>>,
    /// Whether another line was available when the last one was read.
    had_more: bool,
}

impl<R: Read> ReaderThread<R> {
    fn run(mut self) {
        let (mut number, mut heard) = (0, Instant::now());
        while let Ok(Some(text)) = read_line(&mut self.input, LONGEST_LINE) {
            number += 1;
            let silence = if self.had_more { Duration::ZERO } else { heard.elapsed() };
            self.had_more = self.input.buffer().contains(&b'\n');
            heard = Instant::now();
            match command(&text).0.to_ascii_uppercase().as_str() {
                "" => {}
                "END" => return self.end(silence),
                "STOP" | "YXSTOP" => locked(&self.signals).stop(number),
                _ => {
                    if self.sender.send(Input::Line { number, text }).is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn end(self, silence: Duration) {
        let ended = silence > PIPED_GAP;
        // A full queue has no room for it; then the end of the queue serves as the end.
        if !ended && !matches!(self.sender.try_send(Input::End), Err(TrySendError::Disconnected(_)))
        {
            thread::sleep(END_GRACE);
        }
        let mut signals = locked(&self.signals);
        signals.ended = ended;
        signals.stop(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn open(text: &str) -> CommandQueue {
        CommandQueue::open(Cursor::new(text.as_bytes().to_vec()))
    }

    /// Returns what it receives through a channel, then blocks.
    struct Pipe(std::sync::mpsc::Receiver<Vec<u8>>);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let bytes = self.0.recv().unwrap_or_default();
            buffer[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    fn wait_for(what: impl Fn() -> bool) {
        let started = Instant::now();
        while !what() {
            assert!(started.elapsed() < Duration::from_secs(10), "nothing happens");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn lines_come_in_order_until_the_end() {
        let long = "x".repeat(3 * LONGEST_LINE as usize);
        let mut queue = open(&format!("a\r\n\r\n \n{long}\nb c\nend now\nd\n"));
        assert_eq!(queue.next_line().as_deref(), Some("a"));
        assert_eq!(queue.next_line().map(|line| line.len()), Some(LONGEST_LINE as usize));
        assert_eq!(queue.next_line().as_deref(), Some("b c"));
        assert_eq!(queue.next_line(), None);
    }

    #[test]
    fn a_stop_is_for_what_was_said_before_it() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut queue = CommandQueue::open(Pipe(receiver));
        sender.send(b"BEGIN\nSTOP\nTURN 1,1\nlast\n".to_vec()).unwrap();
        assert_eq!(queue.next_line().as_deref(), Some("BEGIN"));
        let begin = queue.stop_flag();
        wait_for(|| begin.load(Ordering::Relaxed));
        assert_eq!(queue.next_line().as_deref(), Some("TURN 1,1"));
        let turn = queue.stop_flag();
        assert!(!turn.load(Ordering::Relaxed));
        sender.send(b"yxstop\n".to_vec()).unwrap();
        wait_for(|| turn.load(Ordering::Relaxed));
        assert!(!queue.is_ended());
    }

    #[test]
    fn an_end_after_a_silence_is_the_end_of_everything() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut queue = CommandQueue::open(Pipe(receiver));
        sender.send(b"BEGIN\nTURN 1,1\n".to_vec()).unwrap();
        assert_eq!(queue.next_line().as_deref(), Some("BEGIN"));
        let begin = queue.stop_flag();
        thread::sleep(4 * PIPED_GAP);
        assert!(!begin.load(Ordering::Relaxed));
        sender.send(b"END\n".to_vec()).unwrap();
        wait_for(|| begin.load(Ordering::Relaxed));
        assert!(queue.is_ended());
        assert_eq!(queue.next_line(), None);
    }

    #[test]
    fn an_end_in_one_breath_leaves_time_for_answers() {
        let mut queue = open("BEGIN\nTURN 1,1\nEND\n");
        assert_eq!(queue.next_line().as_deref(), Some("BEGIN"));
        let begin = queue.stop_flag();
        wait_for(|| begin.load(Ordering::Relaxed));
        assert!(!queue.is_ended());
        assert_eq!(queue.next_line().as_deref(), Some("TURN 1,1"));
        assert!(queue.stop_flag().load(Ordering::Relaxed));
        assert_eq!(queue.next_line(), None);
    }
}
