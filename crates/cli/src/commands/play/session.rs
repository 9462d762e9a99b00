//! The interactive session: reads a line, runs it and prints the result. Only `quit`, `resign` and
//! the end of input end it.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use tesuji_games::{Draw, GameLine, Move, Notation, Outcome, Position, Side, SpecError, State};
use tesuji_play::{Choice, Player, PlayerContext, PlayerSpec, Turn};
use tesuji_store::key::digest;
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, Record, Store};

use super::saved::SavedGame;
use super::screen::{PieceColor, Screen};
use crate::input::read_line;
use crate::prelude::*;

/// The help of the commands.
pub(super) const COMMANDS: &str = "  \
  MOVE         play a move, such as those that 'moves' lists
  moves        list the legal moves
  board        show the board
  hint         show the computer's suggestion
  undo         take back your last move and the moves after it
  save FILE    save the game
  load FILE    load a saved game
  resign       resign the game
  quit         leave without a result
";

/// The player of a side; `None` for the person at the terminal.
pub(super) type SidePlayer = Option<Box<dyn Player>>;

/// Creates the player that the text names.
pub(super) fn side_player(text: &str, context: &PlayerContext) -> Result<SidePlayer, SpecError> {
    let spec: PlayerSpec = tesuji_players::player(text)?;
    if tesuji_players::is_human(&spec) { Ok(None) } else { spec.build(context).map(Some) }
}

/// A session with one game at a time.
pub(super) struct TerminalSession {
    pub(super) start: State,
    pub(super) line: GameLine,
    pub(super) players: [SidePlayer; 2],
    pub(super) hints_by: Box<dyn Player>,
    pub(super) screen: Screen,
    pub(super) saved: SavedGame,
    /// The store of finished games.
    pub(super) store: Option<Box<dyn Store>>,
    /// Distinguishes the games of this session from those of others.
    pub(super) session_id: String,
}

