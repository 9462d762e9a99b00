//! The payload of a round: everything that decides its games, for another machine. It contains no
//! path of this machine.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{GameLine, Notation, State};
use tesuji_queue::{JobError, JobKind, JobSpec, Payload, ReceivedPayload};
use tesuji_search::Registry;

use super::RoundJob;
use crate::attachments;
use crate::event::{Event, Participant, ScheduledGame};
use crate::job_kinds::ProgramPolicy;
use crate::{GameConditions, Openings, Roster};

/// The name of this job kind in payloads.
const NAME: &str = "event-games";

/// The job kind that unpacks these payloads on a worker.
pub(crate) fn job_kind(games: &Registry, roster: Roster, programs: ProgramPolicy) -> JobKind {
    let games = games.clone();
    JobKind::new(NAME, move |received| unpack(received, &games, roster, programs))
}

#[derive(Serialize, Deserialize)]
struct RoundPayload {
    event: String,
    game: String,
    #[serde(rename = "entrants")]
    participants: Vec<ParticipantPayload>,
    openings: OpeningsPayload,
    conditions: GameConditions,
    seed: u64,
    #[serde(rename = "jobs")]
    games: GameList,
}

#[derive(Serialize, Deserialize)]
struct ParticipantPayload {
    name: String,
    spec: String,
    /// The digest of its files on the machine that created the event. It is used even where another
    /// machine has a different build of an external program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OpeningsPayload {
    Random(usize),
    /// For each opening: its start position unless it is the game's own, and its moves.
    List(Vec<(Option<String>, String)>),
}

/// All games in order, run-length encoded: a million games of two players are one run.
#[derive(Serialize, Deserialize, Default)]
struct GameList {
    /// The two participants and the seed of their games.
    meetings: Vec<([usize; 2], u64)>,
    /// Index into `meetings`, number of the first game, and number of consecutive games.
    runs: Vec<(usize, u64, u64)>,
}

/// Packs a round together with the files that its players read.
pub(super) fn pack(event: &Event, schedule: &[ScheduledGame]) -> Result<Payload, JobError> {
    let openings = match &event.openings {
        Openings::Random { plies } => OpeningsPayload::Random(*plies),
        Openings::List(lines) => {
            let text = |line: &GameLine| (line.start_text(event.game.start()), line.text());
            OpeningsPayload::List(lines.iter().map(text).collect())
        }
    };
    let participant = |participant: &Participant| ParticipantPayload {
        name: participant.name.clone(),
        spec: participant.spec.text().to_string(),
        content: participant.content.clone(),
    };
    let payload = RoundPayload {
        event: event.id.clone(),
        game: event.game.name().to_string(),
        participants: event.participants.iter().map(participant).collect(),
        openings,
        conditions: event.conditions.clone(),
        seed: event.seed,
        games: GameList::encode(schedule),
    };
    let text = serde_json::to_string(&payload).map_err(JobError::new)?;
    event.participants.iter().try_fold(Payload::new(NAME, text), |payload, participant| {
        attachments::attach(payload, participant.spec.files())
    })
}

impl GameList {
    fn encode(schedule: &[ScheduledGame]) -> GameList {
        let (mut list, mut indices) = (GameList::default(), HashMap::new());
        for scheduled in schedule {
            let meeting =
                *indices.entry((scheduled.players, scheduled.seed)).or_insert_with(|| {
                    list.meetings.push((scheduled.players, scheduled.seed));
                    list.meetings.len() - 1
                });
            match list.runs.last_mut() {
                Some((last, first, count))
                    if *last == meeting && *first + *count == scheduled.number =>
                {
                    *count += 1;
                }
                _ => list.runs.push((meeting, scheduled.number, 1)),
            }
        }
        list
    }

    /// Decodes the games; `None` if a meeting or participant does not exist.
    fn decode(&self, participants: usize) -> Option<Vec<ScheduledGame>> {
        let mut schedule = Vec::new();
        for &(meeting, first, count) in &self.runs {
            let &(players, seed) = self.meetings.get(meeting)?;
            players.iter().all(|player| *player < participants).then_some(())?;
            let numbers = first..first.checked_add(count)?;
            schedule.extend(numbers.map(|number| ScheduledGame { players, number, seed }));
        }
        Some(schedule)
    }
}

/// Unpacks a round on a worker.
fn unpack(
    received: &ReceivedPayload,
    games: &Registry,
    roster: Roster,
    programs: ProgramPolicy,
) -> Result<Box<dyn JobSpec>, JobError> {
    let payload: RoundPayload = serde_json::from_str(&received.text)
        .map_err(|error| JobError(format!("games of an event: {error}")))?;
    let game = games.open(&payload.game).map_err(JobError::new)?;
    let openings = match &payload.openings {
        OpeningsPayload::Random(plies) => Openings::Random { plies: *plies },
        OpeningsPayload::List(lines) => Openings::List(
            lines.iter().map(|line| opening(game.start(), line)).collect::<Result<_, _>>()?,
        ),
    };
    let participant = |ParticipantPayload { name, spec, content }| {
        let spec = roster.read_with(&spec, &received.files).map_err(JobError::new)?;
        programs.check(&spec)?;
        let (engine_files, former_texts) = (spec.setup.engine_files(), spec.former_texts(&name));
        Ok(Participant { name, spec, content, engine_files, former_texts })
    };
    let participants: Vec<Participant> =
        payload.participants.into_iter().map(participant).collect::<Result<_, JobError>>()?;
    let schedule = payload.games.decode(participants.len());
    let schedule = schedule.ok_or_else(|| {
        JobError("games of an event: a player number is out of range".to_string())
    })?;
    let event = Event {
        id: payload.event,
        game,
        participants,
        openings,
        conditions: payload.conditions,
        seed: payload.seed,
    };
    // Reads all files and checks that external programs are installed here too.
    event.check().map_err(JobError::new)?;
    Ok(Box::new(RoundJob::new(Arc::new(event), schedule.into())))
}

fn opening(start: &State, (from, moves): &(Option<String>, String)) -> Result<GameLine, JobError> {
    let start = match from {
        None => start.clone(),
        Some(text) => start.parse_line(text).map_err(JobError::new)?.end,
    };
    let mut line = GameLine::new(start);
    line.extend(moves).map_err(JobError::new)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_lists_round_trip() {
        let scheduled =
            |one, other, number| ScheduledGame { players: [one, other], number, seed: one as u64 };
        let schedule = [
            scheduled(0, 1, 0),
            scheduled(0, 1, 1),
            scheduled(2, 1, 0),
            scheduled(2, 1, 1),
            scheduled(0, 1, 2),
            scheduled(0, 1, 4),
        ];
        let encoded = GameList::encode(&schedule);
        assert_eq!(encoded.runs, [(0, 0, 2), (1, 0, 2), (0, 2, 1), (0, 4, 1)]);
        assert_eq!(encoded.decode(3).unwrap(), schedule);
        assert_eq!(encoded.decode(2), None, "participant 2 does not exist");
        let match_games: Vec<ScheduledGame> =
            (0..1000).map(|number| scheduled(0, 1, number)).collect();
        assert_eq!(GameList::encode(&match_games).runs.len(), 1);
    }
}
