//! One tree search that the critic guides.

use tesuji_games::{Playable, Stones};
use tesuji_search::analysis::with_others;
use tesuji_search::{Limits, Progress, Puct, PuctOptions, Report, Search};

use super::View;
use super::guide::{CriticGuide, GuideOptions};

/// See the top of this file. The tree is kept from move to move.
pub struct CriticUct<P: Playable + Stones> {
    puct: Puct<P, CriticGuide<P::Move>>,
}

impl<P: Playable + Stones> CriticUct<P> {
    /// A player with this critic.
    pub fn new(view: View, tree: PuctOptions, guide: GuideOptions) -> Self {
        CriticUct { puct: Puct::new(tree, CriticGuide::new(view.evaluator(), guide)) }
    }
}

impl<P: Playable + Stones> Search<P> for CriticUct<P> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        self.puct.search(position, limits, progress)
    }

    /// Also the moves that it would not look at.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        with_others(self, position, limits, progress)
    }

    fn forget(&mut self) {
        self.puct.forget();
    }
}
