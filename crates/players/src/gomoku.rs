//! The player `gomoku`: the engine of `tesuji_gomoku`, for all games of five in a row.

use std::sync::Arc;
use std::time::Duration;

use tesuji_games::{GameLine, Move, Position, SpecError, State};
use tesuji_gomoku::engine::time_management::time_budget;
use tesuji_gomoku::engine::tunables::Tunables;
use tesuji_gomoku::engine::weight_file::MAX_FILE_BYTES;
use tesuji_gomoku::engine::weights::WeightTables;
use tesuji_gomoku::engine::{GomokuEngine, GomokuOptions, SearchRequest};
use tesuji_gomoku::{Board, BoardError, Cell};
use tesuji_play::clock::shorter;
use tesuji_play::options::{PlayerOptions, THREADS, ValueType, number, option};
use tesuji_play::{
    AnalyzeOptions, Choice, Player, PlayerContext, PlayerError, PlayerFile, PlayerKind,
    PlayerSetup, SearchKind, SearchProfile, Turn,
};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, ProgressFn, Scheduler, Search, SearchReport};

use crate::five_in_a_row::FiveInARow;
use crate::rows::{cell_number, engine_cell, engine_stones, grid_of, search_on_board};
use crate::searching::{LARGE_TABLE, NO_CHANCE, NODES, depth_and_effort};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "gomoku",
    former_name: None,
    summary: "the Gomoku engine: line patterns, threats, deep search (needs five in a row)",
    options: &[
        option("time", ValueType::Time, "time per move, such as 500ms [default: 1s]"),
        option(
            "depth",
            number(1, 255),
            "search depth in plies, the own move included, without forced moves",
        ),
        NODES,
        THREADS,
        LARGE_TABLE,
        option("best", number(1, 400), "number of moves that an analysis scores [default: 10]"),
        option(
            "weights",
            ValueType::File { most: MAX_FILE_BYTES as u64 },
            "learned evaluation weights (.weights) [default: shipped weights]",
        ),
        option(
            "tune.NAME",
            ValueType::Numbers { range: tunable_range },
            "value of a search constant; `engine --tunables` lists them",
        ),
        NO_CHANCE,
    ],
    read: |options| Ok(Box::new(GomokuSetup::read(options)?)),
}];

/// Number of moves that an analysis scores by default.
const DEFAULT_BEST: usize = 10;

#[derive(Clone, Debug)]
struct GomokuSetup {
    /// Without the learned weights.
    settings: GomokuOptions,
    weights: Option<PlayerFile>,
    best: usize,
    facts: SearchProfile,
}

/// Returns the range of the search constant that an option sets.
fn tunable_range(option: &str) -> Option<(i32, i32)> {
    Tunables::ALL.iter().find(|tunable| tunable.option == option).map(|tunable| tunable.range)
}

/// Reads the search constants from the options.
fn tunables(options: &PlayerOptions) -> Result<Tunables, SpecError> {
    let mut tunables = Tunables::default();
    for tunable in Tunables::ALL {
        if let Some(value) = options.signed(tunable.option) {
            let unfit = |error: &dyn std::fmt::Display| {
                options.bad_value(tunable.option, &value.to_string(), &error.to_string())
            };
            tunables.set(tunable.name, value).map_err(|error| unfit(&error))?;
        }
    }
    Ok(tunables)
}

impl GomokuSetup {
    fn read(options: &PlayerOptions) -> Result<GomokuSetup, SpecError> {
        let settings = GomokuOptions {
            table: options.size("tt").unwrap_or(GomokuOptions::default().table),
            threads: options.threads(),
            tunables: tunables(options)?,
            weights: None,
        };
        let threads = settings.threads as u64 * GomokuEngine::BYTES_PER_THREAD;
        let tables = settings.table.bytes().saturating_add(threads);
        let facts = SearchProfile::new(SearchKind::IterativeDeepening, depth_and_effort(options));
        Ok(GomokuSetup {
            settings,
            weights: options.file("weights"),
            best: options.number("best").map_or(DEFAULT_BEST, |best| best as usize),
            facts: SearchProfile { tables, ..facts },
        })
    }

