//! High scores: the best fifty of each level, one row per nickname. Scores with and without help of
//! the computer are in separate tables, which are shown together with a mark.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_store::{HumanScore, Record, RecordKind, Selection, Store};
use tokio::sync::Mutex;

use crate::errors::ApiError;
use crate::state::AppState;

/// Rows of a table.
pub(super) const MAX_ROWS: usize = 50;
/// How long a table is cached; other programs may write into the same store.
const CACHE_TIME: Duration = Duration::from_secs(10);
/// The longest nickname, as in the published game.
const MAX_NICKNAME_LENGTH: usize = 20;

/// Checks a nickname: letters, digits, spaces and underscores.
pub(super) fn checked_nickname(text: &str) -> Result<String, ApiError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b' ';
    let name = text.trim_matches(' ');
    match (1..=MAX_NICKNAME_LENGTH).contains(&name.len()) && name.bytes().all(fits) {
        true => Ok(name.to_string()),
        false => Err(ApiError::bad(format!(
            "nickname: invalid; expected 1 to {MAX_NICKNAME_LENGTH} letters A–Z, digits, spaces \
             and underscores"
        ))),
    }
}

/// One of the two tables of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScoreBoard {
    pub(super) level: u8,
    pub(super) helped: bool,
}

impl ScoreBoard {
    /// The name in the store.
    pub(super) fn name(self) -> String {
        let helped = if self.helped { ",helped" } else { "" };
        format!("gem-island:level={}{helped}", self.level)
    }
}

/// Which scores to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScoreFilter {
    /// All scores.
    #[default]
    All,
    /// Scores without help.
    Alone,
    /// Scores with help.
    Helped,
}

/// A row of a table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct ScoreRow {
    pub(super) rank: usize,
    pub(super) nickname: String,
    pub(super) score: i64,
    pub(super) moves: u32,
    pub(super) won: bool,
    /// Whether the computer helped.
    pub(super) helped: bool,
    /// Seconds since 1970.
    pub(super) at: u64,
}

/// The cached tables. Without a store they last as long as the server.
pub(crate) struct HighScores {
    tables: Mutex<HashMap<ScoreBoard, CachedScores>>,
}

#[derive(Clone, Default)]
struct CachedScores {
    best: TopScores,
    /// The time of the last read from the store.
    read: Option<Instant>,
}

/// The best scores, one per nickname, best first. A missing nickname has no score above the last
/// row, so no more rows are needed.
#[derive(Clone, Default)]
struct TopScores(Vec<HumanScore>);

impl TopScores {
    fn add(&mut self, score: HumanScore) {
        if let Some(old) = self.0.iter().position(|old| old.name == score.name) {
            if precedes(&self.0[old], &score) {
                return;
            }
            self.0.remove(old);
        }
        let place = self.0.partition_point(|old| precedes(old, &score));
        self.0.insert(place, score);
        self.0.truncate(MAX_ROWS);
    }
}

/// Orders by score, then by time, earliest first.
fn precedes(one: &HumanScore, other: &HumanScore) -> bool {
    (other.score, one.at) <= (one.score, other.at)
}

impl HighScores {
    pub(crate) fn new() -> HighScores {
        HighScores { tables: Mutex::new(HashMap::new()) }
    }

    /// Returns the best scores of a level.
    pub(super) async fn top(
        &self,
        state: &AppState,
        level: u8,
        who: ScoreFilter,
    ) -> Result<Vec<ScoreRow>, ApiError> {
        let mut all = Vec::new();
        for helped in [false, true] {
            if who == ScoreFilter::All || helped == (who == ScoreFilter::Helped) {
                let best = self.best(state, ScoreBoard { level, helped }).await?;
                all.extend(best.0.into_iter().map(|score| (helped, score)));
            }
        }
        all.sort_by_key(|(_, score)| (std::cmp::Reverse(score.score), score.at));
        all.truncate(MAX_ROWS);
        let line = |(n, (helped, score)): (usize, (bool, HumanScore))| ScoreRow {
            rank: n + 1,
            nickname: score.name,
            score: score.score,
            moves: score.moves,
            won: score.won,
            helped,
            at: score.at,
        };
        Ok(all.into_iter().enumerate().map(line).collect())
    }

