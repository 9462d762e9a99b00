//! What a training run is told: one TOML file, read, checked, and written back with every default filled in.
//! The same settings come from a `.properties` file as well, see [`properties`](super::properties).

mod check;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::forest::{
    CandidateOrder, Forest, Pattern, PatternShape, PatternTree, PatternWindow, SearchStyle, Spread,
    TieBreak, VoteFormula,
};
use crate::settings::settings;
use tesuji_train::settings::check_ranges;
use tesuji_train::{Facts, MeasureSettings, SettingsError};

settings! {
    /// How a forest is evolved. Everything but the game has a default.
    pub struct ForestLearnerSettings {
        /// Who learns.
        pub learner: LearnerName = LearnerName::Forest;
        /// The game, such as `mnk:10x10,k=5`.
        pub game: String = String::new();
        /// What decides all seeds of the run.
        pub seed: u64 = 1;
        /// How many games are played at once; 0 for as many as the machine runs threads.
        pub threads: usize = 0, 0.0..=1024.0;
        /// What a forest is.
        pub forest: ForestSettings = ForestSettings::default();
        /// How forests compete and breed.
        pub evolution: EvolutionSettings = EvolutionSettings::default();
        /// How they look ahead.
        pub search: SearchSettings = SearchSettings::default();
        /// When it is enough.
        pub stop: StopSettings = StopSettings::default();
        /// What trees learn from.
        pub data: DataSettings = DataSettings::default();
        /// How the best forest is measured.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// What a forest is.
    pub struct ForestSettings {
        /// Trees of each forest.
        pub trees: usize = 25, 1.0..=10_000.0;
        /// Cells that each tree may ask about.
        pub attributes: usize = 8, 1.0..=Pattern::MAX_CELLS as f64;
        /// The side of the square around the last move that is learned from; as much of it as fits on the board.
        pub window: usize = 7, 1.0..=20.0;
        /// How the cells of a tree are chosen.
        pub shape: PatternShape = PatternShape::default();
        /// How much the votes of each tree count.
        pub tree_weights: TreeWeights = TreeWeights::Equal;
        /// How trees are laid on the board.
        pub spread: Spread = Spread::default();
        /// What votes are worth.
        pub weights: VoteFormula = VoteFormula::default();
    }

    /// How forests compete and breed.
    pub struct EvolutionSettings {
        /// Forests that survive each iteration.
        pub population: usize = 10, 2.0..=10_000.0;
        /// Forests with all children. Full mating decides it, and partial mating doubles the population unless
        /// this says otherwise.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub largest: Option<usize> = None;
        /// Who has children with whom.
        pub mating: Mating = Mating::Partial;
        /// Who plays whom.
        pub games: GameSchedule = GameSchedule::Limited;
        /// The probability that a child is mutated, and then that a tree of it is replaced.
        pub mutation: f64 = 0.15, 0.0..=1.0;
        /// What decides who survives.
        pub fitness: FitnessSource = FitnessSource::Games;
        /// What games are worth.
        pub points: GamePoints = GamePoints::default();
        /// Exercises beside the games.
        pub scenarios: ScenarioSettings = ScenarioSettings::default();
    }

    /// What games are worth.
    #[derive(Copy)]
    pub struct GamePoints {
        /// A win.
        pub win: f64 = 2.0, -1e6..=1e6;
        /// A draw.
        pub draw: f64 = 1.0, -1e6..=1e6;
        /// A loss.
        pub loss: f64 = -3.0, -1e6..=1e6;
    }

    /// Exercises that the program makes for itself; each kind counts with its weight, and one with weight 0 is
    /// left out.
    pub struct ScenarioSettings {
        /// With `fitness = "both"`: the part of exercises, the rest being that of games.
        pub share: f64 = 0.5, 0.0..=1.0;
        /// Positions of each kind.
        pub count: usize = 10, 1.0..=10_000.0;
        /// Win at once.
        pub attack: f64 = 1.0, 0.0..=1e6;
        /// Find the only move that does not lose at once.
        pub defend: f64 = 1.0, 0.0..=1e6;
        /// Make a threat that must be answered.
        pub force: f64 = 1.0, 0.0..=1e6;
        /// Win with the third stone from now.
        pub win_in_three: f64 = 1.0, 0.0..=1e6;
        /// In a lost position, hold out as long as possible.
        pub survive: f64 = 1.0, 0.0..=1e6;
        /// Games against a player of random moves.
        pub random: f64 = 1.0, 0.0..=1e6;
        /// Games against `rivals`.
        pub rival: f64 = 1.0, 0.0..=1e6;
        /// Games against random, and against each rival.
        pub games: usize = 10, 1.0..=10_000.0;
        /// Players of the arena, such as `external:cmd=./pbrain-x`.
        pub rivals: Vec<String> = Vec::new();
    }

    /// How forests look ahead.
    pub struct SearchSettings {
        /// Plies; 0 for the move that the forest likes best.
        pub depth: u32 = 2, 0.0..=64.0;
        /// What kind of search.
        pub style: SearchStyle = SearchStyle::Thesis;
        /// Only moves within so many cells of a stone are looked at; 0 for all moves.
        pub radius: usize = 2, 0.0..=20.0;
        /// Which moves are looked at first. Changes how long a search takes, and which of several best moves is found
        /// first.
        pub order: CandidateOrder = CandidateOrder::Patterns;
        /// Which of several best moves is played.
        pub ties: TieBreak = TieBreak::First;
        /// Whether threads without a game help the searches of others.
        pub helpers: HelperThreads = HelperThreads::On;
    }

    /// When it is enough: whatever comes first.
    pub struct StopSettings {
        /// After so many iterations.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub iterations: Option<u64> = None;
        /// After so many seconds, those before an interruption counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seconds: Option<f64> = None;
        /// After so many iterations in which no child became the best.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub stagnation: Option<u64> = None;
    }

    /// What trees learn from.
    pub struct DataSettings {
        /// Games between two players of random moves before the first iteration.
        pub random: usize = 500, 0.0..=1e7;
        /// Games between the line heuristic and random moves, with changing colours.
        pub mixed: usize = 500, 0.0..=1e7;
        /// Games of the line heuristic against itself.
        pub heuristic: usize = 500, 0.0..=1e7;
        /// Random stones at the beginning of each pair of games; none in the thesis. Without any, two forests that
        /// leave nothing to seeds (`ties = "first"`) play the same game whenever they meet.
        pub openings: usize = 0, 0.0..=400.0;
        /// Where samples are kept: a file, or a `postgres://` URL. Without it, `samples.db` in the run's folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub store: Option<String> = None;
        /// Stores whose samples of the same game and window are learned from as well.
        pub import: Vec<String> = Vec::new();
    }
}

/// The learners that a file can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerName {
    /// Forests and a genetic algorithm.
    Forest,
}

