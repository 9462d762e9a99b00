//! The games of an iteration, and those before the first. Each game depends only on its players and
//! its index in the schedule, so it does not matter which machine plays it, or in which order games
//! end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::unit;
use tesuji_games::{Position, RowBoard, RowPosition};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};
use tesuji_search::{Limits, Scheduler, Search};
use tesuji_store::RecordKind;

use crate::forest::{
    ForestEvaluation, ForestSearch, ForestSearchOptions, LineOrder, PatternWindow, SearchStyle,
    WindowSample, heuristic_move,
};

use super::job::{EvolutionJob, POPULATION_ATTACHMENT};
use super::population::Population;
use super::sample_store::{self, SampleStage};
use super::schedule::{self, Pairing};
use super::seeds::{SeedPurpose, SeedSource};
use super::settings::{ForestLearnerSettings, HelperThreads, SearchSettings};
use crate::row_games;
use tesuji_train::{TrainError, threads};

/// The job kind of the games before the first iteration.
const SEED: &str = "evolution-seed";
/// The job kind of the games of an iteration.
const GAMES: &str = "evolution-games";

/// The job kinds of games; the exercises have their own.
pub(crate) fn job_kinds() -> [JobKind; 2] {
    [JobKind::new(SEED, open_seed_games), JobKind::new(GAMES, open_games)]
}

fn open_seed_games(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    Ok(Box::new(SeedGames::new(JobContext::new(EvolutionJob::from_payload(payload)?)?)))
}

fn open_games(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let (context, population) = JobContext::with_population(payload)?;
    Ok(Box::new(IterationGames::new(context, population)))
}

/// The initial position and the window of the samples, if the settings fit the board.
pub(super) fn start_and_window(
    settings: &ForestLearnerSettings,
) -> Result<(RowBoard, PatternWindow), TrainError> {
    let start = row_games::board(&settings.game).map_err(TrainError::settings)?;
    let grid = start.grid();
    let window = PatternWindow::within(settings.forest.window, &grid);
    let (attributes, cells, side) = (settings.forest.attributes, window.cells(), window.side);
    if attributes > cells {
        return Err(TrainError::settings(format!(
            "`forest.attributes` is {attributes}, but the {side}x{side} window on this board has \
             {cells} cells; expected 1 to {cells}"
        )));
    }
    let (openings, cells) = (settings.data.openings, grid.cells());
    if openings >= cells {
        return Err(TrainError::settings(format!(
            "`data.openings` is {openings}; expected less than {cells}, the cells of the board"
        )));
    }
    Ok((start, window))
}

/// Statistics of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameStats {
    /// The number of moves, including the opening.
    pub plies: u64,
    /// The number of positions visited.
    pub nodes: u64,
}

/// The games of an iteration; an item is an index into the schedule.
pub(super) struct IterationGames {
    context: JobContext,
    population: Arc<Population>,
    schedule: Vec<Pairing>,
    /// Assigns threads without a game to other games.
    scheduler: Scheduler,
}

impl IterationGames {
    /// The population is survivors, children, champions.
    pub(super) fn new(context: JobContext, population: Arc<Population>) -> Self {
        let evolution = &context.job.settings.evolution;
        let champions = population.len().saturating_sub(evolution.largest());
        let schedule = schedule::games(evolution, population.len(), champions);
        let scheduler = Scheduler::new(context.threads);
        IterationGames { context, population, schedule, scheduler }
    }

    fn play_game(
        &self,
        game: u64,
        players: &[Arc<ForestEvaluation>],
        cancel: &CancelToken,
    ) -> Result<Option<Output>, JobError> {
        let (context, iteration) = (&self.context, self.context.job.iteration);
        let pairing = self.schedule.get(game as usize).ok_or_else(|| {
            JobError(format!(
                "game {game}: not in the schedule; expected less than {}",
                self.schedule.len()
            ))
        })?;
        let _running = self.scheduler.start_game();
        let searches = [0, 1].map(|side| {
            let seed = context.seeds.seed(SeedPurpose::Player, &[iteration, game, side]);
            let player = players[pairing.players[side as usize]].clone();
            context.player_search(player, seed, &self.scheduler)
        });
        let played = context.play(searches, context.opening(pairing.opening), cancel);
        Ok(played.map(|(samples, played)| context.output(game, &samples).with_note(&played)))
    }
}

