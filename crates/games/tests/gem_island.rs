//! Tests the rules on bit planes against the reference on arrays, on every kind of board, turn by
//! turn, with the same draws, and checks invariants after every turn.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::reference::{PlainBoard, RuleVariant};
use tesuji_games::rules::gem_island::updates::{PassUpdate, TurnUpdates, play_recorded};
use tesuji_games::rules::gem_island::{
    Bonus, CascadePass, Fidelity, Gem, GemCell, GemGrid, GemIsland, GemRules, GemSettings,
    GemStatus, MAX_PASSES, Mask, MaskVisitor, Refill, Swap, TurnObserver, WideMask, with_mask,
};

/// Sizes, kinds, rows of ice and layers of the published board and of small, narrow and wide
/// boards.
const BOARDS: [(u8, u8, u8, u8, u8); 10] = [
    (9, 9, 6, 5, 1),
    (9, 9, 6, 9, 2),
    (9, 9, 4, 7, 3),
    (9, 9, 8, 5, 1),
    (4, 5, 4, 3, 1),
    (3, 3, 3, 2, 2),
    (2, 9, 4, 2, 7),
    (12, 3, 5, 6, 1),
    (7, 13, 5, 7, 1),
    (16, 7, 6, 8, 4),
];

fn settings((rows, columns, kinds, ice_rows, ice_layers): (u8, u8, u8, u8, u8)) -> GemSettings {
    let mut settings = GemSettings { rows, columns, kinds, ice_rows, ice_layers, ..level(1) };
    settings.medals = settings.max_medals().min(5);
    settings.moves = 60;
    settings.check().expect("the boards of this test are possible");
    settings
}

fn level(number: usize) -> GemSettings {
    GemSettings::level(number).expect("levels 1 to 3")
}

/// A source of gems that records its draws for the reference.
struct Recorded {
    rng: Rng,
    kinds: Vec<u8>,
}

impl Refill for Recorded {
    fn kind(&mut self, kinds: u8) -> u8 {
        let kind = self.rng.kind(kinds);
        self.kinds.push(kind);
        kind
    }

    fn number(&mut self, n: u32) -> u32 {
        self.rng.number(n)
    }
}

/// Adds random bonuses, which are rare otherwise, so that they activate each other.
fn add_random_bonuses<M: Mask>(game: &GemIsland<M>, rng: &mut Rng) -> GemIsland<M> {
    let mut board = *game.board();
    game.grid().cells.for_each(|index| {
        let bonus = match below(rng, 12) {
            0 => Some(Bonus::Cross),
            1 if below(rng, 3) == 0 => Some(Bonus::Star),
            2 => Some(Bonus::Diamond),
            _ => return,
        };
        board.set_gem(index, Gem { bonus, ..board.gem(index) });
    });
    GemIsland::new(game.grid().clone(), board, game.medals_left(), game.moves_left())
}

/// The state on a grid with another fidelity.
fn with_fidelity<M: Mask>(game: &GemIsland<M>, fidelity: Fidelity) -> GemIsland<M> {
    let mut grid: GemGrid<M> = (**game.grid()).clone();
    grid.fidelity = fidelity;
    GemIsland::new(grid.into(), *game.board(), game.medals_left(), game.moves_left())
}

/// Plays a random game with both implementations; returns the number of turns.
fn play_side_by_side<M: Mask>(settings: GemSettings, fidelity: Fidelity, seed: u64) -> u64 {
    let mut rng = seeded(seed);
    let mut game = GemIsland::<M>::generate(settings, &mut rng).expect("the mask is wide enough");
    let variant = RuleVariant { rules: settings.rules, fidelity };
    let mut turns = 0;
    game = with_fidelity(&game, fidelity);
    while game.status() == GemStatus::Running {
        if turns % 4 == 3 {
            game = add_random_bonuses(&game, &mut rng);
        }
        let legal = game.legal_swaps();
        let listed = legal[below(&mut rng, legal.len() as u32) as usize];
        let turned = Swap { first: listed.second, second: listed.first };
        let swap = if below(&mut rng, 4) == 0 { turned } else { listed };
        one_turn(&mut game, swap, variant, &mut rng);
        turns += 1;
    }
    turns
}

