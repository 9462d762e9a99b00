//! The format of case files and its validation: JSON with one list for each kind of case. Boards
//! are lists of rows; a gem is `[kind, bonus]`, ice is −1 or a layer, a medal is −1 or its part;
//! removals and bonuses are `[row, column, kind, bonus]`.

use serde::Deserialize;
use tesuji_games::rules::gem_island::reference::{PlainBoard, PlainStep};
use tesuji_games::rules::gem_island::updates::PlacedGem;
use tesuji_games::rules::gem_island::{
    Gem, GemCell, MAX_KINDS, MAX_LAYERS, MAX_SIDE, Swap, bonus_of,
};

/// A validated case file.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseFile {
    pub(super) unit_tests: Vec<UnitTest>,
    pub(super) state_strings: Vec<StateString>,
    pub(super) legal_moves: Vec<LegalMoves>,
    pub(super) full_turns_real_game: Vec<TurnCase>,
    pub(super) simulator_turns: Vec<TurnCase>,
    pub(super) evaluations: Vec<EvaluationCase>,
}

/// A step on a small board.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct UnitTest {
    pub(super) name: String,
    /// The board with the swap made, if there is one.
    pub(super) board: PlainBoard,
    pub(super) swap: Option<Swap>,
    pub(super) step: PlainStep,
    pub(super) ice_after: Option<Vec<Vec<i8>>>,
}

/// A board and its text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StateString {
    pub(super) name: String,
    pub(super) board: CaseBoard,
    pub(super) score: u64,
    pub(super) uncovered: u8,
    pub(super) text: String,
}

/// A board and its legal swaps in their order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LegalMoves {
    pub(super) plain: PlainBoard,
    pub(super) swaps: Vec<Swap>,
}

/// A board with the remaining medals and moves.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CaseBoard {
    pub(super) plain: PlainBoard,
    pub(super) medals_left: u8,
    pub(super) moves_left: u16,
}

/// A whole turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TurnCase {
    pub(super) before: CaseBoard,
    pub(super) swap: Swap,
    pub(super) after: CaseBoard,
    pub(super) first_step: Option<PlainStep>,
    pub(super) details: TurnDetails,
}

/// Further results of a turn; `None` where its kind does not record them.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct TurnDetails {
    pub(super) refill_tape: Vec<u8>,
    pub(super) cascade_passes: Option<u32>,
    pub(super) score_after: Option<f64>,
    pub(super) win: Option<bool>,
    pub(super) terminal: Option<bool>,
}

/// The evaluations of a simulated turn.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct EvaluationCase {
    /// The number of the turn.
    pub(super) case: usize,
    pub(super) crude: f64,
    pub(super) heuristic: f64,
    pub(super) binary: f64,
    pub(super) mp: f64,
    pub(super) ir: f64,
    pub(super) gr: f64,
}

/// Why a case file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// Not the expected JSON.
    #[error("not a case file: {0}")]
    Json(#[from] serde_json::Error),
    /// An invalid case.
    #[error("{kind} case {number}: {what}")]
    Case {
        /// The list.
        kind: &'static str,
        /// The place in the list, from 0.
        number: usize,
        /// What is wrong.
        what: String,
    },
    /// No cases.
    #[error(
        "no cases; expected lists such as unit_tests, legal_moves or full_turns_real_game that are not empty"
    )]
    Empty,
}

