//! A board as the utility network sees it. Kinds of gems matter only by where they are alike, so that is what is shown:
//! what the network says cannot depend on colours, and nothing need be learned six times. What the legal swaps would
//! take is shown too, since no window of a small network could find it out.

use tesuji_games::rules::gem_island::GemIsland;

use super::planes::{SIDE, STRIDE, place, places};
use crate::network::Shape;

/// The planes, by `Plane`.
pub const SIGHT: Shape = Shape::new(SIDE, SIDE, 20);

/// What is on each plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Plane {
    /// Ice.
    Ice,
    /// The chance of a hidden medal, were the open places equally likely and independent.
    Hidden,
    /// Parts of medals on show that are still covered.
    Part,
    /// `Hidden` where some swap would take the gem.
    HiddenInReach,
    /// `Part` where some swap would take the gem.
    PartInReach,
    /// Gems that some swap would take.
    InReach,
    /// Gems that two or more swaps would take.
    InReachTwice,
    /// What the most promising swap would uncover.
    Best,
    /// Crosses, and after them stars and diamonds.
    Crosses,
    /// Any bonus gem that some swap would take.
    BonusInReach = 11,
    /// Where a swap would make a bonus gem.
    BonusToCome,
    /// Gems like another one: first the right neighbour, then as listed in [`alike`].
    Alike,
    /// One cell for the number of medals left, one for that of the hidden ones.
    Counts = 19,
}

/// The places that are not zero, and what is there. Only what a player may see decides them.
pub fn show(state: &GemIsland<u128>, seen: &mut Vec<(u32, f32)>) {
    seen.clear();
    let (grid, board) = (state.grid(), state.board());
    let iced = board.iced();
    let hints = Hints::of(state);
    let reach = Reach::of(state, &hints);
    lay(iced, Plane::Ice as usize, seen);
    lay(hints.parts, Plane::Part as usize, seen);
    lay(hints.parts & reach.once, Plane::PartInReach as usize, seen);
    lay(reach.once, Plane::InReach as usize, seen);
    lay(reach.twice, Plane::InReachTwice as usize, seen);
    lay(board.crosses(), Plane::Crosses as usize, seen);
    lay(board.stars(), Plane::Crosses as usize + 1, seen);
    lay(board.diamonds(), Plane::Crosses as usize + 2, seen);
    lay(board.bonus_gems() & reach.once, Plane::BonusInReach as usize, seen);
    lay(reach.bonuses, Plane::BonusToCome as usize, seen);
    for (n, set) in alike(board.kinds, grid.cells).into_iter().enumerate() {
        lay(set, Plane::Alike as usize + n, seen);
    }
    hints.lay_hidden(grid.cells, Plane::Hidden, seen);
    hints.lay_hidden(reach.once, Plane::HiddenInReach, seen);
    hints.lay_hidden(reach.best, Plane::Best, seen);
    lay(hints.parts & reach.best, Plane::Best as usize, seen);
    let count = |row: usize, number: u8| {
        (SIGHT.index(row, usize::from(number).min(SIDE - 1), Plane::Counts as usize) as u32, 1.0)
    };
    seen.push(count(0, state.medals_left()));
    seen.push(count(3, hints.hidden));
}

/// What can be known about medals.
struct Hints {
    /// Covered parts of medals on show.
    parts: u128,
    /// How many open places of a hidden medal have this cell in them, in binary.
    places: [u128; 3],
    /// The chance of each of them.
    chance: f32,
    hidden: u8,
}

impl Hints {
    #[inline]
    fn of(state: &GemIsland<u128>) -> Hints {
        let (grid, board) = (state.grid(), state.board());
        let iced = board.iced();
        let on_show = grid.medals_touching(board.medals, grid.cells & !iced);
        let parts = grid.medal_cells(on_show) & iced;
        let open = grid.medals_within(iced & !grid.medal_cells(on_show));
        let hidden = state.medals_left().saturating_sub(on_show.count_ones() as u8);
        let chance = f32::from(hidden) / open.count_ones().max(1) as f32;
        Hints { parts, places: grid.medals_by_cell(open), chance, hidden }
    }

    /// What a set of cells is expected to uncover.
    #[inline]
    fn worth(&self, cells: u128) -> f32 {
        let [ones, twos, fours] = self.places.map(|plane| (cells & plane).count_ones());
        self.chance * (ones + 2 * twos + 4 * fours) as f32
            + 1.5 * (cells & self.parts).count_ones() as f32
    }

    fn lay_hidden(&self, cells: u128, plane: Plane, seen: &mut Vec<(u32, f32)>) {
        if self.hidden == 0 {
            return;
        }
        let [ones, twos, fours] = self.places;
        let mut set = (ones | twos | fours) & cells;
        while set != 0 {
            let bit = set.trailing_zeros();
            let has = |plane: u128| (plane >> bit & 1) as f32;
            let count = has(ones) + 2.0 * has(twos) + 4.0 * has(fours);
            seen.push((place(bit, &SIGHT, plane as usize), count * self.chance));
            set &= set - 1;
        }
    }
}

/// What the first passes of the legal swaps would do.
#[derive(Default)]
struct Reach {
    once: u128,
    twice: u128,
    best: u128,
    bonuses: u128,
}

impl Reach {
    #[inline]
    fn of(state: &GemIsland<u128>, hints: &Hints) -> Reach {
        let mut reach = Reach::default();
        let mut most = f32::NEG_INFINITY;
        state.for_each_peek(|_, step| {
            let made = step.created.cells();
            let taken = step.removed | made;
            reach.twice |= reach.once & taken;
            reach.once |= taken;
            reach.bonuses |= made;
            let worth = hints.worth(taken);
            if worth > most {
                (most, reach.best) = (worth, taken);
            }
        });
        reach
    }
}

/// Gems like their right neighbour, the one after it, the lower one, the one below that, the lower right one, the upper
/// right one.
#[inline]
fn alike(kinds: [u128; 3], cells: u128) -> [u128; 6] {
    let like = |by: u32, from: u128| {
        let different = kinds.map(|plane| plane ^ plane >> by);
        from & cells >> by & !(different[0] | different[1] | different[2])
    };
    // Two below the last row lies the top of the next column.
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
fn lay(set: u128, plane: usize, seen: &mut Vec<(u32, f32)>) {
    seen.extend(places(set, &SIGHT, plane).map(|place| (place, 1.0)));
}
