//! Telling the server which jobs are alive, and everybody how this worker is.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;

use super::Shop;
use crate::WorkerCard;

/// Between two cards.
const CARDS: Duration = Duration::from_secs(3);
/// The time over which games are counted for their rate.
const RATE: Duration = Duration::from_secs(60);
/// Between two looks around.
const TICK: Duration = Duration::from_millis(100);

impl Shop<'_> {
    /// Goes round until all is over.
    pub(super) fn feel_pulses(&self) {
        let (mut felt, mut shown) = (Instant::now(), None::<Instant>);
        let mut counts = VecDeque::from([(Instant::now(), 0)]);
        while !self.closed.load(Relaxed) {
            if self.farewell.is_urgent() {
                self.tickets().iter().for_each(|ticket| ticket.stop());
            }
            if felt.elapsed() >= self.lease / 3 {
                felt = Instant::now();
                self.signal_life();
            }
            if shown.is_none_or(|then| then.elapsed() >= CARDS) {
                shown = Some(Instant::now());
                let card = self.card(&mut counts);
                // A card that does not arrive is sent again soon.
                _ = self
                    .line
                    .wait(async { tokio::time::timeout(CARDS, self.line.show(&card)).await });
            }
            std::thread::sleep(TICK);
        }
    }

    /// Asks the server for more time, for every job that gets on. One that does not is left to its fate: its lease
    /// runs out, and somebody else gets it.
    fn signal_life(&self) {
        let tickets = self.tickets().clone();
        let alive = tickets.iter().filter(|ticket| ticket.is_alive(self.settings.hang));
        let alive: Vec<_> = alive.cloned().collect();
        self.line.wait(async {
            for ticket in alive {
                ticket.say(AckKind::Progress).await;
            }
        });
    }

    fn card(&self, counts: &mut VecDeque<(Instant, u64)>) -> WorkerCard {
        let games = self.games.load(Relaxed);
        counts.push_back((Instant::now(), games));
        while counts.len() > 2 && counts.front().is_some_and(|(at, _)| at.elapsed() > RATE) {
            counts.pop_front();
        }
        let rate = counts.front().map_or(0.0, |(at, before)| {
            (games - before) as f64 / at.elapsed().as_secs_f64().max(1.0)
        });
        let busy =
            self.tickets().iter().filter(|it| it.is_busy()).map(|it| it.job.key.clone()).collect();
        WorkerCard {
            name: self.settings.name.clone(),
            threads: self.settings.threads,
            version: self.line.options.version.clone(),
            since: self.since,
            jobs: self.jobs.load(Relaxed),
            games,
            games_per_second: rate,
            busy,
            draining: self.farewell.is_asked(),
        }
    }
}