    /// Checks the game and loads the weights for its rule.
    fn check(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<(FiveInARow, Option<Arc<WeightTables>>), SpecError> {
        let game = FiveInARow::for_player(player, context)?;
        let Some(file) = &self.weights else { return Ok((game, None)) };
        let bytes = file.bytes().map_err(|error| file.unusable(player, &error))?;
        let weights = WeightTables::load(bytes, game.rule);
        let weights = weights.map_err(|error| file.unusable(player, &error))?;
        Ok((game, Some(Arc::new(weights))))
    }

    fn engine(&self, player: &str, context: &PlayerContext) -> Result<GomokuSearch, SpecError> {
        let (game, weights) = self.check(player, context)?;
        Ok(GomokuSearch {
            engine: GomokuEngine::new(GomokuOptions { weights, ..self.settings.clone() }),
            game,
            best: self.best,
            request: SearchRequest::default(),
            threads: self.settings.threads,
            scheduler: context.scheduler.clone(),
        })
    }
}

impl PlayerSetup for GomokuSetup {
    fn profile(&self) -> Option<SearchProfile> {
        Some(self.facts.clone())
    }

    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        self.check(player, context).map(drop)
    }

    /// Makes the engine as a search. An analysis scores several moves.
    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        Ok(Box::new(self.engine(player, context)?))
    }

    /// Makes the engine as a player with time management.
    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        let search = self.engine(player, context)?;
        let (name, facts) = (player.to_string(), self.facts.clone());
        Ok(Some(Box::new(GomokuPlayer { name, facts, search })))
    }
}

/// The engine as a [`Search`].
struct GomokuSearch {
    engine: GomokuEngine,
    game: FiveInARow,
    /// Number of moves that an analysis scores.
    best: usize,
    request: SearchRequest,
    threads: usize,
    /// Limits the threads when several games run at once.
    scheduler: Option<Scheduler>,
}

impl GomokuSearch {
    fn think(
        &mut self,
        position: &State,
        board: &Board,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let mut loan = self.scheduler.as_ref().map(Scheduler::loan);
        self.request.threads = loan.as_mut().map(|loan| loan.renew(self.threads));
        let grid = grid_of(position);
        let search =
            |tell: ProgressFn<'_, Cell>| self.engine.search(board, limits, &self.request, tell);
        search_on_board(position, |cell| cell_number(grid, cell), progress, search)
    }
}

impl Search<State> for GomokuSearch {
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        match board_of(position, self.game) {
            Ok(board) => self.think(position, &board, limits, progress),
            Err(_) => SearchReport::empty(),
        }
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        self.request.best = self.best;
        let report = self.search(position, limits, progress);
        self.request = SearchRequest::default();
        report
    }

    fn forget(&mut self) {
        self.engine.forget();
    }
}

/// The engine as a player. Unlike a search it knows the clocks and the order of the stones.
struct GomokuPlayer {
    name: String,
    facts: SearchProfile,
    search: GomokuSearch,
}

impl GomokuPlayer {
    /// Returns the limits of a move and the time after which it may end early. The player's own
    /// options come first, but never exceed the clock.
    fn limits(&self, turn: &Turn, stones: usize) -> (Limits, Option<Duration>) {
        let mut limits = self.facts.limits(&turn.limits);
        let FiveInARow { width, height, .. } = self.search.game;
        let clock = &turn.clock;
        let allowed =
            time_budget(clock.per_move, clock.left, clock.increment, stones, width * height);
        let Some(allowed) = allowed else { return (limits, None) };
        if self.facts.own.time.is_some() {
            limits.time = shorter(limits.time, Some(allowed.hard));
            return (limits, None);
        }
        limits.time = Some(allowed.hard);
        (limits, Some(allowed.soft).filter(|&soft| soft < allowed.hard))
    }

    fn answer(
        &mut self,
        game: &GameLine,
        turn: &Turn,
        request: SearchRequest,
    ) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        let board = board_after(game, self.search.game)
            .map_err(|error| PlayerError::InvalidAnswer(format!("{}: {error}", self.name)))?;
        let (limits, soft) = self.limits(turn, board.stones());
        self.search.request = SearchRequest { soft, ..request };
        let report = self
            .search
            .think(&game.end, &board, &limits, &mut |report| turn.listener.on_info(report));
        match report.best {
            Some(m) => Ok(Choice { m, report: Some(report) }),
            None => Err(PlayerError::NoMove(self.name.clone())),
        }
    }
}

