//! Exercises in addition to games: positions from the program's own games, with answers that a
//! short exact search has proved. They contain no human knowledge. The thesis proposes them as
//! future work: defend, attack, force, win in three, play against random moves and against another
//! program.

mod finder;

use std::sync::{Arc, Mutex};

use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Position, Rng, RowBoard, RowPosition, Side};
use tesuji_play::{Player, PlayerContext, PlayerSpec, ProgramPolicy, Roster, Turn};
use tesuji_queue::{CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload};
use tesuji_search::{Game, Limits, Registry, Scheduler, Search};
use tesuji_train::TrainError;

use crate::forest::ForestEvaluation;

use super::games::JobContext;
use super::job::POPULATION_ATTACHMENT;
use super::population::Population;
use super::seeds::{SeedPurpose, SeedSource};
use super::settings::{ForestLearnerSettings, ScenarioSettings};
use finder::ScenarioFinder;

/// The job kind of exercises.
pub(crate) fn task(games: &Registry, players: Roster, programs: ProgramPolicy) -> JobKind {
    let games = games.clone();
    JobKind::new(TASK, move |payload| {
        let (context, population) = JobContext::with_population(payload)?;
        let settings = &context.job.settings;
        for text in &settings.evolution.scenarios.rivals {
            programs.check(&players.read(text).map_err(JobError::new)?)?;
        }
        // Finding exercises is slow, and every iteration of a run needs the same ones, so the last
        // set is cached.
        static LAST: Mutex<Option<(ForestLearnerSettings, Arc<ExerciseSet>)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let exercises = match &*last {
            Some((known, exercises)) if known == settings => exercises.clone(),
            _ => {
                let opponents = build_opponents(settings, &games, players)?;
                let created = ExerciseSet::create(settings, &context.start, opponents);
                *last = Some((settings.clone(), created.clone()));
                created
            }
        };
        Ok(Box::new(ExerciseJob { exercises, context, population }))
    })
}

/// The name of the job kind.
const TASK: &str = "evolution-exercises";

/// A kind of position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScenarioKind {
    /// The side to move has a winning move.
    Attack,
    /// Only one move does not lose immediately.
    Defend,
    /// Some moves make a threat, so that most replies lose.
    Force,
    /// The side to move wins with its third stone, and not sooner.
    WinInThree,
    /// The side to move loses within four plies, and some moves delay the loss.
    Survive,
}

impl ScenarioKind {
    /// All kinds, with name and weight.
    fn all(settings: &ScenarioSettings) -> [(ScenarioKind, &'static str, f64); 5] {
        [
            (ScenarioKind::Attack, "attack", settings.attack),
            (ScenarioKind::Defend, "defend", settings.defend),
            (ScenarioKind::Force, "force", settings.force),
            (ScenarioKind::WinInThree, "win in three", settings.win_in_three),
            (ScenarioKind::Survive, "survive", settings.survive),
        ]
    }
}

/// A position and the moves that solve it.
type Scenario = (RowBoard, Vec<u16>);

/// Scenarios of one kind.
struct ScenarioGroup {
    name: &'static str,
    weight: f64,
    scenarios: Vec<Scenario>,
}

/// All exercises of a run.
pub struct ExerciseSet {
    groups: Vec<ScenarioGroup>,
    settings: ScenarioSettings,
    opponents: Vec<(Game, PlayerSpec)>,
}

impl ExerciseSet {
    /// Finds positions, determined by the seed of the run.
    pub(super) fn create(
        settings: &ForestLearnerSettings,
        start: &RowBoard,
        opponents: Vec<(Game, PlayerSpec)>,
    ) -> Arc<ExerciseSet> {
        let wanted = &settings.evolution.scenarios;
        let seeds = SeedSource::new(settings.seed);
        let mut finder = ScenarioFinder::new(start);
        let mut groups = Vec::new();
        for (kind, name, weight) in
            ScenarioKind::all(wanted).into_iter().filter(|kind| kind.2 > 0.0)
        {
            let scenarios = finder.collect(kind, wanted.count, &seeds);
            if !scenarios.is_empty() {
                groups.push(ScenarioGroup { name, weight, scenarios });
            }
        }
        Arc::new(ExerciseSet { groups, settings: wanted.clone(), opponents })
    }

