//! PSQ, the format of Piskvork (Petr Laštovička) and of the Gomocup tournaments: one game of Gomoku
//! per file. It has a line with the size, a line `x,y,milliseconds` for each move (from the top
//! left, counted from 1), the two names, and a code of the ending. Piskvork reads no further; data
//! that the format does not support follow in a line that starts with `tesuji`.

use std::io::{BufRead, Read, Write};

use tesuji_games::{Outcome, Point, Side};

use super::error::excerpt;
use super::plies::{self, Family, GameTraits, Ply, PlyList, Replayed, Target};
use super::read::{Each, MAX_BYTES, write_bounded};
use super::{ExchangeError, ReadOptions, ReadSummary, metadata};
use crate::{Ending, EndingKind, GameRecord, Record, SearchRecord};

/// The prefix of the line that only this program reads.
const METADATA_PREFIX: &str = "tesuji ";
/// Piskvork's codes for an end by the rules and a loss on time.
const BY_RULES: i64 = 0;
const LATE: i64 = 15;
/// Its code for all other endings.
const UNKNOWN: i64 = -1;

/// Whether the format supports a game.
pub fn can_hold(game: &str) -> bool {
    GameTraits::of(game).is_ok_and(|traits| matches!(traits.family, Family::Gomoku { .. }))
}

/// Writes one game of Gomoku.
pub fn write(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    write_bounded(out, &record.key, "PSQ", |out| write_any(out, record))
}

fn write_any(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    let unwritable =
        |why: String| ExchangeError::Unwritable { key: record.key.clone(), format: "PSQ", why };
    if record.start.is_some() {
        return Err(unwritable("it does not start with an empty board".to_string()));
    }
    let list = PlyList::of(record).map_err(unwritable)?;
    let (Family::Gomoku { exact }, Some((width, height))) = (list.traits.family, list.traits.size)
    else {
        let why = format!("it is a game of {}; PSQ supports Gomoku only", record.game);
        return Err(unwritable(why));
    };
    // Two zeros mean human players. With programs, Piskvork would start them when it opens the
    // game.
    writeln!(out, "Piskvorky {width}x{height}, 0:0, 0")?;
    for (number, ply) in list.plies.iter().enumerate() {
        if let Target::Point(Some(point)) = ply.target {
            let time = milliseconds(record, number);
            writeln!(out, "{},{},{time}", point.x + 1, point.y + 1)?;
        }
    }
    for player in &record.players {
        writeln!(out, "{}", name_line(&player.name))?;
    }
    let (code, winner) = numbers(record);
    let rules = if exact { "Standard" } else { "Freestyle" };
    let json = metadata::text(record, &record.thoughts).map_err(unwritable)?;
    Ok(writeln!(out, "{code}\n{winner},{rules}\n{METADATA_PREFIX}{json}")?)
}

fn milliseconds(record: &GameRecord, ply: usize) -> u64 {
    let index = ply.checked_sub(record.opening_plies as usize);
    let thought = index.and_then(|index| record.thoughts.get(index));
    thought.map_or(0, |thought| thought.micros.saturating_add(500) / 1000)
}

/// A name that no reader mistakes for a move, a number or an empty line.
fn name_line(name: &str) -> String {
    let name = name.replace(char::is_control, " ");
    match name.trim() {
        "" => "?".to_string(),
        name if name.starts_with(|c: char| c.is_ascii_digit() || "+-,".contains(c)) => {
            format!("player {name}")
        }
        name => name.to_string(),
    }
}

/// Piskvork's code of the ending, and the winner as in the files of the Gomocup: 1, 2, or 0 for a
/// draw; −1 for an unfinished game.
fn numbers(record: &GameRecord) -> (i64, i64) {
    if record.ending.is_unfinished() {
        return (UNKNOWN, -1);
    }
    let code = match record.ending.kind {
        EndingKind::Rules => BY_RULES,
        EndingKind::Time => LATE,
        _ => UNKNOWN,
    };
    let winner = match record.outcome {
        Outcome::Draw => 0,
        Outcome::Win(Side::First) => 1,
        Outcome::Win(Side::Second) => 2,
    };
    (code, winner)
}

/// Reads a file and calls `each` with its game.
pub fn read(
    input: &mut dyn BufRead,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let mut summary = ReadSummary::default();
    let record = match bytes.len() <= MAX_BYTES {
        true => game(&String::from_utf8_lossy(&bytes), options),
        false => Err(ExchangeError::TooLong { line: 1, limit: MAX_BYTES }),
    };
    let mut each = |record| each(record).map_err(|error| error.at(1));
    summary.take(options, record.map(Record::Game), &mut each)?;
    Ok(summary)
}