impl JobSpec for IterationGames {
    fn payload(&self) -> Result<Payload, JobError> {
        Ok(self
            .context
            .job
            .to_payload(GAMES)?
            .with_file(POPULATION_ATTACHMENT, self.population.to_bytes()))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let players =
            self.population.evaluations(&self.context.start.grid(), self.context.threads)?;
        Ok(Box::new(move |game: u64| self.play_game(game, players, cancel)))
    }

    fn records(&self, game: u64) -> Option<(RecordKind, Vec<String>)> {
        self.context.records(game)
    }
}

/// A job and the data that all its games share.
pub(super) struct JobContext {
    pub(super) job: EvolutionJob,
    /// The initial position of the game.
    pub(super) start: RowBoard,
    /// The window of the samples.
    window: PatternWindow,
    pub(super) seeds: SeedSource,
    /// The number of parallel games.
    pub(super) threads: usize,
}

impl JobContext {
    /// Creates the context if the settings fit the board.
    pub(super) fn new(job: EvolutionJob) -> Result<JobContext, TrainError> {
        let settings = &job.settings;
        let (start, window) = start_and_window(settings)?;
        let (seeds, threads) = (SeedSource::new(settings.seed), threads::threads(settings.threads));
        Ok(JobContext { job, start, window, seeds, threads })
    }

    /// Reads the job and the forests from another machine.
    pub(super) fn with_population(
        payload: &ReceivedPayload,
    ) -> Result<(JobContext, Arc<Population>), JobError> {
        let context = JobContext::new(EvolutionJob::from_payload(payload)?)?;
        let forest = |trees| context.job.settings.build_forest(context.window, trees);
        let population =
            Population::from_bytes(&payload.read(POPULATION_ATTACHMENT)?, context.window, forest)?;
        Ok((context, Arc::new(population)))
    }

    fn stage(&self) -> SampleStage {
        SampleStage::of(self.job.iteration)
    }

    /// The output of a game: its samples, the last position first.
    fn output(&self, game: u64, samples: &[WindowSample]) -> Output {
        let EvolutionJob { run, settings, .. } = &self.job;
        let stage = self.stage();
        Output::default().with_records(vec![sample_store::record(
            run,
            &settings.game,
            stage,
            game,
            samples,
            self.window,
        )])
    }

    fn records(&self, game: u64) -> Option<(RecordKind, Vec<String>)> {
        Some((RecordKind::Sample, vec![sample_store::key(&self.job.run, self.stage(), game)]))
    }

    /// The search of a player. Idle threads help only where they cannot change the move: the strong
    /// search has a transposition table, and its content over time depends on the threads that fill
    /// it.
    pub(super) fn player_search(
        &self,
        evaluation: Arc<ForestEvaluation>,
        seed: u64,
        scheduler: &Scheduler,
    ) -> ForestSearch<RowBoard> {
        let SearchSettings { style, radius, order, ties, helpers, depth: _ } =
            self.job.settings.search;
        let helped = helpers == HelperThreads::On && style == SearchStyle::Thesis;
        let options = ForestSearchOptions {
            style,
            radius: (radius > 0).then_some(radius),
            order,
            ties,
            threads: if helped { self.threads } else { 1 },
            ..ForestSearchOptions::default()
        };
        ForestSearch::new(evaluation, options, seed).with_scheduler(scheduler.clone())
    }

    /// The position after the random opening of a pair of games, and the number of its stones.
    /// Never a finished game: if the stones end it, they are redrawn, and after some attempts there
    /// are fewer.
    fn opening(&self, pair: u64) -> (RowBoard, u64) {
        for attempt in 0..100u64 {
            let numbers = [self.job.iteration, pair, attempt];
            let mut rng = self.seeds.rng(SeedPurpose::Opening, &numbers);
            let stones = self.job.settings.data.openings.saturating_sub(attempt as usize / 10);
            let mut position = self.start.clone();
            for _ in 0..stones {
                if position.outcome().is_none() {
                    let m = position.random_move(&mut rng);
                    position.play(m);
                }
            }
            if position.outcome().is_none() {
                return (position, stones as u64);
            }
        }
        (self.start.clone(), 0)
    }

