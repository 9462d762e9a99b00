//! Renju: five in a row, in which the first side (black) wins with exactly five and may not make an
//! overline, two fours or two threes with one stone, which reduces the advantage of the first move.
//! The second side (white) wins with five or more and may play anywhere. These are the rules of the
//! Renju International Federation, without the opening rules.
//!
//! [`Mnk`] implements everything except the forbidden points, which are in `forbidden`. When black
//! has empty cells, but all of them are forbidden, the game is drawn (in a tournament black would
//! pass).

mod forbidden;

use super::mnk::line_board::LineBoard;
use super::mnk::{MAX_SIDE, Mnk, MnkRules, MnkUndo};
use crate::notation::NotationError;
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo};
use crate::{
    BoardStyle, Diagram, Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Reference,
    RowGrid, RowPosition, RowRule, Side, Spec, SpecError, State, Symmetry, Tactics,
};

/// The minimum side of a board: one row of five.
pub const MIN_SIDE: usize = 5;

/// A position of renju.
#[derive(Clone, Debug)]
pub struct Renju {
    game: Mnk<LineBoard>,
    /// Whether black is to move and all empty cells are forbidden.
    stuck: bool,
}

impl Renju {
    /// The empty board. `None` if a side is shorter than [`MIN_SIDE`] or longer than [`MAX_SIDE`].
    pub fn new(width: usize, height: usize) -> Option<Renju> {
        let rules = MnkRules::new(width, height, 5)?;
        let game = Mnk::new(rules.with_rule(RowRule::Renju));
        (width.min(height) >= MIN_SIDE).then_some(Renju { game, stuck: false })
    }

    /// Whether the side to move may play on an empty cell.
    #[inline]
    fn allows(&self, cell: u16) -> bool {
        self.game.to_move() == Side::Second || !forbidden::is_forbidden(&self.game, cell)
    }

    fn nth_move(&self, n: u32) -> Option<u16> {
        let (mut place, mut found) = (0, None);
        self.for_each_move(|cell| {
            found = if place == n { Some(cell) } else { found };
            place += 1;
        });
        found
    }

    /// Puts stones on the empty board; see [`Mnk::set_up`].
    pub(crate) fn set_up(&mut self, stones: &[(usize, Side)]) {
        self.game.set_up(stones);
        self.stuck = self.game.outcome().is_none() && !self.may_move();
    }

    fn may_move(&self) -> bool {
        let mut found = false;
        self.game.for_each_move(|cell| found = found || self.allows(cell));
        found
    }
}

/// The number of random attempts to find a cell that is not forbidden, before all legal cells are
/// counted.
const MAX_TRIES: usize = 16;

impl Position for Renju {
    type Move = u16;
    type Undo = MnkUndo;
    const FINDS_WINS: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.stuck { Some(Outcome::Draw) } else { self.game.outcome() }
    }

    #[inline]
    fn key(&self) -> u64 {
        self.game.key()
    }

    fn for_each_move(&self, mut each: impl FnMut(u16)) {
        if self.outcome().is_none() {
            self.game.for_each_move(|cell| {
                if self.allows(cell) {
                    each(cell);
                }
            });
        }
    }

    fn is_legal(&self, cell: u16) -> bool {
        self.outcome().is_none() && self.game.is_legal(cell) && self.allows(cell)
    }

    fn play(&mut self, cell: u16) -> MnkUndo {
        let undo = self.game.play(cell);
        self.stuck = self.game.outcome().is_none() && !self.may_move();
        undo
    }

    fn undo(&mut self, cell: u16, undo: MnkUndo) {
        self.game.undo(cell, undo);
        self.stuck = false;
    }

    #[inline]
    fn move_index(&self, cell: u16) -> usize {
        self.game.move_index(cell)
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        self.game.num_move_indices()
    }

    fn random_move(&self, rng: &mut Rng) -> u16 {
        let tried =
            (0..MAX_TRIES).map(|_| self.game.random_move(rng)).find(|&cell| self.allows(cell));
        tried.unwrap_or_else(|| {
            let wanted = below(rng, self.move_count() as u32);
            self.nth_move(wanted).expect("random_move needs a position with legal moves")
        })
    }

    /// Five is never forbidden.
    #[inline]
    fn winning_move(&self) -> Option<u16> {
        if self.stuck { None } else { self.game.winning_move() }
    }
}

