//! An event: games between participants under the same conditions. Every game has an identity, made
//! from everything that decides it, so an event can be interrupted anywhere and resumed: games in
//! the store are not replayed, and a replayed game is the same game.

use std::time::{SystemTime, UNIX_EPOCH};

use tesuji_games::SpecError;
use tesuji_games::bits::mix;
use tesuji_queue::QueueError;
use tesuji_search::{Game, Scheduler};
use tesuji_store::key::{digest, digest_word};
use tesuji_store::{Ending, GameRecord, PlayerRecord, SearchRecord, StoreError};

use crate::file::EngineFile;
use crate::{Adjudicator, GameConditions, Openings, Player, PlayerContext, PlayerSpec, play_game};

/// Why an event could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// A player or game is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The games could not be stored. Games that were acknowledged are safe.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The work queue failed.
    #[error(transparent)]
    Queue(QueueError),
}

impl From<QueueError> for EventError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Store(error) => EventError::Store(error),
            error => EventError::Queue(error),
        }
    }
}

/// A participant of an event.
#[derive(Clone, Debug)]
pub struct Participant {
    /// The name in tables, unique within an event.
    pub name: String,
    /// The player.
    pub spec: PlayerSpec,
    /// The content that is part of the identity of its games, see [`PlayerSpec::content`].
    pub(crate) content: Option<String>,
    /// The files of its program, as they were before the first game.
    pub(crate) engine_files: Vec<EngineFile>,
    /// The name and the canonical text as they were before renames of players and options.
    pub(crate) former_texts: [String; 2],
}

impl Participant {
    /// Creates a participant with a name for tables. Reads the player's files.
    pub fn new(name: String, spec: PlayerSpec) -> Participant {
        // Recorded before the files are read, so that a change in between is detected.
        let engine_files = spec.setup.engine_files();
        let content = spec.content();
        let former_texts = spec.former_texts(&name);
        Participant { name, spec, content, engine_files, former_texts }
    }

    /// Creates a participant whose name is the player's text.
    pub fn unnamed(spec: PlayerSpec) -> Participant {
        Participant::new(spec.text().to_string(), spec)
    }

    /// The parts of its games' identity: the name, the canonical text, and the content of its
    /// files, which is empty for a player without files.
    fn identity(&self) -> [&str; 3] {
        let [name, spec] = &self.former_texts;
        [name, spec, self.content.as_deref().unwrap_or_default()]
    }

    /// The identity in the first version of the program, which had neither canonical texts nor
    /// contents; `None` if the player has contents.
    fn first_identity(&self) -> Option<[String; 2]> {
        let given = self.spec.before_renames(&self.spec.given);
        let is_unnamed = self.name == self.spec.text();
        let name = if is_unnamed { given.clone() } else { self.former_texts[0].clone() };
        self.content.is_none().then_some([name, given])
    }

    /// Returns an error if its program has changed since before the first game.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        self.engine_files.iter().try_for_each(EngineFile::check_unchanged)
    }

    /// The record of the player for stores.
    pub fn player_record(&self) -> PlayerRecord {
        PlayerRecord { name: self.name.clone(), spec: self.spec.text().to_string() }
    }
}

/// A match or tournament: everything that its games have in common.
pub struct Event {
    /// The identity in the store.
    pub id: String,
    /// The game.
    pub game: Game,
    /// The participants.
    pub participants: Vec<Participant>,
    /// The openings.
    pub openings: Openings,
    /// Limits, clocks and adjudication of each game.
    pub conditions: GameConditions,
    /// Seeds the openings and the players' random numbers.
    pub seed: u64,
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// The two participants. In games with an even number the first of them has the first move.
    pub players: [usize; 2],
    /// Counted from 0 among the games of these two. Games 2n and 2n + 1 are a pair: the same
    /// opening with swapped colors.
    pub number: u64,
    /// Seeds the players' random numbers in all games of these two.
    pub seed: u64,
}

impl ScheduledGame {
    /// The participants by side.
    pub fn by_side(&self) -> [usize; 2] {
        let [one, other] = self.players;
        if self.number.is_multiple_of(2) { [one, other] } else { [other, one] }
    }

