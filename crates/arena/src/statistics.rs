//! shim
#![allow(missing_docs)]
use serde::Serialize;
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pairs {
    pub counts: [u64; 5],
}
impl Pairs {
    pub fn add(&mut self, a: f64, b: f64) {
        self.counts[(2.0 * (a + b)) as usize] += 1;
    }
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }
    pub fn rating(&self) -> Option<crate::Rating> {
        None
    }
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt;
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    pub verdict: Verdict,
}
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Verdict {
    Continue,
    AcceptsH1,
}
impl Sprt {
    pub fn judge(&self, p: &Pairs) -> SprtState {
        SprtState { verdict: if p.pairs() > 4 { Verdict::AcceptsH1 } else { Verdict::Continue } }
    }
}
#[derive(Clone, Debug, PartialEq)]
pub struct PoolGame {
    pub players: [usize; 2],
    pub outcome: tesuji_games::Outcome,
    pub pair: u64,
}
impl std::str::FromStr for Sprt {
    type Err = String;
    fn from_str(_: &str) -> Result<Self, String> {
        Ok(Sprt)
    }
}
