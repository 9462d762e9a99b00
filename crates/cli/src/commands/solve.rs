//! `tesuji solve`: finds the exact value of a position.

mod file;
mod fours;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value as Json, json};
use tesuji_games::{GameLine, Move, Notation, Position, Side, State};
use tesuji_play::quantity::{duration_text, grouped};
use tesuji_search::exact::{ExactSolver, ExactValue, GameValue, Solution, SolveOptions};
use tesuji_search::proof::{Proof, ProofVerdict};
use tesuji_search::{
    BookChoice, Connect4Book, ExactSolverOptions, Game, Limits, Registry, TableSize,
};

use crate::prelude::*;

/// Find the exact value of a position and the best move
///
/// For games that fill a board and never repeat a position. The exit code is 1 if the limits end
/// the search without an answer.
#[derive(clap::Args)]
pub(crate) struct SolveArgs {
    /// The game
    game: String,
    /// Moves from the start, or a position in the notation of the game [default: the start]
    position: Vec<String>,
    /// Give up after this many nodes
    #[arg(long, value_name = "N", value_parser = arguments::amount)]
    nodes: Option<u64>,
    /// Give up after this time
    #[arg(long, value_name = "T", value_parser = arguments::duration)]
    time: Option<Duration>,
    /// Find only win, draw or loss: faster if the game's solver counts moves
    #[arg(long, conflicts_with = "wins")]
    wdl: bool,
    /// Search with this many threads, if the game's solver supports it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Use a transposition table of this size
    #[arg(long, value_name = "SIZE", default_value = "64M")]
    tt: TableSize,
    /// Also find the value of every move
    #[arg(long, conflicts_with = "wins")]
    moves: bool,
    /// Find only whether this side wins, with proof-number search
    #[arg(long, value_name = "SIDE", value_parser = side())]
    wins: Option<Side>,
    /// Check a file of positions with known scores, lines of MOVES SCORE (positive: the side to
    /// move wins); for gomoku, solve a file of problems won by continuous fours
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wins", "moves", "position"])]
    file: Option<PathBuf>,
    /// Use this book of exact scores instead of the built-in one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wins", "no_book"])]
    book: Option<PathBuf>,
    /// Use no book
    #[arg(long)]
    no_book: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn side() -> impl TypedValueParser<Value = Side> {
    let sides = [Side::First, Side::Second];
    PossibleValuesParser::new(["first", "second"])
        .map(move |word| sides[usize::from(word == "second")])
}

impl SolveArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        arguments::check_memory(self.tt)?;
        let game = games.open(&self.game)?;
        if game.start().may_repeat() {
            // The value depends on the history of a position, and the search would not end.
            return Err(Failure::BadInput(format!(
                "game '{}': cannot be solved, as positions can repeat; expected a game without repetition, such as connect4",
                self.game
            )));
        }
        if let Some(path) = &self.file {
            return self.check_file(&game, path);
        }
        let line = arguments::unfinished(game.start(), &self.position, "solve")?;
        let mut solver = self.solver(&game)?;
        let progress = Progress::new(None, "positions");
        progress.show(0, || "solving".to_string());
        match self.wins {
            Some(side) => {
                let proof = game.searches().prove(&line.end, side, self.tt, &self.limits());
                drop(progress);
                self.print_proof(&line, side, &proof)
            }
            None => {
                let solution = solver.solve(&line.end, self.solve_options(), &self.limits());
                drop(progress);
                self.print_solution(&line, &solution)
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits { nodes: self.nodes, time: self.time, ..Limits::default() }
    }

    fn solver(&self, game: &Game) -> Result<Box<dyn ExactSolver<State>>, Failure> {
        let (table, threads, book) = (self.tt, usize::from(self.threads), self.book(game)?);
        Ok(game.solver(ExactSolverOptions { table, threads, book }))
    }

    fn book(&self, game: &Game) -> Result<BookChoice, Failure> {
        let Some(path) = &self.book else {
            return Ok(if self.no_book { BookChoice::Off } else { BookChoice::BuiltIn });
        };
        let bytes = input::read_bytes(path)?;
        Connect4Book::from_bytes(&bytes)
            .and_then(|book| BookChoice::for_game(book, game.rows()))
            .in_file(path)
    }

    /// Checks a file of problems or of positions with scores, depending on the game and the file.
    fn check_file(&self, game: &Game, path: &Path) -> Result<(), Failure> {
        let text = input::read_text(path)?;
        match self.game.trim() {
            "gomoku" | "renju" if text.trim_start().starts_with('{') => {
                fours::check(path, &text, self)
            }
            _ => file::check(game, path, &text, self),
        }
    }

    fn solve_options(&self) -> SolveOptions {
        SolveOptions { every_move: self.moves, value_only: self.wdl, no_line: self.file.is_some() }
    }

    fn unknown(&self, nodes: u64) -> Failure {
        Failure::Failed(format!(
            "unknown: no proof within {} nodes; expected a higher --nodes or --time",
            grouped(nodes.into())
        ))
    }

    fn print_solution(&self, line: &GameLine, solution: &Solution) -> Result<(), Failure> {
        let position = &line.end;
        let text = |m: &Move| position.move_text(*m);
        if self.json {
            let moves: Map<String, Json> =
                solution.moves.iter().map(|(m, value)| (text(m), json!(value))).collect();
            print_json(&json!({
                "game": self.game,
                "to_move": position.to_move(),
                "value": solution.value(),
                "score": solution.exact_value.and_then(|value| value.score),
                "plies": solution.exact_value.and_then(|value| value.plies),
                "best": solution.best.iter().map(text).collect::<Vec<_>>(),
                "moves": if self.moves { moves.into() } else { Json::Null },
                "line": arguments::move_texts(position, &solution.line),
                "nodes": solution.nodes,
                "seconds": solution.time.as_secs_f64(),
            }))?;
            return solution.exact_value.map(drop).ok_or_else(|| self.unknown(solution.nodes));
        }
        let value = solution.exact_value.ok_or_else(|| self.unknown(solution.nodes))?;
        say!("{}", value_text(value, position.to_move()))?;
        let best: Vec<String> = solution.best.iter().map(text).collect();
        say!("best  {}", best.join(" "))?;
        for (m, value) in solution.moves.iter().filter(|_| self.moves) {
            say!("      {}  {}", text(m), value_text(*value, position.to_move()))?;
        }
        let line = arguments::move_texts(position, &solution.line);
        print_end(&line, solution.nodes, solution.time)
    }

    fn print_proof(&self, line: &GameLine, side: Side, proof: &Proof) -> Result<(), Failure> {
        let texts = arguments::move_texts(&line.end, &proof.line);
        if self.json {
            print_json(&json!({
                "game": self.game,
                "side": side,
                "wins": proof.verdict,
                "line": texts,
                "nodes": proof.nodes,
                "seconds": proof.time.as_secs_f64(),
            }))?;
        }
        let verdict = match proof.verdict {
            ProofVerdict::Proven => format!("{side} wins"),
            ProofVerdict::Disproven => format!("{side} does not win"),
            ProofVerdict::Unknown => return Err(self.unknown(proof.nodes)),
        };
        if self.json {
            return Ok(());
        }
        say!("{verdict}")?;
        print_end(&texts, proof.nodes, proof.time)
    }
}

fn print_end(line: &[String], nodes: u64, time: Duration) -> Result<(), Failure> {
    say!("line  {}", line.join(" "))?;
    say!("{} nodes, {}", grouped(nodes.into()), duration_text(time))
}

/// `first wins in 41 moves, score 1`, or only `first wins` if the solver does not count moves.
fn value_text(value: ExactValue, to_move: Side) -> String {
    let mut text = match value.value {
        GameValue::Win => format!("{to_move} wins"),
        GameValue::Draw => "draw".to_string(),
        GameValue::Loss => format!("{} wins", !to_move),
    };
    if let Some(plies) = value.plies
        && value.value != GameValue::Draw
    {
        let plural = if plies == 1 { "" } else { "s" };
        text += &format!(" in {plies} move{plural}");
    }
    if let Some(score) = value.score {
        text += &format!(", score {score}");
    }
    text
}
