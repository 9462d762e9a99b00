//! What an agent may know of a game, and states that it can imagine.

use std::sync::Arc;

use super::{Fidelity, GemIsland, Mask, Status, Swap};
use crate::Simulator;
use crate::random::{Rng, below};

/// A game without what the ice hides. A medal of which one part is seen is known whole, since parts differ.
#[derive(Clone, Debug)]
pub struct View<M: Mask = u128> {
    /// The game; on its board are only those medals of which a part is seen.
    pub known: GemIsland<M>,
    /// How many medals lie wholly under ice.
    pub hidden: u8,
}

impl<M: Mask> View<M> {
    pub(super) fn of(state: &GemIsland<M>) -> View<M> {
        let grid = state.grid();
        let bare = grid.cells & !covered(state);
        let seen = grid.medals_touching(state.board().medals, bare);
        let hidden = state.medals_left().saturating_sub(seen.count() as u8);
        View { known: state.clone().with_medals(seen), hidden }
    }

    /// Cells whose medal cannot be seen.
    pub fn covered(&self) -> M {
        covered(&self.known)
    }

    /// Where a hidden medal may lie, each place by its upper left cell.
    pub fn hidden_places(&self) -> M {
        let grid = self.known.grid();
        grid.medals_within(self.covered() & !grid.medal_cells(self.known.board().medals))
    }

    /// A whole state: the hidden medals lie there.
    pub fn with_medals(&self, hidden: M) -> GemIsland<M> {
        self.known.clone().with_medals(self.known.board().medals | hidden)
    }

    /// The same view, with rollouts that play on as exactly as this says.
    pub fn with_fidelity(self, fidelity: Fidelity) -> View<M> {
        let mut grid = (**self.known.grid()).clone();
        grid.fidelity = fidelity;
        View { known: self.known.on_grid(Arc::new(grid)), ..self }
    }

    /// Places the hidden medals one after another, each anywhere that is left, as the published sampler does: again
    /// from the start when they do not all fit. A view that no game can show, on which they never fit, gets as many as
    /// fit in the end.
    pub fn place_hidden(&self, rng: &mut Rng) -> M {
        let (grid, places) = (self.known.grid(), self.hidden_places());
        let mut chosen = M::default();
        for _ in 0..MOST_TRIES {
            let mut free = places;
            chosen = M::default();
            while chosen.count() < u32::from(self.hidden) && !free.is_empty() {
                let place = M::bit(free.nth(below(rng, free.count())));
                chosen |= place;
                let tall = place | place << 1 | place >> 1;
                free &= !(tall | tall << grid.stride | tall >> grid.stride);
            }
            if chosen.count() == u32::from(self.hidden) {
                break;
            }
        }
        chosen
    }
}

const MOST_TRIES: usize = 10_000;

/// Cells whose medal cannot be seen: those under ice. By the original rules only those under their last layer, since
/// its observation takes the number of a higher layer for "no ice".
fn covered<M: Mask>(state: &GemIsland<M>) -> M {
    let ice = &state.board().ice;
    if state.grid().is_original() { ice[0] & !ice[1] & !ice[2] } else { state.board().iced() }
}

impl<M: Mask> Simulator for GemIsland<M> {
    type Action = Swap;
    type Observation = View<M>;

    fn observe(&self) -> View<M> {
        self.view()
    }

    fn imagine(view: &View<M>, rng: &mut Rng) -> Self {
        view.with_medals(view.place_hidden(rng))
    }

    fn for_each_action(&self, mut each: impl FnMut(Swap)) {
        if !self.is_over() {
            (0..self.swaps().count()).for_each(|n| each(self.swap_at(n)));
        }
    }

    #[inline]
    fn random_action(&self, rng: &mut Rng) -> Option<Swap> {
        let running = !self.is_over();
        running.then(|| self.swap_at(below(rng, self.swaps().count())))
    }

    /// The reward is 1 for a win.
    #[inline]
    fn step(&mut self, swap: Swap, rng: &mut Rng) -> f64 {
        self.play(swap, rng, &mut ());
        f64::from(u8::from(self.medals_left() == 0))
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.status() != Status::Running
    }
}