/// The parts of a file.
struct File<'t> {
    size: (usize, usize),
    /// The side of the first name.
    first: Side,
    moves: Vec<Move>,
    names: Option<[&'t str; 2]>,
    code: Option<i64>,
    /// The line that the Gomocup manager adds: the winner and the name of the rules.
    winner_line: Option<(i64, &'t str)>,
    own: Option<(u64, &'t str)>,
    last_line: u64,
}

struct Move {
    line: u64,
    point: Point,
    milliseconds: u64,
}

fn game(text: &str, options: &ReadOptions) -> Result<GameRecord, ExchangeError> {
    let file = File::parse(text)?;
    if file.code.is_none() && !options.partial {
        let what = "expected two names and a number such as -1 after the moves".to_string();
        return Err(ExchangeError::CutOff { line: file.last_line, what });
    }
    let record = match file.own {
        Some((line, json)) => file.own_game(line, json)?,
        None => file.foreign_game(options)?,
    };
    if record.ending.is_unfinished() && !options.unfinished {
        let what = "the result is unknown: the moves do not end the game";
        return Err(ExchangeError::malformed(file.last_line, what));
    }
    Ok(record)
}

impl<'t> File<'t> {
    fn parse(text: &'t str) -> Result<Self, ExchangeError> {
        let mut lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
        let Some((number, head)) = lines.next() else {
            return Err(ExchangeError::Empty { what: "nothing; expected a game in PSQ" });
        };
        let (size, first) = header(head).ok_or_else(|| {
            let what = format!("{} is not PSQ; expected Piskvorky 15x15, 0:0, 0", excerpt(head));
            ExchangeError::malformed(number, what)
        })?;
        let mut file = File {
            size,
            first,
            moves: Vec::new(),
            names: None,
            code: None,
            winner_line: None,
            own: None,
            last_line: number,
        };
        let mut rest = Vec::new();
        for (number, line) in lines {
            file.last_line = number;
            match move_line(line) {
                Some((x, y, time)) if rest.is_empty() => file.add_move(number, (x, y), time)?,
                _ => rest.push((number, line)),
            }
        }
        file.add_end(&rest)?;
        Ok(file)
    }

    fn add_move(&mut self, line: u64, at: (u64, u64), time: u64) -> Result<(), ExchangeError> {
        let (width, height) = self.size;
        let inside = |number: u64, most: usize| number.checked_sub(1).filter(|n| *n < most as u64);
        let (Some(x), Some(y)) = (inside(at.0, width), inside(at.1, height)) else {
            let what = format!("{},{} is not on the board of {width}x{height}", at.0, at.1);
            return Err(ExchangeError::malformed(line, what));
        };
        let point = Point { x: x as usize, y: y as usize };
        self.moves.push(Move { line, point, milliseconds: time });
        Ok(())
    }

    /// Parses the lines after the moves: names (absent in older files and saved positions), the
    /// code, the line of the Gomocup manager, and the metadata of this program.
    fn add_end(&mut self, lines: &[(u64, &'t str)]) -> Result<(), ExchangeError> {
        let mut lines = lines;
        if let [(_, first), (_, second), rest @ ..] = lines
            && first.parse::<i64>().is_err()
        {
            self.names = Some([first, second]);
            lines = rest;
        }
        for &(number, line) in lines {
            if let Some(json) = line.strip_prefix(METADATA_PREFIX) {
                self.own = Some((number, json));
            } else if let Ok(code) = line.parse() {
                self.code = Some(code);
            } else if let Some(winner_line) = winner_line(line) {
                self.winner_line = Some(winner_line);
            } else {
                let what = format!("cannot read {}; expected a number such as -1", excerpt(line));
                return Err(ExchangeError::malformed(number, what));
            }
        }
        Ok(())
    }

    /// A game that [`write`] wrote.
    fn own_game(&self, line: u64, json: &str) -> Result<GameRecord, ExchangeError> {
        let malformed = |what: String| ExchangeError::malformed(line, what);
        let mut record = metadata::read(json).map_err(malformed)?;
        let traits = GameTraits::of(&record.game).map_err(|error| malformed(error.to_string()))?;
        if !matches!(traits.family, Family::Gomoku { .. }) || traits.size != Some(self.size) {
            let what = format!("'{}' does not match the first line of the file", record.game);
            return Err(malformed(what));
        }
        let replayed = self.replay(&record.game, record.start.as_deref())?;
        if record.ending.kind == EndingKind::Rules {
            metadata::agree(record.outcome, replayed.outcome).map_err(malformed)?;
        }
        record.moves = replayed.moves;
        Ok(record)
    }

    fn foreign_game(&self, options: &ReadOptions) -> Result<GameRecord, ExchangeError> {
        let malformed = |what: String| ExchangeError::malformed(self.last_line, what);
        let game = match &options.game {
            Some(game) => game.clone(),
            None => self.named_game().map_err(malformed)?,
        };
        let traits = GameTraits::of(&game).map_err(|error| malformed(error.to_string()))?;
        if !matches!(traits.family, Family::Gomoku { .. }) || traits.size != Some(self.size) {
            let (width, height) = self.size;
            let what = format!("'{game}' is not Gomoku on {width}x{height}, the game of the file");
            return Err(malformed(what));
        }
        let replayed = self.replay(&game, None)?;
        let (outcome, ending) = self.ending(&replayed);
        let mut names = self.names.unwrap_or(["?", "?"]).map(str::to_string);
        if self.first == Side::Second {
            names.reverse();
        }
        let moves = replayed.moves;
        let thoughts = self.thoughts();
        let foreign = metadata::foreign(game, names);
        let mut record = GameRecord { moves, outcome, ending, thoughts, ..foreign };
        record.key = metadata::content_key(&record);
        Ok(record)
    }

    fn named_game(&self) -> Result<String, String> {
        let (width, height) = self.size;
        let rules = self.winner_line.map_or("", |(_, rules)| rules).to_ascii_lowercase();
        if rules.contains("renju") || rules.contains("caro") {
            return Err(format!("the rules of {} are not known here", excerpt(&rules)));
        }
        let exact = if rules.contains("standard") { ",exact" } else { "" };
        Ok(match (width, height, exact) {
            (15, 15, "") => "gomoku".to_string(),
            _ => format!("gomoku:{width}x{height}{exact}"),
        })
    }

    fn replay(&self, game: &str, start: Option<&str>) -> Result<Replayed, ExchangeError> {
        let side =
            |number: usize| if number.is_multiple_of(2) { Side::First } else { Side::Second };
        let plies: Vec<Ply> = self
            .moves
            .iter()
            .enumerate()
            .map(|(number, m)| Ply { side: side(number), target: Target::Point(Some(m.point)) })
            .collect();
        plies::replay(game, start, &plies).map_err(|(ply, why)| {
            let line = self.moves.get(ply).map_or(1, |m| m.line);
            ExchangeError::malformed(line, why)
        })
    }

    /// How it ended: by the rules, by the clock, or drawn as the judge says. Whom the judge means
    /// by 1 and 2 depends on who was listed first in the tournament, so that is not used.
    fn ending(&self, replayed: &Replayed) -> (Outcome, Ending) {
        match (replayed.outcome, self.code, self.winner_line) {
            (Some(outcome), ..) => (outcome, Ending::plain(EndingKind::Rules)),
            (None, Some(LATE), _) => {
                (Outcome::Win(!replayed.to_move), Ending::plain(EndingKind::Time))
            }
            (None, _, Some((0, _))) => (Outcome::Draw, Ending::plain(EndingKind::Unknown)),
            _ => (Outcome::Draw, Ending::unfinished()),
        }
    }

    /// The times of the moves, unless all are 0.
    fn thoughts(&self) -> Vec<SearchRecord> {
        if self.moves.iter().all(|m| m.milliseconds == 0) {
            return Vec::new();
        }
        let micros = |m: &Move| m.milliseconds.saturating_mul(1000);
        self.moves
            .iter()
            .map(|m| SearchRecord { micros: micros(m), ..SearchRecord::default() })
            .collect()
    }
}

/// Parses `Piskvorky 15x15, 11:11, 0`: the size, the levels of the players, the side that moves
/// first.
fn header(line: &str) -> Option<((usize, usize), Side)> {
    let mut parts = line.strip_prefix("Piskvorky ")?.split(',').map(str::trim);
    let (width, height) = parts.next()?.split_once('x')?;
    let size = (width.trim().parse().ok()?, height.trim().parse().ok()?);
    let (first, second) = parts.next()?.split_once(':')?;
    first.trim().parse::<u32>().ok()?;
    second.trim().parse::<u32>().ok()?;
    let first = match (parts.next()?, parts.next()) {
        ("0", None) => Side::First,
        ("1", None) => Side::Second,
        _ => return None,
    };
    Some((size, first))
}

/// Parses `8,8,120`, or the same without the time.
fn move_line(line: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = line.split(',').map(|part| part.trim().parse::<u64>().ok());
    let (x, y) = (numbers.next()??, numbers.next()??);
    let time = numbers.next().unwrap_or(Some(0))?;
    numbers.next().is_none().then_some((x, y, time))
}

/// Parses `1,Freestyle15`.
fn winner_line(line: &str) -> Option<(i64, &str)> {
    let (winner, rules) = line.split_once(',')?;
    let rules = rules.trim();
    let named = rules.starts_with(char::is_alphabetic);
    named.then_some((winner.trim().parse().ok()?, rules))
}
