//! A round, written down for another machine: what decides its games, in full, and no path of this machine.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Line, Notation, State};
use tesuji_queue::{Bench, Brief, Parcel, Task, Trouble};
use tesuji_search::Registry;

use super::RoundJob;
use crate::event::{Participant, Event, ScheduledGame};
use crate::job_kinds::ProgramPolicy;
use crate::attachments;
use crate::{GameConditions, Openings, Roster};

/// What briefs call it.
const NAME: &str = "event-games";

/// Who can read it.
pub(crate) fn job_kind(games: &Registry, roster: Roster, programs: ProgramPolicy) -> Task {
    let games = games.clone();
    Task::new(NAME, move |parcel| open(parcel, &games, roster, programs))
}

#[derive(Serialize, Deserialize)]
struct RoundPayload {
    event: String,
    game: String,
    participants: Vec<ParticipantPayload>,
    openings: OpeningsPayload,
    conditions: GameConditions,
    seed: u64,
    jobs: GameList,
}

#[derive(Serialize, Deserialize)]
struct ParticipantPayload {
    name: String,
    spec: String,
    /// The digest of its files where the event was set up. It counts also where a program lies that
    /// is not the same, byte by byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OpeningsPayload {
    Random(usize),
    /// Where each begins, unless at the start, and its moves.
    List(Vec<(Option<String>, String)>),
}

/// All games in their order, in few words: a million of two players are one run.
#[derive(Serialize, Deserialize, Default)]
struct GameList {
    /// Who play each other, and the seed of their games.
    meetings: Vec<([usize; 2], u64)>,
    /// Which meeting, the number of a first game, and how many follow each other from there.
    runs: Vec<(usize, u64, u64)>,
}

/// Writes a round down, with the files that its players read.
pub(super) fn pack(event: &Event, jobs: &[ScheduledGame]) -> Result<Brief, Trouble> {
    let openings = match &event.openings {
        Openings::Random { plies } => OpeningsPayload::Random(*plies),
        Openings::List(lines) => {
            let written = |line: &Line| (line.start_text(event.game.start()), line.text());
            OpeningsPayload::List(lines.iter().map(written).collect())
        }
    };
    let participant = |participant: &Participant| ParticipantPayload {
        name: participant.name.clone(),
        spec: participant.spec.text().to_string(),
        content: participant.content.clone(),
    };
    let written = RoundPayload {
        event: event.id.clone(),
        game: event.game.name().to_string(),
        participants: event.participants.iter().map(participant).collect(),
        openings,
        conditions: event.conditions.clone(),
        seed: event.seed,
        jobs: GameList::of(jobs),
    };
    let text = serde_json::to_string(&written).map_err(Trouble::of)?;
    event.participants.iter().try_fold(Brief::new(NAME, text), |brief, participant| {
        attachments::attach(brief, participant.spec.files())
    })
}

impl GameList {
    fn of(jobs: &[ScheduledGame]) -> GameList {
        let (mut written, mut places) = (GameList::default(), HashMap::new());
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
    fn jobs(&self, participants: usize) -> Option<Vec<ScheduledGame>> {
        let mut jobs = Vec::new();
        for &(meeting, first, count) in &self.runs {
            let &(players, seed) = self.meetings.get(meeting)?;
            players.iter().all(|player| *player < participants).then_some(())?;
            let numbers = first..first.checked_add(count)?;
            jobs.extend(numbers.map(|number| ScheduledGame { players, number, seed }));
        }
        Some(jobs)
    }
}

/// The round that was written down.
fn open(
    parcel: &Parcel,
    games: &Registry,
    roster: Roster,
    programs: ProgramPolicy,
) -> Result<Box<dyn Bench>, Trouble> {
    let written: RoundPayload = serde_json::from_str(&parcel.text)
        .map_err(|error| Trouble(format!("the games of an event cannot be read: {error}")))?;
    let game = games.open(&written.game).map_err(Trouble::of)?;
    let openings = match &written.openings {
        OpeningsPayload::Random(plies) => Openings::Random { plies: *plies },
        OpeningsPayload::List(lines) => Openings::List(
            lines.iter().map(|line| opening(game.start(), line)).collect::<Result<_, _>>()?,
        ),
    };
    let participant = |ParticipantPayload { name, spec, content }| {
        let spec = roster.read_with(&spec, &parcel.files).map_err(Trouble::of)?;
        programs.check(&spec)?;
        Ok(Participant { engine_files: spec.setup.engine_files(), name, spec, content })
    };
    let participants: Vec<Participant> =
        written.participants.into_iter().map(participant).collect::<Result<_, Trouble>>()?;
    let jobs = written.jobs.jobs(participants.len());
    let jobs = jobs.ok_or_else(|| Trouble("games of players who are not there".to_string()))?;
    let event = Event {
        id: written.event,
        game,
        participants,
        openings,
        conditions: written.conditions,
        seed: written.seed,
    };
    // Reads all files, and finds out whether other programs are here too.
    event.check().map_err(Trouble::of)?;
    Ok(Box::new(RoundJob::new(Arc::new(event), jobs.into())))
}

fn opening(start: &State, written: &(Option<String>, String)) -> Result<Line, Trouble> {
    let start = match &written.0 {
        None => start.clone(),
        Some(text) => start.parse_line(text).map_err(Trouble::of)?.end,
    };
    let mut line = Line::new(start);
    line.extend(&written.1).map_err(Trouble::of)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_back_as_they_were() {
        let job = |one, other, number| ScheduledGame { players: [one, other], number, seed: one as u64 };
        let jobs =
            [job(0, 1, 0), job(0, 1, 1), job(2, 1, 0), job(2, 1, 1), job(0, 1, 2), job(0, 1, 4)];
        let written = GameList::of(&jobs);
        assert_eq!(written.runs, [(0, 0, 2), (1, 0, 2), (0, 2, 1), (0, 4, 1)]);
        assert_eq!(written.jobs(3).unwrap(), jobs);
        assert_eq!(written.jobs(2), None, "nobody is the third");
        let match_games: Vec<ScheduledGame> = (0..1000).map(|number| job(0, 1, number)).collect();
        assert_eq!(GameList::of(&match_games).runs.len(), 1);
    }
}
