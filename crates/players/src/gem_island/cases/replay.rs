//! The implementations that replay cases: the rules on bit planes, with both mask widths, and the
//! rules on plain arrays.

use std::sync::Arc;

use tesuji_games::random::seeded;
use tesuji_games::rules::gem_island::reference::{self, PlainBoard, PlainStep, RuleVariant};
use tesuji_games::rules::gem_island::text::GemSnapshot;
use tesuji_games::rules::gem_island::updates::{PassUpdate, Recorder};
use tesuji_games::rules::gem_island::{
    Fidelity, GemGrid, GemIsland, GemRules, GemSettings, MAX_KINDS, MAX_LAYERS, Mask,
    RecordedRefill, Swap, WideMask,
};
use tesuji_search::flat_ucb::RolloutValue;
use tesuji_search::gem_island::{Evaluation, EvaluationTerms, HumanWeights};

use super::file::{CaseBoard, StateString, TurnCase, UnitTest};

type Ice = Vec<Vec<i8>>;

/// An implementation of the rules.
pub(super) struct Implementation {
    pub(super) name: &'static str,
    /// Returns the legal swaps of bare gems.
    pub(super) legal_swaps: fn(&PlainBoard) -> Vec<Swap>,
    /// Returns the first step on a board whose swap is made, and the ice after it. The fast rules
    /// play whole swaps and return `None` when no swap leads to this step.
    pub(super) step: fn(&UnitTest) -> Option<(PlainStep, Ice)>,
    /// Returns the snapshot of a board.
    pub(super) snapshot: fn(&StateString) -> GemSnapshot,
    /// Plays the whole turn; `None` when the swap is illegal.
    pub(super) turn: fn(&TurnCase, Fidelity) -> Option<ReplayedTurn>,
    /// Returns the evaluations of the turn: crude, heuristic, binary, and the three parts of the
    /// heuristic.
    pub(super) evaluations: fn(&TurnCase) -> [f64; 6],
}

impl Implementation {
    /// Returns the fast rules with the narrowest mask for the board and with wide masks, and the
    /// slow rules.
    pub(super) fn all(board: &PlainBoard) -> [Implementation; 3] {
        let narrow = match GemGrid::<u128>::new(settings(board)) {
            Some(_) => Implementation::fast::<u128>("bit planes"),
            None => Implementation::fast::<WideMask>("bit planes"),
        };
        let slow = Implementation {
            name: "plain arrays",
            legal_swaps: PlainBoard::legal_swaps,
            step: plain_step,
            snapshot: |case| GemSnapshot::of_plain(&case.board.plain, case.score, case.uncovered),
            turn: plain_turn,
            evaluations: plain_evaluations,
        };
        [narrow, Implementation::fast::<WideMask>("wide bit planes"), slow]
    }

    fn fast<M: Mask>(name: &'static str) -> Implementation {
        Implementation {
            name,
            legal_swaps: fast_legal_swaps::<M>,
            step: fast_step::<M>,
            snapshot: fast_snapshot::<M>,
            turn: fast_turn::<M>,
            evaluations: fast_evaluations::<M>,
        }
    }
}

/// The result of a turn.
pub(super) struct ReplayedTurn {
    pub(super) first_step: PlainStep,
    pub(super) after: PlainBoard,
    pub(super) medals_left: u8,
    pub(super) moves_left: u16,
    pub(super) passes: u32,
    pub(super) draws: usize,
    score: f64,
}

impl ReplayedTurn {
    /// Returns the score with the bonus of a win; a recorded turn is the first of its game.
    pub(super) fn final_score(&self) -> f64 {
        let won = self.medals_left == 0;
        if won { self.score + self.score * f64::from(self.moves_left) } else { self.score }
    }
}

fn fast_legal_swaps<M: Mask>(plain: &PlainBoard) -> Vec<Swap> {
    let board = CaseBoard { plain: plain.clone(), medals_left: 1, moves_left: 1 };
    game::<M>(&board, Fidelity::Exact).legal_swaps()
}

fn plain_step(case: &UnitTest) -> Option<(PlainStep, Ice)> {
    let (step, mut after) = (case.board.step(case.swap, GemRules::Original), case.board.clone());
    after.apply(&step, 1, Fidelity::Exact);
    Some((step, after.ice))
}

fn fast_step<M: Mask>(case: &UnitTest) -> Option<(PlainStep, Ice)> {
    // Without a swap, any swap that does not affect the step will do.
    let swap = case.swap.or_else(|| indifferent_swap(&case.board))?;
    let (mut plain, mut ice) = (case.board.clone(), case.board.ice.clone());
    plain.exchange(swap);
    let mut game = game::<M>(&CaseBoard { plain, medals_left: 1, moves_left: 1 }, Fidelity::Exact);
    let grid = game.grid().clone();
    let mut recorder = Recorder::new(&grid);
    game.play(swap, &mut RecordedRefill::new(&[], seeded(1)), &mut recorder);
    let pass = recorder.passes.into_iter().find(|pass| pass.number == 1).unwrap_or_default();
    for broken in &pass.ice {
        ice[usize::from(broken.cell.row)][usize::from(broken.cell.column)] =
            broken.layers as i8 - 1;
    }
    Some((step_of(pass), ice))
}

