//! A tournament: any number of players, a schedule, a store. It may be killed at any moment; what was
//! finished counts, and the rest is played when it is started again.

pub mod settings;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use tesuji_queue::{Pool, WorkQueue};
use tesuji_search::Game;
use tesuji_store::{GameRecord, Store};

use crate::event::{ArenaError, Entrant, Event, Job, event_id};
use crate::hall::{Hall, Truth};
use crate::report::Competition;
use crate::schedule::{Schedule, Standings};
use crate::statistics::PoolGame;
use crate::{Openings, Roster};
use settings::{Format, PlayerSettings, Settings, SettingsError};

/// A tournament that is ready to be played.
pub struct Tournament {
    settings: Settings,
    event: Arc<Event>,
    schedule: Schedule,
    anchor: usize,
    /// Its table, still without scores, if it is a competition.
    competition: Option<Competition>,
}

/// How a tournament stands.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TournamentScore {
    /// Games that were counted.
    pub done: u64,
    /// Games altogether.
    pub total: u64,
    /// Those of them that came from the store.
    pub resumed: u64,
    /// Points of each entrant.
    pub points: Vec<f64>,
}

/// How a tournament went.
#[derive(Clone, Debug, Serialize)]
pub struct TournamentResult {
    /// Its name in the store.
    pub event: String,
    /// Names of the entrants; all numbers refer to them.
    pub names: Vec<String>,
    /// Their specs.
    pub specs: Vec<String>,
    /// The score.
    #[serde(flatten)]
    pub score: TournamentScore,
    /// How many games ended for which reason.
    pub endings: BTreeMap<&'static str, u64>,
    /// Games in which a player failed, and how.
    pub failures: Vec<Failed>,
    /// Every game, in the order of the schedule.
    #[serde(skip)]
    pub games: Vec<PoolGame>,
}

/// A game in which a player failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failed {
    /// The game's key in the store.
    pub key: String,
    /// In one word.
    pub kind: &'static str,
    /// What happened.
    pub detail: String,
}

impl Tournament {
    /// Reads the players of the roster and puts the schedule together.
    pub fn new(
        settings: Settings,
        game: &Game,
        roster: Roster,
        openings: Openings,
    ) -> Result<Self, TournamentError> {
        let entrants = entrants(&settings, roster)?;
        let schedule = schedule(&settings, &entrants)?;
        let anchor = match &settings.ratings.anchor {
            None => 0,
            Some(name) => place_of(name, &entrants, "anchor")?,
        };
        let competition = match settings.format {
            Format::Competition => Some(empty_competition(&settings)?),
            _ => None,
        };
        let conditions = settings.conditions();
        let id = event_id(&settings.name, &settings.game, &openings, &conditions, settings.seed);
        let event =
            Event { id, game: game.clone(), entrants, openings, conditions, seed: settings.seed };
        event.check().map_err(ArenaError::from)?;
        Ok(Tournament { settings, event: Arc::new(event), schedule, anchor, competition })
    }

    /// Its name in the store.
    pub fn event(&self) -> &str {
        &self.event.id
    }

    /// The file it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What its entrants are called.
    pub fn names(&self) -> Vec<String> {
        self.event.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// The entrant whose rating is fixed.
    pub fn anchor(&self) -> usize {
        self.anchor
    }

    /// The table of a competition with these games; `None` for any other tournament.
    pub fn competition(&self, games: &[PoolGame]) -> Option<Competition> {
        let mut table = self.competition.clone()?;
        let players = self.settings.players.len();
        for game in games {
            let depth = game.players[0] / players;
            let seats = game.players.map(|entrant| entrant % players);
            table.add(depth, seats, game.outcome).ok()?;
        }
        Some(table)
    }

    /// How many games it has.
    pub fn total(&self) -> u64 {
        2 * self.settings.pairs * self.schedule.pairings(self.event.entrants.len()) as u64
    }

    /// Plays what is left to play, on threads of this process. `progress` is called after every game.
    pub fn run(
        &self,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&TournamentScore),
    ) -> Result<TournamentResult, ArenaError> {
        self.run_on(&Pool::new(self.settings.concurrency.max(1)), store, progress)
    }

