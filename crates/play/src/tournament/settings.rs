//! The settings file of a tournament. Unknown keys are errors; errors name the line.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use tesuji_search::Limits;

use crate::quantity::HumanDuration;
use crate::{Adjudication, GameConditions, InvalidInput, OpeningOrder, TimeControl};

/// The settings of a tournament: the whole file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentSettings {
    /// The tournament's name; part of its identity in the store.
    pub name: String,
    /// The game as text.
    pub game: String,
    /// The tournament format: which players meet.
    #[serde(default)]
    pub format: TournamentFormat,
    /// Number of color-swapped pairs of games in each pairing.
    #[serde(default = "one")]
    pub pairs: u64,
    /// Swiss: number of rounds.
    pub rounds: Option<usize>,
    /// Gauntlet: the names of the challengers [default: the first player].
    #[serde(default)]
    pub challengers: Vec<String>,
    /// Competition: the values of `{depth}` in the players' specs, one column each.
    #[serde(default)]
    pub depths: Vec<u32>,
    /// Competition: the weight of each column in the weighted total.
    #[serde(default)]
    pub weights: Vec<f64>,
    /// Seeds the openings and the players' random numbers.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of parallel games.
    #[serde(default = "one")]
    pub concurrency: usize,
    /// The store of the games, unless the command line gives one.
    pub store: Option<String>,
    /// The openings.
    #[serde(default)]
    pub openings: OpeningSettings,
    /// The clocks.
    #[serde(default)]
    pub clock: ClockSettings,
    /// Limits of a search, for players without limits of their own.
    #[serde(default)]
    pub limits: LimitSettings,
    /// When games end early.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// The options of the rating.
    #[serde(default)]
    pub ratings: RatingSettings,
    /// The players.
    pub players: Vec<PlayerSettings>,
}

fn one<T: From<u8>>() -> T {
    T::from(1)
}

/// The tournament format: which players meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Every pair of players meets.
    #[default]
    RoundRobin,
    /// The challengers meet all others.
    Gauntlet,
    /// Round by round, pairings by the standings.
    Swiss,
    /// Every pair of players meets at each of several depths (Loos, 2012).
    Competition,
}

/// A player: its spec, optionally with a name.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, expecting = "a player: \"SPEC\" or { name = \"…\", spec = \"…\" }")]
pub enum PlayerSettings {
    /// The spec is also the name.
    Unnamed(String),
    /// A spec with a name.
    Named {
        /// The name in tables.
        name: String,
        /// The player as text.
        spec: String,
    },
}

/// The openings.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OpeningSettings {
    /// A file of move lists or of offsets from the center, relative to the tournament's file.
    pub file: Option<String>,
    /// Number of random moves.
    pub random_plies: Option<usize>,
    /// The order in which the file is used.
    #[serde(default)]
    pub order: OpeningOrder,
}

/// The clocks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClockSettings {
    /// Time per move.
    #[serde(default, deserialize_with = "duration")]
    pub per_move: Option<Duration>,
    /// Time per game.
    #[serde(default, deserialize_with = "duration")]
    pub per_game: Option<Duration>,
    /// Increment after every move.
    #[serde(default, deserialize_with = "duration")]
    pub increment: Option<Duration>,
    /// Tolerance: overstepping by this much is accepted.
    #[serde(default, deserialize_with = "duration")]
    pub margin: Option<Duration>,
}

/// Limits of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitSettings {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes, or simulations.
    pub nodes: Option<u64>,
}

/// The options of the rating.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatingSettings {
    /// The player whose rating is fixed [default: the first].
    pub anchor: Option<String>,
    /// The anchor's rating.
    #[serde(default)]
    pub elo: f64,
}

/// Parses a duration such as `"500ms"`.
fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse::<HumanDuration>().map(|duration| Some(duration.0)).map_err(serde::de::Error::custom)
}

