//! The input of the utility network. The kinds of gems matter only by which gems are alike, so the
//! input shows that: the output cannot depend on colors, and the network need not learn everything
//! six times. It also shows the effects of the legal swaps, which a small network could not find
//! out.

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
    /// What the best swap would uncover.
    Best,
    /// Crosses, followed by stars and diamonds.
    Crosses,
    /// Bonus gems that some swap would remove.
    BonusInReach = 11,
    /// Cells where a swap would create a bonus gem.
    BonusToCome,
    /// Gems like another one: first the right neighbor, then as listed in [`alike`].
    Alike,
    /// One cell for the number of medals left, one for the number of hidden ones.
    Counts = 19,
}

/// Encodes a state as the nonzero inputs. Only what a player can see affects them.
pub fn encode(state: &GemIsland<u128>, seen: &mut Vec<(u32, f32)>) {
    seen.clear();
    let (grid, board) = (state.grid(), state.board());
    let iced = board.iced();
    let hints = MedalHints::of(state);
    let effects = SwapEffects::of(state, &hints);
    add_plane(iced, Plane::Ice as usize, seen);
    add_plane(hints.parts, Plane::Part as usize, seen);
    add_plane(hints.parts & effects.once, Plane::PartInReach as usize, seen);
    add_plane(effects.once, Plane::InReach as usize, seen);
    add_plane(effects.twice, Plane::InReachTwice as usize, seen);
    add_plane(board.crosses(), Plane::Crosses as usize, seen);
    add_plane(board.stars(), Plane::Crosses as usize + 1, seen);
    add_plane(board.diamonds(), Plane::Crosses as usize + 2, seen);
    add_plane(board.bonus_gems() & effects.once, Plane::BonusInReach as usize, seen);
    add_plane(effects.bonuses, Plane::BonusToCome as usize, seen);
    for (n, set) in alike(board.kinds, grid.cells).into_iter().enumerate() {
        add_plane(set, Plane::Alike as usize + n, seen);
    }
    hints.add_hidden(grid.cells, Plane::Hidden, seen);
    hints.add_hidden(effects.once, Plane::HiddenInReach, seen);
    hints.add_hidden(effects.best, Plane::Best, seen);
    add_plane(hints.parts & effects.best, Plane::Best as usize, seen);
    let count = |row: usize, number: u8| {
        (FEATURES.index(row, usize::from(number).min(SIDE - 1), Plane::Counts as usize) as u32, 1.0)
    };
    seen.push(count(0, state.medals_left()));
    seen.push(count(3, hints.hidden));
}

/// What a player can infer about medals.
struct MedalHints {
    /// Covered parts of visible medals.
    parts: u128,
    /// By cell, how many possible places of a hidden medal contain it, as a binary number.
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
        let on_show = grid.medals_touching(board.medals, grid.cells & !iced);
        let parts = grid.medal_cells(on_show) & iced;
        let open = grid.medals_within(iced & !grid.medal_cells(on_show));
        let hidden = state.medals_left().saturating_sub(on_show.count_ones() as u8);
        let chance = f32::from(hidden) / open.count_ones().max(1) as f32;
        MedalHints { parts, places: grid.medals_by_cell(open), chance, hidden }
    }

    /// The expected number of medal parts that a set of cells uncovers, with a bonus for visible
    /// medals.
    #[inline]
    fn worth(&self, cells: u128) -> f32 {
        let [ones, twos, fours] = self.places.map(|plane| (cells & plane).count_ones());
        self.chance * (ones + 2 * twos + 4 * fours) as f32
            + 1.5 * (cells & self.parts).count_ones() as f32
    }

    fn add_hidden(&self, cells: u128, plane: Plane, seen: &mut Vec<(u32, f32)>) {
        if self.hidden == 0 {
            return;
        }
        let [ones, twos, fours] = self.places;
        let mut set = (ones | twos | fours) & cells;
        while set != 0 {
            let bit = set.trailing_zeros();
            let has = |plane: u128| (plane >> bit & 1) as f32;
            let count = has(ones) + 2.0 * has(twos) + 4.0 * has(fours);
            seen.push((input_index(bit, &FEATURES, plane as usize), count * self.chance));
            set &= set - 1;
        }
    }
}

/// The effects of the first passes of the legal swaps.
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
        let mut most = f32::NEG_INFINITY;
        state.for_each_peek(|_, step| {
            let made = step.created.cells();
            let taken = step.removed | made;
            effects.twice |= effects.once & taken;
            effects.once |= taken;
            effects.bonuses |= made;
            let worth = hints.worth(taken);
            if worth > most {
                (most, effects.best) = (worth, taken);
            }
        });
        effects
    }
}

/// Gems like their right neighbor, the one after it, the lower one, the one below that, the lower
/// right one, the upper right one.
#[inline]
fn alike(kinds: [u128; 3], cells: u128) -> [u128; 6] {
    let like = |by: u32, from: u128| {
        let different = kinds.map(|plane| plane ^ plane >> by);
        from & cells >> by & !(different[0] | different[1] | different[2])
    };
    // In the bits, the top of the next column is two below the last row.
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
fn add_plane(set: u128, plane: usize, seen: &mut Vec<(u32, f32)>) {
    seen.extend(input_indices(set, &FEATURES, plane).map(|place| (place, 1.0)));
}
