//! The brain's side of the Gomocup protocol (docs/protocol.md): five in a row, freestyle or exactly five, on
//! boards from 5×5 to 20×20.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use tesuji_games::Score;
use tesuji_games::point::Point;
use tesuji_search::Limits;

use super::{Answer, Desk, Opener, Table, command, share_of, with_safety};
use crate::players::external::gomocup::read_pair;
use crate::{Clock, PlayerSpec, Turn};

/// The boards on which five in a row can be played here.
const SIDES: std::ops::RangeInclusive<usize> = 5..=20;
/// Time for a move when the manager says nothing.
const USUAL_TURN: Duration = Duration::from_secs(5);
/// A time of the protocol that means none.
const NO_CLOCK: i64 = i32::MAX as i64;

/// Answers until `END` or the end of the input.
pub fn serve_gomocup(
    player: &PlayerSpec,
    open: Opener<'_>,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut desk = Desk { input, output };
    let mut brain = Brain::new(player, open);
    while let Some(line) = desk.next_line()? {
        let (word, rest) = command(&line);
        match word.to_ascii_uppercase().as_str() {
            "END" => break,
            "" => {}
            "INFO" => brain.note(rest),
            "BOARD" => {
                let stones = read_board(&mut desk)?;
                let said = brain.board(stones).and_then(|()| brain.moves());
                speak(&mut desk, said)?;
            }
            word => {
                let said = brain.obey(word, rest);
                speak(&mut desk, said)?;
            }
        }
    }
    Ok(())
}

/// Says the lines, or why there are none.
fn speak(desk: &mut Desk<'_>, said: Result<Vec<String>, String>) -> io::Result<()> {
    match said {
        Ok(lines) => lines.iter().try_for_each(|line| desk.say(line)),
        Err(refusal) => desk.say(&refusal),
    }
}

