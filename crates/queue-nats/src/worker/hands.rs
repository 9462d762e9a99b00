//! The threads that do jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::clerk::{Slip, Verdict};
use super::ticket::Ticket;
use super::{Shared, Shop};
use tesuji_queue::{Hand, Life, Product, Trouble};

impl Shop<'_> {
    /// Does one job after another. As long as they are of one kind, the hand stays the same: its players need not
    /// be made again.
    pub(super) fn lend_a_hand(&self, jobs: &Shared<Arc<Ticket>>, to_clerks: &SyncSender<Slip>) {
        let mut next = jobs.take();
        while let Some(first) = next.take() {
            let (bench, brief, life) =
                (first.bench().clone(), first.job.brief.clone(), Life::default());
            let mut hand = None;
            let mut ticket = first;
            loop {
                let started = Instant::now();
                ticket.begin(&life);
                let verdict = if self.farewell.is_urgent() {
                    Verdict::Dropped
                } else {
                    let sat = catch_unwind(AssertUnwindSafe(|| match hand.take() {
                        Some(hand) => Ok(hand),
                        None => bench.hand(&life),
                    }));
                    match sat {
                        Ok(Ok(sitting)) => done(hand.insert(sitting), &ticket, &life),
                        Ok(Err(trouble)) => Verdict::Failed(trouble),
                        Err(panic) => Verdict::Failed(panicked(&*panic)),
                    }
                };
                ticket.end();
                let is_sound = matches!(verdict, Verdict::Done(_));
                let took = started.elapsed();
                self.busy_micros.fetch_add(took.as_micros() as u64, Relaxed);
                let idle = Instant::now();
                if to_clerks.send(Slip { ticket, verdict, took }).is_err() {
                    return;
                }
                let Some(following) = jobs.take() else { return };
                self.waiting_micros.fetch_add(idle.elapsed().as_micros() as u64, Relaxed);
                // After trouble everything is made anew.
                if !is_sound || following.job.brief != brief {
                    next = Some(following);
                    break;
                }
                ticket = following;
            }
        }
    }
}

fn done<'a>(hand: &mut Box<dyn Hand + 'a>, ticket: &Ticket, life: &Life) -> Verdict {
    let mut products: Vec<Product> = Vec::new();
    for unit in ticket.job.first..ticket.job.first + ticket.job.units {
        match catch_unwind(AssertUnwindSafe(|| hand.work(unit))) {
            Ok(Ok(Some(product))) => products.push(product),
            Ok(Ok(None)) => return Verdict::Dropped,
            Ok(Err(Trouble(why))) => {
                return Verdict::Failed(Trouble(format!("unit {unit}: {why}")));
            }
            Err(panic) => {
                let Trouble(why) = panicked(&*panic);
                return Verdict::Failed(Trouble(format!("unit {unit} {why}")));
            }
        }
        life.beat();
        if life.is_stopped() {
            return Verdict::Dropped;
        }
    }
    Verdict::Done(products)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Trouble {
    Trouble(format!("panicked: {}", Trouble::of_panic(panic)))
}
