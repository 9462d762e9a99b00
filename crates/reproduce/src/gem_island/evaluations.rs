//! The evaluation functions of the thesis and ours: games won, moves, score, and the distribution
//! of moves to a win.

use std::rc::Rc;

use tesuji_games::rules::gem_island::GemRules;

use super::logs::{OUTCOME_IN_RANDOM_ORDER_TOML, OUTCOME_TOML};
use super::series::AgentGames;
use crate::comparison::{Better, Estimate};
use crate::picture::{Sample, boxes, five_numbers};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// A row of Table 6.3.
struct Published {
    games: u64,
    won: f64,
    moves: f64,
    score: f64,
}

const RANDOM: Published = Published { games: 100, won: 0.0, moves: 20.0, score: 33_809.0 };
const NONE: Published = Published { games: 100, won: 33.0, moves: 17.9, score: 65_441.0 };
const CRUDE: Published = Published { games: 300, won: 85.0, moves: 12.8, score: 142_855.0 };
const HB: Published = Published { games: 300, won: 87.0, moves: 12.5, score: 167_783.0 };
const OUTCOME: Published = Published { games: 100, won: 21.0, moves: 18.8, score: 51_415.0 };

/// One of our agents, compared with a published agent.
struct Contender {
    name: &'static str,
    agent: &'static str,
    published: &'static Published,
    /// Whether it is the published agent; otherwise it is meant to be better.
    same: bool,
    /// Why it may differ.
    reason: &'static str,
}

const OLD_FILE: &str = "the published file predates a fix of how medals are freed; a later file of the author has \
    43.7 % and 17.2 moves";
const OWN_SAMPLE: &str = "100 games are a small sample: in 2,997 games of the published code 2.5 % were won, with a score of 37,491";
const SLIP: &str = "the published simulator creates no bonuses; the thesis's numbers fit one that does, in the row above";
const PROPOSED: &str = "the thesis proposed these labels and did not train this network; a label is a share of the medals \
    that are left, so a state with fewer of them is worth no more";

const DEAD: &str = "the author's network ended with dead units and a constant output, as in the row above; ours, trained \
    in the same way for fewer steps, did not";

/// The published agent with a network that was trained as published on games of people.
const PUBLISHED_NETWORK: &str = "flat-ucb:eval=nn-outcome,form=published,simulator=original";
/// The same with our training on the same games and the plain output.
const PEOPLE_NETWORK: &str = "flat-ucb:eval=nn-outcome,form=corrected,simulator=original";

/// The published agent with the author's network, as far as it has an effect.
const AUTHORS_NETWORK: &str = "NN with outcome labels, the author's: moves left alone";

const CONTENDERS: [Contender; 12] = [
    Contender {
        name: "Random",
        agent: "random",
        published: &RANDOM,
        same: true,
        reason: OWN_SAMPLE,
    },
    Contender {
        name: "None",
        agent: "flat-ucb:eval=none,simulator=original",
        published: &NONE,
        same: true,
        reason: OLD_FILE,
    },
    Contender {
        name: "Crude",
        agent: "flat-ucb:eval=crude,simulator=original",
        published: &CRUDE,
        same: true,
        reason: "",
    },
    Contender {
        name: "Heuristic Based",
        agent: "flat-ucb",
        published: &HB,
        same: true,
        reason: "",
    },
    Contender {
        name: "Heuristic Based, published simulator",
        agent: "flat-ucb:simulator=original",
        published: &HB,
        same: true,
        reason: SLIP,
    },
    Contender {
        name: AUTHORS_NETWORK,
        agent: "flat-ucb:eval=moves,simulator=original",
        published: &OUTCOME,
        same: true,
        reason: "",
    },
    Contender {
        name: "NN with outcome labels, trained as published",
        agent: PUBLISHED_NETWORK,
        published: &OUTCOME,
        same: true,
        reason: DEAD,
    },
    Contender {
        name: "NN with outcome labels, trained on people in random order",
        agent: PEOPLE_NETWORK,
        published: &OUTCOME,
        same: true,
        reason: "",
    },
    Contender {
        name: "NN with outcome labels, corrected",
        agent: "flat-ucb:eval=nn-outcome",
        published: &OUTCOME,
        same: false,
        reason: "",
    },
    Contender {
        name: "NN with utility labels as the thesis proposed (compared with HB)",
        agent: "flat-ucb:eval=nn-utility,form=published",
        published: &HB,
        same: false,
        reason: PROPOSED,
    },
    Contender {
        name: "NN with utility labels (ours; compared with HB)",
        agent: "flat-ucb:eval=nn-utility",
        published: &HB,
        same: false,
        reason: "",
    },
    Contender {
        name: "Belief (ours; compared with HB)",
        agent: "belief",
        published: &HB,
        same: false,
        reason: "",
    },
];

