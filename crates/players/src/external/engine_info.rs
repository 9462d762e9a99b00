//! Search information that a program reports while it thinks.

use std::time::Duration;

use tesuji_games::{Move, Score};
use tesuji_search::SearchReport;

use tesuji_play::Choice;

/// The latest values that the program reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct EngineInfo {
    /// The score for the side to move.
    pub(crate) score: Option<Score>,
    /// Search depth in plies.
    pub(crate) depth: u32,
    /// Number of positions.
    pub(crate) nodes: u64,
}

/// Maximum distance of a forced result; larger numbers are not a distance.
const FURTHEST: u32 = 10_000;

impl EngineInfo {
    /// Returns the move with its report. Depth and nodes are used only with a score: a report
    /// without one would mean an even position.
    pub(crate) fn into_choice(self, m: Move, time: Duration) -> Choice {
        let report = self.score.map(|score| SearchReport {
            best: Some(m),
            line: vec![m],
            score,
            depth: self.depth,
            nodes: self.nodes,
            time,
            ..SearchReport::empty()
        });
        Choice { m, report }
    }

    /// Reads the rest of an `info` line: `score 37`, `score win 5`, `depth 8`, `nodes 1234`.
    /// Ignores unknown words.
    pub(crate) fn read_info(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        for at in 0..words.len() {
            match words[at..] {
                ["score", word @ ("win" | "loss"), plies, ..] => {
                    let score = plies.parse().ok().and_then(|plies| decided(word, plies));
                    self.score = score.or(self.score);
                }
                ["score", number, ..] => self.score = estimate(number).or(self.score),
                ["depth", number, ..] => self.depth = number.parse().unwrap_or(self.depth),
                ["nodes", number, ..] => self.nodes = number.parse().unwrap_or(self.nodes),
                _ => {}
            }
        }
    }

    /// Reads the `MESSAGE` of a Gomocup engine. There is no standard; common forms are `depth 14-26
    /// ev 25 n 2M`, `Depth 20-43 | Eval +M7 | Node 2737K` and `node:12k eval:-56`.
    pub(crate) fn read_message(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        let separator = |c: char| c.is_whitespace() || ":=|,;()[]".contains(c);
        let words: Vec<&str> = lower.split(separator).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            match pair[0] {
                "depth" => {
                    let nominal = pair[1].split('-').next().unwrap_or_default();
                    self.depth = nominal.parse().unwrap_or(self.depth);
                }
                "ev" | "eval" | "score" => self.score = evaluation(pair[1]).or(self.score),
                "n" | "node" | "nodes" => self.nodes = count(pair[1]).unwrap_or(self.nodes),
                _ => {}
            }
        }
    }
}

fn estimate(word: &str) -> Option<Score> {
    word.parse().ok().map(Score::estimate)
}

fn decided(word: &str, plies: u32) -> Option<Score> {
    let score = if word == "win" { Score::win_in(plies) } else { Score::loss_in(plies) };
    (plies <= FURTHEST).then_some(score)
}

/// Reads `-56`, `+25`, or `+m7` for a win in seven plies.
fn evaluation(word: &str) -> Option<Score> {
    let (sign, rest) = match word.strip_prefix('-') {
        Some(rest) => ("loss", rest),
        None => ("win", word.strip_prefix('+').unwrap_or(word)),
    };
    match rest.strip_prefix('m') {
        Some(plies) => decided(sign, plies.parse().ok()?),
        None => estimate(word),
    }
}

/// Reads `1234`, `12k`, `2.7m`.
fn count(word: &str) -> Option<u64> {
    let (figures, scale) = match word.chars().last()? {
        'k' => (&word[..word.len() - 1], 1e3),
        'm' => (&word[..word.len() - 1], 1e6),
        'g' => (&word[..word.len() - 1], 1e9),
        _ => (word, 1.0),
    };
    let plain = figures.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = figures.parse().ok().filter(|_| plain)?;
    Some((number * scale) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(score: Option<Score>, depth: u32, nodes: u64) -> EngineInfo {
        EngineInfo { score, depth, nodes }
    }

    #[test]
    fn info_lines_are_read() {
        let win = Some(Score::win_in(5));
        let loss = Some(Score::loss_in(4));
        for (text, expected) in [
            ("score 37 depth 8 nodes 1234", info(Some(Score::estimate(37)), 8, 1234)),
            ("depth 3 score -12 line 4 4", info(Some(Score::estimate(-12)), 3, 0)),
            ("score win 5", info(win, 0, 0)),
            ("score loss 4 nodes 9", info(loss, 0, 9)),
            ("score win", info(None, 0, 0)),
            ("score win 4000000000 depth -1 nodes x", info(None, 0, 0)),
            ("score", info(None, 0, 0)),
        ] {
            let mut read = EngineInfo::default();
            read.read_info(text);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn messages_of_known_engines_are_read() {
        for (text, expected) in [
            ("depth 14-26 ev 25 n 2M", info(Some(Score::estimate(25)), 14, 2_000_000)),
            ("Depth 20-43 | Eval +M7 | Node 2.7K", info(Some(Score::win_in(7)), 20, 2700)),
            ("node:12k eval:-56", info(Some(Score::estimate(-56)), 0, 12_000)),
            ("eval -m4", info(Some(Score::loss_in(4)), 0, 0)),
            ("nothing to see, depth unknown, n = \u{e9}", info(None, 0, 0)),
        ] {
            let mut read = EngineInfo::default();
            read.read_message(text);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn later_words_replace_earlier_ones_and_nonsense_none() {
        let mut read = EngineInfo::default();
        for text in ["score 5 depth 2", "score 9", "score ? depth ?"] {
            read.read_info(text);
        }
        assert_eq!(read, info(Some(Score::estimate(9)), 2, 0));
    }

    #[test]
    fn without_a_score_there_is_no_report() {
        let silent = info(None, 9, 9).into_choice(Move::from(4), Duration::ZERO);
        assert!(silent.report.is_none());
        let choice = info(Some(Score::win_in(1)), 9, 8).into_choice(Move::from(4), Duration::ZERO);
        let report = choice.report.unwrap();
        assert_eq!((report.best, report.depth, report.nodes), (Some(Move::from(4)), 9, 8));
    }
}
