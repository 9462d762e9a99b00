//! Tournaments: any number of players, a schedule, a store. A tournament can be interrupted at any
//! moment; when it is started again, it plays only the games that are not in the store.

pub mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::{Side, SpecError};
use tesuji_queue::{Pool, WorkQueue};
use tesuji_search::Game;
use tesuji_store::{GameRecord, Store};

use crate::event::{Event, EventError, Participant, ScheduledGame, event_id};
use crate::event_runner::EventRunner;
use crate::report::Competition;
use crate::schedule::{Schedule, Standings};
use crate::statistics::PoolGame;
use crate::{InvalidInput, Openings, Roster};
use settings::{PlayerSettings, TournamentFormat, TournamentSettings};

/// A tournament that is ready to be played.
pub struct Tournament {
    /// The settings of its file.
    pub settings: TournamentSettings,
    /// The participant whose rating is fixed.
    pub anchor: usize,
    event: Arc<Event>,
    schedule: Schedule,
    /// The empty table, for a competition.
    competition: Option<Competition>,
}

/// The score of a tournament so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TournamentScore {
    /// Number of games counted so far.
    pub done: u64,
    /// Number of games in total.
    pub total: u64,
    /// Number of games that were read from the store instead of played.
    pub resumed: u64,
    /// Points of each participant.
    pub points: Vec<f64>,
}

/// The result of a tournament.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TournamentResult {
    /// The identity of the event in the store.
    pub event: String,
    /// Names of the participants; all player numbers are indices into this list.
    pub names: Vec<String>,
    /// The players of the participants as text.
    pub specs: Vec<String>,
    /// The score.
    #[serde(flatten)]
    pub score: TournamentScore,
    /// Number of games by the reason why they ended.
    pub endings: BTreeMap<&'static str, u64>,
    /// Games in which a player failed.
    pub failures: Vec<FailedGame>,
    /// All games, in schedule order.
    #[serde(skip)]
    pub games: Vec<PoolGame>,
}

/// A game in which a player failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FailedGame {
    /// The game's key in the store.
    pub key: String,
    /// The kind of failure, in one word.
    pub kind: &'static str,
    /// The error message.
    pub detail: String,
}

impl Tournament {
    /// Parses the players and creates the schedule.
    pub fn new(
        settings: TournamentSettings,
        game: &Game,
        roster: Roster,
        openings: Openings,
    ) -> Result<Self, InvalidInput> {
        let participants = participants(&settings, roster)?;
        let schedule = schedule(&settings, &participants)?;
        let anchor = match &settings.ratings.anchor {
            None => 0,
            Some(name) => index_of(name, &participants, "anchor")?,
        };
        let competition = match settings.format {
            TournamentFormat::Competition => Some(empty_competition(&settings)?),
            _ => None,
        };
        let conditions = settings.conditions();
        let id = event_id(&settings.name, &settings.game, &openings, &conditions, settings.seed);
        let event = Event {
            id,
            game: game.clone(),
            participants,
            openings,
            conditions,
            seed: settings.seed,
        };
        event.check()?;
        Ok(Tournament { settings, event: Arc::new(event), schedule, anchor, competition })
    }

    /// The identity of the event in the store.
    pub fn event(&self) -> &str {
        &self.event.id
    }

    /// The names of the participants.
    pub fn names(&self) -> Vec<String> {
        self.event.participants.iter().map(|participant| participant.name.clone()).collect()
    }

    /// The table of a competition with these games; `None` for other formats.
    pub fn competition(&self, games: &[PoolGame]) -> Option<Competition> {
        let mut table = self.competition.clone()?;
        let players = self.settings.players.len();
        for game in games {
            let depth = game.players[0] / players;
            let competitors = game.players.map(|participant| participant % players);
            table.add(depth, competitors, game.outcome).ok()?;
        }
        Some(table)
    }

    /// Number of games in total.
    pub fn total(&self) -> u64 {
        2 * self.settings.pairs * self.schedule.pairings(self.event.participants.len()) as u64
    }

