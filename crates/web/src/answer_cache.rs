//! Caches the computer's moves, so that many people who reach the same position cause one search.
//! Only answers that depend on nothing but the request are cached: not those of a player that kept
//! its search state, of a clock, or of a search that was stopped.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tesuji_app::position_view::ChosenMove;
use tesuji_games::Move;

/// The most memory of all answers, in bytes; the oldest are evicted first.
const MAX_BYTES: usize = 4 << 20;

/// An answer: the move and its search result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Answer {
    pub(crate) m: Move,
    pub(crate) chosen: ChosenMove,
}

/// The answers of this server.
pub(crate) struct AnswerCache {
    max_bytes: usize,
    answers: Mutex<Answers>,
}

#[derive(Default)]
struct Answers {
    by_question: HashMap<String, Answer>,
    /// The questions, oldest first.
    order: VecDeque<String>,
    bytes: usize,
}

impl Default for AnswerCache {
    fn default() -> Self {
        AnswerCache::new(MAX_BYTES)
    }
}

impl AnswerCache {
    fn new(max_bytes: usize) -> AnswerCache {
        AnswerCache { max_bytes, answers: Mutex::default() }
    }

    /// The text of a question: the game, the moves in canonical notation, the player, and the seed
    /// from which the choice follows.
    pub(crate) fn question(game: &str, moves: &str, player: &str, seed: u64) -> String {
        [game, moves, player, &seed.to_string()].join("\n")
    }

    /// The answer to a question.
    pub(crate) fn get(&self, question: &str) -> Option<Answer> {
        self.answers().by_question.get(question).cloned()
    }

    /// Keeps an answer and evicts the oldest ones above the memory limit.
    pub(crate) fn keep(&self, question: String, answer: Answer) {
        let mut answers = self.answers();
        let bytes = bytes_of(&question, &answer);
        if bytes > self.max_bytes || answers.by_question.contains_key(&question) {
            return;
        }
        answers.bytes += bytes;
        answers.order.push_back(question.clone());
        answers.by_question.insert(question, answer);
        while answers.bytes > self.max_bytes {
            let Some(oldest) = answers.order.pop_front() else { break };
            if let Some(evicted) = answers.by_question.remove(&oldest) {
                answers.bytes -= bytes_of(&oldest, &evicted);
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// About as many bytes as an answer takes in both collections.
fn bytes_of(question: &str, answer: &Answer) -> usize {
    const PER_ANSWER: usize = 256;
    const PER_MOVE: usize = 64;
    let steps = answer.chosen.line.iter().chain([&answer.chosen.step]);
    let moves = steps.map(|step| PER_MOVE + step.text.len() + size_of_val(&*step.cells));
    PER_ANSWER + 2 * question.len() + moves.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use tesuji_app::position_view::BoardMove;
    use tesuji_games::Side;

    use super::*;

    fn answer(number: u64) -> Answer {
        let step = BoardMove { text: number.to_string(), side: Side::First, cells: vec![0] };
        let line = vec![step.clone(); 10];
        let chosen = ChosenMove { step, score: None, line, depth: 1, nodes: 1, seconds: 0.0 };
        Answer { m: Move::of(number), chosen }
    }

    fn question(number: u64) -> String {
        AnswerCache::question("connect4", &number.to_string(), "pvs:depth=2", 1)
    }

    #[test]
    fn answers_come_back_until_the_memory_is_full() {
        let answers = AnswerCache::new(20_000);
        for number in 0..1_000 {
            answers.keep(question(number), answer(number));
            assert_eq!(answers.get(&question(number)), Some(answer(number)));
            let Answers { by_question, order, bytes } = &*answers.answers();
            assert!(*bytes <= 20_000 && by_question.len() == order.len());
            let total: usize = by_question.iter().map(|(text, kept)| bytes_of(text, kept)).sum();
            assert_eq!(*bytes, total);
        }
        assert_eq!(answers.get(&question(0)), None, "the oldest is evicted");
        assert!(answers.get(&question(995)).is_some());
    }

    #[test]
    fn every_part_of_a_question_counts() {
        let answers = AnswerCache::default();
        answers.keep(AnswerCache::question("connect4", "44", "pvs", 1), answer(1));
        for (game, moves, player, seed) in [
            ("connect4:7x7", "44", "pvs", 1),
            ("connect4", "4", "pvs", 1),
            ("connect4", "44", "mcts", 1),
            ("connect4", "44", "pvs", 2),
        ] {
            assert_eq!(answers.get(&AnswerCache::question(game, moves, player, seed)), None);
        }
        let small = AnswerCache::new(100);
        small.keep(question(1), answer(1));
        assert_eq!(small.get(&question(1)), None, "larger than the cache");
    }
}
