//! A round, written down for another machine: what decides its games, in full, and no path of this machine.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{GameLine, Notation, State};
use tesuji_queue::{JobError, JobKind, JobSpec, Payload, ReceivedPayload};
use tesuji_search::Registry;

use super::Round;
use crate::event::{Entrant, Event, Job};
use crate::tasks::Programs;
use crate::travel;
use crate::{Conditions, Openings, Roster};

/// What briefs call it.
const NAME: &str = "event-games";

/// Who can read it.
pub(crate) fn task(games: &Registry, roster: Roster, programs: Programs) -> JobKind {
    let games = games.clone();
    JobKind::new(NAME, move |parcel| open(parcel, &games, roster, programs))
}

#[derive(Serialize, Deserialize)]
struct Written {
    event: String,
    game: String,
    entrants: Vec<WrittenEntrant>,
    openings: WrittenOpenings,
    conditions: Conditions,
    seed: u64,
    jobs: WrittenJobs,
}

#[derive(Serialize, Deserialize)]
struct WrittenEntrant {
    name: String,
    spec: String,
    /// The digest of its files where the event was set up. It counts also where a program lies that
    /// is not the same, byte by byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenOpenings {
    Random(usize),
    /// Where each begins, unless at the start, and its moves.
    List(Vec<(Option<String>, String)>),
}

/// All games in their order, in few words: a million of two players are one run.
#[derive(Serialize, Deserialize, Default)]
struct WrittenJobs {
    /// Who play each other, and the seed of their games.
    meetings: Vec<([usize; 2], u64)>,
    /// Which meeting, the number of a first game, and how many follow each other from there.
    runs: Vec<(usize, u64, u64)>,
}

/// Writes a round down, with the files that its players read.
pub(super) fn brief(event: &Event, jobs: &[Job]) -> Result<Payload, JobError> {
    let openings = match &event.openings {
        Openings::Random { plies } => WrittenOpenings::Random(*plies),
        Openings::List(lines) => {
            let written = |line: &GameLine| (line.start_text(event.game.start()), line.text());
            WrittenOpenings::List(lines.iter().map(written).collect())
        }
    };
    let entrant = |entrant: &Entrant| WrittenEntrant {
        name: entrant.name.clone(),
        spec: entrant.spec.text().to_string(),
        content: entrant.content.clone(),
    };
    let written = Written {
        event: event.id.clone(),
        game: event.game.name().to_string(),
        entrants: event.entrants.iter().map(entrant).collect(),
        openings,
        conditions: event.conditions.clone(),
        seed: event.seed,
        jobs: WrittenJobs::of(jobs),
    };
    let text = serde_json::to_string(&written).map_err(JobError::new)?;
    event.entrants.iter().try_fold(Payload::new(NAME, text), |brief, entrant| {
        travel::packed(brief, entrant.spec.files())
    })
}

impl WrittenJobs {
    fn of(jobs: &[Job]) -> WrittenJobs {
        let (mut written, mut places) = (WrittenJobs::default(), HashMap::new());
        for job in jobs {
            let meeting = *places.entry((job.players, job.seed)).or_insert_with(|| {
                written.meetings.push((job.players, job.seed));
                written.meetings.len() - 1
            });
            match written.runs.last_mut() {
                Some((last, first, count)) if *last == meeting && *first + *count == job.number => {
                    *count += 1;
                }
                _ => written.runs.push((meeting, job.number, 1)),
            }
        }
        written
    }

    /// The jobs again; `None` where there is no such meeting or player.
    fn jobs(&self, entrants: usize) -> Option<Vec<Job>> {
        let mut jobs = Vec::new();
        for &(meeting, first, count) in &self.runs {
            let &(players, seed) = self.meetings.get(meeting)?;
            players.iter().all(|player| *player < entrants).then_some(())?;
            let numbers = first..first.checked_add(count)?;
            jobs.extend(numbers.map(|number| Job { players, number, seed }));
        }
        Some(jobs)
    }
}

/// The round that was written down.
fn open(
    parcel: &ReceivedPayload,
    games: &Registry,
    roster: Roster,
    programs: Programs,
) -> Result<Box<dyn JobSpec>, JobError> {
    let written: Written = serde_json::from_str(&parcel.text)
        .map_err(|error| JobError(format!("the games of an event cannot be read: {error}")))?;
    let game = games.open(&written.game).map_err(JobError::new)?;
    let openings = match &written.openings {
        WrittenOpenings::Random(plies) => Openings::Random { plies: *plies },
        WrittenOpenings::List(lines) => Openings::List(
            lines.iter().map(|line| opening(game.start(), line)).collect::<Result<_, _>>()?,
        ),
    };
    let entrant = |WrittenEntrant { name, spec, content }| {
        let spec = roster.read_with(&spec, &parcel.files).map_err(JobError::new)?;
        programs.admit(&spec)?;
        Ok(Entrant { engine_files: spec.setup.engine_files(), name, spec, content })
    };
    let entrants: Vec<Entrant> =
        written.entrants.into_iter().map(entrant).collect::<Result<_, JobError>>()?;
    let jobs = written.jobs.jobs(entrants.len());
    let jobs = jobs.ok_or_else(|| JobError("games of players who are not there".to_string()))?;
    let event = Event {
        id: written.event,
        game,
        entrants,
        openings,
        conditions: written.conditions,
        seed: written.seed,
    };
    // Reads all files, and finds out whether other programs are here too.
    event.check().map_err(JobError::new)?;
    Ok(Box::new(Round::new(Arc::new(event), jobs.into())))
}

fn opening(start: &State, written: &(Option<String>, String)) -> Result<GameLine, JobError> {
    let start = match &written.0 {
        None => start.clone(),
        Some(text) => start.parse_line(text).map_err(JobError::new)?.end,
    };
    let mut line = GameLine::new(start);
    line.extend(&written.1).map_err(JobError::new)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_back_as_they_were() {
        let job = |one, other, number| Job { players: [one, other], number, seed: one as u64 };
        let jobs =
            [job(0, 1, 0), job(0, 1, 1), job(2, 1, 0), job(2, 1, 1), job(0, 1, 2), job(0, 1, 4)];
        let written = WrittenJobs::of(&jobs);
        assert_eq!(written.runs, [(0, 0, 2), (1, 0, 2), (0, 2, 1), (0, 4, 1)]);
        assert_eq!(written.jobs(3).unwrap(), jobs);
        assert_eq!(written.jobs(2), None, "nobody is the third");
        let match_games: Vec<Job> = (0..1000).map(|number| job(0, 1, number)).collect();
        assert_eq!(WrittenJobs::of(&match_games).runs.len(), 1);
    }
}
