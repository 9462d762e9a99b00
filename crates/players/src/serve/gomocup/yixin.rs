//! Commands of Yixin's protocol (Kai Sun) that programs for analysis use: positions without an answer, several best moves,
//! points that are not to be played, forbidden points, balanced moves. `YXSTOP` is heard in the [`inbox`](super::inbox).

use tesuji_games::point::Point;
use tesuji_games::{Position, RowRule, Side};
use tesuji_play::AnalyzeOptions;
use tesuji_search::Report;
use tesuji_search::report::sort_best_first;

use super::stones::{Stones, point_text, points_text, read_start};
use super::{Brain, Said, error, value_text};
use crate::rows::grid_of;

/// More best moves than that are not asked for.
const MOST_BEST: usize = 400;
/// What Yixin's board may let people choose: threads, and the table as a power of two in KiB.
const LARGEST_CHOICES: [&str; 2] =
    ["MESSAGE INFO MAX_THREAD_NUM 256", "MESSAGE INFO MAX_HASH_SIZE 23"];

/// Whether lines up to `DONE` follow the command; also those of commands that are not understood.
pub(super) fn has_a_list(word: &str) -> bool {
    matches!(
        word,
        "BOARD"
            | "SWAP2BOARD"
            | "YXBOARD"
            | "YXBLOCK"
            | "YXBLOCKUNDO"
            | "YXQUERYDATABASEALL"
            | "YXQUERYDATABASEONE"
            | "YXQUERYDATABASETEXT"
            | "YXQUERYDATABASEALLT"
            | "YXEDITTVDDATABASE"
            | "YXEDITTEXTDATABASE"
            | "YXEDITLABELDATABASE"
            | "YXDELETEDATABASEONE"
            | "YXDELETEDATABASEALL"
    )
}

impl Brain<'_> {
    /// The commands that are not Gomocup's.
    pub(super) fn obey_yixin(&mut self, word: &str, rest: &str, list: &[String]) -> Said {
        match word {
            "YXBOARD" => {
                let stones = Stones::of_silent_board(list).map_err(error)?;
                return self.try_stones(stones, |brain| brain.place().map(|_| Vec::new()));
            }
            "YXNBEST" => return self.best_moves(rest),
            "YXSHOWFORBID" => return self.forbidden(),
            "YXBLOCK" => {
                let more = read_points(list)?;
                self.blocked.retain(|point| !more.contains(point));
                self.blocked.extend(more);
            }
            "YXBLOCKUNDO" => {
                let freed = read_points(list)?;
                self.blocked.retain(|point| !freed.contains(point));
            }
            "YXBLOCKRESET" => self.blocked.clear(),
            "YXHASHCLEAR" => {
                if let Some(session) = &mut self.session {
                    session.player.new_game(self.games);
                }
            }
            "YXSHOWINFO" => return Ok(LARGEST_CHOICES.map(str::to_string).to_vec()),
            "YXBALANCEONE" => return self.balanced(1, rest),
            "YXBALANCETWO" => return self.balanced(2, rest),
            _ => return Err("UNKNOWN command".to_string()),
        }
        Ok(Vec::new())
    }

    /// Says the best moves, and makes the best.
    fn best_moves(&mut self, rest: &str) -> Said {
        let count = rest.split_whitespace().next().map_or(Some(1), |word| word.parse().ok());
        let count: usize = count.ok_or_else(|| error("expected YXNBEST n"))?;
        let best = count.clamp(1, MOST_BEST);
        let answer = self.think(&AnalyzeOptions { best, avoid: self.blocked.clone() })?;
        let Report { mut moves, line, depth, .. } =
            answer.report.clone().unwrap_or_else(Report::empty);
        // A search that ran out of time may have put some of them in order and not others. The first is the choice.
        if let Some((_, others)) = moves.split_first_mut() {
            sort_best_first(others);
        }
        let mut lines: Vec<String> = Vec::new();
        for (known, rank) in moves.iter().take(best).zip(1..) {
            let (point, value) = (point_text(known.m), value_text(known.score));
            lines.push(format!("MESSAGE ({rank}) {point} eval {value} depth {depth}"));
        }
        if !answer.heeded {
            lines.push(format!("MESSAGE {} knows one best move only", self.player));
        }
        if line.len() > 1 {
            lines.push(format!("MESSAGE bestline {}", points_text(&line)));
        }
        lines.extend(self.answer(&answer)?);
        Ok(lines)
    }

    /// Where the side to move may not play: `FORBID 07080910.`, two digits a number.
    fn forbidden(&mut self) -> Said {
        let asked = self.info.rule == RowRule::Renju && self.stones.to_move() == Side::First;
        let position = &self.place()?.line.end;
        let asked = asked && position.outcome().is_none();
        let is_forbidden = |&cell: &usize| {
            asked && position.stone_at(cell).is_none() && position.move_to(cell).is_none()
        };
        let grid = grid_of(position);
        let digits = |cell| format!("{:02}{:02}", cell % grid.columns, cell / grid.columns);
        let digits: String = (0..grid.cells()).filter(is_forbidden).map(digits).collect();
        Ok(vec![format!("FORBID {digits}.")])
    }
}

/// Lines `x,y`.
fn read_points(lines: &[String]) -> Result<Vec<Point>, String> {
    let points: Option<Vec<Point>> = lines.iter().map(|line| read_start(line)).collect();
    points.ok_or_else(|| error("expected x,y"))
}
