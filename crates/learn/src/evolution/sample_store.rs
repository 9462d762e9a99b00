//! The samples of a run in its store: their keys, and the order in which they are learned from,
//! which does not depend on the order of writing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use tesuji_games::{Notation, Position, RowBoard, State, registry};
use tesuji_store::{GameRecord, Record, RecordKind, Sample, Selection, Store};
use tesuji_train::TrainError;

use crate::forest::{Dataset, PatternWindow, WindowSample};
use crate::samples;

/// When a sample was made, in the order of learning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SampleStage {
    /// Imported from another store before the run began.
    Import,
    /// From a game before the first iteration.
    Seed,
    /// From a game of an iteration.
    Iteration(u64),
}

impl SampleStage {
    /// The stage of an iteration's games; 0 is before the first iteration.
    pub fn of(iteration: u64) -> SampleStage {
        if iteration == 0 { SampleStage::Seed } else { SampleStage::Iteration(iteration) }
    }
}

/// The name of the stage in keys.
impl fmt::Display for SampleStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleStage::Import => f.write_str("import"),
            SampleStage::Seed => f.write_str("seed"),
            SampleStage::Iteration(iteration) => write!(f, "{iteration:06}"),
        }
    }
}

/// The samples of one run.
pub struct SampleStore {
    store: Arc<dyn Store>,
    run: String,
    game: String,
    window: PatternWindow,
    stages: BTreeMap<SampleStage, BTreeMap<usize, Vec<WindowSample>>>,
}

impl SampleStore {
    /// Reads the samples of a run from its store.
    pub fn open(
        store: Arc<dyn Store>,
        run: &str,
        game: &str,
        window: PatternWindow,
    ) -> Result<SampleStore, TrainError> {
        let (run, game) = (run.to_string(), game.to_string());
        let mut sample_store = SampleStore { store, run, game, window, stages: BTreeMap::new() };
        sample_store.reload()?;
        Ok(sample_store)
    }

    /// Reads all samples again, because another process may have stored some first.
    pub fn reload(&mut self) -> Result<(), TrainError> {
        let event = Some(self.run.clone());
        let selection = Selection { event, ..Selection::all(RecordKind::Sample) };
        self.stages.clear();
        let store = self.store.clone();
        for_each_game(&*store, &selection, |key, _, samples| self.insert(key, samples))
    }

    fn insert(&mut self, key: &str, samples: Vec<WindowSample>) {
        if let Some((stage, number)) = parse_key(&self.run, key) {
            self.stages.entry(stage).or_default().insert(number, samples);
        }
    }

    /// The stored games of a stage, by number: the samples of each, its last position first.
    pub fn games_of(&self, stage: SampleStage) -> BTreeMap<usize, Vec<WindowSample>> {
        self.stages.get(&stage).cloned().unwrap_or_default()
    }

    /// Stores samples; they are on disk when this returns.
    pub fn add(
        &mut self,
        stage: SampleStage,
        found: Vec<(usize, Vec<WindowSample>)>,
    ) -> Result<(), TrainError> {
        let record = |(number, samples): &(usize, Vec<WindowSample>)| {
            record(&self.run, &self.game, stage, *number as u64, samples, self.window)
        };
        let records: Vec<Record> = found.iter().map(record).collect();
        if !records.is_empty() {
            self.store.add(&records)?;
            self.stages.entry(stage).or_default().extend(found);
        }
        Ok(())
    }

    /// Adds samples that another process has stored.
    pub fn add_stored(&mut self, records: &[Record]) -> Result<(), TrainError> {
        for record in records {
            let Record::Sample(record) = record else { continue };
            let (_, samples) = to_samples(&*self.store, record)?;
            self.insert(&record.key, samples);
        }
        Ok(())
    }

    /// Copies the samples of other stores in one write, so that the run does not depend on these
    /// stores later.
    pub fn import(&mut self, others: &[Box<dyn Store>]) -> Result<(), TrainError> {
        let mut found = Vec::new();
        for other in others {
            found.extend(importable_samples(&**other, &self.game, self.window)?);
        }
        self.add(SampleStage::Import, found.into_iter().enumerate().collect())
    }

    /// All samples up to the end of a stage, in the order of learning.
    pub fn dataset(&self, last: SampleStage) -> Dataset {
        let mut data = Dataset::new(self.window);
        data.extend(self.stages.range(..=last).flat_map(|(_, games)| games.values().flatten()));
        data
    }

