//! Commands of Yixin's protocol (Kai Sun) that programs for analysis use: positions without an answer, several best moves,
//! points that are not to be played, forbidden points, balanced moves. `YXSTOP` is heard in the [`inbox`](super::inbox).

use tesuji_games::point::Point;
use tesuji_games::{RowRule, Side};

use super::stones::{Stones, point_text};
use super::swap2::Balance;
use super::{Brain, Said, error, read_point, value_text};
use tesuji_play::Wishes;

/// More best moves than that are not asked for.
const MOST_BEST: usize = 400;
/// What Yixin's board may let people choose: threads, and the table as a power of two in KiB.
const LARGEST_CHOICES: [&str; 2] =
    ["MESSAGE INFO MAX_THREAD_NUM 256", "MESSAGE INFO MAX_HASH_SIZE 23"];

/// Whether lines up to `DONE` follow the command; also those of commands that are not understood.
pub(super) fn has_a_list(word: &str) -> bool {
    let known = matches!(word, "YXBOARD" | "YXBLOCK" | "YXBLOCKUNDO");
    let about_positions = matches!(
        word,
        "YXQUERYDATABASEALL"
            | "YXQUERYDATABASEONE"
            | "YXQUERYDATABASETEXT"
            | "YXQUERYDATABASEALLT"
            | "YXEDITTVDDATABASE"
            | "YXEDITTEXTDATABASE"
            | "YXEDITLABELDATABASE"
            | "YXDELETEDATABASEONE"
            | "YXDELETEDATABASEALL"
    );
    known || about_positions
}

impl Brain<'_> {
    /// The commands that are not Gomocup's.
    pub(super) fn obey_yixin(&mut self, word: &str, rest: &str, list: &[String]) -> Said {
        match word {
            "YXBOARD" => {
                let stones = Stones::of_silent_board(list).map_err(error)?;
                self.try_stones(stones, |brain| brain.place().map(|_| Vec::new()))
            }
            "YXNBEST" => self.best_moves(rest),
            "YXSHOWFORBID" => self.forbidden(),
            "YXBLOCK" => {
                for point in read_points(list)? {
                    if !self.blocked.contains(&point) {
                        self.blocked.push(point);
                    }
                }
                Ok(Vec::new())
            }
            "YXBLOCKUNDO" => {
                let freed = read_points(list)?;
                self.blocked.retain(|point| !freed.contains(point));
                Ok(Vec::new())
            }
            "YXBLOCKRESET" => {
                self.blocked.clear();
                Ok(Vec::new())
            }
            "YXHASHCLEAR" => {
                if let Some(opened) = &mut self.opened {
                    opened.session.forget(self.games);
                }
                Ok(Vec::new())
            }
            "YXSHOWINFO" => Ok(LARGEST_CHOICES.map(str::to_string).to_vec()),
            "YXBALANCEONE" => self.balanced(Balance::One, rest),
            "YXBALANCETWO" => self.balanced(Balance::Two, rest),
            _ => Err("UNKNOWN command".to_string()),
        }
    }

    /// Says the best moves, and makes the best.
    fn best_moves(&mut self, rest: &str) -> Said {
        let count = rest.split_whitespace().next().map_or(Some(1), |word| word.parse().ok());
        let count: usize = count.ok_or_else(|| error("expected YXNBEST n"))?;
        let best = count.clamp(1, MOST_BEST);
        let mut answer = self.think(&Wishes { best, avoid: self.blocked.clone() })?;
        // A search that ran out of time may have put some of them in order and not others. The first is the choice.
        if let Some((_, others)) = answer.moves.split_first_mut() {
            others.sort_by_key(|known| std::cmp::Reverse(known.1));
        }
        let mut lines: Vec<String> = Vec::new();
        for (&(point, score), rank) in answer.moves.iter().take(best).zip(1..) {
            let (point, value) = (point_text(point), value_text(score));
            lines.push(format!("MESSAGE ({rank}) {point} eval {value} depth {}", answer.depth));
        }
        if !answer.heeded {
            lines.push(format!("MESSAGE {} knows one best move only", self.player));
        }
        if answer.line.len() > 1 {
            let words: Vec<String> = answer.line.iter().copied().map(point_text).collect();
            lines.push(format!("MESSAGE bestline {}", words.join(" ")));
        }
        lines.extend(self.answer(&answer)?);
        Ok(lines)
    }

    /// Where the side to move may not play: `FORBID 07080910.`, two digits a number.
    fn forbidden(&mut self) -> Said {
        let asked = self.info.rule == RowRule::Renju && self.stones.to_move() == Side::First;
        let session = self.place()?;
        let points = if asked { session.forbidden() } else { Vec::new() };
        let digits: String = points.iter().map(|p| format!("{:02}{:02}", p.x, p.y)).collect();
        Ok(vec![format!("FORBID {digits}.")])
    }
}

/// Lines `x,y`, with or without anything behind another comma.
fn read_points(lines: &[String]) -> Result<Vec<Point>, String> {
    let point = |line: &String| {
        let end = line.match_indices(',').nth(1).map_or(line.len(), |(at, _)| at);
        read_point(&line[..end]).ok_or_else(|| error("expected x,y"))
    };
    lines.iter().map(point).collect()
}