    /// The same with a queue that says who plays.
    pub fn run_on(
        &self,
        queue: &dyn WorkQueue,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&TournamentScore),
    ) -> Result<TournamentResult, ArenaError> {
        loop {
            // When others have played some of the games, those count: they are in the store by now.
            if let Some(result) = self.try_run(queue, store, progress)? {
                return Ok(result);
            }
        }
    }

    fn try_run(
        &self,
        queue: &dyn WorkQueue,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&TournamentScore),
    ) -> Result<Option<TournamentResult>, ArenaError> {
        let known = match store {
            Some(store) => self.event.known_games(store)?,
            None => HashMap::new(),
        };
        let mut standings = Standings::of(self.event.entrants.len());
        let mut result = self.empty_result();
        let mut meetings = BTreeMap::new();
        let hall = Hall { queue, store, known: &known, stop: None };
        for number in 1..=self.schedule.rounds() {
            let round = self.schedule.round(&standings);
            let jobs = self.jobs(&round.pairings, &mut meetings);
            let stage = number.to_string();
            let truth = hall.play(&self.event, &stage, jobs, &mut |job, game| {
                result.add(job, &game, known.contains_key(&game.key));
                progress(&result.score);
                ControlFlow::Continue(())
            })?;
            if truth == Truth::InTheStore {
                return Ok(None);
            }
            standings.met.extend(round.pairings);
            if let Some(player) = round.sits_out {
                standings.sat_out.insert(player);
                result.score.points[player] += 2.0 * self.settings.pairs as f64;
            }
            standings.points.clone_from(&result.score.points);
        }
        Ok(Some(result))
    }

    /// All games of a round, pair by pair through all pairings, so that an unfinished tournament has
    /// played about as many games of each.
    fn jobs(&self, pairings: &[[usize; 2]], meetings: &mut BTreeMap<[usize; 2], u64>) -> Vec<Job> {
        // Who meet again go on where they were: a game has its number once.
        let ordered: Vec<([usize; 2], u64)> = pairings
            .iter()
            .map(|pairing| {
                let before = meetings.entry(*pairing).or_default();
                *before += 1;
                (self.by_name(*pairing), (*before - 1) * self.settings.pairs)
            })
            .collect();
        (0..self.settings.pairs)
            .flat_map(|pair| ordered.iter().map(move |(players, first)| (*players, first + pair)))
            .flat_map(|(players, pair)| self.event.pairing(players, 2 * pair..2 * pair + 2))
            .collect()
    }

    /// In the order of their names: the games of two players are the same whichever comes first in the
    /// file.
    fn by_name(&self, [a, b]: [usize; 2]) -> [usize; 2] {
        if self.event.entrants[a].name <= self.event.entrants[b].name { [a, b] } else { [b, a] }
    }

    fn empty_result(&self) -> TournamentResult {
        let entrants = &self.event.entrants;
        TournamentResult {
            event: self.event.id.clone(),
            names: self.names(),
            specs: entrants.iter().map(|entrant| entrant.spec.text().to_string()).collect(),
            score: TournamentScore {
                total: self.total(),
                points: vec![0.0; entrants.len()],
                ..TournamentScore::default()
            },
            endings: BTreeMap::new(),
            failures: Vec::new(),
            games: Vec::new(),
        }
    }
}

impl TournamentResult {
    fn add(&mut self, job: &Job, game: &GameRecord, resumed: bool) {
        let seats = job.seats();
        self.score.done += 1;
        self.score.resumed += u64::from(resumed);
        for (player, side) in seats.into_iter().zip(tesuji_games::Side::ALL) {
            self.score.points[player] += game.outcome.points(side);
        }
        let ending = &game.ending;
        *self.endings.entry(ending.kind.word()).or_default() += 1;
        if ending.kind.is_failure() {
            let (key, kind) = (game.key.clone(), ending.kind.word());
            self.failures.push(Failed { key, kind, detail: ending.detail.clone() });
        }
        self.games.push(PoolGame { players: seats, outcome: game.outcome, pair: job.pair() });
    }
}

/// Why a tournament cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// Its file makes no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A player cannot play.
    #[error(transparent)]
    Arena(#[from] ArenaError),
}

