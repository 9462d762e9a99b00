//! A board as the outcome network sees it: 14 planes of ones and zeros, after Brereton (2017).

use tesuji_games::random::{Rng, shuffle};
use tesuji_games::rules::gem_island::text::Snapshot;
use tesuji_games::rules::gem_island::{GemIsland, Settings, bonus_code};

use crate::network::Shape;

/// Kinds of gems, crosses, stars, diamonds, ice, and the four parts of medals.
pub const PLANES: Shape = Shape::new(SIDE, SIDE, 14);

/// Rows and columns of the board that networks know.
pub(super) const SIDE: usize = 9;
const KINDS: usize = 6;
const FIRST_BONUS: usize = KINDS;
const ICE: usize = FIRST_BONUS + 3;
const FIRST_PART: usize = ICE + 1;

/// The distance between columns among the bits of this board.
pub(super) const STRIDE: u32 = SIDE as u32 + 1;

/// Whether the networks can look at a board with these settings, or why not.
pub fn check_board(settings: &Settings) -> Result<(), String> {
    let &Settings { rows, columns, kinds, .. } = settings;
    let side = usize::from(rows) == SIDE && usize::from(columns) == SIDE;
    if side && usize::from(kinds) <= KINDS {
        return Ok(());
    }
    Err(format!(
        "the networks know boards of 9x9 with up to 6 kinds of gems, not {columns}x{rows} with {kinds}; \
         take another evaluation, such as hb"
    ))
}

/// Which plane each kind of gem is on. What a board is worth does not depend on its colors, so a network learns from
/// one board under many of the 720 permutations.
pub type Permutation = [u8; KINDS];

/// Every kind on its own plane.
pub const UNCHANGED: Permutation = [0, 1, 2, 3, 4, 5];

/// One of the 720.
pub fn draw_permutation(rng: &mut Rng) -> Permutation {
    let mut drawn = UNCHANGED;
    shuffle(rng, &mut drawn);
    drawn
}

/// Faults of the published program: while it played, its network was shown something else than while it learned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// The codes of the bonuses were off by one: crosses vanished, stars were taken for crosses, diamonds for stars.
    pub bonus_codes: bool,
    /// The medals of the simulation were shown, also those under ice.
    pub hidden_medals: bool,
    /// Medals that the simulation had freed were not shown, though they had stayed on show in what was learned from.
    pub freed_medals: bool,
}

impl Faults {
    /// None of them.
    pub const NONE: Faults =
        Faults { bonus_codes: false, hidden_medals: false, freed_medals: false };
    /// All of them.
    pub const PUBLISHED: Faults =
        Faults { bonus_codes: true, hidden_medals: true, freed_medals: true };
}

/// The ones among the planes of a state, as a player sees it unless a fault shows more. Parts of medals stay on show
/// after they were freed, as they do in the published records.
pub fn encode(state: &GemIsland<u128>, kinds: &Permutation, faults: Faults, ones: &mut Vec<u32>) {
    ones.clear();
    let mut add_plane = |set: u128, plane: usize| ones.extend(input_indices(set, &PLANES, plane));
    let (grid, board) = (state.grid(), state.board());
    for (kind, &plane) in kinds.iter().enumerate() {
        let like = |n: usize| if kind >> n & 1 == 1 { board.kinds[n] } else { !board.kinds[n] };
        add_plane(like(0) & like(1) & like(2) & grid.cells, plane.into());
    }
    let bonuses = match faults.bonus_codes {
        false => [board.crosses(), board.stars(), board.diamonds()],
        true => [board.stars(), board.diamonds(), 0],
    };
    bonuses.into_iter().enumerate().for_each(|(n, set)| add_plane(set, FIRST_BONUS + n));
    add_plane(board.iced(), ICE);
    let medals = board.medals | if faults.freed_medals { 0 } else { board.freed };
    let in_sight = grid.cells & if faults.hidden_medals { grid.cells } else { !board.iced() };
    let parts = [medals, medals << STRIDE, medals << 1, medals << (STRIDE + 1)];
    parts.into_iter().enumerate().for_each(|(n, set)| add_plane(set & in_sight, FIRST_PART + n));
}

/// The same of a state that was written down; it must be one of a 9 × 9 board with six kinds.
pub fn encode_snapshot<'s>(
    state: &'s Snapshot,
    kinds: &'s Permutation,
) -> impl Iterator<Item = u32> + use<'s> {
    let at = |cell: usize, plane: usize| (cell * PLANES.channels + plane) as u32;
    state.cells.iter().enumerate().flat_map(move |(n, cell)| {
        let kind = kinds.get(usize::from(cell.gem.kind)).map(|&plane| at(n, plane.into()));
        let bonus =
            cell.gem.bonus.map(|it| at(n, FIRST_BONUS - 1 + usize::from(bonus_code(Some(it)))));
        let ice = (cell.layers > 0).then(|| at(n, ICE));
        let part = cell.portion.map(|part| at(n, FIRST_PART + usize::from(part.min(3))));
        [kind, bonus, ice, part].into_iter().flatten()
    })
}

/// Where a bit of the board lies in a shape.
#[inline]
pub(super) fn input_index(bit: u32, shape: &Shape, plane: usize) -> u32 {
    let (column, row) = (bit / STRIDE, bit % STRIDE);
    shape.index(row as usize, column as usize, plane) as u32
}

/// Where the bits of a set lie in a shape.
#[inline]
pub(super) fn input_indices(
    mut set: u128,
    shape: &Shape,
    plane: usize,
) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(input_index(bit, shape, plane))
    })
}
