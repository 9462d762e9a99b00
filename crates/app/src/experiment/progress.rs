//! Reads the progress of an experiment from its folder: the completed runs and the table so far.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_store::safe_file;

use super::{
    Experiment, ExperimentError, ExperimentKind, ExperimentResult, ExperimentRun, FILE,
    MAX_FILE_BYTES, Scores, write,
};

/// The file with the scores of the completed runs, in the folder of an experiment.
const SCORES: &str = "scores.json";
/// The largest such file, in bytes.
const MAX_SCORES_BYTES: u64 = 64 << 20;

/// The content of that file: scores by name of run.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct CompletedRuns {
    runs: BTreeMap<String, Scores>,
}

impl CompletedRuns {
    /// Reads the folder; empty if the file is missing or invalid.
    pub(super) fn from_folder(folder: &Path) -> CompletedRuns {
        let text = safe_file::read_text(&folder.join(SCORES), MAX_SCORES_BYTES).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Adds the scores of a run and writes the file, if they are new.
    pub(super) fn add(
        &mut self,
        folder: &Path,
        run: &str,
        scores: &Scores,
    ) -> Result<(), ExperimentError> {
        if self.runs.get(run) == Some(scores) {
            return Ok(());
        }
        self.runs.insert(run.to_string(), scores.clone());
        let text = serde_json::to_string(self).unwrap_or_default();
        write(&folder.join(SCORES), format!("{text}\n").as_bytes())
    }
}

/// The progress of an experiment.
#[derive(Clone, Debug)]
pub struct ExperimentProgress {
    /// The text of its file.
    pub text: String,
    /// The game.
    pub game: String,
    /// The table so far: a cell has the scores of its completed seeds.
    pub result: ExperimentResult,
    /// All runs, in order.
    pub runs: Vec<ExperimentRun>,
    /// Whether the results were written.
    pub is_finished: bool,
}

/// Reads the progress of the experiment in a folder; `None` without one. Does not lock the folder.
pub fn read_progress(folder: &Path) -> Option<ExperimentProgress> {
    let text = safe_file::read_text(&folder.join(FILE), MAX_FILE_BYTES).ok()?;
    let experiment = Experiment::parse(&text).ok()?;
    let (mut done, mut runs) = (CompletedRuns::from_folder(folder), experiment.all());
    runs.iter_mut().for_each(|run| run.scores = done.runs.remove(&run.name));
    let result = experiment.result(&runs);
    let game = match &experiment.kind {
        ExperimentKind::Train(settings) => settings.common.game.clone(),
        ExperimentKind::Match(game) => game.game.clone(),
    };
    let is_finished = folder.join("results.json").is_file();
    Some(ExperimentProgress { text, game, result, runs, is_finished })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_train::measure::StrengthScore;

    const TEXT: &str = "seeds = [1, 2]\n[match]\ngame = 'tictactoe'\nplayer = 'pvs'\nopponents = ['random']\n[grid]\ndepth = [1, 2]\n";

    #[test]
    fn a_folder_says_how_far_its_experiment_is() {
        let place = tempfile::tempdir().unwrap();
        assert!(read_progress(place.path()).is_none());
        std::fs::write(place.path().join(FILE), TEXT).unwrap();
        let begun = read_progress(place.path()).unwrap();
        assert_eq!((begun.runs.len(), begun.is_finished), (4, false));
        assert_eq!(begun.result.opponents, ["random"]);
        assert!(begun.result.cells.iter().all(|cell| cell.scores.is_empty()));
        let names = Experiment::parse(TEXT).unwrap().names();
        let scores = Scores::from([("random".to_string(), StrengthScore::from_wins(3, 4))]);
        let mut done = CompletedRuns::from_folder(place.path());
        done.add(place.path(), &names[2], &scores).unwrap();
        done.add(place.path(), "no run of this experiment", &scores).unwrap();
        let half = read_progress(place.path()).unwrap();
        let known: Vec<bool> = half.runs.iter().map(|run| run.scores.is_some()).collect();
        assert_eq!(known, [false, false, true, false]);
        assert_eq!(half.runs[2].scores.as_ref().unwrap()["random"].score, 0.75);
        assert_eq!(half.result.cells[1].scores, [0.75]);
        assert_eq!(half.result.plot().unwrap().curves[0].points, [(2.0, 0.75)]);
        std::fs::write(place.path().join(SCORES), "{").unwrap();
        assert!(read_progress(place.path()).unwrap().runs.iter().all(|run| run.scores.is_none()));
    }

    #[test]
    fn runs_have_names_of_their_own() {
        let long = "x".repeat(200);
        let grid = format!("options = ['{long}', '{long}1', 'a b', 'a:b']");
        let names = Experiment::parse(&TEXT.replace("depth = [1, 2]", &grid)).unwrap().names();
        let different: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!((names.len(), different.len()), (8, 8), "{names:?}");
        assert!(names.iter().all(|name| name.len() <= 90), "{names:?}");
    }

    #[test]
    fn an_experiment_of_a_million_runs_is_refused_before_they_are_listed() {
        let values: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let values = values.join(", ");
        let grid = format!("a = [{values}]\nb = [{values}]\nc = [{values}]\nd = [{values}]");
        let error = Experiment::parse(&TEXT.replace("depth = [1, 2]", &grid)).unwrap_err();
        assert!(error.to_string().contains("runs; expected fewer"), "{error}");
    }
}