    /// The same; an error if there are not exactly `wanted` samples.
    pub fn dataset_of_length(
        &self,
        last: SampleStage,
        wanted: usize,
    ) -> Result<Dataset, TrainError> {
        let data = self.dataset(last);
        if data.len() == wanted {
            return Ok(data);
        }
        let (place, run, found) = (self.store.place(), &self.run, data.len());
        Err(TrainError::failed(format!(
            "{place}: has {found} of the {wanted} samples of run '{run}'; expected the store that \
             the run began with"
        )))
    }
}

/// The samples of each game in a store that fit this game and window, including finished games; an
/// error if there are none.
pub fn importable_samples(
    store: &dyn Store,
    game: &str,
    window: PatternWindow,
) -> Result<Vec<Vec<WindowSample>>, TrainError> {
    let selection =
        Selection { game: Some(game.to_string()), ..Selection::all(RecordKind::Sample) };
    let mut found = Vec::new();
    for_each_game(store, &selection, |_, its_window, samples| {
        if its_window == window {
            found.push(samples);
        }
    })?;
    for_each_game_sample(store, game, window, &mut |sample| found.push(vec![sample]))?;
    if found.is_empty() {
        let (place, side) = (store.place(), window.side);
        return Err(TrainError::failed(format!(
            "{place}: no samples of {game} with a {side}x{side} window and no finished games; \
             expected some in every store of `data.import`"
        )));
    }
    Ok(found)
}