    /// The weighted share of exercises that a forest solves; `None` if it was stopped.
    fn share_solved(
        &self,
        context: &JobContext,
        player: &Arc<ForestEvaluation>,
        index: usize,
        cancel: &CancelToken,
    ) -> Result<Option<f64>, String> {
        let single_thread = Scheduler::new(1);
        let mut search = context.player_search(player.clone(), 0, &single_thread);
        let limits = context.limits(cancel);
        let (mut sum, mut weights) = (0.0, 0.0);
        for group in &self.groups {
            let solved = |(position, answers): &&Scenario| {
                cancel.heartbeat();
                search.forget();
                let best = search.run(position, &limits).best;
                best.is_some_and(|m| answers.contains(&m))
            };
            let count = group.scenarios.iter().filter(solved).count();
            sum += group.weight * count as f64 / group.scenarios.len() as f64;
            weights += group.weight;
        }
        let mut against = |number: usize, player: Option<PlayerOpponent>, weight: f64| {
            let mut opponent = Opponent { rng: seeded(0), player };
            let mut points = 0.0;
            for game in 0..self.settings.games {
                search.forget();
                let numbers = [context.job.iteration, index as u64, number as u64, game as u64];
                opponent.new_game(context.seeds.seed(SeedPurpose::OpponentGame, &numbers));
                let own = Side::ALL[game % 2];
                points += play_opponent(
                    &mut opponent,
                    own,
                    &context.start,
                    &mut search,
                    &limits,
                    cancel,
                )?;
            }
            sum += weight * points / self.settings.games as f64;
            weights += weight;
            Ok::<(), String>(())
        };
        if self.settings.random > 0.0 {
            against(0, None, self.settings.random)?;
        }
        let opponents = self.opponents.iter().zip(1..).filter(|_| self.settings.rival > 0.0);
        for ((game, player), number) in opponents {
            let weight = self.settings.rival / self.opponents.len() as f64;
            against(number, Some(PlayerOpponent::new(game, player)?), weight)?;
        }
        let share = if weights > 0.0 { sum / weights } else { 0.0 };
        Ok((!cancel.is_canceled()).then_some(share))
    }

    /// Lists the number of scenarios of each kind.
    pub(super) fn description(&self) -> String {
        let part = |group: &ScenarioGroup| format!("{} {}", group.scenarios.len(), group.name);
        format!("exercises: {}", self.groups.iter().map(part).collect::<Vec<_>>().join(", "))
    }
}

/// The exercises of an iteration; an item is an index into the population.
pub(super) struct ExerciseJob {
    pub(super) exercises: Arc<ExerciseSet>,
    pub(super) context: JobContext,
    pub(super) population: Arc<Population>,
}

impl JobSpec for ExerciseJob {
    fn payload(&self) -> Result<Payload, JobError> {
        Ok(self
            .context
            .job
            .to_payload(TASK)?
            .with_file(POPULATION_ATTACHMENT, self.population.to_bytes()))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let players =
            self.population.evaluations(&self.context.start.grid(), self.context.threads)?;
        Ok(Box::new(move |unit: u64| {
            let index = unit as usize;
            let player = players.get(index).ok_or_else(|| {
                JobError(format!(
                    "forest {index}: not in the population; expected less than {}",
                    players.len()
                ))
            })?;
            let solved = self.exercises.share_solved(&self.context, player, index, cancel);
            Ok(solved.map_err(JobError)?.map(|share| Output::default().with_note(&share)))
        }))
    }

    fn games(&self, _: u64) -> u64 {
        let ExerciseSet { settings, opponents, .. } = &*self.exercises;
        let random = usize::from(settings.random > 0.0);
        let opponents = if settings.rival > 0.0 { opponents.len() } else { 0 };
        (settings.games * (random + opponents)) as u64
    }
}

/// Plays a game against an opponent: 1 for a win, ½ for a draw. An opponent that fails ends the
/// run, because winning against a broken program teaches nothing.
fn play_opponent(
    opponent: &mut Opponent,
    own: Side,
    start: &RowBoard,
    search: &mut dyn Search<RowBoard>,
    limits: &Limits,
    cancel: &CancelToken,
) -> Result<f64, String> {
    let (mut position, mut cells) = (start.clone(), Vec::new());
    loop {
        cancel.heartbeat();
        let m = match position.outcome() {
            Some(outcome) => {
                let value = |winner| if winner == own { 1.0 } else { 0.0 };
                return Ok(outcome.winner().map_or(0.5, value));
            }
            None if position.to_move() == own => match search.run(&position, limits).best {
                Some(m) => m,
                None => return Ok(0.0),
            },
            None => opponent.choose(&position, &cells)?,
        };
        cells.push(position.cell(m));
        position.play(m);
    }
}

/// The opponent of a forest in an exercise: a player, or random moves.
struct Opponent {
    rng: Rng,
    player: Option<PlayerOpponent>,
}

impl Opponent {
    fn new_game(&mut self, seed: u64) {
        match &mut self.player {
            None => self.rng = seeded(seed),
            Some(opponent) => opponent.player.new_game(seed),
        }
    }