impl Player for GomokuPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &GameLine, turn: &Turn) -> Result<Choice, PlayerError> {
        self.answer(game, turn, SearchRequest::default())
    }

    fn analyze(
        &mut self,
        game: &GameLine,
        turn: &Turn,
        wishes: &AnalyzeOptions,
    ) -> Option<Result<Choice, PlayerError>> {
        let grid = grid_of(&game.end);
        let cell = |m: &Move| game.end.cell(*m).map(|number| engine_cell(grid, number));
        let blocked = wishes.avoid.iter().filter_map(cell).collect();
        Some(self.answer(
            game,
            turn,
            SearchRequest { best: wishes.best, blocked, ..SearchRequest::default() },
        ))
    }

    fn prepare(&mut self) {
        let FiveInARow { width, height, rule } = self.search.game;
        if let Ok(board) = Board::new(rule, width, height) {
            self.search.engine.search(
                &board,
                &Limits::nodes(1),
                &SearchRequest::default(),
                &mut |_| {},
            );
        }
    }

    fn new_game(&mut self, _: u64) {
        self.search.engine.forget();
    }
}

/// Converts a position to the engine's board.
pub fn board_of(position: &State, game: FiveInARow) -> Result<Board, BoardError> {
    let (size, stones) = ((game.width, game.height), engine_stones(position));
    Board::with_stones(game.rule, size, &stones, position.to_move())
}