/// How much the votes of a tree count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeWeights {
    /// All the same, as in the thesis.
    Equal,
    /// The more, the fewer of the samples outside its bootstrap a tree gets wrong.
    Error,
    /// As evolution finds out: a weight is inherited with its tree and changes by mutation.
    Evolved,
}

/// Who has children with whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mating {
    /// Every forest with every other, in both orders.
    Full,
    /// Random pairs, until the population is at its largest.
    Partial,
}

/// Who plays whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameSchedule {
    /// Everybody against everybody else, with both colours.
    Full,
    /// Every survivor against every child, with both colours.
    Limited,
}

/// What decides who survives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FitnessSource {
    /// Points from games.
    Games,
    /// Exercises alone. Games are played all the same: trees learn from them.
    Scenarios,
    /// Games and exercises, as `scenarios.share` says.
    Both,
}

/// Whether threads without a game help the searches of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HelperThreads {
    /// As soon as there are fewer games than threads.
    On,
    /// Never: one thread a game.
    Off,
}

impl tesuji_train::Settings for ForestLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        self.check_numbers("")?;
        self.forest.check_numbers("forest.")?;
        self.evolution.check_numbers("evolution.")?;
        self.evolution.points.check_numbers("evolution.points.")?;
        self.evolution.scenarios.check_numbers("evolution.scenarios.")?;
        self.search.check_numbers("search.")?;
        self.data.check_numbers("data.")?;
        check_ranges(self.ranges())?;
        self.inconsistency().map_or(Ok(()), |what| Err(SettingsError::Sense(what)))
    }

    fn facts(&self) -> Facts {
        let depth = format!("depth={}", self.search.depth.clamp(1, 2));
        Facts {
            game: self.game.clone(),
            seed: self.seed,
            threads: Some(self.threads),
            steps: self.stop.iterations,
            seconds: self.stop.seconds,
            measure: Some(self.measure.with_usual_options(&depth)),
            store: self.data.store.clone(),
        }
    }

    fn resolved(&self) -> ForestLearnerSettings {
        let mut settings = self.clone();
        settings.evolution.largest = Some(self.evolution.largest());
        settings
    }
}