    /// Plays the remaining games on threads of this process. `progress` is called after every game.
    pub fn run(
        &self,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&TournamentScore),
    ) -> Result<TournamentResult, EventError> {
        self.run_on(&Pool::new(self.settings.concurrency.max(1)), store, progress)
    }

    /// Plays the remaining games on a work queue.
    pub fn run_on(
        &self,
        queue: &dyn WorkQueue,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&TournamentScore),
    ) -> Result<TournamentResult, EventError> {
        let runner = EventRunner { event: &self.event, queue, store, stop: None };
        runner.run_uncontested(|stored| {
            let mut standings = Standings::new(self.event.participants.len());
            let participants = &self.event.participants;
            let points = vec![0.0; participants.len()];
            let mut result = TournamentResult {
                event: self.event.id.clone(),
                names: self.names(),
                specs: participants
                    .iter()
                    .map(|participant| participant.spec.text().to_string())
                    .collect(),
                score: TournamentScore { total: self.total(), points, ..Default::default() },
                ..TournamentResult::default()
            };
            let mut pairing_counts = BTreeMap::new();
            for number in 1..=self.schedule.rounds() {
                let round = self.schedule.round(&standings);
                let (stage, games) = (
                    number.to_string(),
                    self.scheduled_games(&round.pairings, &mut pairing_counts),
                );
                let uncontested = runner.play_round(
                    &stage,
                    games,
                    stored,
                    &mut |scheduled, game, is_stored| {
                        result.add(scheduled, &game, is_stored);
                        progress(&result.score);
                        ControlFlow::Continue(())
                    },
                )?;
                if !uncontested {
                    return Ok(None);
                }
                standings.met.extend(round.pairings);
                if let Some(player) = round.bye {
                    standings.had_bye.insert(player);
                    result.score.points[player] += 2.0 * self.settings.pairs as f64;
                }
                standings.points.clone_from(&result.score.points);
            }
            Ok(Some(result))
        })
    }

    /// All games of a round, pair by pair through all pairings, so that an unfinished tournament
    /// has about as many games of each pairing.
    fn scheduled_games(
        &self,
        pairings: &[[usize; 2]],
        pairing_counts: &mut BTreeMap<[usize; 2], u64>,
    ) -> Vec<ScheduledGame> {
        // A repeated pairing continues its numbering: every game has a unique number.
        let ordered: Vec<([usize; 2], u64)> = pairings
            .iter()
            .map(|pairing| {
                let before = pairing_counts.entry(*pairing).or_default();
                *before += 1;
                (self.by_name(*pairing), (*before - 1) * self.settings.pairs)
            })
            .collect();
        (0..self.settings.pairs)
            .flat_map(|pair| ordered.iter().map(move |(players, first)| (*players, first + pair)))
            .flat_map(|(players, pair)| self.event.pairing(players, 2 * pair..2 * pair + 2))
            .collect()
    }

    /// Sorts two participants by their names before renames: their games are the same in whichever
    /// order the file lists them.
    fn by_name(&self, [a, b]: [usize; 2]) -> [usize; 2] {
        let name = |player: usize| self.event.participants[player].former_texts[0].clone();
        if name(a) <= name(b) { [a, b] } else { [b, a] }
    }
}

impl TournamentResult {
    fn add(&mut self, scheduled: &ScheduledGame, game: &GameRecord, is_stored: bool) {
        let players = scheduled.by_side();
        self.score.done += 1;
        self.score.resumed += u64::from(is_stored);
        for (player, side) in players.into_iter().zip(Side::ALL) {
            self.score.points[player] += game.outcome.points(side);
        }
        let ending = &game.ending;
        *self.endings.entry(ending.kind.word()).or_default() += 1;
        if ending.kind.is_failure() {
            let (key, kind) = (game.key.clone(), ending.kind.word());
            self.failures.push(FailedGame { key, kind, detail: ending.detail.clone() });
        }
        self.games.push(PoolGame { players, outcome: game.outcome, pair: scheduled.pair() });
    }
}

impl From<SpecError> for InvalidInput {
    fn from(error: SpecError) -> Self {
        InvalidInput(error.to_string())
    }
}