impl From<tesuji_games::SpecError> for TournamentError {
    fn from(error: tesuji_games::SpecError) -> Self {
        TournamentError::Arena(error.into())
    }
}

fn nonsense(what: String) -> TournamentError {
    SettingsError::Sense(what).into()
}

/// What stands for the depth in the spec of a competitor.
const DEPTH: &str = "{depth}";

/// The entrants; at a competition each player once for each depth, the first depth first.
fn entrants(settings: &Settings, roster: Roster) -> Result<Vec<Entrant>, TournamentError> {
    let mut entrants = Vec::new();
    let depths: Vec<Option<u32>> = match settings.format {
        Format::Competition => settings.depths.iter().copied().map(Some).collect(),
        _ => vec![None],
    };
    for depth in depths {
        for player in &settings.players {
            entrants.push(entrant(player, roster, depth)?);
        }
    }
    let mut names = BTreeSet::new();
    match entrants.iter().find(|entrant| !names.insert(&entrant.name)) {
        None => Ok(entrants),
        Some(twice) => Err(nonsense(format!(
            "two players are called '{}'; give one of them another name: {{ name = \"…\", spec = \"{}\" }}",
            twice.name, twice.spec
        ))),
    }
}

fn entrant(
    player: &PlayerSettings,
    roster: Roster,
    depth: Option<u32>,
) -> Result<Entrant, TournamentError> {
    let (name, spec) = match player {
        PlayerSettings::Unnamed(spec) => (spec, spec),
        PlayerSettings::Named { name, spec } => (name, spec),
    };
    let Some(depth) = depth else {
        return Ok(Entrant::new(name.clone(), roster.read(spec)?));
    };
    if !spec.contains(DEPTH) {
        return Err(nonsense(format!(
            "in a competition '{spec}' needs {DEPTH} where its depth stands, such as alphabeta:depth={DEPTH}"
        )));
    }
    let depth = depth.to_string();
    let spec = roster.read(&spec.replace(DEPTH, &depth))?;
    let name = match player {
        PlayerSettings::Unnamed(text) => text.replace(DEPTH, &depth),
        PlayerSettings::Named { name, .. } => format!("{name} d{depth}"),
    };
    Ok(Entrant::new(name, spec))
}

fn empty_competition(settings: &Settings) -> Result<Competition, TournamentError> {
    let names = settings.players.iter().map(|player| match player {
        PlayerSettings::Unnamed(name) | PlayerSettings::Named { name, .. } => name.clone(),
    });
    let depths = settings.depths.iter().map(|depth| format!("depth {depth}")).collect();
    let weights = (!settings.weights.is_empty()).then(|| settings.weights.clone());
    Competition::new(names.collect(), depths, weights).map_err(|error| nonsense(error.to_string()))
}

fn schedule(settings: &Settings, entrants: &[Entrant]) -> Result<Schedule, TournamentError> {
    Ok(match settings.format {
        Format::RoundRobin => Schedule::RoundRobin { groups: vec![0; entrants.len()] },
        Format::Competition => {
            let players = settings.players.len();
            Schedule::RoundRobin { groups: (0..entrants.len()).map(|e| e / players).collect() }
        }
        Format::Swiss => Schedule::Swiss { rounds: settings.rounds.unwrap_or(1) },
        Format::Gauntlet => Schedule::Gauntlet { challengers: challengers(settings, entrants)? },
    })
}

fn challengers(
    settings: &Settings,
    entrants: &[Entrant],
) -> Result<BTreeSet<usize>, TournamentError> {
    if settings.challengers.is_empty() {
        return Ok([0].into());
    }
    let found = settings.challengers.iter().map(|name| place_of(name, entrants, "challenger"));
    let challengers = found.collect::<Result<BTreeSet<usize>, _>>()?;
    if challengers.len() == entrants.len() {
        return Err(nonsense("every player is a challenger; nobody is left to be met".to_string()));
    }
    Ok(challengers)
}

/// Which entrant has a name.
fn place_of(name: &str, entrants: &[Entrant], role: &str) -> Result<usize, TournamentError> {
    entrants.iter().position(|entrant| entrant.name == name).ok_or_else(|| {
        let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        nonsense(format!(
            "no player is called '{name}', the {role}; there are {}",
            names.join(", ")
        ))
    })
}
