//! Heartbeats of jobs, and the status of the worker.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;

use super::Worker;
use crate::WorkerStatus;

/// The interval between two updates of the status.
const STATUS_INTERVAL: Duration = Duration::from_secs(3);
/// The time over which the rate of games is averaged.
const RATE_WINDOW: Duration = Duration::from_secs(60);
/// The interval between two checks.
const TICK: Duration = Duration::from_millis(100);

impl Worker<'_> {
    /// Sends heartbeats and status updates until the worker ends.
    pub(super) fn heartbeat_loop(&self) {
        let (mut last_heartbeat, mut last_status) = (Instant::now(), None::<Instant>);
        let mut counts = VecDeque::from([(Instant::now(), 0)]);
        while !self.closed.load(Relaxed) {
            if self.shutdown.is_immediate() {
                self.active_jobs().iter().for_each(|job| job.cancel());
            }
            if last_heartbeat.elapsed() >= self.lease / 3 {
                last_heartbeat = Instant::now();
                self.send_heartbeats();
            }
            if last_status.is_none_or(|then| then.elapsed() >= STATUS_INTERVAL) {
                last_status = Some(Instant::now());
                let status = self.status(&mut counts);
                // A lost update is replaced by the next.
                _ = self.connection.block_on(async {
                    let put = self.connection.put_worker_status(&status);
                    tokio::time::timeout(STATUS_INTERVAL, put).await
                });
            }
            std::thread::sleep(TICK);
        }
    }

    /// Extends the lease of every job that makes progress. The lease of a stalled job runs out, and
    /// another worker gets it.
    fn send_heartbeats(&self) {
        let jobs = self.active_jobs().clone();
        let live = jobs.iter().filter(|job| job.is_live(self.settings.stall_timeout));
        let live: Vec<_> = live.cloned().collect();
        self.connection.block_on(async {
            for job in live {
                job.ack(AckKind::Progress).await;
            }
        });
    }

    fn status(&self, counts: &mut VecDeque<(Instant, u64)>) -> WorkerStatus {
        let games = self.games.load(Relaxed);
        counts.push_back((Instant::now(), games));
        while counts.len() > 2 && counts.front().is_some_and(|(at, _)| at.elapsed() > RATE_WINDOW) {
            counts.pop_front();
        }
        let rate = counts.front().map_or(0.0, |(at, before)| {
            (games - before) as f64 / at.elapsed().as_secs_f64().max(1.0)
        });
        let jobs = self.active_jobs();
        let busy = jobs.iter().filter(|it| it.is_running()).map(|it| it.record.key.clone());
        WorkerStatus {
            name: self.settings.name.clone(),
            threads: self.settings.threads,
            version: self.connection.options.version.clone(),
            since: self.since,
            jobs: self.jobs.load(Relaxed),
            games,
            games_per_second: rate,
            busy: busy.collect(),
            draining: self.shutdown.is_requested(),
        }
    }
}