fn one_turn<M: Mask>(game: &mut GemIsland<M>, swap: Swap, variant: RuleVariant, rng: &mut Rng) {
    let before = PlainBoard::of(game.grid(), game.board());
    if !game.has_runs() {
        assert_eq!(game.legal_swaps(), before.legal_swaps(), "order and orientation");
    }
    let (medals_left, score) = (game.medals_left(), game.score());
    let mut refill = Recorded { rng: seeded(u64::from(below(rng, 1 << 30))), kinds: Vec::new() };
    let (turn, updates) = play_recorded(game, swap, &mut refill);

    let mut expected = before.clone();
    let mut drawn = 0;
    let mut draw = || {
        drawn += 1;
        refill.kinds.get(drawn - 1).copied().unwrap_or(u8::MAX)
    };
    let plain_turn = expected.turn(swap, variant, &mut draw);
    let after = PlainBoard::of(game.grid(), game.board());
    assert_eq!(turn.passes, plain_turn.passes.len() as u32);
    assert_eq!((turn.score, turn.medals_freed), (plain_turn.score, plain_turn.medals_freed));
    assert_eq!(game.score(), score + turn.score);
    assert_eq!(game.medals_left(), medals_left - turn.medals_freed);
    assert_eq!((&after.ice, &after.medals), (&expected.ice, &expected.medals));
    if !turn.reshuffled {
        assert_eq!(after.gems, expected.gems);
        assert_eq!(drawn, refill.kinds.len(), "as many draws");
    }
    assert_eq!(applied(&before, &updates), after, "the updates lead from one board to the other");
    let mut expected = plain_turn.updates(swap);
    expected.reshuffled = updates.reshuffled.clone();
    assert_eq!(updates, expected);
    assert!(turn.passes == MAX_PASSES || !game.has_runs(), "nothing in a row at rest");
}

/// The board after a turn, computed only from its updates.
fn applied(before: &PlainBoard, updates: &TurnUpdates) -> PlainBoard {
    let mut plain = before.clone();
    plain.exchange(updates.swap);
    updates.passes.iter().for_each(|pass| apply(&mut plain, pass));
    if let Some(gems) = &updates.reshuffled {
        plain.gems = gems.clone();
    }
    plain
}

fn apply(plain: &mut PlainBoard, pass: &PassUpdate) {
    let at = |cell: GemCell| (usize::from(cell.row), usize::from(cell.column));
    for removal in &pass.removals {
        assert_eq!(plain.gem(removal.cell), removal.gem, "what is taken was there");
    }
    for broken in &pass.ice {
        let (row, column) = at(broken.cell);
        assert!(plain.ice[row][column] >= broken.layers as i8, "a layer fewer");
        plain.ice[row][column] = broken.layers as i8 - 1;
    }
    for corner in &pass.medals {
        let (row, column) = at(*corner);
        for (portion, (down, right)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let part = &mut plain.medals[row + down][column + right];
            assert_eq!(*part, portion as i8, "a whole medal");
            *part = -1;
        }
    }
    for created in &pass.created {
        let (row, column) = at(created.cell);
        plain.gems[row][column] = created.gem;
    }
    for fall in &pass.falls {
        let ((from, column), (to, same)) = (at(fall.from), at(fall.to));
        assert!(column == same && from < to);
        plain.gems[to][column] = plain.gems[from][column];
    }
    for refill in &pass.refills {
        let (row, column) = at(refill.cell);
        plain.gems[row][column] = refill.gem;
    }
}

/// Calls `each` with both rule sets and both fidelities on every board.
fn all_boards(mut each: impl FnMut(GemSettings, Fidelity, u64)) {
    for (n, board) in BOARDS.into_iter().enumerate() {
        for rules in [GemRules::Original, GemRules::Fixed] {
            for fidelity in [Fidelity::Exact, Fidelity::Original] {
                each(settings(board).with_rules(rules), fidelity, derived(7, [n as u64]));
            }
        }
    }
}

struct SideBySide(GemSettings, Fidelity, u64);

impl MaskVisitor for SideBySide {
    type Output = u64;

    fn visit<M: Mask>(self) -> u64 {
        play_side_by_side::<M>(self.0, self.1, self.2)
    }
}

#[test]
fn both_rules_play_the_same_turns() {
    let mut turns = 0;
    all_boards(|settings, fidelity, seed| {
        for game in 0..GAMES {
            let seed = derived(seed, [game]);
            turns += with_mask(&settings, SideBySide(settings, fidelity, seed));
        }
    });
    assert!(turns > 20_000, "{turns} turns are too few for a test");
}

/// The number of games on each board with each rule set: tens of thousands of turns in all, within
/// a few seconds.
const GAMES: u64 = 60;

