//! `tesuji match`: plays many games between two players and rates the difference.

use std::path::PathBuf;
use std::time::Duration;

use tesuji_games::State;
use tesuji_play::{
    Adjudication, GameConditions, Match, MatchResult, MatchScore, OpeningOrder, Openings,
    ScoreRule, SolverRule, Sprt, SprtModel, SprtState, SprtVerdict, TimeControl, WinDrawLoss,
};
use tesuji_search::Limits;
use tesuji_store::Access;

use crate::prelude::*;
use crate::queue_args::QueueArgs;

/// Play color-swapped pairs of games between two players and rate the difference
#[derive(clap::Args)]
pub(crate) struct MatchArgs {
    /// The game
    game: String,
    /// The player whose score is counted, such as alphabeta:depth=4
    first: String,
    /// Its opponent
    second: String,
    /// Play at most this many games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// Start from the openings in this file: lists of moves or offsets from the center, one per
    /// line
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Use the openings in random order, given by the seed
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Start each pair of games with this many random moves
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_plies: usize,
    /// Limit the time of a move, such as 200ms; a player that exceeds it loses
    #[arg(long, value_name = "T", value_parser = arguments::duration)]
    time: Option<Duration>,
    /// Limit the time of a player for a game, with an increment per move, such as 1m or 1m+500ms
    #[arg(long, value_name = "T[+I]", value_parser = game_time)]
    game_time: Option<GameTime>,
    /// Tolerate exceeding a time limit by this much [default: 100ms]
    #[arg(long, value_name = "T", value_parser = arguments::duration)]
    margin: Option<Duration>,
    /// Limit the depth in plies of players without a limit of their own
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Limit the nodes or simulations per move of players without a limit of their own
    #[arg(long, value_name = "N", value_parser = arguments::amount)]
    nodes: Option<u64>,
    /// Seed the openings and the players
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Play this many games at once
    #[arg(long, default_value_t = 1, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Stop once a sequential test decides between a strength difference of E0 and of E1 Elo, with
    /// error probabilities A and B [default: 0.05,0.05]
    #[arg(long, value_name = "E0,E1[,A,B]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Use this Elo model for --sprt: normalized or logistic
    #[arg(long, value_name = "MODEL", default_value = "normalized", requires = "sprt")]
    sprt_model: SprtModel,
    /// End a game if an exact solver finds its result within this many nodes, from ply FROM on
    #[arg(long, value_name = "NODES[,FROM]", value_parser = solver_rule)]
    adjudicate: Option<SolverRule>,
    /// End a game as won if both players report at least this score for this many moves each
    #[arg(long, value_name = "SCORE,MOVES", value_parser = agreement)]
    decided: Option<ScoreRule>,
    /// End a game as drawn if both players report scores within this distance of 0 for this many
    /// moves each, from ply FROM on
    #[arg(long, value_name = "SCORE,MOVES[,FROM]", value_parser = agreement)]
    even: Option<ScoreRule>,
    /// End a game as drawn after this many plies
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max_plies: usize,
    /// Store the games here and resume from stored games: a file, or postgres://…
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Print JSON with all games
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

/// The time of a player for a game, and the increment per move.
type GameTime = (Duration, Duration);

fn game_time(text: &str) -> Result<GameTime, String> {
    let (total, increment) = match text.split_once('+') {
        Some((total, increment)) => (total, arguments::duration(increment)?),
        None => (text, Duration::ZERO),
    };
    Ok((arguments::duration(total)?, increment))
}

fn solver_rule(text: &str) -> Result<SolverRule, String> {
    let (nodes, from) = text.split_once(',').unwrap_or((text, "0"));
    let from_ply = from.trim().parse();
    let from_ply = from_ply.map_err(|_| {
        format!("FROM '{from}': not a number of plies; expected a number such as 30")
    })?;
    Ok(SolverRule { nodes: arguments::amount(nodes)?, from_ply })
}

fn agreement(text: &str) -> Result<ScoreRule, String> {
    let expected = || String::from("expected a score and a number of moves, such as 500,3");
    let numbers: Option<Vec<i32>> =
        text.split(',').map(|word| word.trim().parse().ok().filter(|n| *n >= 0)).collect();
    let (score, moves, from) = match numbers.ok_or_else(expected)?[..] {
        [score, moves] if moves > 0 => (score, moves, 0),
        [score, moves, from] if moves > 0 => (score, moves, from),
        _ => return Err(expected()),
    };
    Ok(ScoreRule { score, moves: moves as usize, from_ply: from as usize })
}

impl MatchArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        // The game first: a game of one player has agents, which are not players.
        let game = games.open(&self.game)?;
        let players = [tesuji_players::player(&self.first)?, tesuji_players::player(&self.second)?];
        let openings = self.openings(game.start())?;
        let progress = Progress::new(Some(self.games), "games");
        let show = |score: &MatchScore| progress.show(score.tally.games(), || progress_text(score));
        let model = |sprt: Sprt| sprt.with_model(self.sprt_model);
        let settings = Match {
            games: self.games,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            conditions: self.conditions(),
            sprt: self.sprt.map(model).transpose().map_err(Failure::bad)?,
        };
        let prepared = settings.prepare(&game, &players, &openings)?;
        // Opened last, so that an error in the arguments leaves no empty store behind.
        let open = |place: &String| self.queue_args.open_store(place, Access::Create);
        let store = self.store.as_ref().map(open).transpose()?;
        let queue =
            self.queue_args.open_queue(usize::from(self.concurrency), self.store.as_deref())?;
        let result = prepared.run_on(&*queue, store.as_deref(), &show)?;
        drop(progress);
        let place = store.as_ref().map(|store| store.place());
        if !self.json {
            return self.print(&result, place);
        }
        print_json(&json!({
            "game": self.game,
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "store": place,
            "result": result,
        }))
    }

    fn conditions(&self) -> GameConditions {
        let default = TimeControl::default();
        GameConditions {
            limits: Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() },
            clock: TimeControl {
                per_move: self.time,
                per_game: self.game_time.map(|(total, _)| total),
                increment: self.game_time.map_or(default.increment, |(_, increment)| increment),
                margin: self.margin.unwrap_or(default.margin),
            },
            adjudication: Adjudication {
                solver: self.adjudicate,
                decided: self.decided,
                even: self.even,
                max_plies: self.max_plies,
            },
        }
    }

    fn openings(&self, start: &State) -> Result<Openings, Failure> {
        match &self.openings {
            None => Ok(Openings::Random { plies: self.random_plies }),
            Some(path) => {
                let order =
                    if self.shuffle { OpeningOrder::Random } else { OpeningOrder::Sequential };
                input::read_openings(path, start, order, self.seed)
            }
        }
    }

    fn print(&self, result: &MatchResult, place: Option<&str>) -> Result<(), Failure> {
        let games = result.games.len();
        say!("{}: {} against {}, {games} games", self.game, self.first, self.second)?;
        say!("score  {}", tally_text(result.score.tally))?;
        let counts = result.score.pairs.counts.map(|count| count.to_string()).join(" ");
        say!("pairs  {counts} (with 0, ½, 1, 1½, 2 points)")?;
        if let Some(rating) = &result.rating {
            say!("points {:.1} %", 100.0 * rating.score)?;
            say!("Elo    {}", elo_text(rating.elo, rating.margin))?;
            if let (Some(elo), Some(margin)) = (rating.normalized, rating.normalized_margin) {
                say!("nElo   {elo:+.1} ± {margin:.1}")?;
            }
            say!("LOS    {:.1} %", 100.0 * rating.superiority)?;
        }
        if let Some(state) = &result.score.sprt {
            let verdict = match state.verdict {
                SprtVerdict::Continue => "undecided",
                SprtVerdict::AcceptsH0 => "H0 accepted: no improvement",
                SprtVerdict::AcceptsH1 => "H1 accepted: an improvement",
            };
            say!("SPRT   {verdict}; {}", sprt_text(state))?;
        }
        print_notes(result)?;
        if let Some(place) = place {
            let resumed = result.score.resumed;
            let reused = match resumed {
                0 => String::new(),
                _ => format!("; {resumed} of {games} games were already there"),
            };
            say!("saved  in {place} as {}{reused}", result.event)?;
        }
        Ok(())
    }
}