/// The placeholder for the depth in a player of a competition.
const DEPTH: &str = "{depth}";

/// The participants; in a competition each player appears once per depth, by depth.
fn participants(
    settings: &TournamentSettings,
    roster: Roster,
) -> Result<Vec<Participant>, InvalidInput> {
    let mut participants = Vec::new();
    let depths: Vec<Option<u32>> = match settings.format {
        TournamentFormat::Competition => settings.depths.iter().copied().map(Some).collect(),
        _ => vec![None],
    };
    for depth in depths {
        for player in &settings.players {
            participants.push(participant(player, roster, depth)?);
        }
    }
    let mut names = BTreeSet::new();
    match participants.iter().find(|participant| !names.insert(&participant.name)) {
        None => Ok(participants),
        Some(duplicate) => Err(InvalidInput(format!(
            "players: two have the name '{}'; expected unique names, such as {{ name = \"…\", spec = \"{}\" }}",
            duplicate.name, duplicate.spec
        ))),
    }
}

fn participant(
    player: &PlayerSettings,
    roster: Roster,
    depth: Option<u32>,
) -> Result<Participant, InvalidInput> {
    let (PlayerSettings::Unnamed(spec) | PlayerSettings::Named { spec, .. }) = player;
    if depth.is_some() && !spec.contains(DEPTH) {
        return Err(InvalidInput(format!(
            "player '{spec}': no {DEPTH}; in a competition expected a depth option such as alphabeta:depth={DEPTH}"
        )));
    }
    let filled = depth.map_or(spec.clone(), |depth| spec.replace(DEPTH, &depth.to_string()));
    let spec = roster.read(&filled)?;
    let name = match (player, depth) {
        (PlayerSettings::Unnamed(_), _) => filled,
        (PlayerSettings::Named { name, .. }, None) => name.clone(),
        (PlayerSettings::Named { name, .. }, Some(depth)) => format!("{name} d{depth}"),
    };
    Ok(Participant::new(name, spec))
}

fn empty_competition(settings: &TournamentSettings) -> Result<Competition, InvalidInput> {
    let names = settings.players.iter().map(|player| match player {
        PlayerSettings::Unnamed(name) | PlayerSettings::Named { name, .. } => name.clone(),
    });
    let depths = settings.depths.iter().map(|depth| format!("depth {depth}")).collect();
    let weights = (!settings.weights.is_empty()).then(|| settings.weights.clone());
    Competition::new(names.collect(), depths, weights)
}

fn schedule(
    settings: &TournamentSettings,
    participants: &[Participant],
) -> Result<Schedule, InvalidInput> {
    let (count, players) = (participants.len(), settings.players.len());
    Ok(match settings.format {
        TournamentFormat::RoundRobin => Schedule::once(count, |_, _| true),
        // Only players of the same depth meet.
        TournamentFormat::Competition => Schedule::once(count, |a, b| a / players == b / players),
        TournamentFormat::Swiss => Schedule::Swiss(settings.rounds.unwrap_or(1)),
        TournamentFormat::Gauntlet => {
            let mut challengers = settings
                .challengers
                .iter()
                .map(|name| index_of(name, participants, "challenger"))
                .collect::<Result<BTreeSet<usize>, _>>()?;
            if challengers.is_empty() {
                challengers.insert(0);
            }
            if challengers.len() == count {
                let why = "`challengers`: every player is a challenger; expected at least one that is not";
                return Err(InvalidInput(why.to_string()));
            }
            Schedule::once(count, |a, b| challengers.contains(&a) != challengers.contains(&b))
        }
    })
}

/// The index of the participant with a name.
fn index_of(name: &str, participants: &[Participant], role: &str) -> Result<usize, InvalidInput> {
    participants.iter().position(|participant| participant.name == name).ok_or_else(|| {
        let names: Vec<&str> =
            participants.iter().map(|participant| participant.name.as_str()).collect();
        let names = names.join(", ");
        InvalidInput(format!("{role} '{name}': no such player; expected one of {names}"))
    })
}