impl CaseFile {
    /// Reads and validates a file.
    pub fn parse(bytes: &[u8]) -> Result<CaseFile, CaseError> {
        let raw: RawFile = serde_json::from_slice(bytes)?;
        let turns = raw.simulator_turns_with_original_bug;
        let count = turns.len();
        let file = CaseFile {
            unit_tests: each("unit_tests", raw.unit_tests, RawUnitTest::check)?,
            state_strings: each("state_strings", raw.state_strings, RawStateString::check)?,
            legal_moves: each("legal_moves", raw.legal_moves, RawLegalMoves::check)?,
            full_turns_real_game: each(
                "full_turns_real_game",
                raw.full_turns_real_game,
                RawTurn::check,
            )?,
            simulator_turns: each("simulator_turns_with_original_bug", turns, RawTurn::check)?,
            evaluations: each("evaluations", raw.evaluations, |it: EvaluationCase| {
                match it.case {
                    case if case < count => Ok(it),
                    case => Err(format!(
                        "no case {case}; expected less than {count}, the length of simulator_turns_with_original_bug"
                    )),
                }
            })?,
        };
        let turns = file.full_turns_real_game.len() + file.simulator_turns.len();
        let boards = file.unit_tests.len() + file.state_strings.len() + file.legal_moves.len();
        if turns + boards == 0 { Err(CaseError::Empty) } else { Ok(file) }
    }
}

fn each<R, C>(
    kind: &'static str,
    raw: Vec<R>,
    check: impl Fn(R) -> Result<C, String>,
) -> Result<Vec<C>, CaseError> {
    let numbered = raw.into_iter().enumerate();
    numbered
        .map(|(number, raw)| check(raw).map_err(|what| CaseError::Case { kind, number, what }))
        .collect()
}

/// A missing list is empty; an unknown list is an error, since it may be misspelled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default, rename = "about")]
    _about: serde::de::IgnoredAny,
    #[serde(default)]
    unit_tests: Vec<RawUnitTest>,
    #[serde(default)]
    state_strings: Vec<RawStateString>,
    #[serde(default)]
    legal_moves: Vec<RawLegalMoves>,
    #[serde(default)]
    full_turns_real_game: Vec<RawTurn>,
    #[serde(default)]
    simulator_turns_with_original_bug: Vec<RawTurn>,
    #[serde(default)]
    evaluations: Vec<EvaluationCase>,
}

type RawGems = Vec<Vec<[u8; 2]>>;
type RawLayer = Vec<Vec<i8>>;
type RawSwap = [[u8; 2]; 2];
type RawPlaced = [u8; 4];

#[derive(Deserialize)]
struct RawUnitTest {
    name: String,
    rows: usize,
    cols: usize,
    gems_before_swap: RawGems,
    swap: Option<RawSwap>,
    swap_applied: bool,
    gems: RawGems,
    removals: Vec<RawPlaced>,
    bonuses_created: Vec<RawPlaced>,
    ice_before: Option<RawLayer>,
    ice_after: Option<RawLayer>,
}

impl RawUnitTest {
    fn check(self) -> Result<UnitTest, String> {
        let mut before = plain(self.gems_before_swap, self.ice_before, None)?;
        let board = PlainBoard { ice: before.ice.clone(), ..plain(self.gems, None, None)? };
        if (board.rows(), board.columns()) != (self.rows, self.cols) || !same_size(&board, &before)
        {
            return Err("the board's size differs from rows and cols".to_string());
        }
        let swap = self.swap.map(|raw| swap(raw, &board)).transpose()?;
        if let (Some(swap), true) = (swap, self.swap_applied) {
            before.exchange(swap);
        }
        if before.gems != board.gems {
            return Err("gems_before_swap and swap do not give gems".to_string());
        }
        let step = step(&self.removals, &self.bonuses_created, &board)?;
        let ice_after = self.ice_after.map(|layer| ice(layer, &board)).transpose()?;
        Ok(UnitTest { name: self.name, board, swap, step, ice_after })
    }
}

#[derive(Deserialize)]
struct RawStateString {
    name: String,
    gems: RawGems,
    ice: RawLayer,
    medals: RawLayer,
    score: u64,
    medals_uncovered: u8,
    state_string: String,
}

impl RawStateString {
    fn check(self) -> Result<StateString, String> {
        let plain = plain(self.gems, Some(self.ice), Some(self.medals))?;
        let medals_left = plain.cells().filter(|cell| plain.portion(*cell) == 0).count() as u8;
        let uncovered = self.medals_uncovered;
        if medals_left.checked_add(uncovered).is_none() {
            return Err(format!(
                "too many medals: {medals_left} left and {uncovered} freed; expected at most 255"
            ));
        }
        Ok(StateString {
            name: self.name,
            board: CaseBoard { medals_left, moves_left: 1, plain },
            score: self.score,
            uncovered,
            text: self.state_string,
        })
    }
}

