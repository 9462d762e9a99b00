//! Checks of the settings.

use tesuji_train::settings::RangeCheck;

use super::{FitnessSource, ForestLearnerSettings, GameSchedule, Mating};

/// The maximum population including children: individuals have 16-bit numbers.
const LARGEST: f64 = 65_536.0;

/// The most games of a child: twice the maximum number of survivors.
const MOST_GAMES: f64 = 20_000.0;

impl ForestLearnerSettings {
    /// Numbers whose ranges depend on other settings, and optional numbers.
    pub(super) fn ranges(&self) -> [RangeCheck; 9] {
        let (weights, evolution, stop) = (&self.forest.weights, &self.evolution, &self.stop);
        let fewest = evolution.population as f64 + 1.0;
        [
            ("forest.weights.win", weights.win, -1e6, 1e6),
            ("forest.weights.draw", weights.draw, -1e6, 1e6),
            ("forest.weights.loss", weights.loss, -1e6, 1e6),
            ("forest.weights.drawn_game", weights.drawn_game(), -1e9, 1e9),
            ("evolution.largest", evolution.largest() as f64, fewest, LARGEST),
            (
                "evolution.games_per_individual",
                evolution.games_per_individual() as f64,
                2.0,
                MOST_GAMES,
            ),
            ("stop.iterations", stop.iterations.unwrap_or(1) as f64, 0.0, 1e9),
            ("stop.seconds", stop.seconds.unwrap_or(1.0), 0.0, 1e9),
            ("stop.stagnation", stop.stagnation.unwrap_or(1) as f64, 1.0, 1e9),
        ]
    }

    /// The first inconsistency between settings whose values are all in range.
    pub(super) fn inconsistency(&self) -> Option<String> {
        let (evolution, data) = (&self.evolution, &self.data);
        let points = evolution.points;
        let all = evolution.population * evolution.population;
        let forest = &self.forest;
        let (least, most) = (forest.min_attributes, forest.attributes);
        let (unsure, sure) = (forest.confidence, forest.max_confidence);
        let games = evolution.games_per_individual();
        let in_full = evolution.games_in_full_training();
        let rules: [(bool, &str); 11] = [
            (
                self.game.trim().is_empty(),
                "`game` is missing; expected a game, such as game = \"mnk:10x10,k=5\"",
            ),
            (
                i64::try_from(self.seed).is_err(),
                &format!("`seed` is {}; expected 0 to {}", self.seed, i64::MAX),
            ),
            (
                evolution.mating == Mating::Full && evolution.largest() != all,
                &format!(
                    "`evolution.largest` is {}; expected {all} or no value with mating = \"full\"",
                    evolution.largest()
                ),
            ),
            (
                evolution.games == GameSchedule::Full && games != in_full,
                &format!(
                    "`evolution.games_per_individual` is {games}; expected {in_full} or no value \
                     with games = \"full\""
                ),
            ),
            (
                games % 2 != 0,
                &format!(
                    "`evolution.games_per_individual` is {games}; expected an even number, half of \
                     the games with each color"
                ),
            ),
            (
                !(points.loss < points.draw && points.draw <= points.win),
                "`evolution.points` are out of order; expected loss < draw <= win",
            ),
            (least > most, &format!("`forest.min_attributes` is {least}; expected 0 to {most}")),
            (
                sure != 0 && sure < unsure,
                &format!("`forest.max_confidence` is {sure}; expected 0 or {unsure} to 99"),
            ),
            (
                data.random + data.mixed + data.heuristic == 0 && data.import.is_empty(),
                "no training data: `data.random`, `data.mixed` and `data.heuristic` are 0 and \
                 `data.import` is empty; expected at least one of them",
            ),
            (
                evolution.fitness != FitnessSource::Games && self.scenario_weight() <= 0.0,
                "every weight in `evolution.scenarios` is 0; expected at least one above 0",
            ),
            (
                evolution.fitness == FitnessSource::Games && !evolution.scenarios.rivals.is_empty(),
                "`evolution.scenarios.rivals` has no effect; expected fitness = \
                 \"scenarios\" or \"both\"",
            ),
        ];
        rules.into_iter().find_map(|(wrong, what)| wrong.then(|| what.to_string()))
    }

    fn scenario_weight(&self) -> f64 {
        let it = &self.evolution.scenarios;
        let rival = if it.rivals.is_empty() { 0.0 } else { it.rival };
        it.attack + it.defend + it.force + it.win_in_three + it.survive + it.random + rival
    }
}
