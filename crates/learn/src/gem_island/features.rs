//! The input of the utility network. It encodes which gems are alike instead of their kinds, so the
//! output is independent of colors, and the network need not learn every pattern six times. It also
//! contains the effects of the legal swaps, which a small network could not compute.

use tesuji_games::rules::gem_island::GemIsland;

use super::planes::{SIDE, STRIDE, input_index, input_indices};
use crate::network::Shape;

/// The shape of the input; its channels are those of `Plane`.
pub const FEATURES: Shape = Shape::new(SIDE, SIDE, 20);

/// The planes of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Plane {
    /// Ice.
    Ice,
    /// The chance of a hidden medal, if all possible places were equally likely and independent.
    Hidden,
    /// Covered parts of visible medals.
    Part,
    /// `Hidden` where some swap would remove the gem.
    HiddenInReach,
    /// `Part` where some swap would remove the gem.
    PartInReach,
    /// Gems that some swap would remove.
    InReach,
    /// Gems that two or more swaps would remove.
    InReachTwice,
    /// The cells that the best swap would uncover.
    Best,
    /// Crosses, followed by stars and diamonds.
    Crosses,
    /// Bonus gems that some swap would remove.
    BonusInReach = 11,
    /// Cells where a swap would create a bonus gem.
    BonusToCome,
    /// Gems of the same kind as another one: the right neighbor first, then as listed in [`alike`].
    Alike,
    /// One cell for the number of medals left, one for the number of hidden ones.
    Counts = 19,
}

/// Encodes a state as the nonzero inputs, which depend only on what a player can see.
pub fn encode(state: &GemIsland<u128>, inputs: &mut Vec<(u32, f32)>) {
    inputs.clear();
    let (grid, board) = (state.grid(), state.board());
    let iced = board.iced();
    let hints = MedalHints::of(state);
    let effects = SwapEffects::of(state, &hints);
    add_plane(iced, Plane::Ice as usize, inputs);
    add_plane(hints.parts, Plane::Part as usize, inputs);
    add_plane(hints.parts & effects.once, Plane::PartInReach as usize, inputs);
    add_plane(effects.once, Plane::InReach as usize, inputs);
    add_plane(effects.twice, Plane::InReachTwice as usize, inputs);
    add_plane(board.crosses(), Plane::Crosses as usize, inputs);
    add_plane(board.stars(), Plane::Crosses as usize + 1, inputs);
    add_plane(board.diamonds(), Plane::Crosses as usize + 2, inputs);
    add_plane(board.bonus_gems() & effects.once, Plane::BonusInReach as usize, inputs);
    add_plane(effects.bonuses, Plane::BonusToCome as usize, inputs);
    for (n, set) in alike(board.kinds, grid.cells).into_iter().enumerate() {
        add_plane(set, Plane::Alike as usize + n, inputs);
    }
    hints.add_hidden(grid.cells, Plane::Hidden, inputs);
    hints.add_hidden(effects.once, Plane::HiddenInReach, inputs);
    hints.add_hidden(effects.best, Plane::Best, inputs);
    add_plane(hints.parts & effects.best, Plane::Best as usize, inputs);
    let count = |row: usize, number: u8| {
        (FEATURES.index(row, usize::from(number).min(SIDE - 1), Plane::Counts as usize) as u32, 1.0)
    };
    inputs.push(count(0, state.medals_left()));
    inputs.push(count(3, hints.hidden));
}

/// A player's information about medals.
struct MedalHints {
    /// Covered parts of visible medals.
    parts: u128,
    /// By cell, the number of possible places of a hidden medal that contain it, in binary.
    places: [u128; 3],
    /// The chance of each place.
    chance: f32,
    hidden: u8,
}

impl MedalHints {
    #[inline]
    fn of(state: &GemIsland<u128>) -> MedalHints {
        let (grid, board) = (state.grid(), state.board());
        let iced = board.iced();
        let visible = grid.medals_touching(board.medals, grid.cells & !iced);
        let parts = grid.medal_cells(visible) & iced;
        let open = grid.medals_within(iced & !grid.medal_cells(visible));
        let hidden = state.medals_left().saturating_sub(visible.count_ones() as u8);
        let chance = f32::from(hidden) / open.count_ones().max(1) as f32;
        MedalHints { parts, places: grid.medals_by_cell(open), chance, hidden }
    }

    /// The expected number of medal parts that a set of cells uncovers, with a bonus for visible
    /// medals.
    #[inline]
    fn value(&self, cells: u128) -> f32 {
        let [ones, twos, fours] = self.places.map(|plane| (cells & plane).count_ones());
        self.chance * (ones + 2 * twos + 4 * fours) as f32
            + 1.5 * (cells & self.parts).count_ones() as f32
    }

    fn add_hidden(&self, cells: u128, plane: Plane, inputs: &mut Vec<(u32, f32)>) {
        if self.hidden == 0 {
            return;
        }
        let [ones, twos, fours] = self.places;
        let mut set = (ones | twos | fours) & cells;
        while set != 0 {
            let bit = set.trailing_zeros();
            let has = |plane: u128| (plane >> bit & 1) as f32;
            let count = has(ones) + 2.0 * has(twos) + 4.0 * has(fours);
            inputs.push((input_index(bit, &FEATURES, plane as usize), count * self.chance));
            set &= set - 1;
        }
    }
}

/// The effects of the first removal of each legal swap.
#[derive(Default)]
struct SwapEffects {
    once: u128,
    twice: u128,
    best: u128,
    bonuses: u128,
}

impl SwapEffects {
    #[inline]
    fn of(state: &GemIsland<u128>, hints: &MedalHints) -> SwapEffects {
        let mut effects = SwapEffects::default();
        let mut max = f32::NEG_INFINITY;
        state.for_each_peek(|_, step| {
            let created = step.created.cells();
            let removed = step.removed | created;
            effects.twice |= effects.once & removed;
            effects.once |= removed;
            effects.bonuses |= created;
            let value = hints.value(removed);
            if value > max {
                (max, effects.best) = (value, removed);
            }
        });
        effects
    }
}

/// Gems of the same kind as the gem one to the right, two to the right, one below, two below, to
/// the lower right, and to the upper right.
#[inline]
fn alike(kinds: [u128; 3], cells: u128) -> [u128; 6] {
    let like = |by: u32, from: u128| {
        let different = kinds.map(|plane| plane ^ plane >> by);
        from & cells >> by & !(different[0] | different[1] | different[2])
    };
    // In the bits, the top of the next column is two positions after the last row.
    let has_two_below = cells & cells >> 1;
    [
        like(STRIDE, cells),
        like(2 * STRIDE, cells),
        like(1, cells),
        like(2, has_two_below),
        like(STRIDE + 1, cells),
        like(STRIDE - 1, cells),
    ]
}

#[inline]
fn add_plane(set: u128, plane: usize, inputs: &mut Vec<(u32, f32)>) {
    inputs.extend(input_indices(set, &FEATURES, plane).map(|index| (index, 1.0)));
}
