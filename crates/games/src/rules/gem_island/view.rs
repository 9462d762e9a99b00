//! The part of a game that an agent may know, and the sampling of full states from it.

use std::sync::Arc;

use super::{Fidelity, GemIsland, GemStatus, Mask, Swap};
use crate::Simulator;
use crate::random::{Rng, below};

/// A game without its hidden medals. A medal with one visible part is known entirely, since the
/// parts differ.
#[derive(Clone, Debug)]
pub struct GemView<M: Mask = u128> {
    /// The game; its board contains only medals with a visible part.
    pub known: GemIsland<M>,
    /// The number of medals that lie entirely under ice.
    pub hidden: u8,
}

impl<M: Mask> GemView<M> {
    pub(super) fn of(state: &GemIsland<M>) -> GemView<M> {
        let grid = state.grid();
        let bare = grid.cells & !covered(state);
        let seen = grid.medals_touching(state.board().medals, bare);
        let hidden = state.medals_left().saturating_sub(seen.count() as u8);
        GemView { known: state.clone().with_medals(seen), hidden }
    }

    /// The cells whose medals are not visible.
    pub fn covered(&self) -> M {
        covered(&self.known)
    }

    /// The possible upper left cells of hidden medals.
    pub fn hidden_places(&self) -> M {
        let grid = self.known.grid();
        grid.medals_within(self.covered() & !grid.medal_cells(self.known.board().medals))
    }

    /// The full state with the hidden medals at these upper left cells.
    pub fn with_medals(&self, hidden: M) -> GemIsland<M> {
        self.known.clone().with_medals(self.known.board().medals | hidden)
    }

    /// The same view with this fidelity of rollouts.
    pub fn with_fidelity(self, fidelity: Fidelity) -> GemView<M> {
        let mut grid = (**self.known.grid()).clone();
        grid.fidelity = fidelity;
        GemView { known: self.known.on_grid(Arc::new(grid)), ..self }
    }

    /// Places the hidden medals one by one at random in the remaining places, like the published
    /// sampler, and starts again if they do not all fit. If they never fit, which is impossible in
    /// a view of a real game, only those of the last attempt are placed.
    pub fn place_hidden(&self, rng: &mut Rng) -> M {
        let (grid, places) = (self.known.grid(), self.hidden_places());
        let mut chosen = M::default();
        for _ in 0..MAX_TRIES {
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

const MAX_TRIES: usize = 10_000;

/// The cells whose medals are not visible: those under ice. With the original rules only those
/// under exactly one layer, since the published observation treats the number of a higher layer as
/// "no ice".
fn covered<M: Mask>(state: &GemIsland<M>) -> M {
    let ice = &state.board().ice;
    if state.grid().is_original() { ice[0] & !ice[1] & !ice[2] } else { state.board().iced() }
}

impl<M: Mask> Simulator for GemIsland<M> {
    type Action = Swap;
    type Observation = GemView<M>;

    fn observe(&self) -> GemView<M> {
        self.view()
    }

    fn sample_state(view: &GemView<M>, rng: &mut Rng) -> Self {
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

    /// Returns the reward, 1 for a win.
    #[inline]
    fn step(&mut self, swap: Swap, rng: &mut Rng) -> f64 {
        self.play(swap, rng, &mut ());
        f64::from(u8::from(self.medals_left() == 0))
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.status() != GemStatus::Running
    }
}