/// The lines up to `DONE`.
fn read_board(desk: &mut Desk<'_>) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    while let Some(line) = desk.next_line()? {
        if line.eq_ignore_ascii_case("DONE") {
            break;
        }
        // More stones than that are on no board.
        if lines.len() <= SIDES.end() * SIDES.end() {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// What the manager has said so far.
struct Brain<'a> {
    player: &'a PlayerSpec,
    open: Opener<'a>,
    size: Option<(usize, usize)>,
    rule: i64,
    stones: Vec<Point>,
    table: Option<(String, Box<dyn Table>)>,
    games: u64,
    turn: Option<Duration>,
    left: Option<Duration>,
    limits: Limits,
}

fn error(why: impl std::fmt::Display) -> String {
    format!("ERROR {why}")
}

impl<'a> Brain<'a> {
    fn new(player: &'a PlayerSpec, open: Opener<'a>) -> Self {
        Brain {
            player,
            open,
            size: None,
            rule: 0,
            stones: Vec::new(),
            table: None,
            games: 0,
            turn: None,
            left: None,
            limits: Limits::default(),
        }
    }

    /// Every command but `END`, `INFO` and `BOARD`.
    fn obey(&mut self, word: &str, rest: &str) -> Result<Vec<String>, String> {
        match word {
            "ABOUT" => Ok(vec![self.about()]),
            "START" => self.start(rest.parse().ok().map(|side| (side, side))),
            "RECTSTART" => self.start(read_point(rest).map(|Point { x, y }| (x, y))),
            "RESTART" if self.size.is_some() => self.start(self.size),
            "BEGIN" if self.stones.is_empty() => self.moves(),
            "BEGIN" => Err(error("there are stones on the board; RESTART takes them away")),
            "TURN" => {
                let point = read_point(rest).ok_or_else(|| error("expected TURN x,y"))?;
                self.stones.push(point);
                let said = self.moves();
                if said.is_err() {
                    self.stones.pop();
                }
                said
            }
            "TAKEBACK" => match read_point(rest) {
                Some(point) if self.stones.last() == Some(&point) => {
                    self.stones.pop();
                    Ok(vec!["OK".to_string()])
                }
                _ => Err(error("only the last stone can be taken back")),
            },
            _ => Err("UNKNOWN command".to_string()),
        }
    }

    fn about(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let player = self.player.text().replace('"', "'");
        format!("name=\"Tesuji {player}\", version=\"{version}\", author=\"Tesuji\", country=\"-\"")
    }

    fn start(&mut self, size: Option<(usize, usize)>) -> Result<Vec<String>, String> {
        let fits =
            |&(width, height): &(usize, usize)| SIDES.contains(&width) && SIDES.contains(&height);
        let size = size.filter(fits).ok_or_else(|| error("boards from 5 to 20 are supported"))?;
        self.size = Some(size);
        self.stones.clear();
        self.games += 1;
        if let Some((_, table)) = &mut self.table {
            table.new_game(self.games);
        }
        Ok(vec!["OK".to_string()])
    }

    fn note(&mut self, text: &str) {
        let (key, value) = command(text);
        let Ok(number) = value.parse::<i64>() else { return };
        let time = Duration::from_millis(number.max(0) as u64);
        match key.to_ascii_lowercase().as_str() {
            "rule" => self.rule = number,
            "timeout_turn" => self.turn = Some(time),
            "time_left" => self.left = Some(time).filter(|_| number < NO_CLOCK),
            "max_depth" => self.limits.depth = u32::try_from(number).ok().filter(|&n| n > 0),
            "max_node" => self.limits.nodes = u64::try_from(number).ok().filter(|&n| n > 0),
            _ => {}
        }
    }

    /// Takes over the stones of a `BOARD`, in whatever order they come: `x,y,who`.
    fn board(&mut self, lines: Vec<String>) -> Result<(), String> {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for line in lines {
            let stone = line.rsplit_once(',').and_then(|(point, who)| {
                Some((read_point(point)?, who.trim().parse::<u8>().ok()?))
            });
            match stone {
                Some((point, 1)) => own.push(point),
                Some((point, 2)) => other.push(point),
                // A mark, not a stone.
                Some((_, 3)) => {}
                _ => return Err(error("expected x,y,who")),
            }
        }
        let (first, second) = match other.len().checked_sub(own.len()) {
            Some(0) => (own, other),
            Some(1) => (other, own),
            _ => return Err(error("it is not this brain's turn with so many stones")),
        };
        self.stones.clear();
        for (index, &point) in first.iter().enumerate() {
            self.stones.push(point);
            self.stones.extend(second.get(index));
        }
        Ok(())
    }

    /// Thinks, puts the stone on the board and says where.
    fn moves(&mut self) -> Result<Vec<String>, String> {
        let turn = self.thinking();
        let stones = std::mem::take(&mut self.stones);
        let answer = self.table().and_then(|table| {
            table.set_stones(&stones).map_err(error)?;
            table.think(&turn).map_err(error)
        });
        self.stones = stones;
        let answer = answer?;
        let point = answer.point.ok_or_else(|| error("no move"))?;
        self.stones.push(point);
        let mut lines: Vec<String> = message(&answer).into_iter().collect();
        lines.push(format!("{},{}", point.x, point.y));
        Ok(lines)
    }

    /// The table for the board and rule that are in force.
    fn table(&mut self) -> Result<&mut dyn Table, String> {
        let (width, height) = self.size.ok_or_else(|| error("START comes first"))?;
        let exact = match self.rule {
            0 => "",
            1 => ",exact",
            other => return Err(error(format!("rule {other} is not supported, 0 and 1 are"))),
        };
        let game = format!("mnk:{width}x{height},k=5{exact}");
        if self.table.as_ref().is_none_or(|(name, _)| *name != game) {
            let mut table = (self.open)(&game, self.player).map_err(error)?;
            table.new_game(self.games);
            self.table = Some((game, table));
        }
        let table = self.table.as_mut().ok_or_else(|| error("no table"))?;
        Ok(table.1.as_mut())
    }

    fn thinking(&self) -> Turn {
        let turn = self.turn.unwrap_or(USUAL_TURN);
        let share = self.left.map_or(turn, |left| share_of(left, Duration::ZERO).min(turn));
        let clock = Clock { per_move: Some(turn), left: self.left, ..Clock::default() };
        Turn { limits: Limits { time: Some(with_safety(share)), ..self.limits.clone() }, clock }
    }
}

fn read_point(text: &str) -> Option<Point> {
    let (x, y) = read_pair(text)?;
    Some(Point { x: usize::try_from(x).ok()?, y: usize::try_from(y).ok()? })
}

/// What other managers read from messages, if they read any.
fn message(answer: &Answer) -> Option<String> {
    let score = answer.score?;
    let value = match score.plies_to_end() {
        Some(plies) if score.is_win() => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
        None => Score::raw(score).to_string(),
    };
    Some(format!("MESSAGE depth {} eval {value} nodes {}", answer.depth, answer.nodes))
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use tesuji_games::SpecError;
    use tesuji_games::random::{below, seeded};
    use tesuji_games::rules::mnk::{Mnk, Rules, line_board::LineBoard};

    /// Boards of any size behave alike here; one type will do.
    fn open(game: &str, player: &PlayerSpec) -> Result<Box<dyn Table>, SpecError> {
        let sizes = game.trim_start_matches("mnk:").split(',').next().unwrap_or_default();
        let (width, height) = sizes.split_once('x').unwrap();
        let rules = Rules::new(width.parse().unwrap(), height.parse().unwrap(), 5).unwrap();
        table(Mnk::<LineBoard>::new(rules), game, player)
    }

    fn conversation(player: &str, input: &[u8]) -> Vec<String> {
        let mut output = Vec::new();
        serve_gomocup(&player.parse().unwrap(), &open, &mut &input[..], &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_string).collect()
    }

    /// The answers without the messages.
    fn answers(player: &str, input: &str) -> Vec<String> {
        let input = input.replace('\n', "\r\n");
        let said = conversation(player, input.as_bytes());
        said.into_iter().filter(|line| !line.starts_with("MESSAGE")).collect()
    }

    #[test]
    fn a_row_is_stopped_and_finished() {
        let input = "START 15\nINFO timeout_turn 1000\nBOARD\n3,3,2\n4,3,2\n5,3,2\n6,3,2\n2,3,1\n\
            9,9,1\n10,9,1\n0,0,3\nDONE\n\
            TURN 0,0\nEND\nBEGIN\n";
        let said = answers("pvs:depth=2", input);
        assert_eq!(said[0], "OK");
        assert_eq!(said[1], "7,3", "the only end of the row");
        assert_eq!(said.len(), 3, "{said:?}");
    }

    #[test]
    fn the_protocol_is_kept() {
        let input = "ABOUT\nBEGIN\nSTART 4\nRECTSTART 12,9\nBEGIN\nBEGIN\nTAKEBACK 0,20\nRESTART\n\
            TURN 30,2\nTURN 3\nTURN 3,2\nturn 3,2\nNOTHING\nSTART 15\nINFO rule 4\nBEGIN\nINFO rule 1\n\
            BEGIN\nBOARD\n1,1,1\nDONE\nBOARD\nx\nDONE\nEND\n";
        let said = answers("random:seed=3", input);
        let forms = [
            "name=\"Tesuji random:seed=3\"",
            "ERROR START",
            "ERROR boards",
            "OK",
            "",
            "ERROR there",
            "ERROR only",
            "OK",
            "ERROR 30,2",
            "ERROR expected",
            "",
            "ERROR 3,2",
            "UNKNOWN",
            "OK",
            "ERROR rule 4",
            "",
            "ERROR it is not",
            "ERROR expected",
        ];
        assert_eq!(said.len(), forms.len(), "{said:?}");
        for (line, form) in said.iter().zip(forms) {
            let right =
                if form.is_empty() { read_pair(line).is_some() } else { line.starts_with(form) };
            assert!(right, "{line}, not {form}: {said:?}");
        }
    }

    #[test]
    fn takebacks_are_followed() {
        let input = "START 15\nTURN 7,7\nEND\n";
        let reply = answers("random:seed=1", input).pop().unwrap();
        let input = format!("START 15\nTURN 7,7\nTAKEBACK {reply}\nTAKEBACK 7,7\nBEGIN\nEND\n");
        let said = answers("random:seed=1", &input);
        assert_eq!(said[2..4], ["OK", "OK"], "{said:?}");
        assert!(read_pair(&said[4]).is_some(), "{said:?}");
    }

    #[test]
    fn any_bytes_are_some_conversation() {
        let mut rng = seeded(9);
        let words =
            ["START 5", "BEGIN", "TURN ", "BOARD", "1,1,2", "INFO rule 1", "DONE", "0,0", "\n"];
        for _ in 0..300 {
            let mut bytes = Vec::new();
            for _ in 0..below(&mut rng, 25) {
                match below(&mut rng, 10) {
                    0 => bytes.push(below(&mut rng, 256) as u8),
                    n => {
                        bytes.extend(words[n as usize - 1].bytes());
                        bytes.extend(Some(b'\n').filter(|_| below(&mut rng, 2) == 0));
                    }
                }
            }
            conversation("random", &bytes);
        }
    }
}