fn for_each_game(
    store: &dyn Store,
    selection: &Selection,
    mut each: impl FnMut(&str, PatternWindow, Vec<WindowSample>),
) -> Result<(), TrainError> {
    let mut all_read = Ok(());
    store.for_each(selection, &mut |record| {
        if let Record::Sample(record) = record {
            match to_samples(store, &record) {
                Ok((window, samples)) => each(&record.key, window, samples),
                Err(error) => {
                    all_read = Err(error);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    all_read
}

/// Calls `each` with the sample of every game in a store that ended by the rules. Games with an
/// unusual start are included; games that cannot be replayed are skipped.
fn for_each_game_sample(
    store: &dyn Store,
    game: &str,
    window: PatternWindow,
    each: &mut dyn FnMut(WindowSample),
) -> Result<(), TrainError> {
    // An unknown game has no games.
    let Ok(start) = registry::start(game) else { return Ok(()) };
    let selection = Selection { game: Some(game.to_string()), ..Selection::all(RecordKind::Game) };
    store.for_each(&selection, &mut |record| {
        if let Record::Game(game) = record {
            game_sample(&start, &game, window).into_iter().for_each(&mut *each);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

/// The sample of one game: the cells around its last stone, and the result.
fn game_sample(start: &State, game: &GameRecord, window: PatternWindow) -> Option<WindowSample> {
    let begin = start.parse_line(game.start.as_deref().unwrap_or("")).ok()?;
    let line = begin.end.parse_line(&game.moves).ok()?;
    line.end.outcome()?;
    let last = line.start.cell(*line.moves.last()?)?;
    window.sample(&RowBoard::of(&line.end)?, last)
}

fn to_samples(
    store: &dyn Store,
    record: &Sample,
) -> Result<(PatternWindow, Vec<WindowSample>), TrainError> {
    samples::from_record(record)
        .map_err(|error| TrainError::failed(format!("{}: {error}", store.place())))
}

/// Converts the samples of a game to a record.
pub(super) fn record(
    run: &str,
    game: &str,
    stage: SampleStage,
    number: u64,
    samples: &[WindowSample],
    window: PatternWindow,
) -> Record {
    Record::Sample(samples::to_record(run, game, &key(run, stage, number), samples, window))
}

/// The key of a sample.
pub(super) fn key(run: &str, stage: SampleStage, number: u64) -> String {
    format!("{run}/{stage}/{number:06}")
}

fn parse_key(run: &str, key: &str) -> Option<(SampleStage, usize)> {
    let (stage, number) = key.strip_prefix(run)?.strip_prefix('/')?.split_once('/')?;
    let stage = match stage {
        "import" => SampleStage::Import,
        "seed" => SampleStage::Seed,
        iteration => SampleStage::Iteration(iteration.parse().ok()?),
    };
    Some((stage, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_games::{Outcome, Side};
    use tesuji_store::{Ending, EndingKind, PlayerRecord};

    use super::*;
    use crate::forest::{CellContent, Class};

    const WINDOW: PatternWindow = PatternWindow { side: 2 };

    fn sample(n: usize) -> WindowSample {
        let digit = |place: u32| CellContent::ALL[n / 3usize.pow(place) % 3];
        WindowSample { contents: (0..4).map(digit).collect(), class: Class::ALL[n % 3] }
    }

    #[test]
    fn samples_are_ordered_by_stage_and_number() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("s.db");
        let store: Arc<dyn Store> = Arc::from(tesuji_store::open(place.to_str().unwrap()).unwrap());
        let mut sample_store = SampleStore::open(store.clone(), "r", "tictactoe", WINDOW).unwrap();
        let second = SampleStage::Iteration(2);
        let game = |n| vec![sample(n), sample(n + 30)];
        sample_store.add(second, vec![(1, game(8)), (0, game(7))]).unwrap();
        sample_store.add(SampleStage::Iteration(10), vec![(0, game(9))]).unwrap();
        sample_store.add(SampleStage::Seed, vec![(0, game(3))]).unwrap();
        sample_store.add(SampleStage::Import, vec![(0, game(5))]).unwrap();
        let again = SampleStore::open(store.clone(), "r", "tictactoe", WINDOW).unwrap();
        for sample_store in [&sample_store, &again] {
            let data = sample_store.dataset(SampleStage::Iteration(10));
            let all: Vec<WindowSample> = (0..data.len()).map(|n| data.sample(n).unwrap()).collect();
            assert_eq!(all, [5, 3, 7, 8, 9].map(game).concat());
            assert_eq!(sample_store.dataset(second).len(), 8);
            assert_eq!(sample_store.games_of(second).len(), 2);
        }
        let Err(error) = again.dataset_of_length(second, 5) else { panic!("one is missing") };
        assert!(error.to_string().contains("has 8 of the 5 samples of run 'r'"), "{error}");
        assert_eq!(SampleStore::open(store, "q", "g", WINDOW).unwrap().dataset(second).len(), 0);
    }

    #[test]
    fn samples_of_other_runs_are_imported_when_they_fit() {
        let folder = tempfile::tempdir().unwrap();
        let open =
            |name: &str| tesuji_store::open(folder.path().join(name).to_str().unwrap()).unwrap();
        let (mine, theirs) = (|| Arc::from(open("a.db")), open("b.db"));
        let mut other =
            SampleStore::open(Arc::from(open("b.db")), "q", "tictactoe", WINDOW).unwrap();
        other.add(SampleStage::Seed, vec![(0, vec![sample(1)]), (1, vec![sample(2)])]).unwrap();
        let mut sample_store = SampleStore::open(mine(), "r", "tictactoe", WINDOW).unwrap();
        drop(other);
        let both = [theirs, open("b.db")];
        sample_store.import(&both).unwrap();
        assert_eq!(sample_store.dataset(SampleStage::Import).len(), 4);
        let mut other_game = SampleStore::open(mine(), "r", "connect4", WINDOW).unwrap();
        let error = other_game.import(&both).unwrap_err().to_string();
        assert!(error.contains("no samples of connect4 with a 2x2 window"), "{error}");
    }

    fn game(moves: &str, outcome: Outcome, ending: EndingKind) -> Record {
        let player = |name: &str| PlayerRecord { name: name.to_string(), spec: name.to_string() };
        Record::Game(GameRecord {
            key: format!("web/{moves}"),
            event: "web".to_string(),
            game: "tictactoe".to_string(),
            players: [player("human"), player("pvs:depth=2")],
            pair: None,
            seed: 0,
            start: None,
            moves: moves.to_string(),
            opening_plies: 0,
            outcome,
            ending: Ending::plain(ending),
            thoughts: Vec::new(),
            played_at: 0,
        })
    }

    #[test]
    fn finished_games_become_samples() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("web.db");
        let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
        let won = "a1a2b1b2c1";
        store
            .add(&[
                game(won, Outcome::Win(Side::First), EndingKind::Rules),
                game("a1b2", Outcome::Win(Side::Second), EndingKind::Resigned),
            ])
            .unwrap();
        let window = PatternWindow { side: 3 };
        let mut found = Vec::new();
        for_each_game_sample(&*store, "tictactoe", window, &mut |sample| found.push(sample))
            .unwrap();
        let end = TicTacToe::new().parse_line(won).unwrap().end;
        // c1 is the last cell of the board, counted from the top left.
        assert_eq!(found, [window.sample(&end, 8).unwrap()]);
        assert_ne!(found[0].class, Class::Draw);
        found.clear();
        for_each_game_sample(&*store, "connect4", window, &mut |sample| found.push(sample))
            .unwrap();
        for_each_game_sample(&*store, "chess", window, &mut |sample| found.push(sample)).unwrap();
        assert_eq!(found, []);
    }
}