impl Contender {
    fn play(&self, run: &ReproductionRun<'_>) -> Result<Rc<AgentGames>, ReproduceError> {
        let games = match self.agent {
            "random" => run.pick(1_000, 20_000),
            "belief" => run.pick(40, 1_000),
            _ => run.pick(200, 2_000),
        };
        run.gem_games(1, GemRules::Original, &self.agent(run)?, games)
    }

    /// The agent; networks are trained in this run if there are logs.
    fn agent(&self, run: &ReproductionRun<'_>) -> Result<String, ReproduceError> {
        let trained = match self.agent {
            PUBLISHED_NETWORK => run.trained_on_logs(OUTCOME_TOML)?,
            PEOPLE_NETWORK => run.trained_on_logs(OUTCOME_IN_RANDOM_ORDER_TOML)?,
            _ => None,
        };
        let Some(trained) = trained else { return Ok(self.agent.to_string()) };
        let file = run.network_file(self.agent, &trained)?;
        Ok(format!("{},file=\"{}\"", self.agent, file.display()))
    }

    fn better(&self, better: Better) -> Better {
        if self.same { Better::Neither } else { better }
    }

    fn explain(&self, row: ComparisonRow) -> ComparisonRow {
        if self.reason.is_empty() { row } else { row.explain_difference(self.reason) }
    }

    fn won(&self, played: &AgentGames) -> ComparisonRow {
        let Published { games, won, .. } = self.published;
        let published = Estimate::percent(won / 100.0 * *games as f64, *games);
        let row =
            ComparisonRow::percent(self.name, published, played.won(), self.better(Better::Higher));
        match self.agent {
            "belief" => row.headline("Gem Island, level 1: games won"),
            _ => self.explain(row),
        }
    }

    fn moves(&self, played: &AgentGames) -> ComparisonRow {
        let published = with_spread_of(
            played.moves(),
            played.games(),
            self.published.moves,
            self.published.games,
        );
        self.explain(ComparisonRow::mean(
            self.name,
            published,
            played.moves(),
            2,
            self.better(Better::Lower),
        ))
    }

    fn score(&self, played: &AgentGames) -> ComparisonRow {
        let published = with_spread_of(
            played.score(),
            played.games(),
            self.published.score,
            self.published.games,
        );
        self.explain(ComparisonRow::mean(
            self.name,
            published,
            played.score(),
            0,
            self.better(Better::Higher),
        ))
    }
}

/// Gives a published mean without error the spread of our games, scaled to the published number of
/// games.
fn with_spread_of(ours: Estimate, our_games: u64, mean: f64, games: u64) -> Estimate {
    let error = ours.high - ours.value;
    Estimate::with_error(mean, error * (our_games as f64 / games as f64).sqrt())
}

fn all_played(
    run: &ReproductionRun<'_>,
) -> Result<Vec<(&'static Contender, Rc<AgentGames>)>, ReproduceError> {
    let contenders = CONTENDERS.iter();
    // This network needs the games of people, and none is shipped.
    let contenders = contenders.filter(|it| it.agent != PEOPLE_NETWORK || run.logs.is_some());
    contenders.map(|contender| Ok((contender, contender.play(run)?))).collect()
}

