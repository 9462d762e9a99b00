//! Commands of Yixin's protocol (Kai Sun) for analysis programs: positions without an answer,
//! several best moves, blocked points, forbidden points, balanced moves. `YXSTOP` is handled by the
//! [`command_queue`](super::command_queue).

use tesuji_games::point::Point;
use tesuji_games::{Position, RowRule, Side};
use tesuji_play::AnalyzeOptions;
use tesuji_search::SearchReport;
use tesuji_search::report::sort_best_first;

use super::stones::{StoneList, point_text, points_text, read_start};
use super::{GomocupEngine, Reply, error, value_text};
use crate::rows::grid_of;

/// Maximum number of best moves.
const MOST_BEST: usize = 400;
/// Limits that Yixin's board offers: threads, and the table as a power of two in KiB.
const LARGEST_CHOICES: [&str; 2] =
    ["MESSAGE INFO MAX_THREAD_NUM 256", "MESSAGE INFO MAX_HASH_SIZE 23"];

/// Whether lines up to `DONE` follow the command; true also for known commands that are not
/// supported.
pub(super) fn takes_list(word: &str) -> bool {
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

impl GomocupEngine<'_> {
    /// Executes the commands that are not Gomocup's own.
    pub(super) fn execute_yixin(&mut self, word: &str, rest: &str, list: &[String]) -> Reply {
        match word {
            "YXBOARD" => {
                let stones = StoneList::from_yxboard(list).map_err(error)?;
                return self.try_stones(stones, |engine| engine.place().map(|_| Vec::new()));
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

    /// Lists the best moves and plays the best one.
    fn best_moves(&mut self, rest: &str) -> Reply {
        let count = rest.split_whitespace().next().map_or(Some(1), |word| word.parse().ok());
        let count: usize = count.ok_or_else(|| error("expected YXNBEST n"))?;
        let best = count.clamp(1, MOST_BEST);
        let answer = self.think(&AnalyzeOptions { best, avoid: self.blocked.clone() })?;
        let SearchReport { mut moves, line, depth, .. } =
            answer.report.clone().unwrap_or_else(SearchReport::empty);
        // A search that ran out of time may have sorted only some of them. The first is the choice.
        if let Some((_, others)) = moves.split_first_mut() {
            sort_best_first(others);
        }
        let mut lines: Vec<String> = Vec::new();
        for (known, rank) in moves.iter().take(best).zip(1..) {
            let (point, value) = (point_text(known.m), value_text(known.score));
            lines.push(format!("MESSAGE ({rank}) {point} eval {value} depth {depth}"));
        }
        if !answer.supports_options {
            lines.push(format!("MESSAGE {} reports only one best move", self.player));
        }
        if line.len() > 1 {
            lines.push(format!("MESSAGE bestline {}", points_text(&line)));
        }
        lines.extend(self.answer(&answer)?);
        Ok(lines)
    }

    /// Returns the forbidden points of the side to move: `FORBID 07080910.`, two digits a number.
    fn forbidden(&mut self) -> Reply {
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

/// Reads lines `x,y`.
fn read_points(lines: &[String]) -> Result<Vec<Point>, String> {
    let points: Option<Vec<Point>> = lines.iter().map(|line| read_start(line)).collect();
    points.ok_or_else(|| error("expected x,y"))
}
