//! Models that come with the program. `models/README.md` documents how each was made.

use crate::critic::{Critic, CriticError};
use crate::network::Network;
use crate::ntuple::TupleNetwork;
use crate::{Model, ModelError};

/// The outcome network of Gem Island.
pub(crate) const GEM_OUTCOME: &[u8] = include_bytes!("../../../models/gem-outcome.net");
/// The same, trained as published, on games of people.
pub(crate) const GEM_OUTCOME_AS_PUBLISHED: &[u8] =
    include_bytes!("../../../models/gem-outcome-as-published.net");
/// The utility network of Gem Island.
pub(crate) const GEM_UTILITY: &[u8] = include_bytes!("../../../models/gem-utility.net");
/// The utility network that the thesis proposed.
pub(crate) const GEM_UTILITY_SEARCH: &[u8] =
    include_bytes!("../../../models/gem-utility-search.net");
/// The policy network of Gem Island.
pub(crate) const GEM_POLICY: &[u8] = include_bytes!("../../../models/gem-policy.net");

/// The line network for Gomoku.
pub(crate) const GOMOKU_LINES: &[u8] = include_bytes!("../../../models/gomoku.lines");

/// A model or a critic included in the program.
#[derive(Clone, Copy)]
pub struct ShippedModel {
    /// Its name.
    pub name: &'static str,
    /// The game that it was trained for, as text.
    pub game: &'static str,
    /// The content of its file.
    pub bytes: &'static [u8],
}

macro_rules! shipped {
    ($($name:literal, $game:literal, $file:literal;)*) => {
        &[$(ShippedModel {
            name: $name,
            game: $game,
            bytes: include_bytes!(concat!("../../../models/", $file)),
        }),*]
    };
}

/// All forests and n-tuple networks.
pub const SHIPPED_MODELS: &[ShippedModel] = shipped! {
    "tictactoe-weights", "tictactoe", "tictactoe.tuples";
    "tictactoe", "tictactoe", "tictactoe.xml.gz";
    "connect4-7x7-weights", "connect4:7x7", "connect4-7x7.tuples";
    "connect4-7x7", "connect4:7x7", "connect4-7x7.xml.gz";
    "connect4-7x6-weights", "connect4", "connect4-7x6.tuples";
    "connect4-7x6", "connect4", "connect4-7x6.xml.gz";
    "gomoku-10x10-weights", "mnk:10x10,k=5", "gomoku-10x10.tuples";
    "gomoku-10x10", "mnk:10x10,k=5", "gomoku-10x10.xml.gz";
    "gomoku-15x15-weights", "gomoku", "gomoku-15x15.tuples";
    "gomoku-15x15", "gomoku", "gomoku-15x15.xml.gz";
    "connect6", "connect6", "connect6.xml.gz";
};

/// All critics. A board without a critic uses the first one for rows of the same length.
pub const SHIPPED_CRITICS: &[ShippedModel] = shipped! {
    "critic-gomoku-15x15", "gomoku", "critic-gomoku-15x15.net";
    "critic-gomoku-10x10", "mnk:10x10,k=5", "critic-gomoku-10x10.net";
};

impl ShippedModel {
    /// The model with this name.
    pub fn named(name: &str) -> Option<&'static ShippedModel> {
        SHIPPED_MODELS.iter().find(|shipped| shipped.name == name)
    }

    /// Whether it is a forest, and not an n-tuple network.
    pub fn is_forest(&self) -> bool {
        !self.bytes.starts_with(TupleNetwork::MAGIC)
    }

    /// Reads the model.
    pub fn model(&self) -> Result<Model, ModelError> {
        Model::read(self.bytes).map_err(|error| error.in_file(self.name))
    }

    /// Reads the critic.
    pub fn critic(&self) -> Result<Critic, CriticError> {
        Critic::new(Network::from_bytes(self.bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_networks_can_be_read() {
        use crate::gem_island::{NetworkValue, PolicyNetwork, ValueKind};
        let read = |bytes, question| {
            NetworkValue::new(Network::from_bytes(bytes).unwrap(), question).is_ok()
        };
        assert!(read(GEM_UTILITY, ValueKind::Utility));
        assert!(read(GEM_UTILITY_SEARCH, ValueKind::SearchUtility));
        assert!(PolicyNetwork::new(Network::from_bytes(GEM_POLICY).unwrap()).is_ok());
        assert!(PolicyNetwork::new(Network::from_bytes(GEM_UTILITY).unwrap()).is_err());
        for bytes in [GEM_OUTCOME, GEM_OUTCOME_AS_PUBLISHED] {
            assert!(read(bytes, ValueKind::Outcome));
        }
        assert!(!read(GEM_OUTCOME, ValueKind::Utility));
        let lines = crate::line_network::LineNetwork::shipped();
        assert!(lines.weights().origin().contains("passes") && GOMOKU_LINES.len() < 400_000);
        assert!(GEM_UTILITY.len() < 300_000 && GEM_OUTCOME.len() < 300_000);
    }

    #[test]
    fn every_critic_is_valid_and_for_a_known_game() {
        for shipped in SHIPPED_CRITICS {
            assert!(shipped.critic().is_ok() && shipped.bytes.len() < 20_000, "{}", shipped.name);
            assert!(crate::row_games::board(shipped.game).is_ok(), "{}", shipped.name);
        }
        assert_ne!(SHIPPED_CRITICS[0].name, SHIPPED_CRITICS[1].name);
    }

    #[test]
    fn every_model_is_valid_and_for_its_game() {
        let names: HashSet<&str> = SHIPPED_MODELS.iter().map(|shipped| shipped.name).collect();
        assert_eq!(names.len(), SHIPPED_MODELS.len());
        for shipped in SHIPPED_MODELS {
            let model = shipped.model().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
            assert_eq!(model.game(), shipped.game, "{}", shipped.name);
            assert_eq!(matches!(model, Model::Forest(_)), shipped.is_forest(), "{}", shipped.name);
        }
    }
}