#[test]
fn wide_masks_play_the_same_turns() {
    let board = settings((9, 9, 6, 9, 2));
    for seed in 0..4 {
        play_side_by_side::<WideMask>(board, Fidelity::Exact, seed);
        play_side_by_side::<WideMask>(settings((20, 20, 6, 10, 2)), Fidelity::Exact, seed);
    }
    play_side_by_side::<WideMask>(settings((31, 31, 8, 10, 1)), Fidelity::Exact, 1);
}

#[test]
fn both_masks_play_the_same_game() {
    for (n, board) in BOARDS.into_iter().enumerate() {
        let (mut rng, mut other) = (seeded(n as u64), seeded(n as u64));
        let settings = settings(board);
        let Some(mut narrow) = GemIsland::<u128>::generate(settings, &mut rng) else { continue };
        let mut wide = GemIsland::<WideMask>::generate(settings, &mut other).expect("wide enough");
        while narrow.status() == GemStatus::Running {
            assert_eq!(narrow.legal_swaps(), wide.legal_swaps());
            let number = below(&mut rng, narrow.swaps().count());
            assert_eq!(number, below(&mut other, wide.swaps().count()));
            let swap = narrow.swap_at(number);
            assert_eq!(swap, wide.swap_at(number));
            let turn = narrow.play(swap, &mut rng, &mut ());
            assert_eq!(turn, wide.play(swap, &mut other, &mut ()));
            let (a, b) = (narrow.view(), wide.view());
            assert_eq!(a.hidden, b.hidden);
            let plain = |view: &_| PlainBoard::of(narrow.grid(), view);
            assert_eq!(plain(a.known.board()), PlainBoard::of(wide.grid(), b.known.board()));
        }
        assert_eq!(narrow.status(), wide.status());
    }
}

#[test]
fn generated_games_are_valid() {
    for (n, board) in BOARDS.into_iter().enumerate() {
        let settings = settings(board);
        for seed in 0..20 {
            let begins = Begins(settings, derived(seed, [n as u64]));
            with_mask(&settings, begins);
        }
    }
}

struct Begins(GemSettings, u64);

impl MaskVisitor for Begins {
    type Output = ();

    fn visit<M: Mask>(self) {
        let Begins(settings, seed) = self;
        let game = GemIsland::<M>::generate(settings, &mut seeded(seed)).expect("wide enough");
        assert!(!game.has_runs());
        let plain = PlainBoard::of(game.grid(), game.board());
        let bare = settings.rows - settings.ice_rows;
        for cell in plain.cells() {
            let expected = if cell.row >= bare { settings.ice_layers as i8 - 1 } else { -1 };
            assert_eq!(plain.ice_on(cell), expected);
            assert!(plain.portion(cell) < 0 || cell.row >= bare, "medals lie under ice");
            assert!(plain.gem(cell).kind < settings.kinds && plain.gem(cell).bonus.is_none());
        }
        let parts = plain.cells().filter(|cell| plain.portion(*cell) >= 0).count();
        assert_eq!(parts, 4 * usize::from(settings.medals), "medals do not overlap");
        let view = game.view();
        assert_eq!(view.hidden, settings.medals);
        assert!(view.known.board().medals.is_empty(), "hidden medals are not in the view");
    }
}

/// A view contains only visible information: games that differ only in hidden medals have the same
/// view.
#[test]
fn hidden_medals_cannot_be_seen() {
    let settings = GemSettings { ice_layers: 2, ..level(2) };
    for seed in 0..40 {
        let mut rng = seeded(seed);
        let mut game = GemIsland::<u128>::generate(settings, &mut rng).expect("wide enough");
        while game.status() == GemStatus::Running {
            let view = game.view();
            let hidden = game.board().medals & !view.known.board().medals;
            assert_eq!(hidden.count(), u32::from(view.hidden));
            let under = game.grid().medal_cells(hidden);
            assert_eq!(under & !game.board().iced(), 0, "hidden ones lie wholly under ice");
            let other = view.with_medals(view.place_hidden(&mut rng)).view();
            assert_eq!(other.hidden, view.hidden);
            assert_eq!(other.known.board(), view.known.board());
            let swap = game.swap_at(below(&mut rng, game.swaps().count()));
            game.play(swap, &mut rng, &mut ());
        }
    }
}

