//! The settings of a training run: one TOML file, which is read, checked, and written back with all
//! defaults. They can also be read from a `.properties` file, see
//! [`properties`](super::properties).

mod check;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::forest::{
    CandidateOrder, Forest, Pattern, PatternShape, PatternTree, PatternWindow, SearchStyle, Spread,
    TieBreak, VoteFormula,
};
use crate::settings::settings;
use tesuji_train::settings::check_ranges;
use tesuji_train::{CommonSettings, MeasureSettings, SettingsError};

settings! {
    /// The settings of the forest learner. Everything except the game has a default.
    pub struct ForestLearnerSettings {
        /// The learner.
        pub learner: LearnerName = LearnerName::Forest;
        /// The game, such as `mnk:10x10,k=5`.
        pub game: String = String::new();
        /// The seed of the run.
        pub seed: u64 = 1;
        /// The number of parallel games; 0 for the machine's number of threads.
        pub threads: usize = 0, 0.0..=1024.0;
        /// The parameters of a forest.
        pub forest: ForestSettings = ForestSettings::default();
        /// The parameters of the genetic algorithm.
        pub evolution: EvolutionSettings = EvolutionSettings::default();
        /// The search of the players.
        pub search: SearchSettings = SearchSettings::default();
        /// When the run ends.
        pub stop: StopSettings = StopSettings::default();
        /// The training data.
        pub data: DataSettings = DataSettings::default();
        /// How the best forest is measured.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// The parameters of a forest.
    pub struct ForestSettings {
        /// The number of trees of a forest.
        pub trees: usize = 25, 1.0..=10_000.0;
        /// The number of cells that a tree may test.
        pub attributes: usize = 8, 1.0..=Pattern::MAX_CELLS as f64;
        /// The least number of cells of a tree: each draws its number from here to `attributes`.
        /// 0: all trees have `attributes` cells, as in the thesis.
        pub min_attributes: usize = 0, 0.0..=Pattern::MAX_CELLS as f64;
        /// The side length of the square around the last move that samples contain, reduced to fit
        /// on the board.
        pub window: usize = 7, 1.0..=20.0;
        /// How the cells of a tree are chosen.
        pub shape: PatternShape = PatternShape::default();
        /// Whether a leaf has the more votes, the surer it is; one vote in the thesis.
        pub graded: bool = false;
        /// The share of its samples, in percent, that a leaf needs for its vote; other leaves do
        /// not vote. 0: every leaf votes, as in the thesis.
        pub confidence: u8 = 0, 0.0..=99.0;
        /// The highest confidence of a tree: each draws its own from `confidence` to here. 0: all
        /// trees have `confidence`.
        pub max_confidence: u8 = 0, 0.0..=99.0;
        /// How the weights of trees are determined.
        pub tree_weights: TreeWeights = TreeWeights::Equal;
        /// Where patterns are placed on the board.
        pub spread: Spread = Spread::default();
        /// How votes become a score.
        pub weights: VoteFormula = VoteFormula::default();
    }

    /// The parameters of the genetic algorithm.
    pub struct EvolutionSettings {
        /// The number of forests that survive an iteration.
        pub population: usize = 10, 2.0..=10_000.0;
        /// The number of forests including children. Full mating determines it; for partial mating
        /// the default is twice the population.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub largest: Option<usize> = None;
        /// Which forests have children together.
        pub mating: Mating = Mating::Partial;
        /// Which forests play each other.
        pub games: GameSchedule = GameSchedule::Limited;
        /// The number of games of each child in limited training, half of them with each color; by
        /// default it plays every survivor twice.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub games_per_individual: Option<usize> = None;
        /// The probability that a child is mutated, and then that one of its trees is replaced.
        pub mutation: f64 = 0.15, 0.0..=1.0;
        /// The probability that a tree of a mutated child is replaced. 0: the same as `mutation`, as
        /// in the thesis.
        pub tree_mutation: f64 = 0.0, 0.0..=1.0;
        /// The share of mutations of a tree that change it a little: a cell, its confidence or its
        /// weight. The others replace it by a new tree, as all do in the thesis.
        pub adjustment: f64 = 0.0, 0.0..=1.0;
        /// How a child gets its trees.
        pub crossover: Crossover = Crossover::Union;
        /// Whether the survivors' trees are trained again on all samples after each iteration.
        pub retraining: bool = true;
        /// The number of earlier best forests that every forest also plays, with both colors, in
        /// each iteration.
        pub champions: usize = 0, 0.0..=1000.0;
        /// Whether all forests begin their games against an opponent with the same openings.
        pub common_openings: bool = false;
        /// What the fitness is computed from.
        pub fitness: FitnessSource = FitnessSource::Games;
        /// The points of a game.
        pub points: GamePoints = GamePoints::default();
        /// Exercises in addition to games.
        pub scenarios: ScenarioSettings = ScenarioSettings::default();
    }

    /// The points of a game.
    #[derive(Copy)]
    pub struct GamePoints {
        /// A win.
        pub win: f64 = 2.0, -1e6..=1e6;
        /// A draw.
        pub draw: f64 = 1.0, -1e6..=1e6;
        /// A loss.
        pub loss: f64 = -3.0, -1e6..=1e6;
    }

    /// Exercises that the program creates. Each kind has a weight; a kind with weight 0 is left
    /// out.
    pub struct ScenarioSettings {
        /// The share of exercises in the fitness with `fitness = "both"`; the rest is the share of
        /// games.
        pub share: f64 = 0.5, 0.0..=1.0;
        /// The number of positions of each kind.
        pub count: usize = 10, 1.0..=10_000.0;
        /// Win immediately.
        pub attack: f64 = 1.0, 0.0..=1e6;
        /// Find the only move that does not lose immediately.
        pub defend: f64 = 1.0, 0.0..=1e6;
        /// Make a threat that must be answered.
        pub force: f64 = 1.0, 0.0..=1e6;
        /// Win with the third stone.
        pub win_in_three: f64 = 1.0, 0.0..=1e6;
        /// Delay the loss in a lost position as long as possible.
        pub survive: f64 = 1.0, 0.0..=1e6;
        /// Games against random moves.
        pub random: f64 = 1.0, 0.0..=1e6;
        /// Games against `rivals`.
        pub rival: f64 = 1.0, 0.0..=1e6;
        /// The number of games against random moves and against each opponent.
        pub games: usize = 10, 1.0..=10_000.0;
        /// Players as opponents, such as `external:cmd=./pbrain-x`.
        pub rivals: Vec<String> = Vec::new();
    }

    /// The search of the players.
    pub struct SearchSettings {
        /// The depth in plies; 0 plays the move with the forest's highest score.
        pub depth: u32 = 2, 0.0..=64.0;
        /// The kind of search.
        pub style: SearchStyle = SearchStyle::Thesis;
        /// Considers only moves within this distance of a stone; 0 for all moves.
        pub radius: usize = 2, 0.0..=20.0;
        /// The order in which moves are tried. It changes the duration of a search, and which of
        /// several best moves is found first.
        pub order: CandidateOrder = CandidateOrder::Patterns;
        /// Which of several best moves is played.
        pub ties: TieBreak = TieBreak::First;
        /// Whether threads without a game help other games' searches.
        pub helpers: HelperThreads = HelperThreads::On;
    }

    /// When the run ends, by whichever limit is reached first.
    pub struct StopSettings {
        /// After this many iterations.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub iterations: Option<u64> = None;
        /// After this many seconds, including those before an interruption.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seconds: Option<f64> = None;
        /// After this many iterations in which no child became the best.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub stagnation: Option<u64> = None;
    }

    /// The training data.
    pub struct DataSettings {
        /// The number of games between two random players before the first iteration.
        pub random: usize = 500, 0.0..=1e7;
        /// The number of games between the line heuristic and random moves, with alternating
        /// colors.
        pub mixed: usize = 500, 0.0..=1e7;
        /// The number of games of the line heuristic against itself.
        pub heuristic: usize = 500, 0.0..=1e7;
        /// The share of random moves of the line heuristic in these games.
        pub noise: f64 = 0.0, 0.0..=1.0;
        /// The number of random stones at the start of each pair of games; none in the thesis.
        /// Without any, two deterministic forests (`ties = "first"`) play the same game whenever
        /// they meet.
        pub openings: usize = 0, 0.0..=400.0;
        /// The number of samples from each game before its last position: the window around each
        /// of this many earlier stones, when it was the last. The thesis has none.
        pub earlier: usize = 0, 0.0..=400.0;
        /// Whether the games of the iterations become samples, as in the thesis. Otherwise trees
        /// learn only from the games before the first iteration.
        pub growing: bool = true;
        /// The store of the samples: a file, or a `postgres://` URL. By default `samples.db` in the
        /// run's folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub store: Option<String> = None;
        /// Stores from which samples of the same game and window are imported.
        pub import: Vec<String> = Vec::new();
    }
}

/// The learners that a file can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerName {
    /// The forest learner.
    Forest,
}

