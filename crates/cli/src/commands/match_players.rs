//! `tesuji match`: two players, many games, who is stronger.

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

/// Play color-swapped pairs of games and rate the difference
#[derive(clap::Args)]
pub(crate) struct MatchArgs {
    /// The game
    game: String,
    /// The player whose score is counted, such as alphabeta:depth=4
    first: String,
    /// Its opponent
    second: String,
    /// How many games, at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// A file of openings: lists of moves, or offsets from the center, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Use the openings in an order that the seed decides
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Begin each pair with this many random moves
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_plies: usize,
    /// Clock: time for a move; who exceeds it loses
    #[arg(long, value_name = "T", value_parser = setting::duration)]
    time: Option<Duration>,
    /// Clock: time for a whole game, and what is added after every move, such as 1m or 1m+500ms
    #[arg(long, value_name = "T[+I]", value_parser = game_time)]
    game_time: Option<GameTime>,
    /// Clock: how much too late is still in time [default: 100ms]
    #[arg(long, value_name = "T", value_parser = setting::duration)]
    margin: Option<Duration>,
    /// Depth of a search, for players without a limit of their own
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Positions of a search (or simulations), for players without a limit of their own
    #[arg(long, value_name = "N", value_parser = setting::amount)]
    nodes: Option<u64>,
    /// Decides openings and every player's chance
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// How many games run at once
    #[arg(long, default_value_t = 1, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Stop as soon as it is settled whether the first player is E0 or E1 Elo stronger; A and B are how
    /// often it may be wrong in either case [default: 0.05,0.05]
    #[arg(long, value_name = "E0,E1[,A,B]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// What --sprt counts in: normalized Elo or logistic Elo
    #[arg(long, value_name = "MODEL", default_value = "normalized", requires = "sprt")]
    sprt_model: SprtModel,
    /// End a game when an exact solver knows its result within this many nodes, not before ply FROM
    #[arg(long, value_name = "NODES[,FROM]", value_parser = solver_rule)]
    adjudicate: Option<SolverRule>,
    /// End a game as decided when both players' scores say so, in so many moves of each
    #[arg(long, value_name = "SCORE,MOVES", value_parser = agreement)]
    decided: Option<ScoreRule>,
    /// End a game as drawn when both players' scores are at most so far from 0, not before ply FROM
    #[arg(long, value_name = "SCORE,MOVES[,FROM]", value_parser = agreement)]
    even: Option<ScoreRule>,
    /// A longer game is a draw
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max_plies: usize,
    /// Keep the games here, and carry on with what is there: a file, or postgres://…
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Print JSON, every game included
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

/// Time for a whole game, and what is added after every move.
type GameTime = (Duration, Duration);

fn game_time(text: &str) -> Result<GameTime, String> {
    let (whole, increment) = match text.split_once('+') {
        Some((whole, increment)) => (whole, setting::duration(increment)?),
        None => (text, Duration::ZERO),
    };
    Ok((setting::duration(whole)?, increment))
}

fn solver_rule(text: &str) -> Result<SolverRule, String> {
    let (nodes, from) = text.split_once(',').unwrap_or((text, "0"));
    let from_ply = from.trim().parse();
    let from_ply =
        from_ply.map_err(|_| format!("'{from}' is not a number of moves, such as 30"))?;
    Ok(SolverRule { nodes: setting::amount(nodes)?, from_ply })
}

fn agreement(text: &str) -> Result<ScoreRule, String> {
    let wrong = || format!("'{text}' is not a score and a number of moves, such as 500,3");
    let numbers: Option<Vec<i32>> =
        text.split(',').map(|word| word.trim().parse().ok().filter(|n| *n >= 0)).collect();
    let (score, moves, from) = match numbers.ok_or_else(wrong)?[..] {
        [score, moves] if moves > 0 => (score, moves, 0),
        [score, moves, from] if moves > 0 => (score, moves, from),
        _ => return Err(wrong()),
    };
    Ok(ScoreRule { score, moves: moves as usize, from_ply: from as usize })
}

impl MatchArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        // The game first: one of one player has agents, which are no players.
        let game = games.open(&self.game)?;
        let players = [tesuji_players::player(&self.first)?, tesuji_players::player(&self.second)?];
        let openings = self.openings(game.start())?;
        let progress = Progress::new(Some(self.games), "games");
        let show = |score: &MatchScore| progress.show(score.tally.games(), || standing(score));
        let model = |sprt: Sprt| sprt.with_model(self.sprt_model);
        let settings = Match {
            games: self.games,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            conditions: self.conditions(),
            sprt: self.sprt.map(model).transpose().map_err(Failure::bad)?,
        };
        let ready = settings.prepare(&game, &players, &openings)?;
        // Only now: a slip in the arguments leaves no empty store behind.
        let open = |place: &String| self.queue_args.open_store(place, Access::Create);
        let store = self.store.as_ref().map(open).transpose()?;
        let queue =
            self.queue_args.open_queue(usize::from(self.concurrency), self.store.as_deref())?;
        let result = ready.run_on(&*queue, store.as_deref(), &show)?;
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
        let usual = TimeControl::default();
        GameConditions {
            limits: Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() },
            clock: TimeControl {
                per_move: self.time,
                per_game: self.game_time.map(|(whole, _)| whole),
                increment: self.game_time.map_or(usual.increment, |(_, increment)| increment),
                margin: self.margin.unwrap_or(usual.margin),
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
                SprtVerdict::Continue => "not settled",
                SprtVerdict::AcceptsH0 => "H0 accepted: no improvement",
                SprtVerdict::AcceptsH1 => "H1 accepted: an improvement",
            };
            say!("SPRT   {verdict}; {}", sprt_text(state))?;
        }
        print_notes(result)?;
        if let Some(place) = place {
            let resumed = result.score.resumed;
            let were_there =
                if resumed > 0 { format!("; {resumed} of them were there") } else { String::new() };
            say!("saved  in {place} as {}{were_there}", result.event)?;
        }
        Ok(())
    }
}