    /// Plays a game and returns its samples and statistics; `None` if it was stopped.
    fn play(
        &self,
        mut searches: [ForestSearch<RowBoard>; 2],
        (start, stones): (RowBoard, u64),
        cancel: &CancelToken,
    ) -> Option<(Vec<WindowSample>, GameStats)> {
        let limits = self.limits(cancel);
        let mut nodes = 0;
        let choose = |position: &RowBoard| {
            cancel.heartbeat();
            let report = searches[position.to_move() as usize].run(position, &limits);
            nodes += report.nodes;
            // A search that was stopped does not count.
            report.best.filter(|_| !cancel.is_canceled())
        };
        // Games that do not become samples are stored for their results only.
        let data = &self.job.settings.data;
        let earlier = if data.growing { data.earlier } else { 0 };
        let (samples, plies) = self.play_out(&start, earlier, choose)?;
        Some((samples, GameStats { plies: stones + plies, nodes }))
    }

    /// The search limits of a player.
    pub(super) fn limits(&self, cancel: &CancelToken) -> Limits {
        let depth = Some(self.job.settings.search.depth);
        Limits { depth, stop: Some(cancel.flag()), ..Limits::default() }
    }

    /// Plays a game to its end and returns its samples, with those of `earlier` positions, and the
    /// number of moves; `None` if no move was chosen.
    fn play_out(
        &self,
        start: &RowBoard,
        earlier: usize,
        mut choose: impl FnMut(&RowBoard) -> Option<u16>,
    ) -> Option<(Vec<WindowSample>, u64)> {
        let (mut position, mut stones) = (start.clone(), Vec::new());
        while position.outcome().is_none() {
            let m = choose(&position)?;
            stones.push(position.cell(m));
            position.play(m);
        }
        let samples = self.window.samples(&position, &stones, earlier);
        (!samples.is_empty()).then_some((samples, stones.len() as u64))
    }
}

/// The games before the first iteration; an item is the number of a game.
pub(super) struct SeedGames {
    context: JobContext,
    order: LineOrder,
}

impl SeedGames {
    pub(super) fn new(context: JobContext) -> SeedGames {
        SeedGames { order: LineOrder::new(&context.start.grid()), context }
    }

    fn play_game(&self, number: u64) -> Result<Option<Output>, JobError> {
        let JobContext { job, start, seeds, .. } = &self.context;
        let mut rng = seeds.rng(SeedPurpose::SeedGame, &[number]);
        let (data, n) = (&job.settings.data, number as usize);
        // Whether each side plays by the heuristic; otherwise it moves at random.
        let uses_heuristic = match n {
            _ if n < data.random => [false; 2],
            _ if n < data.random + data.mixed => [n % 2 == 0, n % 2 == 1],
            _ => [true; 2],
        };
        let played = self.context.play_out(start, data.earlier, |position| {
            let is_random = data.noise > 0.0 && unit(&mut rng) < data.noise;
            Some(match uses_heuristic[position.to_move() as usize] && !is_random {
                true => heuristic_move(position, &self.order, &mut rng),
                false => position.random_move(&mut rng),
            })
        });
        let game = &job.settings.game;
        let no_move = || JobError(format!("game '{game}': no legal move at the start"));
        let (samples, _) = played.ok_or_else(no_move)?;
        Ok(Some(self.context.output(number, &samples)))
    }
}

impl JobSpec for SeedGames {
    fn payload(&self) -> Result<Payload, JobError> {
        self.context.job.to_payload(SEED)
    }

    fn runner<'a>(&'a self, _: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(|number: u64| self.play_game(number)))
    }

    fn records(&self, number: u64) -> Option<(RecordKind, Vec<String>)> {
        self.context.records(number)
    }
}