/// A swap alone cannot make the square, since it has runs before its last gem; cascades make it.
/// Here it is on the board from the start, and the swap is elsewhere.
#[test]
fn nine_of_a_kind_in_a_square_do_not_hang() {
    let rows = ["12121", "21212", "00021", "00012", "00021"];
    let gem = |letter: char| Gem { kind: letter as u8 - b'0', bonus: None };
    let square = PlainBoard::bare(rows.iter().map(|row| row.chars().map(gem).collect()).collect());
    let swap = Swap { first: GemCell::new(0, 3), second: GemCell::new(0, 4) };
    let variants = [GemRules::Fixed, GemRules::Original]
        .map(|rules| [Fidelity::Exact, Fidelity::Original].map(|fidelity| (rules, fidelity)));
    for (rules, fidelity) in variants.concat() {
        let settings = GemSettings { rows: 5, columns: 5, kinds: 4, rules, ..level(1) };
        let mut grid = GemGrid::<u128>::new(settings).expect("fits");
        grid.fidelity = fidelity;
        let board = square.board(&grid);
        let mut game = GemIsland::new(grid.into(), board, 1, 5);
        let variant = RuleVariant { rules, fidelity };
        let mut rng = seeded(3);
        let turn = square.clone().turn(swap, variant, &mut || below(&mut rng, 4) as u8);
        match rules {
            GemRules::Fixed => assert_eq!(turn.passes[0].removals.len(), 9, "all nine go"),
            GemRules::Original => assert_eq!(turn.passes.len() as u32, MAX_PASSES),
        }
        assert!(rules == GemRules::Original || turn.passes.len() < 20, "{}", turn.passes.len());
        one_turn(&mut game, swap, variant, &mut seeded(1));
    }
}

/// The fast evaluation of the first pass agrees with that of the whole board.
#[test]
fn the_fast_first_pass_agrees_with_the_whole_board() {
    let mut seen = [0; 4];
    for seed in 0..60 {
        let mut rng = seeded(seed);
        let settings =
            GemSettings { moves: 40, medals: 1, ..GemSettings::level(3).expect("a level") };
        let settings = GemSettings { kinds: 4 + (seed % 3) as u8, ..settings };
        let mut game: GemIsland = GemIsland::generate(settings, &mut rng).expect("it fits");
        while game.status() == GemStatus::Running && !game.has_runs() {
            let mut swaps = Vec::new();
            game.for_each_peek(|pair, step| {
                let swap = game.swap_of(pair).expect("it is legal");
                assert_eq!(*step, game.peek(swap), "{swap} of seed {seed}");
                let made = &step.created;
                let kinds = [made.crosses, made.stars, made.diamonds, made.twice()];
                seen.iter_mut().zip(kinds).for_each(|(n, cells)| *n += cells.count_ones());
                swaps.push(swap);
            });
            assert_eq!(
                swaps,
                (0..game.swaps().count()).map(|n| game.swap_at(n)).collect::<Vec<_>>()
            );
            let swap = swaps[below(&mut rng, swaps.len() as u32) as usize];
            game.play(swap, &mut rng, &mut ());
        }
    }
    assert!(seen[..3].iter().all(|n| *n > 50), "{seen:?}");
}

/// A predicted game contains the first pass and its certain cascades, and its swaps contain no
/// unknown gems.
#[test]
fn a_prediction_begins_with_the_real_first_pass() {
    let mut certain = 0;
    for seed in 0..40 {
        let mut rng = seeded(seed);
        let settings = GemSettings { moves: 30, ..GemSettings::level(3).expect("a level") };
        let mut game: GemIsland = GemIsland::generate(settings, &mut rng).expect("it fits");
        while game.status() == GemStatus::Running && !game.has_runs() {
            let mut pairs = Vec::new();
            game.for_each_peek(|pair, step| {
                pairs.push((pair, step.removed | step.created.cells()))
            });
            let (pair, first) = pairs[below(&mut rng, pairs.len() as u32) as usize];
            let next = game.predict(pair, game.board().medals).expect("six kinds");
            let blank = next.board().kinds[1] & next.board().kinds[2];
            let swaps = next.swaps();
            assert_eq!((swaps.across() | swaps.down()) & blank, 0, "no swap contains unknown gems");
            let gone = game.board().iced() & !next.board().iced();
            let swap = game.swap_of(pair).expect("it is legal");
            let (before, mut watcher) = (game.board().iced(), FirstPass::default());
            game.play(swap, &mut rng, &mut watcher);
            assert_eq!(watcher.taken, Some(first));
            assert_eq!(before & first & game.board().iced(), 0);
            certain += u32::from(gone & !first != 0);
        }
    }
    assert!(certain > 20, "{certain} times more than the first pass");
}

#[derive(Default)]
struct FirstPass {
    taken: Option<u128>,
}

impl TurnObserver<u128> for FirstPass {
    const ENABLED: bool = true;

    fn pass(&mut self, pass: &CascadePass<'_, u128>) {
        self.taken.get_or_insert(pass.step.removed | pass.step.created.cells());
    }
}