#[derive(Deserialize)]
struct RawLegalMoves {
    gem_types: Vec<Vec<u8>>,
    legal_moves: Vec<RawSwap>,
}

impl RawLegalMoves {
    fn check(self) -> Result<LegalMoves, String> {
        let row = |row: Vec<u8>| row.into_iter().map(|kind| [kind, 0]).collect();
        let plain = plain(self.gem_types.into_iter().map(row).collect(), None, None)?;
        let swaps: Result<Vec<Swap>, String> =
            self.legal_moves.into_iter().map(|raw| swap(raw, &plain)).collect();
        Ok(LegalMoves { swaps: swaps?, plain })
    }
}

#[derive(Deserialize)]
struct RawTurn {
    gems: RawGems,
    ice: RawLayer,
    medals: RawLayer,
    medals_remaining: u8,
    moves_remaining: u16,
    swap: RawSwap,
    first_removals: Option<Vec<RawPlaced>>,
    first_bonuses: Option<Vec<RawPlaced>>,
    gems_after: RawGems,
    ice_after: RawLayer,
    medals_after: RawLayer,
    medals_remaining_after: u8,
    moves_remaining_after: u16,
    #[serde(flatten)]
    details: TurnDetails,
}

impl RawTurn {
    fn check(self) -> Result<TurnCase, String> {
        let before = plain(self.gems, Some(self.ice), Some(self.medals))?;
        let after = plain(self.gems_after, Some(self.ice_after), Some(self.medals_after))?;
        if !same_size(&before, &after) {
            return Err("the board has another size after the turn".to_string());
        }
        if self.moves_remaining == 0 || self.medals_remaining == 0 {
            return Err("the game is over before the turn".to_string());
        }
        if let Some(kind) = self.details.refill_tape.iter().find(|kind| **kind >= MAX_KINDS) {
            return Err(wrong_kind(*kind));
        }
        let swap = swap(self.swap, &before)?;
        let first_step = match (self.first_removals, self.first_bonuses) {
            (None, None) => None,
            (removals, bonuses) => {
                Some(step(&removals.unwrap_or_default(), &bonuses.unwrap_or_default(), &before)?)
            }
        };
        let (medals_left, moves_left) = (self.medals_remaining, self.moves_remaining);
        let before = CaseBoard { plain: before, medals_left, moves_left };
        let (medals_left, moves_left) = (self.medals_remaining_after, self.moves_remaining_after);
        let after = CaseBoard { plain: after, medals_left, moves_left };
        Ok(TurnCase { before, swap, after, first_step, details: self.details })
    }
}

fn plain(
    gems: RawGems,
    layer: Option<RawLayer>,
    medals: Option<RawLayer>,
) -> Result<PlainBoard, String> {
    let (rows, columns) = (gems.len(), gems.first().map_or(0, Vec::len));
    let sides = 1..=usize::from(MAX_SIDE);
    if !sides.contains(&rows) || !sides.contains(&columns) {
        return Err(format!(
            "a board of {rows} rows and {columns} columns; expected 1 to {MAX_SIDE}"
        ));
    }
    if gems.iter().any(|row| row.len() != columns) {
        return Err("the rows of gems have different lengths".to_string());
    }
    let row = |row: &Vec<[u8; 2]>| row.iter().map(|[kind, bonus]| gem(*kind, *bonus)).collect();
    let gems: Result<Vec<Vec<Gem>>, String> = gems.iter().map(row).collect();
    let mut plain = PlainBoard::bare(gems?);
    if let Some(layer) = layer {
        plain.ice = ice(layer, &plain)?;
    }
    if let Some(layer) = medals {
        plain.medals = sized("medals", layer, &plain, -1..=3)?;
        check_medals(&plain)?;
    }
    Ok(plain)
}