/// The same, with the stones in the order of play.
fn board_after(line: &GameLine, game: FiveInARow) -> Result<Board, BoardError> {
    let (mut board, grid) = (board_of(&line.start, game)?, grid_of(&line.start));
    for number in line.moves.iter().map_while(|&m| line.start.cell(m)) {
        board.try_play(engine_cell(grid, number))?;
    }
    Ok(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::{Notation, RowRule};
    use tesuji_play::{Clock, PlayerSpec};
    use tesuji_search::TableSize;

    fn after(moves: &str) -> GameLine {
        opened("gomoku").line(moves).unwrap()
    }

    /// Returns the chosen move as text and the choice.
    fn chosen(player: &str, game: &str, moves: &str) -> (String, Choice) {
        let (spec, game): (PlayerSpec, _) = (crate::player(player).unwrap(), opened(game));
        let mut player = spec.build(&PlayerContext::new(&game, 1)).unwrap();
        let line = game.line(moves).unwrap();
        let choice = player.choose(&line, &Turn::default()).unwrap();
        (line.end.move_text(choice.m), choice)
    }

    #[test]
    fn cells_are_the_same_on_both_boards() {
        let line = after("a1o15b2c14h8");
        let game = FiveInARow { width: 15, height: 15, rule: RowRule::AtLeast };
        let (set_up, played) =
            (board_of(&line.end, game).unwrap(), board_after(&line, game).unwrap());
        assert_eq!((set_up.key(), set_up.lines()), (played.key(), played.lines()));
        assert_eq!(played.last_move().map(|cell| cell.to_string()), Some("h8".to_string()));
        line.end.for_each_move(|m| {
            let text = line.end.move_text(m);
            let number = m.number() as usize;
            let cell = Cell::new(number & 31, number >> 5);
            assert_eq!(cell.to_string(), text);
            assert_eq!(line.end.move_to(cell_number(grid_of(&line.end), cell)), Some(m));
        });
    }

    #[test]
    fn an_open_three_wins_and_the_line_is_legal() {
        let moves = "h8a1i8a15j8o1";
        let (_, choice) = chosen("gomoku:depth=4,tt=1M", "gomoku", moves);
        let report = choice.report.unwrap();
        let mut line = after(moves);
        assert!(report.score.is_win() && report.line.first() == Some(&choice.m), "{report:?}");
        for m in report.line {
            line.play(m).unwrap();
        }
    }

    /// A win in freestyle is not always a win under another rule.
    #[test]
    fn the_rule_is_that_of_the_game() {
        // Black's four needs f1, but a stone behind it makes a six.
        let moves = "b1b9c1d9d1f9e1h9g1j9";
        let five = |game: &str| chosen("gomoku:depth=4,tt=1M", game, moves);
        let (m, free) = five("gomoku");
        assert_eq!(free.score().and_then(|score| score.plies_to_end()), Some(1), "{m}");
        let (m, standard) = five("gomoku:exact");
        assert_ne!(m, "f1");
        assert_eq!(m, "a1");
        assert_eq!(standard.score().and_then(|score| score.plies_to_end()), Some(1));
        assert_eq!(five("renju").0, "a1");
    }

    #[test]
    fn an_analysis_values_several_moves() {
        let spec: PlayerSpec = crate::player("gomoku:depth=3,tt=1M,best=4").unwrap();
        let position = after("h8i9j7").end;
        let context = PlayerContext::new(&opened("gomoku"), 1);
        let given = Limits::default();
        let found = tesuji_play::analyze(&position, &spec, &given, &context, &mut |_| {}).unwrap();
        assert_eq!((found.moves.len(), found.depth), (position.move_count(), 3));
        let (valued, others) = found.moves.split_at(4);
        assert!(valued.iter().all(|entry| entry.score.is_some() && entry.line.len() > 1));
        assert!(others.iter().all(|entry| entry.score.is_none() && entry.line == [entry.m]));
    }

    /// With one free thread the search equals the single-threaded search, node for node.
    #[test]
    fn threads_are_used_as_far_as_they_are_free() {
        let line = after("h8i9j7");
        let nodes = |player: &str, scheduler: Option<Scheduler>| {
            let spec: PlayerSpec = crate::player(player).unwrap();
            let context = PlayerContext { scheduler, ..PlayerContext::new(&opened("gomoku"), 1) };
            let mut player = spec.build(&context).unwrap();
            let choice = player.choose(&line, &Turn::default()).unwrap();
            choice.report.unwrap().nodes
        };
        let alone = nodes("gomoku:depth=6,tt=1M", None);
        assert_eq!(nodes("gomoku:depth=6,tt=1M,threads=3", Some(Scheduler::new(1))), alone);
        assert_ne!(nodes("gomoku:depth=6,tt=1M,threads=3", Some(Scheduler::new(3))), alone);
    }

    #[test]
    fn clocks_become_limits() {
        let player = |text: &str| {
            let spec: PlayerSpec = crate::player(text).unwrap();
            let game = FiveInARow { width: 15, height: 15, rule: RowRule::AtLeast };
            let engine = GomokuEngine::new(GomokuOptions {
                table: TableSize::megabytes(1),
                ..GomokuOptions::default()
            });
            let request = SearchRequest::default();
            let (best, scheduler) = (DEFAULT_BEST, None);
            let search = GomokuSearch { engine, game, best, request, threads: 1, scheduler };
            let facts = spec.search_profile().unwrap();
            GomokuPlayer { name: text.to_string(), facts, search }
        };
        let second = Some(Duration::from_secs(1));
        let limits = |text: &str, clock: Clock| {
            let limits = Limits { time: clock.per_move, ..Limits::default() };
            let turn = Turn { limits, clock, ..Turn::default() };
            let (limits, soft) = player(text).limits(&turn, 10);
            (limits.time, soft)
        };
        assert_eq!(limits("gomoku", Clock::default()), (second, None));
        assert_eq!(
            limits("gomoku:time=2s", Clock::default()),
            (Some(Duration::from_secs(2)), None)
        );
        assert_eq!(limits("gomoku:depth=5", Clock::default()), (None, None));
        let (time, soft) = limits("gomoku", Clock { per_move: second, ..Clock::default() });
        assert!(time < second && time > Some(Duration::from_millis(900)) && soft.is_none());
        let per_game = Clock { left: Some(Duration::from_secs(30)), ..Clock::default() };
        let (time, soft) = limits("gomoku", per_game);
        assert!(soft < time && time < Some(Duration::from_secs(10)) && soft.is_some());
        let (time, _) = limits("gomoku:time=20s", per_game);
        assert!(time < Some(Duration::from_secs(10)));
    }

    #[test]
    fn options_that_cannot_be_are_refused() {
        for (text, words) in [
            ("gomoku:best=0", "a whole number from 1 to 400"),
            ("gomoku:threads=0", "a whole number from 1 to 256"),
            ("gomoku:tt=much", "invalid tt 'much'"),
            ("gomoku:dept=3", "unknown option 'dept'"),
        ] {
            let error = crate::player(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
