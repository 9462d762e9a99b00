//! A tournament as its file describes it. Every key has one meaning, an unknown key is an error, and what
//! is wrong is said with its line.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use tesuji_search::Limits;

use crate::quantity::HumanDuration;
use crate::{Adjudication, GameConditions, InvalidInput, OpeningOrder, TimeControl};

/// The whole file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentSettings {
    /// What it is called; part of its identity in the store.
    pub name: String,
    /// The game as text.
    pub game: String,
    /// Who meets whom.
    #[serde(default)]
    pub format: TournamentFormat,
    /// Colour-swapped pairs of games in each pairing.
    #[serde(default = "one")]
    pub pairs: u64,
    /// Swiss: how many rounds.
    pub rounds: Option<usize>,
    /// Gauntlet: the names of the challengers; without it the first player is the one.
    #[serde(default)]
    pub challengers: Vec<String>,
    /// Competition: what `{depth}` in a player's spec stands for, one column each.
    #[serde(default)]
    pub depths: Vec<u32>,
    /// Competition: what each column counts for in the weighted total.
    #[serde(default)]
    pub weights: Vec<f64>,
    /// Decides openings and every player's chance.
    #[serde(default = "one")]
    pub seed: u64,
    /// How many games run at once.
    #[serde(default = "one")]
    pub concurrency: usize,
    /// Where games are kept, unless the command line says otherwise.
    pub store: Option<String>,
    /// How games begin.
    #[serde(default)]
    pub openings: OpeningSettings,
    /// The clocks.
    #[serde(default)]
    pub clock: ClockSettings,
    /// What a search may spend where the player's own options say nothing.
    #[serde(default)]
    pub limits: LimitSettings,
    /// When games end early.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// How the pool is rated.
    #[serde(default)]
    pub ratings: RatingSettings,
    /// Who takes part.
    pub players: Vec<PlayerSettings>,
}

fn one<T: From<u8>>() -> T {
    T::from(1)
}

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everyone meets everyone.
    #[default]
    RoundRobin,
    /// Some meet all others.
    Gauntlet,
    /// By the standings, round by round.
    Swiss,
    /// Everyone meets everyone at each of several depths (Loos, 2012).
    Competition,
}

/// A player: its spec, or its spec under a name.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, expecting = "a player: \"SPEC\" or { name = \"…\", spec = \"…\" }")]
pub enum PlayerSettings {
    /// The spec is the name.
    Unnamed(String),
    /// A name for it.
    Named {
        /// The name in tables.
        name: String,
        /// What plays under it.
        spec: String,
    },
}

/// How games begin.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OpeningSettings {
    /// A file: lists of moves, or offsets from the centre. Relative to the tournament's file.
    pub file: Option<String>,
    /// This many random moves.
    pub random_plies: Option<usize>,
    /// Whether the file is used from its beginning on or in an order that the seed decides.
    #[serde(default)]
    pub order: OpeningOrder,
}

/// The clocks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClockSettings {
    /// Time for a move.
    #[serde(default, deserialize_with = "span")]
    pub per_move: Option<Duration>,
    /// Time for the whole game.
    #[serde(default, deserialize_with = "span")]
    pub per_game: Option<Duration>,
    /// Added after every move.
    #[serde(default, deserialize_with = "span")]
    pub increment: Option<Duration>,
    /// How much too late is still in time.
    #[serde(default, deserialize_with = "span")]
    pub margin: Option<Duration>,
}

/// What a search may spend.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitSettings {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions, or simulations.
    pub nodes: Option<u64>,
}

/// How the pool is rated.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatingSettings {
    /// The player whose rating is fixed; without it the first.
    pub anchor: Option<String>,
    /// At this number.
    #[serde(default)]
    pub elo: f64,
}

/// A time as people write it: `"500ms"`.
fn span<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse::<HumanDuration>().map(|span| Some(span.0)).map_err(serde::de::Error::custom)
}