    /// The number of its pair.
    pub fn pair(&self) -> u64 {
        self.number / 2
    }
}

/// The version of the identities of games, and their first part. It changes with their format.
const IDENTITY: &str = "game 2";

/// The identity of an event: everything that decides how its games go. What may change without
/// changing the games (their number, the other participants, the number of parallel games) is left
/// out.
pub fn event_id(
    name: &str,
    game: &str,
    openings: &Openings,
    conditions: &GameConditions,
    seed: u64,
) -> String {
    let parts = [name, game, &openings.text(), &conditions.text(), &seed.to_string()];
    let slug: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    format!("{slug}-{}", &digest(&parts)[..12])
}

impl Event {
    /// The games of two participants with these numbers. Their random numbers depend on the event's
    /// seed and the two players, neither on the other participants nor on the content of the
    /// players' files: two versions of a model are compared with the same random numbers.
    pub fn pairing(
        &self,
        players: [usize; 2],
        numbers: std::ops::Range<u64>,
    ) -> impl Iterator<Item = ScheduledGame> + use<> {
        let [one, other] = players.map(|player| &self.participants[player].former_texts);
        let players_digest = digest_word(&[&one[0], &one[1], &other[0], &other[1]]);
        let seed = mix(self.seed ^ players_digest);
        numbers.map(move |number| ScheduledGame { players, number, seed })
    }

    /// The identity of a game. The content of the players' files is part of it: a game of a
    /// replaced model is a different game.
    pub fn key(&self, scheduled: &ScheduledGame) -> String {
        let players =
            scheduled.players.iter().flat_map(|&player| self.participants[player].identity());
        let parts: Vec<&str> = std::iter::once(IDENTITY).chain(players).collect();
        format!("{}/{}/{}", self.id, digest(&parts), scheduled.number)
    }

    /// The identity of the game in the first version of the program; `None` if it is a different
    /// game now.
    pub(crate) fn first_key(&self, scheduled: &ScheduledGame) -> Option<String> {
        let [one, other] =
            scheduled.players.map(|player| self.participants[player].first_identity());
        let parts = [one?, other?].concat();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Some(format!("{}/{}/{}", self.id, digest(&parts), scheduled.number))
    }

    /// Creates every player once, so that errors are reported before the first game.
    pub fn check(&self) -> Result<(), SpecError> {
        if self.game.start().may_repeat() && self.conditions.adjudication.solver.is_some() {
            return Err(SpecError::MissingCapability {
                user: "adjudication by solver".to_string(),
                capability: "positions that never repeat",
                game: self.game.name().to_string(),
                remedy: "the settings `decided` and `even`".to_string(),
            });
        }
        let context = self.context(None);
        self.participants
            .iter()
            .try_for_each(|participant| participant.spec.build(&context).map(drop))
    }

    /// The context for players of this event.
    pub(crate) fn context(&self, scheduler: Option<Scheduler>) -> PlayerContext {
        PlayerContext { game: self.game.clone(), seed: self.seed, scheduler }
    }

    /// Plays one game. All randomness comes from the seed and the number, so the result does not
    /// depend on the thread or the time.
    pub(crate) fn play(
        &self,
        scheduled: &ScheduledGame,
        players: [&mut dyn Player; 2],
        conditions: &GameConditions,
        adjudicator: &mut Adjudicator,
    ) -> Option<GameRecord> {
        let opening = self.openings.opening(self.game.start(), self.seed, scheduled.pair());
        let [one, other] = players;
        one.new_game(mix(scheduled.seed ^ mix(2 * scheduled.number + 1)));
        other.new_game(mix(scheduled.seed ^ mix(2 * scheduled.number + 2)));
        let by_side = if scheduled.number.is_multiple_of(2) { [one, other] } else { [other, one] };
        let game = play_game(&opening, by_side, conditions, adjudicator)?;
        Some(GameRecord {
            key: self.key(scheduled),
            event: self.id.clone(),
            game: self.game.name().to_string(),
            players: scheduled.by_side().map(|player| self.participants[player].player_record()),
            pair: Some(scheduled.pair()),
            seed: scheduled.seed,
            start: game.line.start_text(self.game.start()),
            moves: game.line.text(),
            opening_plies: game.opening_plies as u32,
            outcome: game.outcome,
            ending: printable(game.ending),
            thoughts: worth_keeping(game.thoughts),
            played_at: now(),
        })
    }
}