fn plain_evaluations(turn: &TurnCase) -> [f64; 6] {
    let (root, end) = (&turn.before.plain, &turn.after.plain);
    let medals = u32::from(turn.before.medals_left);
    [
        reference::crude(medals, end),
        reference::heuristic(medals, root, end),
        reference::none(end),
        reference::medal_progress(medals, end),
        reference::ice_removed(root, end),
        reference::gems_changed(root, end),
    ]
}

fn fast_evaluations<M: Mask>(turn: &TurnCase) -> [f64; 6] {
    let start = game::<M>(&turn.before, Fidelity::Original).view();
    let end = game::<M>(&turn.after, Fidelity::Original);
    let parts = EvaluationTerms::of(&start, &end);
    let human = Evaluation::Human(HumanWeights::default());
    let [crude, human, none] = [Evaluation::Crude, human, Evaluation::None]
        .map(|mut evaluation| evaluation.value(&start, &end, 0.0));
    [crude, human, none, parts.medals, parts.ice, parts.gems]
}

fn settings(plain: &PlainBoard) -> GemSettings {
    GemSettings {
        rows: plain.rows() as u8,
        columns: plain.columns() as u8,
        kinds: MAX_KINDS,
        ice_rows: plain.rows() as u8,
        ice_layers: MAX_LAYERS,
        medals: 1,
        moves: 1,
        rules: GemRules::Original,
    }
}

/// Makes a game of the board. Boards that are too wide for the widest mask were refused when the
/// file was read.
fn game<M: Mask>(board: &CaseBoard, fidelity: Fidelity) -> GemIsland<M> {
    let CaseBoard { plain, medals_left, moves_left } = board;
    let settings = GemSettings { medals: *medals_left, moves: *moves_left, ..settings(plain) };
    let mut grid =
        GemGrid::<M>::new(settings).expect("a board of a case file fits the widest mask");
    grid.fidelity = fidelity;
    let planes = plain.board(&grid);
    GemIsland::new(Arc::new(grid), planes, *medals_left, *moves_left)
}

/// Finds a swap of two adjacent cells that does not move a bonus.
fn indifferent_swap(plain: &PlainBoard) -> Option<Swap> {
    let expected = plain.step(None, GemRules::Original);
    let pairs = plain.cells().flat_map(|first| plain.cells().map(move |second| (first, second)));
    pairs
        .filter(|(first, second)| first.touches(*second))
        .map(|(first, second)| Swap { first, second })
        .find(|swap| plain.step(Some(*swap), GemRules::Original) == expected)
}

fn step_of(pass: PassUpdate) -> PlainStep {
    PlainStep { removed: pass.removals, created: pass.created }
}

fn fast_snapshot<M: Mask>(case: &StateString) -> GemSnapshot {
    let uncovered = case.uncovered;
    let board = CaseBoard { medals_left: case.board.medals_left + uncovered, ..case.board.clone() };
    let whole = game::<M>(&board, Fidelity::Exact);
    let (grid, planes) = (whole.grid().clone(), *whole.board());
    let game = GemIsland::new(grid, planes, case.board.medals_left, 1).with_past(0, case.score);
    GemSnapshot::of(&game)
}

fn plain_turn(case: &TurnCase, fidelity: Fidelity) -> Option<ReplayedTurn> {
    let mut after = case.before.plain.clone();
    let turned = Swap { first: case.swap.second, second: case.swap.first };
    let legal = after.legal_swaps();
    if !legal.contains(&case.swap) && !legal.contains(&turned) {
        return None;
    }
    let mut draws = 0;
    let mut draw = || {
        draws += 1;
        case.details.refill_tape.get(draws - 1).copied().unwrap_or(0)
    };
    let variant = RuleVariant { rules: GemRules::Original, fidelity };
    let turn = after.turn(case.swap, variant, &mut draw);
    Some(ReplayedTurn {
        passes: turn.passes.len() as u32,
        first_step: turn.passes.into_iter().next().map(step_of).unwrap_or_default(),
        after,
        medals_left: case.before.medals_left.saturating_sub(turn.medals_freed),
        moves_left: case.before.moves_left - 1,
        draws,
        score: turn.score as f64,
    })
}

fn fast_turn<M: Mask>(case: &TurnCase, fidelity: Fidelity) -> Option<ReplayedTurn> {
    let mut game = game::<M>(&case.before, fidelity);
    game.oriented(case.swap.first, case.swap.second)?;
    let grid = game.grid().clone();
    let mut recorder = Recorder::new(&grid);
    let mut tape = RecordedRefill::new(&case.details.refill_tape, seeded(1));
    let turn = game.play(case.swap, &mut tape, &mut recorder);
    let first = recorder.passes.into_iter().find(|pass| pass.number == 1);
    Some(ReplayedTurn {
        first_step: first.map(step_of).unwrap_or_default(),
        after: PlainBoard::of(&grid, game.board()),
        medals_left: game.medals_left(),
        moves_left: game.moves_left(),
        passes: turn.passes,
        draws: tape.used(),
        score: game.score() as f64,
    })
}
