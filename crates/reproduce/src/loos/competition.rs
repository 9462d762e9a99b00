//! Table 5-4: six forests for Gomoku against each other at depths 0 to 4: the sums of the published
//! scores, and a competition of six forests of ours.

use std::rc::Rc;

use tesuji_games::Side;
use tesuji_play::report::{Competition, CompetitionRow};
use tesuji_play::statistics::mean_and_error;

use super::games::{MatchSeries, from_file, gomoku};
use super::test_group::{TESTS, training_depth};
use super::training::EvolutionRun;
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{Effort, ReproduceError, ReproductionRun};

/// A published row: scores at depths 0 to 4, TOTAL and WEIGHTED.
struct PublishedLine {
    scores: [f64; DEPTHS],
    total: f64,
    weighted: f64,
}

const fn line(scores: [f64; DEPTHS], total: f64, weighted: f64) -> PublishedLine {
    PublishedLine { scores, total, weighted }
}

/// In the order of [`TESTS`].
const PUBLISHED: [PublishedLine; TESTS.len()] = [
    line([8.0, 4.0, 4.0, 4.0, 12.0], 32.0, 16.8),
    line([-8.0, 4.0, 0.0, 0.0, -8.0], -12.0, -8.0),
    line([-4.0, 0.0, 12.0, 4.0, 4.0], 16.0, 9.2),
    line([-8.0, 8.0, -4.0, 4.0, 8.0], 8.0, 9.6),
    line([12.0, 4.0, -4.0, 8.0, 0.0], 20.0, 4.8),
    line([0.0, -20.0, -8.0, -8.0, 4.0], -32.0, -6.4),
];

const DEPTHS: usize = 5;
/// Every pair with both colors, at each depth.
const PUBLISHED_GAMES: u64 = 15 * 2 * DEPTHS as u64;

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let published = as_published()?;
    let mut forests = Vec::new();
    for test in &TESTS {
        forests.push(test.evolved(run)?);
    }
    let rounds = run.pick(2, 8);
    let games = games(run, &forests, rounds)?;
    let names = TESTS.iter().map(|test| test.name(run)).collect();
    let ours = Rounds::of(names, &games, rounds)?;
    let tables = vec![
        ComparisonTable::new("The sums of the published scores", sums(&published)),
        ComparisonTable::new("Our six forests", ours.rows()),
        ComparisonTable::new("Claims", vec![ours.most_trained_wins(run), draws(&games)]),
    ];
    Ok(Findings::of_all(tables)
        .note(format!(
            "Ours are evolved with the settings of Table 5-5, each with its own seed, at depth \
             {} in training; the trees of tests 87 and 90 are not published and 25 here. One \
             round is the published competition: every pair twice at every depth, 2 points for a \
             win, 1 for a draw, -2 for a loss, weights 0.1, 0.2, 0.3, 0.5 and 1. Ours is the \
             mean of {rounds} rounds, each pair from its own two random stones{}.",
            training_depth(run),
            run.pick("; the quick run plays only cells next to a stone", "")
        ))
        .note(
            "The thesis played one round, and other forests. Its interval is the spread of one of our rounds.",
        )
        .with_svg(ours.mean.ranked().svg()))
}

fn new_table(names: Vec<String>) -> Result<Competition, ReproduceError> {
    let depths = (0..DEPTHS).map(|depth| format!("depth {depth}")).collect();
    Competition::new(names, depths, None).map_err(|error| ReproduceError::Other(error.to_string()))
}

/// Makes a table with these scores.
fn table_of(names: Vec<String>, scores: &[[f64; DEPTHS]]) -> Result<Competition, ReproduceError> {
    let mut table = new_table(names)?;
    for (player, scores) in scores.iter().enumerate() {
        for (depth, score) in scores.iter().enumerate() {
            table
                .add_score(player, depth, *score)
                .map_err(|error| ReproduceError::Other(error.to_string()))?;
        }
    }
    Ok(table)
}

fn as_published() -> Result<Competition, ReproduceError> {
    let names = TESTS.iter().map(|test| format!("test #{}", test.number)).collect();
    table_of(names, &PUBLISHED.map(|line| line.scores))
}