/// How the weights of trees are determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeWeights {
    /// All equal, as in the thesis.
    Equal,
    /// A higher weight for a lower out-of-bag error.
    Error,
    /// By evolution: a weight is inherited with its tree and mutates.
    Evolved,
}

/// Which forests have children together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mating {
    /// Every ordered pair of forests.
    Full,
    /// Random pairs, until the population has its maximum size.
    Partial,
}

/// How a child gets its trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Crossover {
    /// From all trees of both parents, at random: the thesis.
    Union,
    /// From the first parent, except for a random share of up to a half from the second.
    Graft,
}

/// Which forests play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameSchedule {
    /// All pairs, with both colors.
    Full,
    /// Survivors against children, with both colors.
    Limited,
}

/// What the fitness is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FitnessSource {
    /// Points from games.
    Games,
    /// Exercises only. Games are still played, because trees learn from them.
    Scenarios,
    /// Games and exercises, weighted by `scenarios.share`.
    Both,
}

/// Whether threads without a game help other games' searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HelperThreads {
    /// Whenever there are fewer games than threads.
    On,
    /// Never: one thread per game.
    Off,
}

impl tesuji_train::LearnerSettings for ForestLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        self.check_numbers("")?;
        self.forest.check_numbers("forest.")?;
        self.evolution.check_numbers("evolution.")?;
        self.evolution.points.check_numbers("evolution.points.")?;
        self.evolution.scenarios.check_numbers("evolution.scenarios.")?;
        self.search.check_numbers("search.")?;
        self.data.check_numbers("data.")?;
        check_ranges(self.ranges())?;
        self.inconsistency().map_or(Ok(()), |what| Err(SettingsError::Value(what)))
    }

    fn common(&self) -> CommonSettings {
        let depth = format!("depth={}", self.search.depth.clamp(1, 2));
        CommonSettings {
            game: self.game.clone(),
            seed: self.seed,
            threads: Some(self.threads),
            steps: self.stop.iterations,
            seconds: self.stop.seconds,
            measure: Some(self.measure.with_default_options(&depth)),
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
    /// Creates a forest of trees with patterns in this window.
    pub fn build_forest(&self, window: PatternWindow, trees: Vec<Arc<PatternTree>>) -> Forest {
        let (spread, formula) = (self.forest.spread, self.forest.weights);
        Forest { game: self.game.clone(), window, spread, formula, trees }
    }
}

impl EvolutionSettings {
    /// The number of forests including children.
    pub fn largest(&self) -> usize {
        let usual = match self.mating {
            Mating::Full => self.population * self.population,
            Mating::Partial => 2 * self.population,
        };
        self.largest.unwrap_or(usual)
    }

    /// The number of games of each child.
    pub fn games_per_individual(&self) -> usize {
        self.games_per_individual.unwrap_or_else(|| match self.games {
            GameSchedule::Full => self.games_in_full_training(),
            GameSchedule::Limited => 2 * self.population,
        })
    }

    /// The number of games of each forest in full training.
    fn games_in_full_training(&self) -> usize {
        2 * self.largest().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_train::LearnerSettings as _;

    const SMALL: &str = "game = 'tictactoe'\n";

    #[test]
    fn only_the_game_is_required_and_defaults_are_written() {
        let settings = ForestLearnerSettings::from_toml(SMALL).unwrap();
        assert_eq!(settings.evolution.largest(), 20);
        let text = settings.to_toml();
        assert_eq!(ForestLearnerSettings::from_toml(&text).unwrap(), settings.resolved(), "{text}");
        assert!(text.contains("largest = 20") && text.contains("tree_weights = \"equal\""));
    }

    #[test]
    fn errors_are_one_line() {
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
            (
                "game = 'g'\n[forest]\nmin_attributes = 9",
                "`forest.min_attributes` is 9; expected 0 to 8",
            ),
            (
                "game = 'g'\n[forest]\nconfidence = 50\nmax_confidence = 40",
                "`forest.max_confidence` is 40; expected 0 or 50 to 99",
            ),
            ("game = 'g'\n[forest]\nwindow = 0", "`forest.window` is 0"),
            ("game = 'g'\n[forest]\nshape = 'round'", "line 3: unknown variant `round`"),
            ("game = 'g'\n[evolution]\npopulation = 1", "`evolution.population` is 1"),
            ("game = 'g'\n[evolution]\nlargest = 10", "`evolution.largest` is 10; expected 11"),
            ("game = 'g'\n[evolution]\nmutation = 1.5", "`evolution.mutation` is 1.5"),
            ("game = 'g'\n[evolution]\nmutation = nan", "`evolution.mutation` is NaN"),
            ("game = 'g'\n[evolution]\nmating = 'full'\nlargest = 20", "expected 100"),
            ("game = 'g'\n[evolution.points]\nloss = 3", "out of order"),
            ("game = 'g'\n[evolution]\ngames_per_individual = 0", "is 0; expected 2 to 20000"),
            ("game = 'g'\n[evolution]\ngames_per_individual = 5", "is 5; expected an even number"),
            (
                "game = 'g'\n[evolution]\ngames = 'full'\ngames_per_individual = 4",
                "is 4; expected 38 or no value with games = \"full\"",
            ),
            ("game = 'g'\n[data]\nrandom = 0\nmixed = 0\nheuristic = 0", "no training data"),
            ("game = 'g'\n[search]\ndepth = -1", "line 3: invalid value"),
            ("game = 'g'\nlearner = 'net'", "line 2: unknown variant `net`"),
            ("game = 'g'\n[evolution.scenarios]\nrivals = ['random']", "expected fitness"),
        ] {
            let error = ForestLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