impl ForestLearnerSettings {
    /// A forest of these trees, which looked at windows of this size.
    pub fn build_forest(&self, window: PatternWindow, trees: Vec<Arc<PatternTree>>) -> Forest {
        let (spread, formula) = (self.forest.spread, self.forest.weights);
        Forest { game: self.game.clone(), window, spread, formula, trees }
    }
}

impl EvolutionSettings {
    /// Forests with all children.
    pub fn largest(&self) -> usize {
        let usual = match self.mating {
            Mating::Full => self.population * self.population,
            Mating::Partial => 2 * self.population,
        };
        self.largest.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_train::Settings as _;

    const SMALL: &str = "game = 'tictactoe'\n";

    #[test]
    fn a_game_suffices_and_everything_is_written_back() {
        let settings = ForestLearnerSettings::from_toml(SMALL).unwrap();
        assert_eq!(settings.evolution.largest(), 20);
        let text = settings.to_toml();
        assert_eq!(ForestLearnerSettings::from_toml(&text).unwrap(), settings.resolved(), "{text}");
        assert!(text.contains("largest = 20") && text.contains("tree_weights = \"equal\""));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("", "`game` is missing"),
            ("game = 3", "line 1: invalid type"),
            ("game = 'g'\nseeds = 3", "line 2: unknown field `seeds`"),
            ("game = 'g'\n[forest]\ntree = 3", "line 3: unknown field `tree`"),
            ("game = 'g'\n[forest]\ntrees = 0", "`forest.trees` is 0; expected 1 to 10000"),
            (
                "game = 'g'\n[forest]\nattributes = 13",
                "`forest.attributes` is 13; expected 1 to 12",
            ),
            ("game = 'g'\n[forest]\nwindow = 0", "`forest.window` is 0"),
            ("game = 'g'\n[forest]\nshape = 'round'", "line 3: unknown variant `round`"),
            ("game = 'g'\n[evolution]\npopulation = 1", "`evolution.population` is 1"),
            ("game = 'g'\n[evolution]\nlargest = 10", "`evolution.largest` is 10; expected 11"),
            ("game = 'g'\n[evolution]\nmutation = 1.5", "`evolution.mutation` is 1.5"),
            ("game = 'g'\n[evolution]\nmutation = nan", "`evolution.mutation` is NaN"),
            ("game = 'g'\n[evolution]\nmating = 'full'\nlargest = 20", "must be 100"),
            ("game = 'g'\n[evolution.points]\nloss = 3", "must rise"),
            ("game = 'g'\n[data]\nrandom = 0\nmixed = 0\nheuristic = 0", "nothing to learn from"),
            ("game = 'g'\n[search]\ndepth = -1", "line 3: invalid value"),
            ("game = 'g'\nlearner = 'net'", "line 2: unknown variant `net`"),
            ("game = 'g'\n[evolution.scenarios]\nrivals = ['random']", "needs fitness"),
        ] {
            let error = ForestLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
