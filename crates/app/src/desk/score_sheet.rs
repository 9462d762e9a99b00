//! A game under way whose list of moves was read once. To answer a move takes no second reading:
//! the player chooses, its move is written down, and the new position is shown.

use tesuji_games::{Line, Move, Notation, Position};
use tesuji_search::Game;

use super::snapshot::{self, Written, step};
use super::{ChosenMove, DeskError, PlayedMove, Snapshot, line, thinking, variety};
use tesuji_play::{Choice, Player, PlayerContext, PlayerSpec, Turn};

/// The moves of a game so far, each as it is written, and the position after them.
pub struct ScoreSheet {
    game: Game,
    line: Line,
    written: Written,
}

impl ScoreSheet {
    /// Reads a list of moves.
    pub fn read(game: &Game, moves: &str) -> Result<ScoreSheet, DeskError> {
        let line = line(game, moves)?;
        let written = Written::of(game.start(), &line);
        Ok(ScoreSheet { game: game.clone(), line, written })
    }

    /// The same if there is something left to play.
    pub fn unfinished(self) -> Result<ScoreSheet, DeskError> {
        if self.line.end.outcome().is_some() { Err(DeskError::Over) } else { Ok(self) }
    }

    /// The text by which the game was opened.
    pub fn game(&self) -> &str {
        self.game.name()
    }

    /// The game so far.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The moves as text that can be given back; begins with the start, if that is not the usual
    /// one. However the moves were spelled, the same position by the same moves has the same text.
    pub fn position(&self) -> &str {
        &self.written.position
    }

    /// Where the game started, if not at its usual start.
    pub fn start(&self) -> Option<&str> {
        self.written.start.as_deref()
    }

    /// What was played.
    pub fn played(&self) -> &[PlayedMove] {
        &self.written.played
    }

    /// What a player plays here.
    pub fn choose(&self, player: &mut dyn Player, turn: &Turn) -> Result<Choice, DeskError> {
        Ok(player.choose(&self.line, turn)?)
    }

    /// What a player chose here, or another move that it values equally, or nearly so in the
    /// opening: another seed, another game.
    pub fn varied(
        &self,
        choice: Choice,
        player: &PlayerSpec,
        context: &PlayerContext,
        turn: &Turn,
        seed: u64,
    ) -> Result<Choice, DeskError> {
        variety::vary(choice, &self.line, player, context, turn, seed)
    }

    /// A choice as data.
    pub fn chosen(&self, choice: &Choice) -> ChosenMove {
        thinking::chosen(&self.line.end, choice)
    }

    /// Plays a move.
    pub fn play(&mut self, m: Move) -> Result<(), DeskError> {
        let before = self.line.end.clone();
        self.line.play(m).map_err(|error| DeskError::Position(error.to_string()))?;
        self.written.add(step(&before, m), before.separator());
        Ok(())
    }

    /// Plays a move that is given as text.
    pub fn play_text(&mut self, m: &str) -> Result<(), DeskError> {
        if self.line.end.outcome().is_some() {
            return Err(DeskError::Over);
        }
        let parsed = self.line.end.parse_move(m.trim());
        self.play(parsed.map_err(|error| DeskError::Position(error.to_string()))?)
    }

    /// The position as it is shown.
    pub fn snapshot(self) -> Snapshot {
        snapshot::of(&self.line.end, self.written)
    }
}