    /// The rank of a new score among all scores; `None` if it is too low.
    pub(super) async fn rank(
        &self,
        state: &AppState,
        level: u8,
        score: u64,
    ) -> Result<Option<usize>, ApiError> {
        let lines = self.top(state, level, ScoreFilter::All).await?;
        let better = |line: &&ScoreRow| u64::try_from(line.score).is_ok_and(|line| line >= score);
        let rank = lines.iter().filter(better).count() + 1;
        Ok((rank <= MAX_ROWS).then_some(rank))
    }

    /// Enters a score; its key identifies the game.
    pub(super) async fn enter(
        &self,
        state: &AppState,
        board: ScoreBoard,
        score: HumanScore,
    ) -> Result<(), ApiError> {
        let mut tables = self.tables.lock().await;
        if let Some(store) = state.store() {
            let record = Record::Human(score.clone());
            state.blocking(move || Ok(store.add(&[record])?)).await?;
        }
        tables.entry(board).or_default().best.add(score);
        Ok(())
    }

    /// Returns a table. Parallel callers wait, so that the store is read once.
    async fn best(&self, state: &AppState, board: ScoreBoard) -> Result<TopScores, ApiError> {
        let mut tables = self.tables.lock().await;
        let known = tables.entry(board).or_default();
        let is_fresh = known.read.is_some_and(|read| read.elapsed() < CACHE_TIME);
        if let Some(store) = state.store().filter(|_| !is_fresh) {
            known.best = state.blocking(move || read(&store, board)).await?;
            known.read = Some(Instant::now());
        }
        Ok(known.best.clone())
    }
}

fn read(store: &Arc<dyn Store>, board: ScoreBoard) -> Result<TopScores, ApiError> {
    let mut best = TopScores::default();
    let selection = Selection { game: Some(board.name()), ..Selection::all(RecordKind::Human) };
    store.for_each(&selection, &mut |record| {
        if let Record::Human(score) = record {
            best.add(score);
        }
        ControlFlow::Continue(())
    })?;
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nicknames_are_short_and_plain() {
        for name in ["a", "Ada_9", "two words", " kept ", "12345678901234567890"] {
            assert_eq!(checked_nickname(name), Ok(name.trim().to_string()));
        }
        for name in ["", "   ", "123456789012345678901", "<b>", "Zoë", "a\nb", "a\0", "x'; --"] {
            assert!(checked_nickname(name).is_err(), "{name:?}");
        }
    }

    fn score(name: &str, score: i64, at: u64) -> HumanScore {
        let (key, board) = (format!("{name}{score}{at}"), "b".to_string());
        HumanScore { key, board, name: name.to_string(), score, moves: 9, won: true, at }
    }

    #[test]
    fn a_table_has_the_best_of_each_name_and_no_more_than_fifty() {
        let mut best = TopScores::default();
        for n in 0..200 {
            best.add(score(&format!("name {}", n % 100), (n * 37) % 1000, n as u64));
        }
        best.add(score("name 1", 5000, 1));
        best.add(score("name 1", 4000, 2));
        assert_eq!(best.0.len(), MAX_ROWS);
        assert_eq!((best.0[0].name.as_str(), best.0[0].score), ("name 1", 5000));
        assert!(best.0.is_sorted_by(|a, b| a.score >= b.score));
        let mut names: Vec<&str> = best.0.iter().map(|score| score.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), MAX_ROWS);
    }

    #[test]
    fn earlier_scores_stay_ahead_of_equal_ones() {
        let mut best = TopScores::default();
        for (name, at) in [("later", 20), ("first", 10), ("last", 30)] {
            best.add(score(name, 100, at));
        }
        let names: Vec<&str> = best.0.iter().map(|score| score.name.as_str()).collect();
        assert_eq!(names, ["first", "later", "last"]);
    }
}