impl TournamentSettings {
    /// Parses the text of a file and checks what can be checked without a game.
    pub fn read(text: &str) -> Result<TournamentSettings, InvalidInput> {
        let settings: TournamentSettings = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            let what: Vec<&str> = error.message().lines().collect();
            InvalidInput(format!("line {line}: {}", what.join("; ")))
        })?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), InvalidInput> {
        let problems = [
            (self.name.trim().is_empty(), "`name` is empty; expected the name of the tournament"),
            (self.players.len() < 2, "`players` has fewer than two; expected at least two players"),
            (self.pairs == 0, "`pairs` is 0; expected at least 1"),
            (
                self.format == TournamentFormat::Swiss && self.rounds.unwrap_or(0) == 0,
                "`rounds` is missing; format = \"swiss\" expects it, such as rounds = 5",
            ),
            (
                self.format == TournamentFormat::Competition && self.depths.is_empty(),
                "`depths` is missing; format = \"competition\" expects it, such as depths = [1, 2, 3]",
            ),
            (
                self.format != TournamentFormat::Swiss && self.rounds.is_some(),
                "`rounds` requires format = \"swiss\"; use `pairs` for more games",
            ),
            (
                self.format != TournamentFormat::Gauntlet && !self.challengers.is_empty(),
                "`challengers` requires format = \"gauntlet\"",
            ),
            (
                self.format != TournamentFormat::Competition
                    && !(self.depths.is_empty() && self.weights.is_empty()),
                "`depths` and `weights` require format = \"competition\"",
            ),
            (
                self.openings.file.is_some() && self.openings.random_plies.is_some(),
                "`openings` has both `file` and `random-plies`; expected one of them",
            ),
            (
                [self.adjudication.decided, self.adjudication.even]
                    .into_iter()
                    .flatten()
                    .any(|rule| rule.moves == 0 || rule.score < 0),
                "`adjudication`: `decided` and `even` need moves above 0 and a score of at least 0",
            ),
        ];
        match problems.into_iter().find(|(wrong, _)| *wrong) {
            Some((_, what)) => Err(InvalidInput(what.to_string())),
            None => Ok(()),
        }
    }

    /// Limits, clocks and adjudication of each game.
    pub fn conditions(&self) -> GameConditions {
        let LimitSettings { depth, nodes } = self.limits;
        let ClockSettings { per_move, per_game, increment, margin } = self.clock;
        let default = TimeControl::default();
        GameConditions {
            limits: Limits { depth, nodes, ..Limits::default() },
            clock: TimeControl {
                per_move,
                per_game,
                increment: increment.unwrap_or(default.increment),
                margin: margin.unwrap_or(default.margin),
            },
            adjudication: self.adjudication.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = "name = 'x'\ngame = 'tictactoe'\nplayers = ['random', 'heuristic']\n";

    #[test]
    fn defaults_fill_in_a_minimal_file() {
        let settings = TournamentSettings::read(MINIMAL).unwrap();
        assert_eq!(
            (settings.format, settings.pairs, settings.seed),
            (TournamentFormat::RoundRobin, 1, 1)
        );
        assert_eq!(settings.conditions().text(), GameConditions::default().text());
    }

    #[test]
    fn all_keys_are_read() {
        let text = format!(
            "{MINIMAL}format = 'swiss'\nrounds = 3\npairs = 2\n\
             openings = {{ file = 'o.txt', order = 'random' }}\n\
             [clock]\nper-move = '1s'\nper-game = '1m'\nincrement = '10ms'\nmargin = '5ms'\n\
             [limits]\ndepth = 3\nnodes = 100\n\
             [adjudication]\nsolver = {{ nodes = 10, from-ply = 4 }}\nmax-plies = 9\n\
             decided = {{ score = 100, moves = 3 }}\neven = {{ score = 1, moves = 4, from-ply = 8 }}\n\
             [ratings]\nanchor = 'random'\nelo = 1000.0\n"
        );
        let conditions = TournamentSettings::read(&text).unwrap().conditions().text();
        assert_eq!(
            conditions,
            "depth=Some(3) nodes=Some(100) time=None move=Some(1000) game=Some(60000)+10 margin=5 \
             solver=Some((10, 4)) decided=Some((100, 3, 0)) even=Some((1, 4, 8)) plies=9"
        );
    }

    #[test]
    fn errors_are_one_line() {
        for (text, words) in [
            ("", "line 1: missing field `name`"),
            ("name = 'x'\ngame = 1", "line 2: invalid type"),
            (
                "name = 'x'\ngame = 'g'\nplayers = ['a', 'b']\nplayer = 3",
                "line 4: unknown field `player`",
            ),
            ("name = 'x'\ngame = 'g'\nplayers = ['a']", "at least two players"),
            ("name = 'x'\ngame = 'g'\nplayers = ['a', 3]", "line 3: a player"),
            ("name = ", "line 1:"),
            (&format!("{MINIMAL}pairs = 0"), "`pairs` is 0"),
            (&format!("{MINIMAL}format = 'swiss'"), "`rounds` is missing"),
            (&format!("{MINIMAL}format = 'ladder'"), "line 4: unknown variant `ladder`"),
            (&format!("{MINIMAL}[clock]\nper-move = '1'"), "line 5: '1': not a duration"),
            (
                &format!("{MINIMAL}[adjudication]\neven = {{ score = 3, moves = 0 }}"),
                "need moves above 0",
            ),
        ] {
            let error = TournamentSettings::read(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
