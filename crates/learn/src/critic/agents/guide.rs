//! The critic as the guide of a tree search: which moves threats leave, how likely each is right, who is ahead.

use tesuji_games::{Playable, Position, RowRule, Stones};
use tesuji_search::Guide;

use super::super::{CriticPosition, Prospect, Prospects, Pruning, Urgency};
use super::playout::playout;

/// How likely a move is right before anything is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prior {
    /// By what the critic thinks of the position after it.
    #[default]
    Critic,
    /// As likely as any other.
    Even,
}

/// What a position is worth that nobody has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LeafChance {
    /// What the critic thinks of it.
    #[default]
    Critic,
    /// What it thinks of the position after the move that it likes best: one ply more for nothing, as the moves were
    /// asked about anyway.
    Reply,
    /// How a game ends that goes on by threats and chance.
    Playout,
}

/// How a critic guides.
#[derive(Clone, Debug)]
pub struct GuideOptions {
    /// Weights of moves.
    pub prior: Prior,
    /// Values of positions.
    pub value: LeafChance,
    /// Weights are as the odds that the critic gives, to the power of one over this: less is bolder.
    pub temperature: f32,
    /// Which moves are left out.
    pub pruning: Pruning,
    /// Where the chance of playouts starts from.
    pub seed: u64,
}

impl Default for GuideOptions {
    fn default() -> Self {
        GuideOptions {
            prior: Prior::Critic,
            value: LeafChance::Critic,
            temperature: 1.0,
            pruning: Pruning::Careful,
            seed: 1,
        }
    }
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct CriticGuide<M> {
    options: GuideOptions,
    found: Prospects<M>,
    /// For playouts.
    other: Prospects<M>,
    /// Whether patterns are the game's own rows, and each side puts one stone in turn.
    rows_are_certain: bool,
    only_stops: bool,
}

impl<M: Copy> CriticGuide<M> {
    /// A guide for the game of this position.
    pub fn new<P: Playable + Stones<Move = M>>(options: GuideOptions, game: &P) -> Self {
        let rows_are_certain = game.row_rule() == RowRule::AtLeast && sides_alternate(game);
        CriticGuide {
            options,
            found: Prospects::default(),
            other: Prospects::default(),
            rows_are_certain,
            only_stops: false,
        }
    }

    fn weight(&self, prospect: &Prospect<M>) -> f32 {
        match self.options.prior {
            Prior::Even => 1.0,
            Prior::Critic => {
                let chance = prospect.chance.clamp(1e-4, 1.0 - 1e-4);
                (chance / (1.0 - chance)).powf(1.0 / self.options.temperature)
            }
        }
    }
}

/// How many moves are looked at to tell how turns go.
const TURNS_LOOKED_AT: usize = 6;

/// Whether nobody puts two stones in a row, as far as the next moves show.
fn sides_alternate<P: Position>(game: &P) -> bool {
    let (mut game, mut moves) = (game.clone(), Vec::new());
    for _ in 0..TURNS_LOOKED_AT {
        moves.clear();
        game.push_moves(&mut moves);
        let Some(&m) = moves.first() else { break };
        let side = game.to_move();
        game.play(m);
        if game.outcome().is_none() && game.to_move() == side {
            return false;
        }
    }
    true
}

impl<P: Playable + Stones> Guide<CriticPosition<P>> for CriticGuide<P::Move> {
    fn look(&mut self, position: &CriticPosition<P>, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        position.prospects_by(self.options.pruning, &mut self.found);
        let stops = |prospect: &Prospect<P::Move>| prospect.stops_row();
        self.only_stops =
            self.found.urgency == Urgency::Stopping && self.found.moves.iter().all(stops);
        let sum: f32 = self.found.moves.iter().map(|prospect| self.weight(prospect)).sum();
        moves.extend(self.found.moves.iter().map(|p| (p.m, self.weight(p) / sum)));
        match self.options.value {
            LeafChance::Critic => position.chance(),
            LeafChance::Reply => self.found.best().map_or(0.5, |best| best.chance),
            LeafChance::Playout => playout(position, &mut self.other, self.options.seed),
        }
    }

    /// Where the other side would complete a row with its next stone, every move loses that does not stop it.
    fn left_out_only_losses(&self) -> bool {
        self.rows_are_certain && self.only_stops
    }
}
