//! The conversation at the board: one line in, the consequences out. Nothing a person types ends it but
//! `quit`, `resign` and the end of input.

use std::io::{self, Write};
use std::path::Path;

use tesuji_games::{Draw, Line, Notation, Outcome, Position, Side, SpecError, State};
use tesuji_play::{Choice, Player, PlayerContext, PlayerSpec, Turn};
use tesuji_store::{Ending, EndingKind};

use super::keeper::Keeper;
use super::saved::SavedGame;
use super::screen::{Ink, Screen};
use crate::failure::Failure;
use crate::input::read_line;
use crate::progress::Progress;
use crate::setting;

/// What can be typed.
pub(super) const COMMANDS: &str = "  \
  a move       such as the ones that 'moves' lists
  moves        the legal moves
  board        the board once more
  hint         what the computer would play
  undo         take back your last move and what followed
  save FILE    save the game
  load FILE    go on with a saved game
  resign       give up
  quit         leave
";

/// Who plays a side.
pub(super) enum Seat {
    Human,
    Computer(Box<dyn Player>),
}

impl Seat {
    /// The seat of the player that the text names.
    pub(super) fn take(text: &str, context: &PlayerContext) -> Result<Seat, SpecError> {
        let spec: PlayerSpec = tesuji_players::player(text)?;
        if tesuji_players::is_human(&spec) {
            Ok(Seat::Human)
        } else {
            Ok(Seat::Computer(spec.build(context)?))
        }
    }

    fn is_human(&self) -> bool {
        matches!(self, Seat::Human)
    }
}

/// One sitting.
pub(super) struct Session {
    start: State,
    line: Line,
    seats: [Seat; 2],
    hints_by: Box<dyn Player>,
    screen: Screen,
    saved: SavedGame,
    keeper: Option<Keeper>,
}

enum Next {
    Stay,
    Leave,
}

impl Session {
    pub(super) fn new(
        start: State,
        line: Line,
        seats: [Seat; 2],
        hints_by: Box<dyn Player>,
        screen: Screen,
        saved: SavedGame,
        keeper: Option<Keeper>,
    ) -> Self {
        Session { start, line, seats, hints_by, screen, saved, keeper }
    }

