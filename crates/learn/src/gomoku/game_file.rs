//! A file in the run's folder with one game a line, appended as games are played.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};

use tesuji_queue::{JobSpec, QueueError};
use tesuji_train::{Env, FolderError, RunFolder, TrainError};

use super::record::SelfPlayRecord;

fn failed(folder: &RunFolder, file: &str, error: io::Error) -> TrainError {
    FolderError::File(folder.path().join(file), error.to_string()).into()
}

/// Plays the games that are missing in the file and returns all of them by number; `None` when
/// stopped before the last one.
pub(crate) fn play_missing_games(
    env: &Env<'_>,
    file: &str,
    stage: &str,
    count: u64,
    job: &dyn JobSpec,
) -> Result<Option<BTreeMap<u64, SelfPlayRecord>>, TrainError> {
    let mut played = read_games(env.folder, file)?;
    let missing: Vec<u64> = (0..count).filter(|number| !played.contains_key(number)).collect();
    let wrong = |error| failed(env.folder, file, error);
    let path = env.folder.path().join(file);
    let mut out = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
    env.run_batch(stage, &missing, job, &mut |finished| {
        let game: SelfPlayRecord = finished.output.note().map_err(QueueError::Job)?;
        out.write_all(format!("{}\n", game.line()).as_bytes()).map_err(wrong)?;
        played.insert(game.game, game);
        env.progress("game", played.len() as u64, count);
        Ok::<(), TrainError>(())
    })?;
    Ok((played.len() as u64 >= count).then_some(played))
}

/// The games in a file, by number. Removes an incomplete last line.
pub(crate) fn read_games(
    folder: &RunFolder,
    file: &str,
) -> Result<BTreeMap<u64, SelfPlayRecord>, TrainError> {
    let text = folder.read(file)?.unwrap_or_default();
    let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    if end < text.len() {
        folder.replace(file, &text[..end])?;
    }
    let mut games = BTreeMap::new();
    for line in String::from_utf8_lossy(&text[..end]).lines() {
        let game = SelfPlayRecord::from_line(line)
            .map_err(|error| TrainError::failed(format!("{file}: {error}")))?;
        games.insert(game.game, game);
    }
    Ok(games)
}