impl TerminalSession {
    /// Plays until the end of input; without a person, until the game is over.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        self.show_board()?;
        let mut announced = false;
        loop {
            let outcome = self.line.end.outcome();
            match outcome {
                None if !self.is_human(self.line.end.to_move()) => {
                    self.computer_moves()?;
                    continue;
                }
                Some(outcome) if !announced => self.announce(outcome)?,
                _ => {}
            }
            announced = outcome.is_some();
            if self.players.iter().all(Option::is_some) {
                return Ok(());
            }
            self.show_prompt(outcome)?;
            let Some(text) = read_line(&mut input)? else { return Ok(()) };
            if self.run_command(text.trim())?.is_break() {
                return Ok(());
            }
        }
    }

    fn is_human(&self, side: Side) -> bool {
        self.players[side.index()].is_none()
    }

    fn computer_moves(&mut self) -> Result<(), Failure> {
        let side = self.line.end.to_move();
        let Some(player) = &mut self.players[side.index()] else { return Ok(()) };
        let thinking = Progress::new(None, "moves");
        thinking.show(0, || format!("{} is thinking", player.name()));
        let choice = player.choose(&self.line, &Turn::default()).map_err(Failure::failed)?;
        drop(thinking);
        let (name, text) = (player.name().to_string(), self.line.end.move_text(choice.m));
        let score = score_text(&choice);
        self.line
            .play(choice.m)
            .map_err(|error| Failure::Failed(format!("{name} chose {text}: {error}")))?;
        let text = self.screen.paint(PieceColor::LastComputerMove, &text);
        say!("{side} ({name}) plays {text}{score}")?;
        self.show_board()
    }

    fn run_command(&mut self, text: &str) -> Result<ControlFlow<()>, Failure> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match (word, rest.trim()) {
            ("", _) => {}
            ("quit" | "exit", "") => return Ok(ControlFlow::Break(())),
            ("resign", "") => return self.resign(),
            ("help" | "?", "") => say!("{}", COMMANDS.trim_end())?,
            ("board", "") => self.show_board()?,
            ("moves", "") => self.list_moves()?,
            ("hint", "") => self.hint()?,
            ("undo", "") => self.undo()?,
            ("save" | "load", "") => {
                say!("{word}: FILE is missing; expected a file, such as {word} game.json")?
            }
            ("save", file) => self.save(Path::new(file))?,
            ("load", file) => self.load(Path::new(file))?,
            _ => self.play(text)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn play(&mut self, text: &str) -> Result<(), Failure> {
        match self.line.end.parse_move(text) {
            Ok(m) => {
                self.line.end.play(m);
                self.line.moves.push(m);
                self.show_board()
            }
            Err(error) => say!("{error} (help lists the commands)"),
        }
    }

    fn resign(&mut self) -> Result<ControlFlow<()>, Failure> {
        if self.line.end.outcome().is_none() {
            let side = self.line.end.to_move();
            say!("{}: {side} resigns", Outcome::Win(!side))?;
            self.store_game(Outcome::Win(!side), EndingKind::Resigned)?;
        }
        Ok(ControlFlow::Break(()))
    }

    fn hint(&mut self) -> Result<(), Failure> {
        match self.hints_by.choose(&self.line, &Turn::default()) {
            Ok(choice) => {
                let text = self.line.end.move_text(choice.m);
                say!("hint: {text}{}", score_text(&choice))
            }
            Err(_) => say!("no hint: the game is over"),
        }
    }

    /// Takes back the last move of a person and the moves after it.
    fn undo(&mut self) -> Result<(), Failure> {
        let movers = positions(&self.line).map(|(position, _)| position.to_move()).enumerate();
        let Some((ply, _)) = movers.filter(|(_, side)| self.is_human(*side)).last() else {
            return say!("nothing to undo");
        };
        while self.line.moves.len() > ply {
            self.line.take_back();
        }
        self.show_board()
    }

    fn list_moves(&mut self) -> Result<(), Failure> {
        let mut texts = Vec::new();
        self.line.end.for_each_move(|m| texts.push(self.line.end.move_text(m)));
        if texts.is_empty() {
            texts.push("none: the game is over".to_string());
        }
        say!("{}", texts.join(" "))
    }

    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        self.saved.position = arguments::position_text(&self.start, &self.line);
        match self.saved.write(path) {
            Ok(()) => say!("saved to {}", path.display()),
            Err(error) => say!("cannot save to {}: {error}", path.display()),
        }
    }

    /// Loads the position of a saved game; the players stay. A bad file changes nothing.
    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        match self.position_in(path) {
            Ok(line) => {
                self.line = line;
                say!("loaded {}", path.display())?;
                self.show_board()
            }
            Err(Failure::BadInput(message)) => say!("cannot load {message}"),
            Err(other) => Err(other),
        }
    }

    fn position_in(&self, path: &Path) -> Result<GameLine, Failure> {
        let saved = SavedGame::read(path)?;
        if saved.game != self.saved.game {
            let problem =
                format!("a game of '{}'; expected one of '{}'", saved.game, self.saved.game);
            return Err(Failure::in_file(path, problem));
        }
        self.start.parse_line(&saved.position).in_file(path)
    }

    fn announce(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let who = match outcome.winner() {
            None => String::new(),
            Some(side) => match &self.players[side.index()] {
                None => " (human)".to_string(),
                Some(player) => format!(" ({})", player.name()),
            },
        };
        say!("game over: {outcome}{who}")?;
        self.store_game(outcome, EndingKind::Rules)
    }

    /// Stores the finished game, if there is a store.
    fn store_game(&self, outcome: Outcome, ending: EndingKind) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let (game, moves) = (&self.saved, self.line.text());
        let record = |spec: &String| PlayerRecord { name: spec.clone(), spec: spec.clone() };
        store.add(&[Record::Game(GameRecord {
            key: format!("play/{}", digest(&[&self.session_id, &moves, ending.word()])),
            event: String::new(),
            game: game.game.clone(),
            players: [&game.first, &game.second].map(record),
            pair: None,
            seed: game.seed,
            start: self.line.start_text(&self.start),
            moves,
            opening_plies: 0,
            outcome,
            ending: Ending::plain(ending),
            thoughts: Vec::new(),
            played_at: tesuji_play::event::now(),
        })])?;
        say!("saved in {}", store.place())
    }

    fn show_prompt(&self, outcome: Option<Outcome>) -> Result<(), Failure> {
        print(match outcome {
            None => self.screen.prompt(&format!("{} to move", self.line.end.to_move())),
            Some(_) => self.screen.prompt("undo, save or quit"),
        })?;
        Ok(io::stdout().flush()?)
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let human = self.players.each_ref().map(Option::is_none);
        let board = self.screen.board(&self.line.end.diagram(), human, &self.last_computer_cells());
        say!("\n{board}")
    }

    /// The cells of the computer's last turn, which has two moves in Connect6.
    fn last_computer_cells(&self) -> Vec<usize> {
        let mut cells = Vec::new();
        let mut previous = None;
        for (position, m) in positions(&self.line) {
            let side = position.to_move();
            if !self.is_human(side) {
                if previous != Some(side) {
                    cells.clear();
                }
                cells.extend(position.cells_of(m).last());
            }
            previous = Some(side);
        }
        cells
    }
}

/// The position before each move of a game.
fn positions(line: &GameLine) -> impl Iterator<Item = (State, Move)> {
    let mut position = line.start.clone();
    line.moves.iter().map(move |&m| {
        let before = position.clone();
        position.play(m);
        (before, m)
    })
}

/// ` (win in 3, depth 9)`, or nothing for a player that does not search.
fn score_text(choice: &Choice) -> String {
    match &choice.report {
        Some(report) if report.depth > 0 => format!(" ({}, depth {})", report.score, report.depth),
        Some(report) => format!(" ({})", report.score),
        None => String::new(),
    }
}