    /// Plays until somebody leaves or, without a person, the game is over.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        self.show_board()?;
        let mut announced = false;
        loop {
            let outcome = self.line.end.outcome();
            match outcome {
                None if !self.is_humans_turn() => {
                    self.computer_moves()?;
                    continue;
                }
                Some(outcome) if !announced => self.announce(outcome)?,
                _ => {}
            }
            announced = outcome.is_some();
            let nobody_there = !self.seats.iter().any(Seat::is_human);
            if nobody_there {
                return Ok(());
            }
            self.show_prompt(outcome)?;
            let Some(text) = read_line(&mut input)? else {
                return Ok(());
            };
            if let Next::Leave = self.obey(text.trim())? {
                return Ok(());
            }
        }
    }

    fn is_humans_turn(&self) -> bool {
        self.seats[self.line.end.to_move().index()].is_human()
    }

    fn computer_moves(&mut self) -> Result<(), Failure> {
        let side = self.line.end.to_move();
        let Seat::Computer(player) = &mut self.seats[side.index()] else { return Ok(()) };
        let thinking = Progress::new(None, "moves");
        thinking.show(0, || format!("{} is thinking", player.name()));
        let choice = player
            .choose(&self.line, &Turn::default())
            .map_err(|error| Failure::Undone(error.to_string()))?;
        drop(thinking);
        let (name, text) = (player.name().to_string(), self.line.end.move_text(choice.m));
        let thought = thought(&choice);
        self.line
            .play(choice.m)
            .map_err(|error| Failure::Undone(format!("{name} chose {text}: {error}")))?;
        let text = self.screen.paint(Ink::LastComputerMove, &text);
        self.say(&format!("{side} ({name}) plays {text}{thought}"))?;
        self.show_board()
    }

    fn obey(&mut self, text: &str) -> Result<Next, Failure> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match (word, rest.trim()) {
            ("", _) => {}
            ("quit" | "exit", "") => return Ok(Next::Leave),
            ("resign", "") => return self.resign(),
            ("help" | "?", "") => self.say(COMMANDS.trim_end())?,
            ("board", "") => self.show_board()?,
            ("moves", "") => self.list_moves()?,
            ("hint", "") => self.hint()?,
            ("undo", "") => self.undo()?,
            ("save" | "load", "") => {
                self.say(&format!("{word} what? Such as: {word} game.json"))?
            }
            ("save", file) => self.save(Path::new(file))?,
            ("load", file) => self.load(Path::new(file))?,
            _ => self.play(text)?,
        }
        Ok(Next::Stay)
    }

    fn play(&mut self, text: &str) -> Result<(), Failure> {
        match self.line.end.parse_move(text) {
            Ok(m) => {
                self.line.end.play(m);
                self.line.moves.push(m);
                self.show_board()
            }
            Err(error) => self.say(&format!("{error} (help lists the commands)")),
        }
    }

    fn resign(&mut self) -> Result<Next, Failure> {
        if self.line.end.outcome().is_none() {
            let side = self.line.end.to_move();
            self.say(&format!("{}: {side} resigns", Outcome::Win(!side)))?;
            self.keep(Outcome::Win(!side), EndingKind::Resigned)?;
        }
        Ok(Next::Leave)
    }

    fn hint(&mut self) -> Result<(), Failure> {
        match self.hints_by.choose(&self.line, &Turn::default()) {
            Ok(choice) => {
                let text = self.line.end.move_text(choice.m);
                self.say(&format!("hint: {text}{}", thought(&choice)))
            }
            Err(_) => self.say("no hint: the game is over"),
        }
    }

    /// Goes back to before the last move of a person.
    fn undo(&mut self) -> Result<(), Failure> {
        let sides = movers(&self.line);
        let Some(ply) = sides.iter().rposition(|side| self.seats[side.index()].is_human()) else {
            return self.say("nothing to undo");
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
        self.say(&texts.join(" "))
    }

    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        self.saved.position = setting::position_text(&self.start, &self.line);
        match self.saved.write(path) {
            Ok(()) => self.say(&format!("saved to {}", path.display())),
            Err(error) => self.say(&format!("cannot save to {}: {error}", path.display())),
        }
    }

    /// Takes over the position of a saved game; the players stay. A file that is no good changes nothing.
    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        match self.position_in(path) {
            Ok(line) => {
                self.line = line;
                self.say(&format!("loaded {}", path.display()))?;
                self.show_board()
            }
            Err(Failure::BadInput(message)) => self.say(&format!("cannot load {message}")),
            Err(other) => Err(other),
        }
    }

    fn position_in(&self, path: &Path) -> Result<Line, Failure> {
        let saved = SavedGame::read(path)?;
        if saved.game != self.saved.game {
            let problem =
                format!("it is a game of '{}', this one is '{}'", saved.game, self.saved.game);
            return Err(Failure::in_file(path, problem));
        }
        setting::position(&self.start, &[saved.position])
            .map_err(|error| Failure::in_file(path, error))
    }

    fn announce(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let who = match outcome.winner() {
            None => String::new(),
            Some(side) => match &self.seats[side.index()] {
                Seat::Human => " (human)".to_string(),
                Seat::Computer(player) => format!(" ({})", player.name()),
            },
        };
        self.say(&format!("game over: {outcome}{who}"))?;
        self.keep(outcome, EndingKind::Rules)
    }

    fn keep(&self, outcome: Outcome, ending: EndingKind) -> Result<(), Failure> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let end = (outcome, Ending::plain(ending));
        self.say(&keeper.keep(&self.saved, &self.start, &self.line, end)?)
    }

    fn show_prompt(&self, outcome: Option<Outcome>) -> Result<(), Failure> {
        let prompt = match outcome {
            None => self.screen.prompt(&format!("{} to move", self.line.end.to_move())),
            Some(_) => self.screen.prompt("undo, save or quit"),
        };
        let mut out = io::stdout().lock();
        write!(out, "{prompt}")?;
        Ok(out.flush()?)
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let human = [self.seats[0].is_human(), self.seats[1].is_human()];
        let board = self.screen.board(&self.line.end.diagram(), human, &self.last_computer_cells());
        self.say(&format!("\n{board}"))
    }

    /// Where the computer arrived in its last turn, which at Connect6 has two moves.
    fn last_computer_cells(&self) -> Vec<usize> {
        let mut position = self.line.start.clone();
        let mut cells = Vec::new();
        let mut previous = None;
        for &m in &self.line.moves {
            let side = position.to_move();
            if !self.seats[side.index()].is_human() {
                if previous != Some(side) {
                    cells.clear();
                }
                cells.extend(position.cells_of(m).last());
            }
            previous = Some(side);
            position.play(m);
        }
        cells
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(io::stdout(), "{text}")?)
    }
}

/// Who made each move of a game.
fn movers(line: &Line) -> Vec<Side> {
    let mut position = line.start.clone();
    let mut sides = Vec::with_capacity(line.moves.len());
    for &m in &line.moves {
        sides.push(position.to_move());
        position.play(m);
    }
    sides
}

/// ` (win in 3, depth 9)`, or nothing for a player that does not think.
fn thought(choice: &Choice) -> String {
    match &choice.report {
        Some(report) if report.depth > 0 => format!(" ({}, depth {})", report.score, report.depth),
        Some(report) => format!(" ({})", report.score),
        None => String::new(),
    }
}
