//! What settings must fulfil.

use tesuji_train::settings::Range;

use super::{Fitness, Mating, Settings};
use crate::forest::Pattern;

/// The largest population, children included: everybody has a number of 16 bits.
const LARGEST: usize = 65_536;

impl Settings {
    pub(super) fn ranges(&self) -> Vec<Range> {
        let (forest, evolution) = (&self.forest, &self.evolution);
        let (scenarios, data) = (&evolution.scenarios, &self.data);
        let count = |key, value: usize, least: usize, most: usize| {
            (key, value as f64, least as f64, most as f64)
        };
        let real = |key, value, least, most| (key, value, least, most);
        let many = 10_000_000;
        vec![
            count("threads", self.threads, 0, 1024),
            count("forest.trees", forest.trees, 1, 10_000),
            count("forest.attributes", forest.attributes, 1, Pattern::MOST_CELLS),
            count("forest.window", forest.window, 1, 20),
            real("forest.weights.win", forest.weights.win, -1e6, 1e6),
            real("forest.weights.draw", forest.weights.draw, -1e6, 1e6),
            real("forest.weights.loss", forest.weights.loss, -1e6, 1e6),
            real("forest.weights.drawn_game", forest.weights.drawn_game(), -1e9, 1e9),
            count("evolution.population", evolution.population, 2, 10_000),
            count("evolution.largest", evolution.largest(), evolution.population + 1, LARGEST),
            real("evolution.mutation", evolution.mutation, 0.0, 1.0),
            real("evolution.points.win", evolution.points.win, -1e6, 1e6),
            real("evolution.points.draw", evolution.points.draw, -1e6, 1e6),
            real("evolution.points.loss", evolution.points.loss, -1e6, 1e6),
            real("evolution.scenarios.share", scenarios.share, 0.0, 1.0),
            count("evolution.scenarios.count", scenarios.count, 1, 10_000),
            count("evolution.scenarios.games", scenarios.games, 1, 10_000),
            real("evolution.scenarios.attack", scenarios.attack, 0.0, 1e6),
            real("evolution.scenarios.defend", scenarios.defend, 0.0, 1e6),
            real("evolution.scenarios.force", scenarios.force, 0.0, 1e6),
            real("evolution.scenarios.win_in_three", scenarios.win_in_three, 0.0, 1e6),
            real("evolution.scenarios.survive", scenarios.survive, 0.0, 1e6),
            real("evolution.scenarios.random", scenarios.random, 0.0, 1e6),
            real("evolution.scenarios.rival", scenarios.rival, 0.0, 1e6),
            count("search.depth", self.search.depth as usize, 0, 64),
            count("search.radius", self.search.radius, 0, 20),
            real("stop.iterations", self.stop.iterations.unwrap_or(1) as f64, 0.0, 1e9),
            real("stop.seconds", self.stop.seconds.unwrap_or(1.0), 0.0, 1e9),
            real("stop.stagnation", self.stop.stagnation.unwrap_or(1) as f64, 1.0, 1e9),
            count("data.random", data.random, 0, many),
            count("data.mixed", data.mixed, 0, many),
            count("data.heuristic", data.heuristic, 0, many),
            count("data.openings", data.openings, 0, 400),
        ]
    }

    /// What is wrong although every number is within its range.
    pub(super) fn nonsense(&self) -> Option<String> {
        let (evolution, data) = (&self.evolution, &self.data);
        let points = evolution.points;
        let all = evolution.population * evolution.population;
        let rules: [(bool, &str); 7] = [
            (
                self.game.trim().is_empty(),
                "`game` is missing; write the game to be learned, such as game = \"mnk:10x10,k=5\"",
            ),
            (
                i64::try_from(self.seed).is_err(),
                &format!("`seed` is {}; expected 0 to {}", self.seed, i64::MAX),
            ),
            (
                evolution.mating == Mating::Full && evolution.largest() != all,
                &format!(
                    "`evolution.largest` must be {all} with mating = \"full\", or be left out"
                ),
            ),
            (
                !(points.loss < points.draw && points.draw <= points.win),
                "`evolution.points` must rise from loss over draw to win, such as -3, 1, 2",
            ),
            (
                data.random + data.mixed + data.heuristic == 0 && data.import.is_empty(),
                "there is nothing to learn from: `data.random`, `data.mixed` and `data.heuristic` \
                 are 0 and `data.import` is empty; give at least one of them",
            ),
            (
                evolution.fitness != Fitness::Games && self.scenario_weight() <= 0.0,
                "every weight in `evolution.scenarios` is 0; give at least one kind a weight",
            ),
            (
                evolution.fitness == Fitness::Games && !evolution.scenarios.rivals.is_empty(),
                "`evolution.scenarios.rivals` needs fitness = \"scenarios\" or \"both\"",
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