/// The end of a game that the rules did not end, as in "2 by resignation".
fn ending_phrase(word: &str) -> &str {
    match word {
        "illegal" => "by an illegal move",
        "crash" => "by a crash",
        "time" => "on time",
        "error" => "by an invalid answer",
        "solver" => "by the solver's result",
        "agreement" => "by agreed scores",
        "length" => "at the maximum length",
        "resigned" => "by resignation",
        other => other,
    }
}

fn print_notes(result: &MatchResult) -> Result<(), Failure> {
    let games = result.games.len();
    // Games that did not end by the rules of the game.
    let reasons = result.endings.iter().filter(|(word, _)| **word != "rules");
    let reasons: Vec<String> =
        reasons.map(|(word, count)| format!("{count} {}", ending_phrase(word))).collect();
    if !reasons.is_empty() {
        say!("ended  {}", reasons.join(", "))?;
    }
    let first_failure = result.games.iter().find(|game| game.record.ending.kind.is_failure());
    if let Some(game) = first_failure {
        say!("note   game {}: {}", game.number, game.record.ending.detail)?;
    }
    if games > 2 && result.distinct * 2 <= games {
        say!(
            "note   only {} of {games} games are distinct; --random-plies or --openings gives variety",
            result.distinct
        )?;
    }
    Ok(())
}

fn elo_text(elo: Option<f64>, margin: Option<f64>) -> String {
    match (elo, margin) {
        (Some(elo), Some(margin)) => format!("{elo:+.1} ± {margin:.1} (95 %)"),
        (Some(elo), None) => format!("{elo:+.1} (too few games for an error bar)"),
        (None, _) => "undefined: one side won every game".to_string(),
    }
}

fn tally_text(WinDrawLoss { wins, draws, losses }: WinDrawLoss) -> String {
    format!("{wins} won, {draws} drawn, {losses} lost")
}

fn sprt_text(state: &SprtState) -> String {
    format!("LLR {:.2} ({:.2}, {:.2})", state.llr, state.lower, state.upper)
}

/// The current result, for the progress line.
fn progress_text(score: &MatchScore) -> String {
    let mut text = tally_text(score.tally);
    if let Some(elo) = score.rating().and_then(|rating| Some((rating.elo?, rating.margin?))) {
        text += &format!("  Elo {:+.0} ± {:.0}", elo.0, elo.1);
    }
    if let Some(state) = &score.sprt {
        text += &format!("  {}", sprt_text(state));
    }
    text
}