/// Runs Table 6.3.
pub(super) fn table(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let all = all_played(run)?;
    let rows = |row: fn(&Contender, &AgentGames) -> ComparisonRow| {
        all.iter().map(|(contender, played)| row(contender, played)).collect()
    };
    let tables = vec![
        ComparisonTable::new("Games won", rows(Contender::won)),
        ComparisonTable::new("Moves per game, won or not", rows(Contender::moves)),
        ComparisonTable::new("Score per game", rows(Contender::score)),
    ];
    Ok(Findings::of_all(tables)
        .note("Level 1 by the published rules, 100 rollouts per decision (belief: at most 300).")
        .note("The spread of published moves and scores is unknown; that of our games is used.")
        .note(network_note(run)?))
}

/// Which network plays as published.
fn network_note(run: &ReproductionRun<'_>) -> Result<String, ReproduceError> {
    let author = "The author's network, which is in the history of his repository, has the constant output 0.06: the \
                  moves left alone decide. ";
    Ok(match run.trained_on_logs(OUTCOME_TOML)? {
        Some(trained) => format!(
            "{author}Our networks with outcome labels were trained for this report on {} games of people.",
            tesuji_play::quantity::grouped(trained.logs.games.len() as u128)
        ),
        None => format!(
            "{author}'Trained as published' is the network of the program, a stand-in for it that was trained on \
             the same games of people (models/README.md); --logs DIR trains others on the logs in a folder."
        ),
    })
}

/// Runs Figure 6.1.
pub(super) fn figure(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let shown: Vec<_> =
        all_played(run)?.into_iter().filter(|(contender, _)| contender.agent != "random").collect();
    let samples: Vec<Sample<'_>> = shown
        .iter()
        .map(|(contender, played)| Sample {
            name: contender.name,
            values: played.moves_to_win(),
            published: contender.same.then_some(contender.published.moves),
        })
        .collect();
    let rows = shown.iter().map(|(contender, played)| {
        let row = contender.moves(played);
        match five_numbers(&played.moves_to_win()) {
            Some(five) => row.with_note(&format!(
                "games won: middle half {:.0} to {:.0}, median {:.0}",
                five.lower, five.upper, five.median
            )),
            None => row.with_note("no game was won"),
        }
    });
    let tables = vec![
        ComparisonTable::new("Moves per game, won or not", rows.collect()),
        ComparisonTable::new("What the figure shows", order(&shown)),
    ];
    let title = "Moves to win for different evaluation functions";
    Ok(Findings::of_all(tables)
        .with_svg(boxes(title, "moves of games that were won", &samples))
        .note("The figure itself has no published numbers; its means are those of Table 6.3."))
}

/// Compares the order of the evaluation functions by moves with the thesis.
fn order(shown: &[(&Contender, Rc<AgentGames>)]) -> Vec<ComparisonRow> {
    let moves = |name: &str| {
        let found = shown.iter().find(|(contender, _)| contender.name == name);
        found.map_or(f64::NAN, |(_, played)| played.moves().value)
    };
    let (hb, crude, none) = (moves("Heuristic Based"), moves("Crude"), moves("None"));
    let network = moves(AUTHORS_NETWORK);
    let figure = ReportedValue::words(format!("{hb:.2}, {crude:.2}, {none:.2}, {network:.2}"));
    vec![
        ComparisonRow::claim(
            "order by moves",
            "HB, Crude, None, NN with outcome labels",
            figure,
            hb < crude && crude < none && none < network,
        )
        .explain_difference("HB and Crude are close; a few games decide their order"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_mean_has_the_spread_of_our_games() {
        let ours = Estimate::with_error(13.0, 0.2);
        let published = with_spread_of(ours, 2_000, 12.5, 500);
        assert!((published.high - 12.9).abs() < 1e-9 && (published.low - 12.1).abs() < 1e-9);
    }
}