fn sums(table: &Competition) -> Vec<ComparisonRow> {
    let rows = PUBLISHED.iter().enumerate().flat_map(|(player, line)| {
        let ours = &table.rows[player];
        let name = &ours.name;
        // Tenths are not exact in binary.
        let tenths = |sum: f64| Estimate::exact((10.0 * sum).round() / 10.0);
        let row = |what: &str, published, ours| {
            let what = format!("{name}, {what}");
            ComparisonRow::mean(what, Estimate::exact(published), tenths(ours), 1, Better::Neither)
                .as_input("published scores, added up again")
        };
        [row("TOTAL", line.total, ours.total), row("WEIGHTED", line.weighted, ours.weighted)]
    });
    rows.collect()
}

/// One of our games: depth, round, players by side, and outcome.
struct CompetitionGame {
    depth: usize,
    round: usize,
    players: [usize; 2],
    outcome: tesuji_games::Outcome,
}

fn games(
    run: &ReproductionRun<'_>,
    forests: &[Rc<EvolutionRun>],
    rounds: usize,
) -> Result<Vec<CompetitionGame>, ReproduceError> {
    let (board, mut games) = (gomoku()?, Vec::new());
    let pairs = forests.len() * (forests.len() - 1) / 2;
    let mut series = MatchSeries::new(DEPTHS * pairs, 2 * rounds as u64);
    for depth in 0..DEPTHS {
        let near = run.pick(",radius=1", "");
        let player = |forest: usize| from_file(&forests[forest].best(), depth as u32) + near;
        for one in 0..forests.len() {
            for other in one + 1..forests.len() {
                let players = [player(one), player(other)];
                let what = format!("competition at depth {depth}");
                let played =
                    series.play(run, &board, players.each_ref().map(String::as_str), &what)?;
                games.extend(played.games.iter().enumerate().map(|(number, game)| {
                    CompetitionGame {
                        depth,
                        round: number / 2,
                        players: match game.first_player_side {
                            Side::First => [one, other],
                            Side::Second => [other, one],
                        },
                        outcome: game.record.outcome,
                    }
                }));
            }
        }
    }
    Ok(games)
}

/// Our competition, round by round.
struct Rounds {
    each: Vec<Competition>,
    mean: Competition,
}

type Sum = fn(&CompetitionRow) -> f64;
const TOTAL: Sum = |row| row.total;
const WEIGHTED: Sum = |row| row.weighted;

impl Rounds {
    fn of(
        names: Vec<String>,
        games: &[CompetitionGame],
        rounds: usize,
    ) -> Result<Rounds, ReproduceError> {
        let mut each = vec![new_table(names.clone())?; rounds];
        for game in games {
            each[game.round]
                .add(game.depth, game.players, game.outcome)
                .map_err(|error| ReproduceError::Other(error.to_string()))?;
        }
        let mean = |player: usize| {
            std::array::from_fn(|depth| {
                let sum: f64 = each.iter().map(|round| round.rows[player].scores[depth]).sum();
                sum / rounds as f64
            })
        };
        let scores: Vec<[f64; DEPTHS]> = (0..names.len()).map(mean).collect();
        Ok(Rounds { mean: table_of(names, &scores)?, each })
    }

    fn estimate(&self, player: usize, sum: Sum) -> Estimate {
        Estimate::with_error(sum(&self.mean.rows[player]), self.error(sum))
    }

    /// Returns half the interval of a mean over the rounds, pooled over all forests: few rounds say
    /// little about one alone.
    fn error(&self, sum: Sum) -> f64 {
        let players = self.mean.rows.len();
        let square = |player: usize| {
            let values: Vec<f64> = self.each.iter().map(|round| sum(&round.rows[player])).collect();
            mean_and_error(&values).1.powi(2)
        };
        ((0..players).map(square).sum::<f64>() / players as f64).sqrt()
    }

    /// Compares published and our score, each with its error.
    fn row(&self, player: usize, what: &str, published: f64, sum: Sum) -> ComparisonRow {
        let of_one_round = self.error(sum) * (self.each.len() as f64).sqrt();
        ComparisonRow::mean(
            format!("{}, {what}", self.mean.rows[player].name),
            Estimate::with_error(published, of_one_round),
            self.estimate(player, sum),
            1,
            Better::Neither,
        )
        .not_comparable(OTHER_FORESTS)
    }

