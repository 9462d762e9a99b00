//! The input of the outcome network: 14 binary planes, after Brereton (2017).

use tesuji_games::random::{Rng, shuffle};
use tesuji_games::rules::gem_island::text::GemSnapshot;
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, bonus_code};

use crate::network::Shape;

/// Kinds of gems, crosses, stars, diamonds, ice, and the four parts of medals.
pub const PLANES: Shape = Shape::new(SIDE, SIDE, 14);

/// Rows and columns of the supported board.
pub(super) const SIDE: usize = 9;
const KINDS: usize = 6;
const FIRST_BONUS: usize = KINDS;
const ICE: usize = FIRST_BONUS + 3;
const FIRST_PART: usize = ICE + 1;

/// The distance between columns in the bits of this board.
pub(super) const STRIDE: u32 = SIDE as u32 + 1;

/// Checks that the networks support a board with these settings.
pub fn check_board(settings: &GemSettings) -> Result<(), String> {
    let &GemSettings { rows, columns, kinds, .. } = settings;
    let side = usize::from(rows) == SIDE && usize::from(columns) == SIDE;
    if side && usize::from(kinds) <= KINDS {
        return Ok(());
    }
    Err(format!(
        "board {columns}x{rows} with {kinds} kinds of gems: not supported by the networks; expected 9x9 with up \
         to 6 kinds, or another evaluation, such as hb"
    ))
}

/// The plane of each kind of gem. The value of a board does not depend on its colors, so a network
/// trains on a board under several of the 720 permutations.
pub type ColorPermutation = [u8; KINDS];

/// The identity.
pub const UNCHANGED: ColorPermutation = [0, 1, 2, 3, 4, 5];

/// A random permutation.
pub fn draw_permutation(rng: &mut Rng) -> ColorPermutation {
    let mut drawn = UNCHANGED;
    shuffle(rng, &mut drawn);
    drawn
}

/// Faults of the published program: the inputs in play differ from those in training.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// The codes of bonuses were off by one: crosses vanished, stars appeared as crosses, diamonds
    /// as stars.
    pub bonus_codes: bool,
    /// The medals of the simulation were visible, even under ice.
    pub hidden_medals: bool,
    /// Medals that the simulation had freed were not visible, though they stayed visible in the
    /// training data.
    pub freed_medals: bool,
}

impl Faults {
    /// No fault.
    pub const NONE: Faults =
        Faults { bonus_codes: false, hidden_medals: false, freed_medals: false };
    /// All faults.
    pub const PUBLISHED: Faults =
        Faults { bonus_codes: true, hidden_medals: true, freed_medals: true };
}

/// Encodes a state, as a player sees it unless a fault shows more, as the indices of the ones.
/// Parts of medals stay visible after they were freed, as in the published records.
pub fn encode(
    state: &GemIsland<u128>,
    kinds: &ColorPermutation,
    faults: Faults,
    ones: &mut Vec<u32>,
) {
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
    let visible = grid.cells & if faults.hidden_medals { grid.cells } else { !board.iced() };
    let parts = [medals, medals << STRIDE, medals << 1, medals << (STRIDE + 1)];
    parts.into_iter().enumerate().for_each(|(n, set)| add_plane(set & visible, FIRST_PART + n));
}

/// Encodes a recorded state, which must be one of a 9 × 9 board with six kinds.
pub fn encode_snapshot<'s>(
    state: &'s GemSnapshot,
    kinds: &'s ColorPermutation,
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

/// The index of a bit of the board in an input shape.
#[inline]
pub(super) fn input_index(bit: u32, shape: &Shape, plane: usize) -> u32 {
    let (column, row) = (bit / STRIDE, bit % STRIDE);
    shape.index(row as usize, column as usize, plane) as u32
}

/// The indices of a set of bits in an input shape.
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
