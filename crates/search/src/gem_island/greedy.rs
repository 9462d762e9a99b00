//! The greedy agent: it looks at the first pass of every legal swap, if told so at what can be foreseen after it, and
//! takes the one that promises most. It is also how rollouts play on, so it must be fast: everything about a board is a
//! few sets of cells, and a swap is swap_values by counting bits.
//!
//! Foresight decides the strength. At level 1 (2,000 games) first passes alone won 73.7 %; with a close look at three
//! swaps 90.4 %, at sixteen 95.8 %.

use tesuji_games::rules::gem_island::{
    CascadeStep, GemBoard, GemIsland, GemView, Mask, Swap, SwapPair,
};

use super::{Agent, Decision, SwapValue};

/// Declares the weights once: field, default, meaning.
macro_rules! weights {
    ($($(#[$meaning:meta])* $name:ident: $default:expr,)*) => {
        /// What the greedy agent makes of a swap's first pass. The unit is one part of a hidden medal uncovered.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct GreedyWeights {
            $($(#[$meaning])* pub $name: f32,)*
        }

        impl Default for GreedyWeights {
            fn default() -> Self {
                GreedyWeights { $($name: $default,)* }
            }
        }

        impl GreedyWeights {
            /// The names of the weights, in the order of [`list`](Self::list).
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// All weights, for whoever tunes them.
            pub fn list(&self) -> Vec<f32> {
                vec![$(self.$name,)*]
            }

            /// Weights out of such a list; `None` if it has another length.
            pub fn from_list(list: &[f32]) -> Option<GreedyWeights> {
                let [$($name,)*] = <[f32; Self::NAMES.len()]>::try_from(list).ok()?;
                Some(GreedyWeights { $($name,)* })
            }
        }
    };
}

weights! {
    /// The last covered part of a medal on show.
    last_part: 1.9,
    /// Each of two covered parts of a medal on show.
    of_two: 3.1,
    /// Each of three or more covered parts of a medal on show.
    of_three: 2.7,
    /// A layer of ice, whatever is under it.
    ice: 0.0,
    /// Extra for a part of a medal on show at an edge of the board, where few swaps reach.
    edge: 0.03,
    /// A cross made.
    cross: 0.65,
    /// A star made.
    star: 6.7,
    /// A diamond made.
    diamond: 0.5,
    /// A cross used up.
    cross_spent: 0.0,
    /// A star used up.
    star_spent: 0.2,
    /// A diamond used up.
    diamond_spent: 0.0,
    /// A gem taken.
    gem: 0.0,
    /// How far down the swap is, from 0 to 1: what stands above falls.
    depth: 0.19,
    /// The best swap that follows, as far as it can be foreseen.
    follow: 0.8,
}

/// What a player sees of a board, as sets of cells by what they are worth. Hidden medals take no part in it.
#[derive(Clone, Copy, Debug)]
struct Sight<M> {
    iced: M,
    on_show: M,
    /// How many open places of a hidden medal have this cell in them, in binary.
    places: [M; 3],
    /// The expected number of hidden medals on each open place.
    density: f32,
    /// Covered parts of medals on show: where one, two, or more parts of it are covered.
    parts: [M; 3],
    edges: M,
}

impl<M: Mask> Sight<M> {
    #[inline]
    fn of(state: &GemIsland<M>) -> Sight<M> {
        let (grid, board) = (&**state.grid(), state.board());
        let iced = board.iced();
        let on_show = grid.medals_touching(board.medals, grid.cells & !iced);
        let hidden = u32::from(state.medals_left()).saturating_sub(on_show.count());
        let open = grid.medals_within(iced & !grid.medal_cells(on_show));
        let density = hidden as f32 / open.count().max(1) as f32;
        let places = grid.medals_by_cell(open);
        let mut parts = [M::default(); 3];
        on_show.for_each(|place| {
            let covered = grid.medal_cells(M::bit(place)) & iced;
            parts[(covered.count().clamp(1, 3) - 1) as usize] |= covered;
        });
        let edges = grid.bottom | grid.first_column | grid.cells & !grid.has_right;
        Sight { iced, on_show, places, density, parts, edges }
    }
}

/// Chooses swaps by their first pass, and those that promise most by what can be foreseen after it.
#[derive(Clone, Copy, Default, Debug)]
pub struct GreedyAgent {
    /// What counts.
    pub weights: GreedyWeights,
    /// So many of the best swaps are looked at more closely, [`MAX_WIDTH`] at most: what falls, what that takes along, and
    /// which swap could follow. With 0 or 1, none is.
    pub width: usize,
}

/// The most swaps that are looked at closely.
pub const MAX_WIDTH: usize = 16;

/// Frees the last medal: nothing is worth more.
const WINS: f32 = 100.0;

/// A swap that may be chosen.
#[derive(Clone, Copy)]
struct Candidate<M> {
    pair: SwapPair,
    worth: f32,
    /// Cells that its first pass takes.
    taken: M,
}

impl GreedyAgent {
    /// The most promising swap; `None` when none is legal.
    #[inline]
    pub fn choose<M: Mask>(&self, state: &GemIsland<M>) -> Option<Swap> {
        let sight = Sight::of(state);
        let best = match self.width {
            0 | 1 => self.best(state, &sight)?,
            _ => self.best_closely(state, &sight)?,
        };
        state.swap_of(best.0)
    }

    /// The best by its first pass.
    #[inline(always)]
    fn best<M: Mask>(&self, state: &GemIsland<M>, sight: &Sight<M>) -> Option<(SwapPair, f32)> {
        let mut best: Option<(SwapPair, f32)> = None;
        state.for_each_peek(|pair, step| {
            let worth = self.worth(state, sight, pair, step);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((pair, worth));
            }
        });
        best
    }

    fn best_closely<M: Mask>(
        &self,
        state: &GemIsland<M>,
        sight: &Sight<M>,
    ) -> Option<(SwapPair, f32)> {
        let mut top = [None; MAX_WIDTH];
        let top = &mut top[..self.width.min(MAX_WIDTH)];
        state.for_each_peek(|pair, step| {
            let worth = self.worth(state, sight, pair, step);
            let taken = step.removed | step.created.cells();
            keep(top, Candidate { pair, worth, taken });
        });
        let mut best: Option<(SwapPair, f32)> = None;
        for candidate in top.iter().flatten() {
            let worth = self.close_worth(state, sight, candidate);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((candidate.pair, worth));
            }
        }
        best
    }

    /// With what the first pass promises: what more is hit for certain, and the best swap after it.
    fn close_worth<M: Mask>(
        &self,
        state: &GemIsland<M>,
        sight: &Sight<M>,
        candidate: &Candidate<M>,
    ) -> f32 {
        let Some(next) = state.predict(candidate.pair, sight.on_show) else {
            return candidate.worth;
        };
        if next.medals_left() == 0 {
            return candidate.worth + WINS;
        }
        let hit_later = sight.iced & !next.board().iced() & !candidate.taken;
        let follow = self.best(&next, &Sight::of(&next)).map_or(0.0, |(_, worth)| worth);
        candidate.worth + self.hits(sight, hit_later) + self.weights.follow * follow
    }

    /// Every legal swap with what it promises, best first; those that were looked at closely before the others.
    pub fn rank_swaps<M: Mask>(&self, state: &GemIsland<M>) -> Vec<(Swap, f32)> {
        let sight = Sight::of(state);
        let mut candidates = Vec::new();
        state.for_each_peek(|pair, step| {
            let worth = self.worth(state, &sight, pair, step);
            let taken = step.removed | step.created.cells();
            candidates.push(Candidate { pair, worth, taken });
        });
        let best_first = |a: &Candidate<M>, b: &Candidate<M>| b.worth.total_cmp(&a.worth);
        candidates.sort_by(best_first);
        let close = candidates.len().min(if self.width > 1 { self.width } else { 0 });
        for candidate in &mut candidates[..close] {
            candidate.worth = self.close_worth(state, &sight, candidate);
        }
        candidates[..close].sort_by(best_first);
        let swap = |c: &Candidate<M>| Some((state.swap_of(c.pair)?, c.worth));
        candidates.iter().filter_map(swap).collect()
    }

    #[inline(always)]
    fn hits<M: Mask>(&self, sight: &Sight<M>, hit: M) -> f32 {
        let w = &self.weights;
        let count = |set: M| set.count() as f32;
        let [ones, twos, fours] = sight.places.map(|plane| (hit & plane).count());
        let [last, two, three] = sight.parts.map(|parts| count(hit & parts));
        let shown = sight.parts[0] | sight.parts[1] | sight.parts[2];
        sight.density * (ones + 2 * twos + 4 * fours) as f32
            + w.last_part * last
            + w.of_two * two
            + w.of_three * three
            + w.ice * count(hit)
            + w.edge * count(hit & shown & sight.edges)
    }

    #[inline(always)]
    fn worth<M: Mask>(
        &self,
        state: &GemIsland<M>,
        sight: &Sight<M>,
        pair: SwapPair,
        step: &CascadeStep<M>,
    ) -> f32 {
        let w = &self.weights;
        let stride = state.grid().stride;
        let count = |set: M| set.count() as f32;
        let hit = (step.removed | step.created.cells()) & sight.iced;
        let mut worth = self.hits(sight, hit)
            + w.gem * count(step.removed)
            + w.depth * (pair.near % stride) as f32 / stride as f32;
        if !step.created.is_empty() {
            let made = &step.created;
            worth += w.cross * count(made.crosses)
                + w.star * count(made.stars)
                + w.diamond * count(made.diamonds);
        }
        worth + self.spent(state.board(), step.removed)
    }

    #[inline(always)]
    fn spent<M: Mask>(&self, board: &GemBoard<M>, removed: M) -> f32 {
        if !removed.meets(board.bonus_gems()) {
            return 0.0;
        }
        let w = &self.weights;
        let count = |set: M| (set & removed).count() as f32;
        w.cross_spent * count(board.crosses())
            + w.star_spent * count(board.stars())
            + w.diamond_spent * count(board.diamonds())
    }
}

/// Puts a candidate in its place among the best ones so far.
#[inline(always)]
fn keep<M: Copy>(top: &mut [Option<Candidate<M>>], candidate: Candidate<M>) {
    let mut new = candidate;
    for slot in top {
        match slot {
            None => {
                *slot = Some(new);
                return;
            }
            Some(old) if new.worth > old.worth => std::mem::swap(old, &mut new),
            Some(_) => {}
        }
    }
}

impl<M: Mask> Agent<M> for GreedyAgent {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        let swap_values = self.rank_swaps(&view.known);
        let &(swap, worth) = swap_values.first()?;
        let listed =
            |&(swap, worth): &(Swap, f32)| SwapValue { swap, mean: worth.into(), visits: 1 };
        let swaps = swap_values.iter().map(listed).collect();
        Some(Decision { swap, value: worth.into(), rollouts: 0, swaps })
    }
}