fn print_notes(result: &MatchResult) -> Result<(), Failure> {
    let games = result.games.len();
    let reasons = result.endings.iter().filter(|(word, _)| **word != "rules");
    let reasons: Vec<String> = reasons.map(|(word, count)| format!("{count} {word}")).collect();
    if !reasons.is_empty() {
        say!("ended  {} (not by the rules of the game)", reasons.join(", "))?;
    }
    let first_failure = result.games.iter().find(|game| game.record.ending.kind.is_failure());
    if let Some(game) = first_failure {
        say!("note   game {}: {}", game.number, game.record.ending.detail)?;
    }
    if games > 2 && result.distinct * 2 <= games {
        say!(
            "note   only {} of the {games} games differ; --random-plies or --openings gives variety",
            result.distinct
        )?;
    }
    Ok(())
}

fn elo_text(elo: Option<f64>, margin: Option<f64>) -> String {
    match (elo, margin) {
        (Some(elo), Some(margin)) => format!("{elo:+.1} ± {margin:.1} (95 %)"),
        (Some(elo), None) => format!("{elo:+.1}, too few games for an error bar"),
        (None, _) => "undefined: one side won every game".to_string(),
    }
}

fn tally_text(WinDrawLoss { wins, draws, losses }: WinDrawLoss) -> String {
    format!("{wins} won, {draws} drawn, {losses} lost")
}

fn sprt_text(state: &SprtState) -> String {
    format!("LLR {:.2} ({:.2}, {:.2})", state.llr, state.lower, state.upper)
}

/// How it stands, for the progress line.
fn standing(score: &MatchScore) -> String {
    let mut text = tally_text(score.tally);
    if let Some(elo) = score.rating().and_then(|rating| Some((rating.elo?, rating.margin?))) {
        text += &format!("  Elo {:+.0} ± {:.0}", elo.0, elo.1);
    }
    if let Some(state) = &score.sprt {
        text += &format!("  {}", sprt_text(state));
    }
    text
}