fn gem(kind: u8, bonus: u8) -> Result<Gem, String> {
    match (kind, bonus) {
        (MAX_KINDS.., _) => Err(wrong_kind(kind)),
        (_, 4..) => Err(format!("bonus {bonus}; expected 0 to 3")),
        _ => Ok(Gem { kind, bonus: bonus_of(bonus) }),
    }
}

fn wrong_kind(kind: u8) -> String {
    format!("gem kind {kind}; expected 0 to {}", MAX_KINDS - 1)
}

fn ice(layer: RawLayer, board: &PlainBoard) -> Result<Vec<Vec<i8>>, String> {
    sized("ice", layer, board, -1..=MAX_LAYERS as i8 - 1)
}

fn sized(
    name: &str,
    layer: RawLayer,
    board: &PlainBoard,
    range: std::ops::RangeInclusive<i8>,
) -> Result<RawLayer, String> {
    let fits = layer.len() == board.rows() && layer.iter().all(|row| row.len() == board.columns());
    if !fits {
        return Err(format!("{name} and gems have different sizes"));
    }
    match layer.iter().flatten().find(|number| !range.contains(number)) {
        None => Ok(layer),
        Some(number) => {
            let (least, most) = (range.start(), range.end());
            Err(format!("{name}: {number}; expected {least} to {most}"))
        }
    }
}

/// Checks that every medal has all its four parts, and no part is alone.
fn check_medals(plain: &PlainBoard) -> Result<(), String> {
    let whole = |cell: &GemCell| {
        (0..4u8).all(|portion| {
            let (row, column) = (cell.row + (portion >> 1), cell.column + (portion & 1));
            let inside = usize::from(row) < plain.rows() && usize::from(column) < plain.columns();
            inside && plain.portion(GemCell::new(row, column)) == portion as i8
        })
    };
    let corners: Vec<GemCell> = plain.cells().filter(|cell| plain.portion(*cell) == 0).collect();
    let parts = plain.cells().filter(|cell| plain.portion(*cell) >= 0).count();
    if corners.len() > 255 {
        return Err("more than 255 medals".to_string());
    }
    if corners.iter().all(whole) && parts == 4 * corners.len() {
        Ok(())
    } else {
        Err("incomplete medal; expected the parts 0 1 above 2 3".to_string())
    }
}

fn swap([[a, b], [c, d]]: RawSwap, board: &PlainBoard) -> Result<Swap, String> {
    let swap = Swap { first: cell(a, b, board)?, second: cell(c, d, board)? };
    if swap.first.touches(swap.second) {
        Ok(swap)
    } else {
        Err(format!("swap {swap}: the two cells are not adjacent"))
    }
}

fn cell(row: u8, column: u8, board: &PlainBoard) -> Result<GemCell, String> {
    if usize::from(row) < board.rows() && usize::from(column) < board.columns() {
        Ok(GemCell::new(row, column))
    } else {
        Err(format!("row {row} column {column} is not on the board"))
    }
}

/// Sorts a step's removals and bonuses by cell.
fn step(
    removals: &[RawPlaced],
    bonuses: &[RawPlaced],
    board: &PlainBoard,
) -> Result<PlainStep, String> {
    let sorted = |list: &[RawPlaced]| -> Result<Vec<PlacedGem>, String> {
        let placed = list.iter().map(|[row, column, kind, bonus]| {
            Ok(PlacedGem { cell: cell(*row, *column, board)?, gem: gem(*kind, *bonus)? })
        });
        let mut placed = placed.collect::<Result<Vec<PlacedGem>, String>>()?;
        placed.sort_by_key(|placed| placed.cell);
        Ok(placed)
    };
    Ok(PlainStep { removed: sorted(removals)?, created: sorted(bonuses)? })
}

fn same_size(a: &PlainBoard, b: &PlainBoard) -> bool {
    (a.rows(), a.columns()) == (b.rows(), b.columns())
}