impl Heuristic for Renju {
    const NEARLY_EQUAL: i32 = 75;

    fn evaluate(&self) -> i32 {
        self.game.evaluate()
    }
}

impl MoveOrder for Renju {
    fn move_score(&self, cell: u16) -> i32 {
        self.game.move_score(cell)
    }
}

impl Symmetry for Renju {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        self.game.for_each_image(&mut |game| each(Renju { game, stuck: self.stuck }));
    }

    fn canonical_key(&self) -> u64 {
        self.game.canonical_key()
    }
}

/// As in [`Mnk`], but an answer on a forbidden point is not legal, so it is not forced.
impl Tactics for Renju {
    fn push_forcing_moves(&self, buffer: &mut Vec<u16>) {
        buffer.extend(self.forcing_move());
    }

    fn may_stand_pat(&self) -> bool {
        self.forced_answer().is_none()
    }
}

impl Renju {
    #[inline]
    pub(crate) fn forcing_move(&self) -> Option<u16> {
        self.winning_move().or_else(|| self.forced_answer())
    }

    fn forced_answer(&self) -> Option<u16> {
        self.game.threat_to_answer().filter(|&cell| self.is_legal(cell))
    }
}

impl Notation for Renju {
    fn move_text(&self, cell: u16) -> String {
        self.game.move_text(cell)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u16, &'t str), NotationError> {
        self.game.read_move(text)
    }
}

impl Draw for Renju {
    fn diagram(&self) -> Diagram {
        self.game.diagram()
    }

    fn cells_of(&self, cell: u16) -> Vec<usize> {
        self.game.cells_of(cell)
    }

    fn style(&self) -> BoardStyle {
        BoardStyle::KAYA
    }
}

impl Reference for Renju {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let (outcome, mut stuck) = (self.game.outcome_by_scan(), self.to_move() == Side::First);
        self.game.for_each_move(|cell| {
            stuck = stuck && forbidden::is_forbidden_by_scan(&self.game, cell);
        });
        outcome.or(stuck.then_some(Outcome::Draw))
    }

    fn key_by_scan(&self) -> u64 {
        self.game.key_by_scan()
    }
}

impl RowPosition for Renju {
    fn grid(&self) -> RowGrid {
        self.game.grid()
    }

    fn row_rule(&self) -> RowRule {
        self.game.row_rule()
    }

    fn cell(&self, cell: u16) -> usize {
        self.game.cell(cell)
    }

    fn stone_at(&self, cell: usize) -> Option<Side> {
        self.game.stone_at(cell)
    }

    fn move_to(&self, cell: usize) -> Option<u16> {
        self.game.move_to(cell).filter(|&cell| self.is_legal(cell))
    }
}

crate::capabilities!(Renju: Heuristic, MoveOrder, Symmetry, Tactics, RowPosition, Reference);

/// The registry entry of renju.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "renju",
        title: "Renju",
        summary: "Renju: five in a row, overlines, double fours and double threes forbidden to black",
        rules: "As Gomoku, but black, who moves first, may not make a double three, a double four or \
            more than five in a row, and needs exactly five. Forbidden points are marked.",
        options: &[("WIDTHxHEIGHT", "the board, sides from 5 to 20 (default 15x15)")],
        presets: &[],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let size = spec.size()?.unwrap_or(vec![15, 15]);
    let start = match size[..] {
        [width, height] => Renju::new(width, height),
        _ => None,
    };
    let start = start.ok_or_else(|| {
        let text: Vec<String> = size.iter().map(usize::to_string).collect();
        let expected =
            format!("WIDTHxHEIGHT with sides from {MIN_SIDE} to {MAX_SIDE}, such as renju:15x15");
        spec.bad_value("size", &text.join("x"), &expected)
    })?;
    spec.finish()?;
    Ok(State::new(start))
}