    fn rows(&self) -> Vec<ComparisonRow> {
        let both = PUBLISHED.iter().enumerate().flat_map(|(player, line)| {
            [
                self.row(player, "TOTAL", line.total, TOTAL),
                self.row(player, "WEIGHTED", line.weighted, WEIGHTED),
            ]
        });
        both.collect()
    }

    fn most_trained_wins(&self, run: &ReproductionRun<'_>) -> ComparisonRow {
        let best_other = self.mean.ranking().into_iter().find(|player| *player != 0).unwrap_or(0);
        let [first, other] = [0, best_other].map(|player| self.estimate(player, WEIGHTED));
        let weighted = |estimate| ReportedValue::number(estimate, 1, "").text;
        let text = format!(
            "{} has {}, the best of the others, {}, {}",
            self.mean.rows[0].name,
            weighted(first),
            self.mean.rows[best_other].name,
            weighted(other)
        );
        let said = "test #87, with most iterations, is first";
        let row = ComparisonRow::decided_claim(
            "who wins by WEIGHTED",
            said,
            ReportedValue::words(text),
            first.minus(other),
        );
        match run.effort {
            Effort::Quick => row.not_comparable("an eighth of the iterations, at depth 1"),
            Effort::Full => row.with_note("one training of each test"),
        }
    }
}

/// The sums of a column are twice its draws: 16 in the published table.
fn draws(games: &[CompetitionGame]) -> ComparisonRow {
    let published: f64 = PUBLISHED.iter().map(|line| line.total).sum::<f64>() / 2.0;
    let drawn = games.iter().filter(|game| game.outcome.winner().is_none()).count();
    ComparisonRow::percent(
        "games drawn (published: from the sums of the scores)",
        Estimate::percent(published, PUBLISHED_GAMES),
        Estimate::percent(drawn as f64, games.len() as u64),
        Better::Neither,
    )
    .not_comparable("other forests, and from random openings instead of the empty board")
}

/// Why scores of single forests are not compared.
const OTHER_FORESTS: &str = "one forest of one seed for each test, trained at a depth that the thesis does not give; the \
    spread between trainings is not in the intervals";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;

    #[test]
    fn the_published_sums_are_ours() {
        let rows = sums(&as_published().unwrap());
        assert_eq!(rows.len(), 12);
        assert!(rows.iter().all(|row| row.why.ends_with("the same")), "{rows:?}");
        assert!(rows.iter().all(|row| row.verdict == ComparisonVerdict::Input), "{rows:?}");
    }

    #[test]
    fn the_published_winner_is_the_most_trained() {
        assert_eq!(as_published().unwrap().ranking()[0], 0);
    }

    #[test]
    fn sixteen_published_games_were_drawn() {
        let row = draws(&[]);
        let published = row.published.and_then(|figure| figure.value);
        assert_eq!(published, Some(100.0 * 16.0 / 150.0));
    }

    #[test]
    fn rounds_are_averaged() {
        let first = tesuji_games::Outcome::Win(Side::First);
        let game = |round, outcome| CompetitionGame { depth: 4, round, players: [0, 1], outcome };
        let names = vec!["a".to_string(), "b".to_string()];
        let games = [game(0, first), game(1, tesuji_games::Outcome::Draw)];
        let rounds = Rounds::of(names, &games, 2).unwrap();
        assert_eq!(rounds.mean.rows[0].weighted, 1.5);
        assert_eq!(rounds.mean.rows[1].weighted, -0.5);
        // 1.5 and -0.5, each ± 2.2: the difference is within the error.
        let verdict = |effort| {
            let run = ReproductionRun::new(effort, 1, 1, &|_| {});
            rounds.most_trained_wins(&run).verdict
        };
        assert_eq!(verdict(Effort::Full), ComparisonVerdict::CannotTell);
        assert_eq!(verdict(Effort::Quick), ComparisonVerdict::NotComparable);
        // Rounds of 2 and 1, and of -2 and 1: standard deviations 0.5 and 1.5 times the square root
        // of two.
        let error = 1.96 * ((0.25 + 2.25_f64) / 2.0).sqrt();
        assert!((rounds.error(WEIGHTED) - error).abs() < 1e-9);
    }
}
