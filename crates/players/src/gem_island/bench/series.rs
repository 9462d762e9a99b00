//! The games of a series as work to be shared out, here or on other machines.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{
    GemIsland, Mask, MaskVisitor, Rules, Settings, Status, with_mask,
};
use tesuji_queue::{
    Batch, Brief, Hand, Life, Parcel, Product, QueueError, Task, Trouble, WorkQueue,
};
use tesuji_store::key::digest;

use super::super::AgentSpec;
use super::{Bench, GameResult};
use tesuji_play::ArenaError;
use tesuji_play::travel;

/// Who can read a series that was written down.
pub(crate) fn task() -> Task {
    Task::new(NAME, open)
}

/// What briefs call it.
const NAME: &str = "gem-bench";

/// A series has one.
const ONLY_PART: &str = "1";

/// Plays all games of a series; the results come in their order.
pub(super) fn play(
    series: &Bench,
    queue: &dyn WorkQueue,
    each: &mut dyn FnMut(u64, u64),
) -> Result<Vec<GameResult>, ArenaError> {
    // An agent that cannot play is known before the first game.
    with_mask(&series.settings, Check(series))?;
    let text = series.written();
    let run = format!("gem-bench-{}", &digest(&[&text])[..12]);
    let units: Vec<u64> = (0..series.games).collect();
    let mut results = vec![None; units.len()];
    let (mut done, mut won, mut trouble) = (0, 0, None);
    queue.perform(&Batch::new(&run, ONLY_PART, &units, series), &mut |finished| {
        for it in finished {
            let result: GameResult = match it.product.note() {
                Ok(result) => result,
                Err(error) => {
                    trouble = Some(error);
                    return ControlFlow::Break(());
                }
            };
            done += 1;
            won += u64::from(result.status == Status::Won);
            results[it.unit as usize] = Some(result);
            each(done, won);
        }
        ControlFlow::Continue(())
    })?;
    let missing = || Trouble("some games of the series were not played".to_string());
    match trouble {
        Some(trouble) => Err(QueueError::from(trouble).into()),
        None => results
            .into_iter()
            .collect::<Option<_>>()
            .ok_or_else(|| QueueError::from(missing()).into()),
    }
}

/// A series as other machines are told of it.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(with = "WrittenSettings")]
    settings: Settings,
    agent: String,
    seed: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Settings")]
struct WrittenSettings {
    rows: u8,
    columns: u8,
    kinds: u8,
    ice_rows: u8,
    ice_layers: u8,
    medals: u8,
    moves: u16,
    #[serde(with = "WrittenRules")]
    rules: Rules,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Rules", rename_all = "lowercase")]
enum WrittenRules {
    Original,
    Fixed,
}

/// How a game ended, as a word.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Status", rename_all = "lowercase")]
pub(super) enum StatusWord {
    Running,
    Won,
    Lost,
    Stuck,
}

impl Bench {
    /// All that decides its games.
    fn written(&self) -> String {
        let agent = self.agent.text().to_string();
        let written = Written { settings: self.settings, agent, seed: self.seed };
        serde_json::to_string(&written)
            .unwrap_or_else(|error| unreachable!("a series is plain data: {error}"))
    }
}

fn open(parcel: &Parcel) -> Result<Box<dyn tesuji_queue::Bench>, Trouble> {
    let written: Written = serde_json::from_str(&parcel.text)
        .map_err(|error| Trouble(format!("a series of games cannot be read: {error}")))?;
    let Written { settings, agent, seed } = written;
    settings.check().map_err(Trouble::of)?;
    let agent = AgentSpec::reading(&agent, &parcel.files).map_err(Trouble::of)?;
    let series = Bench { settings, agent, seed, games: 0, threads: 1 };
    // Reads the file of the agent.
    with_mask(&settings, Check(&series)).map_err(Trouble::of)?;
    Ok(Box::new(series))
}

impl tesuji_queue::Bench for Bench {
    fn brief(&self) -> Result<Brief, Trouble> {
        let brief = Brief::new(NAME, self.written());
        travel::packed(brief, self.agent.files())
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(with_mask(&self.settings, Player { series: self, life }))
    }
}

struct Check<'a>(&'a Bench);

impl MaskVisitor for Check<'_> {
    type Output = Result<(), SpecError>;

    fn visit<M: Mask>(self) -> Self::Output {
        self.0.agent.build::<M>(&self.0.settings, 0).map(drop)
    }
}

struct Player<'a> {
    series: &'a Bench,
    life: &'a Life,
}

impl<'a> MaskVisitor for Player<'a> {
    type Output = Box<dyn Hand + 'a>;

    fn visit<M: Mask>(self) -> Self::Output {
        Box::new(move |number: u64| {
            let result = self.play::<M>(number).map_err(Trouble::of)?;
            Ok(result.map(|result| Product::noted(&result)))
        })
    }
}

impl Player<'_> {
    /// A game to its end, unless it is stopped.
    fn play<M: Mask>(&self, number: u64) -> Result<Option<GameResult>, SpecError> {
        let Bench { settings, agent, seed, .. } = self.series;
        let mut rng = seeded(derived(*seed, [number, 0]));
        let mut agent = agent.build::<M>(settings, derived(*seed, [number, 1]))?;
        let mut game = GemIsland::<M>::generate(*settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let (mut rollouts, mut thinking) = (0, Duration::ZERO);
        while game.status() == Status::Running {
            if self.life.is_stopped() {
                return Ok(None);
            }
            let view = game.view();
            let started = Instant::now();
            let decision = agent.decide(&view);
            thinking += started.elapsed();
            self.life.beat();
            let Some(decision) = decision else { break };
            rollouts += decision.rollouts;
            game.play(decision.swap, &mut rng, &mut ());
        }
        Ok(Some(GameResult {
            status: game.status(),
            moves: game.moves_made(),
            score: game.final_score(),
            rollouts,
            seconds: thinking.as_secs_f64(),
        }))
    }
}