    fn choose(&mut self, position: &RowBoard, cells: &[usize]) -> Result<u16, String> {
        let Some(opponent) = &mut self.player else {
            return Ok(position.random_move(&mut self.rng));
        };
        let cell = opponent.choose(cells)?;
        position.move_to(cell).ok_or_else(|| format!("opponent: illegal move to cell {cell}"))
    }
}

/// The opponents of a run. Each is built once, so that an invalid one is reported before the run
/// begins.
pub(super) fn build_opponents(
    settings: &ForestLearnerSettings,
    games: &Registry,
    players: Roster,
) -> Result<Vec<(Game, PlayerSpec)>, TrainError> {
    let build = |text: &String| {
        let game = games.open(&settings.game).map_err(TrainError::settings)?;
        let player = players.read(text).map_err(TrainError::settings)?;
        PlayerOpponent::new(&game, &player).map_err(TrainError::settings)?;
        Ok((game, player))
    };
    settings.evolution.scenarios.rivals.iter().map(build).collect()
}

/// A player as the opponent. Moves are converted through their cells.
struct PlayerOpponent {
    game: Game,
    player: Box<dyn Player>,
}

impl PlayerOpponent {
    fn new(game: &Game, player: &PlayerSpec) -> Result<PlayerOpponent, String> {
        let created = player.build(&PlayerContext::new(game, 0));
        let player = created.map_err(|error| error.to_string())?;
        Ok(PlayerOpponent { game: game.clone(), player })
    }

    /// The cell that it chooses after stones on these cells.
    fn choose(&mut self, cells: &[usize]) -> Result<usize, String> {
        let mut line = GameLine::new(self.game.start().clone());
        let other_game = || format!("game '{}': not a k-in-a-row game", self.game.name());
        for &cell in cells {
            let m = line.end.move_to(cell).ok_or_else(other_game)?;
            line.play(m).map_err(|error| error.to_string())?;
        }
        let choice = self.player.choose(&line, &Turn::default());
        let choice = choice.map_err(|error| format!("{}: {error}", self.player.name()))?;
        line.end.cell(choice.m).ok_or_else(other_game)
    }
}

#[cfg(test)]
mod tests {
    use super::finder::position_after;
    use super::*;
    use crate::row_games;
    use tesuji_games::Score;
    use tesuji_search::{Minimax, ZeroEvaluator};

    fn exercises(start: &RowBoard, seed: u64) -> Arc<ExerciseSet> {
        let mut settings = ForestLearnerSettings { seed, ..ForestLearnerSettings::default() };
        settings.evolution.scenarios.count = 4;
        ExerciseSet::create(&settings, start, Vec::new())
    }

    /// The value of every move by plain minimax, which is independent of how the exercise was
    /// found.
    fn values(position: &RowBoard, depth: u32) -> Vec<(u16, Score)> {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        let value = |m: u16| {
            let next = position_after(position, m);
            match next.outcome() {
                Some(outcome) if outcome.winner().is_some() => Score::win_in(1),
                Some(_) => Score::DRAW,
                None => {
                    let report = Minimax::new(ZeroEvaluator).run(&next, &Limits::depth(depth - 1));
                    (-report.score).further(1)
                }
            }
        };
        moves.into_iter().map(|m| (m, value(m))).collect()
    }

    fn check(kind: ScenarioKind, scenario: &Scenario) {
        let depth = match kind {
            ScenarioKind::Attack => 1,
            ScenarioKind::Defend => 2,
            ScenarioKind::Force => 3,
            ScenarioKind::WinInThree => 5,
            ScenarioKind::Survive => 4,
        };
        let (position, answers) = scenario;
        for (m, value) in values(position, depth) {
            let right = match kind {
                ScenarioKind::Attack => value == Score::win_in(1),
                ScenarioKind::Defend => value != Score::loss_in(2),
                ScenarioKind::Force => continue,
                ScenarioKind::WinInThree => value == Score::win_in(5),
                ScenarioKind::Survive => value == Score::loss_in(4),
            };
            assert_eq!(answers.contains(&m), right, "{kind:?} {m:?} {value:?}");
        }
    }

    #[test]
    fn answers_equal_plain_minimax() {
        let all = exercises(&row_games::board("connect4").unwrap(), 3);
        assert_eq!(all.groups.len(), 5, "{}", all.description());
        for group in &all.groups {
            assert!(!group.scenarios.is_empty());
            let kinds = ScenarioKind::all(&all.settings);
            let (kind, ..) = kinds.into_iter().find(|kind| kind.1 == group.name).unwrap();
            group.scenarios.iter().for_each(|scenario| check(kind, scenario));
        }
    }

    fn description(game: &str) -> String {
        exercises(&row_games::board(game).unwrap(), 1).description()
    }

    #[test]
    fn large_boards_have_exercises_and_several_stones_per_turn_only_attacks() {
        let gomoku = description("mnk:9x9,k=5");
        for kind in ["4 attack", "4 defend", "4 force", "win in three"] {
            assert!(gomoku.contains(kind), "{gomoku}");
        }
        let connect6 = description("mnk:8x8,k=6,p=2,q=1");
        assert_eq!(connect6, "exercises: 4 attack");
    }
}