/// Limits an ending to printable text of bounded length, since it may quote any output of an
/// external program.
fn printable(ending: Ending) -> Ending {
    const LONGEST: usize = 1000;
    let detail = ending.detail.chars().take(LONGEST);
    Ending { detail: detail.map(|c| if c.is_control() { ' ' } else { c }).collect(), ..ending }
}

/// Drops the records of players that neither search nor take noticeable time.
fn worth_keeping(thoughts: Vec<SearchRecord>) -> Vec<SearchRecord> {
    const NOTICEABLE: u64 = 1000;
    let is_informative =
        |t: &SearchRecord| t.score.is_some() || t.nodes > 0 || t.micros >= NOTICEABLE;
    if thoughts.iter().any(is_informative) { thoughts } else { Vec::new() }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, opened};
    use tesuji_store::EndingKind;

    #[test]
    fn output_of_external_programs_is_made_printable() {
        let detail = format!("x says \0\n\u{1b}[31m{}", "é".repeat(5000));
        let ending = printable(Ending::with(EndingKind::Crash, detail));
        assert!(ending.detail.starts_with("x says    [31mé"), "{}", ending.detail);
        assert_eq!(ending.detail.chars().count(), 1000);
    }

    /// The identity of a game is a format: it must not change by accident.
    #[test]
    fn games_are_identified_by_canonical_texts_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let keys = |player: &str| {
            let participant = |text: &str| Participant::unnamed(testing::player(text));
            let event = Event {
                id: "cup".to_string(),
                game: opened("tictactoe"),
                participants: vec![participant("random"), participant(player)],
                openings: Openings::none(),
                conditions: GameConditions::default(),
                seed: 1,
            };
            let scheduled = ScheduledGame { players: [0, 1], number: 7, seed: 1 };
            (event.key(&scheduled), event.first_key(&scheduled))
        };
        let key = |parts: &[&str]| format!("cup/{}/7", digest(parts));
        let now = |player: &str, content: &str| {
            key(&["game 2", "random", "random", "", player, player, content])
        };
        let first = |player: &str| Some(key(&["random", "random", player, player]));
        assert_eq!(keys("random:seed=2"), (now("random:seed=2", ""), first("random:seed=2")));
        // All spellings give the same game; the first version distinguished them.
        let canonical = now("pvs:time=1s,depth=2", "");
        assert_eq!(canonical, "cup/bfe6583cc57bfcb9/7");
        for spelled in ["pvs:time=1s,depth=2", "pvs:depth=2,time=1000ms", "pvs:depth=2,time=1s"] {
            assert_eq!(keys(spelled), (canonical.clone(), first(spelled)));
        }
        let player = format!("pvs:file={}", file.display());
        let with = |content: &str| {
            std::fs::write(&file, content).unwrap();
            keys(&player)
        };
        let digest = |content: &str| blake3::hash(content.as_bytes()).to_hex().to_string();
        // Games with an identity without content are not used for players with files.
        assert_eq!(with("one"), (now(&player, &digest("one")), None));
        assert_eq!(with("two"), (now(&player, &digest("two")), None));
    }

    #[test]
    fn identities_change_with_what_decides_games() {
        let id = |name: &str, plies, max_plies, seed| {
            let openings = Openings::Random { plies };
            let mut conditions = GameConditions::default();
            conditions.adjudication.max_plies = max_plies;
            event_id(name, "tictactoe", &openings, &conditions, seed)
        };
        let ids = [
            id("My Cup!", 0, 9, 1),
            id("My Cup?", 0, 9, 1),
            id("My Cup!", 1, 9, 1),
            id("My Cup!", 0, 8, 1),
            id("My Cup!", 0, 9, 2),
        ];
        assert!(ids[0].starts_with("my-cup--"), "{}", ids[0]);
        assert_eq!(ids[0], id("My Cup!", 0, 9, 1));
        let different: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
    }
}