impl TournamentSettings {
    /// Reads the text of a file and checks what can be checked without a game.
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
        let needed = [
            (self.name.trim().is_empty(), "`name` is empty; give the tournament one"),
            (self.players.len() < 2, "`players` needs at least two"),
            (self.pairs == 0, "`pairs` is 0; each pairing needs at least one pair of games"),
            (
                self.format == TournamentFormat::Swiss && self.rounds.unwrap_or(0) == 0,
                "a swiss tournament needs `rounds`, such as rounds = 5",
            ),
            (
                self.format == TournamentFormat::Competition && self.depths.is_empty(),
                "a competition needs `depths`, such as depths = [1, 2, 3, 4, 5]",
            ),
            (
                self.format != TournamentFormat::Swiss && self.rounds.is_some(),
                "`rounds` is for format = \"swiss\"; use `pairs` for more games",
            ),
            (
                self.format != TournamentFormat::Gauntlet && !self.challengers.is_empty(),
                "`challengers` is for format = \"gauntlet\"",
            ),
            (
                self.format != TournamentFormat::Competition
                    && !(self.depths.is_empty() && self.weights.is_empty()),
                "`depths` and `weights` are for format = \"competition\"",
            ),
            (
                self.openings.file.is_some() && self.openings.random_plies.is_some(),
                "`openings` takes a file or random-plies, not both",
            ),
            (
                [self.adjudication.decided, self.adjudication.even]
                    .into_iter()
                    .flatten()
                    .any(|agreement| agreement.moves == 0 || agreement.score < 0),
                "an agreement needs moves above 0 and a score of at least 0",
            ),
        ];
        match needed.into_iter().find(|(wrong, _)| *wrong) {
            Some((_, what)) => Err(InvalidInput(what.to_string())),
            None => Ok(()),
        }
    }

    /// What holds for each game.
    pub fn conditions(&self) -> GameConditions {
        let LimitSettings { depth, nodes } = self.limits;
        let ClockSettings { per_move, per_game, increment, margin } = self.clock;
        let usual = TimeControl::default();
        GameConditions {
            limits: Limits { depth, nodes, ..Limits::default() },
            clock: TimeControl {
                per_move,
                per_game,
                increment: increment.unwrap_or(usual.increment),
                margin: margin.unwrap_or(usual.margin),
            },
            adjudication: self.adjudication.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "name = 'x'\ngame = 'tictactoe'\nplayers = ['random', 'heuristic']\n";

    #[test]
    fn a_small_file_suffices() {
        let settings = TournamentSettings::read(SMALL).unwrap();
        assert_eq!((settings.format, settings.pairs, settings.seed), (TournamentFormat::RoundRobin, 1, 1));
        assert_eq!(settings.conditions().text(), GameConditions::default().text());
    }

    #[test]
    fn everything_can_be_said() {
        let text = format!(
            "{SMALL}format = 'swiss'\nrounds = 3\npairs = 2\n\
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
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("", "line 1: missing field `name`"),
            ("name = 'x'\ngame = 1", "line 2: invalid type"),
            (
                "name = 'x'\ngame = 'g'\nplayers = ['a', 'b']\nplayer = 3",
                "line 4: unknown field `player`",
            ),
            ("name = 'x'\ngame = 'g'\nplayers = ['a']", "at least two"),
            ("name = 'x'\ngame = 'g'\nplayers = ['a', 3]", "line 3: a player"),
            ("name = ", "line 1:"),
            (&format!("{SMALL}pairs = 0"), "`pairs` is 0"),
            (&format!("{SMALL}format = 'swiss'"), "needs `rounds`"),
            (&format!("{SMALL}format = 'ladder'"), "line 4: unknown variant `ladder`"),
            (&format!("{SMALL}[clock]\nper-move = '1'"), "line 5: '1' is not a time"),
            (
                &format!("{SMALL}[adjudication]\neven = {{ score = 3, moves = 0 }}"),
                "agreement needs",
            ),
        ] {
            let error = TournamentSettings::read(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
