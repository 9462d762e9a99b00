//! Ratings of a pool of players from the games between them: Elo by a fit of all games at once, error bars by
//! bootstrap over pairs, one player anchored.

mod blocks;
mod davidson;
mod reach;

use serde::{Deserialize, Serialize};
use tesuji_games::bits::mix;
use tesuji_games::{Outcome, Side, random};
use thiserror::Error;

use super::Tally;
use super::elo::{ELO_PER_LOG_ODDS, normal_below};
use blocks::Blocks;
use davidson::{Fit, Workspace};
use reach::Reach;

/// One game between two players of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PoolGame {
    /// Who had which side: the first of the two had the first move.
    pub players: [usize; 2],
    /// How it ended.
    pub outcome: Outcome,
    /// Games of the same two players with the same number are one pair (or block) and are not independent.
    pub pair: u64,
}

/// How a pool is rated.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolOptions {
    /// The player whose rating is given.
    pub anchor: usize,
    /// That rating.
    pub anchor_elo: f64,
    /// How often the pairs are drawn anew for the error bars; 0 for none.
    pub resamples: usize,
    /// Decides the draws.
    pub seed: u64,
    /// How much of the draws an error bar covers.
    pub confidence: f64,
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions { anchor: 0, anchor_elo: 0.0, resamples: 1000, seed: 1, confidence: 0.95 }
    }
}

/// The ratings of a pool.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolTable {
    /// The players, best first; those without a rating last.
    pub rows: Vec<PoolRow>,
    /// What having the first move is worth, in Elo.
    pub first_move_elo: f64,
    /// Its error bar; `None` without resamples, or when all agree.
    pub first_move_interval: Option<[f64; 2]>,
    /// Davidson's ν, the weight of a draw: 0 where nobody draws.
    pub draw: f64,
    /// The share of draws that ν means between equals: ν / (2 + ν).
    pub draw_rate: f64,
    /// Games that were used: those of players connected with the anchor.
    pub games: u64,
    /// Pairs (or single games) among them: what the error bars draw from.
    pub pairs: u64,
}

/// The rating of one player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRow {
    /// Its number.
    pub player: usize,
    /// Its rating; `None` when no chain of games connects it with the anchor.
    pub elo: Option<f64>,
    /// Lower end of the error bar. `None` when the games set no such bound: the player took no points from anyone
    /// who (directly or through others) took points from the anchor, or all resamples agree.
    pub low: Option<f64>,
    /// Upper end, likewise.
    pub high: Option<f64>,
    /// How sure the resamples make us that it is stronger than the next in the list; `None` for the last,
    /// for the unrated, and without resamples.
    pub superiority: Option<f64>,
    /// The mean rating of its opponents, each game counted; `None` for the unrated.
    pub opponents: Option<f64>,
    /// Wins, draws and losses.
    pub tally: Tally,
    /// Games played.
    pub games: u64,
    /// A point a win, half a point a draw.
    pub points: f64,
}

/// Why a pool cannot be rated.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum PoolError {
    /// The anchor is nobody.
    #[error("no player {anchor} to anchor ratings at: there are {players}, counted from 0")]
    NoAnchor {
        /// Who was asked for.
        anchor: usize,
        /// How many there are.
        players: usize,
    },
    /// A game is played by nobody.
    #[error("game {game} is played by player {player}, but there are {players}, counted from 0")]
    NoPlayer {
        /// Which game, counted from 0.
        game: usize,
        /// Who was named.
        player: usize,
        /// How many there are.
        players: usize,
    },
    /// A player cannot meet itself.
    #[error("in game {game} player {player} meets itself: wanted two different players")]
    Itself {
        /// Which game, counted from 0.
        game: usize,
        /// Who was named.
        player: usize,
    },
    /// Not a number, or infinite.
    #[error("the anchor's rating must be a finite number, not {0}")]
    AnchorElo(f64),
    /// Not between 0 and 1.
    #[error("confidence must lie between 0 and 1, not at {0}")]
    Confidence(f64),
}

/// Rates `players` players (0, 1, 2 …) by their games.
pub fn rate(
    players: usize,
    games: &[PoolGame],
    options: &PoolOptions,
) -> Result<PoolTable, PoolError> {
    check(players, games, options)?;
    let reach = Reach::from_anchor(players, games, options.anchor);
    let numbering = Numbering::new(&reach, options.anchor);
    let blocks = Blocks::new(games, &numbering.place);
    let mut work = Workspace::new(numbering.players.len());
    let fit =
        Fit::even(numbering.players.len()).improved(&blocks.matchups, &blocks.scores(), &mut work);
    let draws = resampled(&blocks, &fit, options, &mut work);
    Ok(table(players, games, options, &Rated { reach, numbering, blocks, fit, draws }))
}

/// Complains about games and players that do not fit together.
pub(crate) fn check_games(players: usize, games: &[PoolGame]) -> Result<(), PoolError> {
    for (game, played) in games.iter().enumerate() {
        let [first, second] = played.players;
        if let Some(&player) = played.players.iter().find(|player| **player >= players) {
            return Err(PoolError::NoPlayer { game, player, players });
        }
        if first == second {
            return Err(PoolError::Itself { game, player: first });
        }
    }
    Ok(())
}

/// Wins, draws and losses of each player.
pub(crate) fn tallies(players: usize, games: &[PoolGame]) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); players];
    for game in games {
        for side in Side::ALL {
            tallies[game.players[side.index()]].add(game.outcome.points(side));
        }
    }
    tallies
}

fn check(players: usize, games: &[PoolGame], options: &PoolOptions) -> Result<(), PoolError> {
    if options.anchor >= players {
        return Err(PoolError::NoAnchor { anchor: options.anchor, players });
    }
    if !options.anchor_elo.is_finite() {
        return Err(PoolError::AnchorElo(options.anchor_elo));
    }
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(PoolError::Confidence(options.confidence));
    }
    check_games(players, games)
}

/// The fit counts only the players connected with the anchor, the anchor as 0.
struct Numbering {
    /// By player: the number in the fit.
    place: Vec<Option<usize>>,
    /// By number in the fit: the player.
    players: Vec<usize>,
}

impl Numbering {
    fn new(reach: &Reach, anchor: usize) -> Numbering {
        let others = (0..reach.connected.len()).filter(|&p| reach.connected[p] && p != anchor);
        let players: Vec<usize> = std::iter::once(anchor).chain(others).collect();
        let mut place = vec![None; reach.connected.len()];
        players.iter().enumerate().for_each(|(number, &player)| place[player] = Some(number));
        Numbering { place, players }
    }
}

struct Rated {
    reach: Reach,
    numbering: Numbering,
    blocks: Blocks,
    fit: Fit,
    /// The fits to the resamples, in Elo.
    draws: Vec<Elos>,
}

/// A fit in Elo: strengths by number in the fit, and the first move.
struct Elos {
    strengths: Vec<f64>,
    first_move: f64,
}

impl Elos {
    /// Draws flatten Davidson's curve: near equality an expected point costs 1 + ν/2 times as much log-odds as
    /// without them. Divided by that, a small difference means the score that Elo's curve gives it (and any
    /// difference does for ν = 0 and for ν = 2).
    fn of(fit: &Fit) -> Elos {
        let scale = ELO_PER_LOG_ODDS / (1.0 + fit.draw() / 2.0);
        let strengths = fit.strengths.iter().map(|strength| scale * strength).collect();
        Elos { strengths, first_move: scale * fit.first_move }
    }
}

/// Fits to blocks drawn anew, each started from the fit to what was played.
fn resampled(blocks: &Blocks, fit: &Fit, options: &PoolOptions, work: &mut Workspace) -> Vec<Elos> {
    if blocks.len() == 0 {
        return Vec::new();
    }
    let mut rng = random::seeded(mix(options.seed));
    (0..options.resamples)
        .map(|_| {
            let scores = blocks.resampled(&mut rng);
            Elos::of(&fit.clone().improved(&blocks.matchups, &scores, work))
        })
        .collect()
}

fn table(players: usize, games: &[PoolGame], options: &PoolOptions, rated: &Rated) -> PoolTable {
    let elos = Elos::of(&rated.fit);
    let tallies = tallies(players, games);
    let mut rows: Vec<PoolRow> =
        (0..players).map(|player| row(player, tallies[player], &elos, options, rated)).collect();
    add_opponents(&mut rows, games);
    rows.sort_by(|a, b| {
        let key = |row: &PoolRow| (row.elo.unwrap_or(f64::NEG_INFINITY), row.points);
        let ((elo_a, points_a), (elo_b, points_b)) = (key(a), key(b));
        elo_b.total_cmp(&elo_a).then(points_b.total_cmp(&points_a)).then(a.player.cmp(&b.player))
    });
    add_superiority(&mut rows, &rated.numbering, &rated.draws);
    let used = |game: &&PoolGame| rated.reach.connected[game.players[0]];
    let first_moves = rated.draws.iter().map(|draw| draw.first_move).collect();
    PoolTable {
        rows,
        first_move_elo: elos.first_move,
        first_move_interval: interval(first_moves, options.confidence).filter(spread),
        draw: rated.fit.draw(),
        draw_rate: rated.fit.draw() / (2.0 + rated.fit.draw()),
        games: games.iter().filter(used).count() as u64,
        pairs: rated.blocks.len() as u64,
    }
}

fn row(player: usize, tally: Tally, elos: &Elos, options: &PoolOptions, rated: &Rated) -> PoolRow {
    let place = rated.numbering.place[player];
    let elo = place.map(|place| options.anchor_elo + elos.strengths[place]);
    let bar = place.and_then(|place| {
        let values =
            rated.draws.iter().map(|draw| options.anchor_elo + draw.strengths[place]).collect();
        interval(values, options.confidence)
    });
    // No spread at all would pretend certainty; only the anchor is certain, as its rating is given.
    let bar = match player == options.anchor {
        true => Some([options.anchor_elo; 2]),
        false => bar.filter(spread),
    };
    PoolRow {
        player,
        elo,
        low: bar.map(|[low, _]| low).filter(|_| rated.reach.bounded_below[player]),
        high: bar.map(|[_, high]| high).filter(|_| rated.reach.bounded_above[player]),
        superiority: None,
        opponents: None,
        tally,
        games: tally.games(),
        points: tally.points(),
    }
}

/// Whether the resamples differ at all.
fn spread([low, high]: &[f64; 2]) -> bool {
    high - low > 1e-9
}

/// The middle part of the values: as many left out below as above.
fn interval(mut values: Vec<f64>, confidence: f64) -> Option<[f64; 2]> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        let above = (below + 1).min(values.len() - 1);
        values[below] * (1.0 - part) + values[above] * part
    };
    let outside = (1.0 - confidence) / 2.0;
    Some([at(outside), at(1.0 - outside)])
}

/// Games are counted before ratings are added up: rounding must not tell in which order they were played.
fn add_opponents(rows: &mut [PoolRow], games: &[PoolGame]) {
    let elos: Vec<f64> = rows.iter().map(|row| row.elo.unwrap_or(0.0)).collect();
    let mut met = vec![vec![0u64; rows.len()]; rows.len()];
    for game in games {
        let [first, second] = game.players;
        met[first][second] += 1;
        met[second][first] += 1;
    }
    for (row, met) in rows.iter_mut().zip(met) {
        let sum: f64 = met.iter().zip(&elos).map(|(&games, elo)| games as f64 * elo).sum();
        row.opponents = row.elo.filter(|_| row.games > 0).map(|_| sum / row.games as f64);
    }
}

/// By the normal distribution with the mean and deviation of the difference over the resamples: smoother than
/// counting them.
fn add_superiority(rows: &mut [PoolRow], numbering: &Numbering, draws: &[Elos]) {
    for rank in 1..rows.len() {
        let [ours, theirs] = [rank - 1, rank].map(|rank| numbering.place[rows[rank].player]);
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let gap = rows[rank - 1].elo.zip(rows[rank].elo).map_or(0.0, |(a, b)| a - b);
        let gaps = draws.iter().map(|draw| draw.strengths[ours] - draw.strengths[theirs]);
        rows[rank - 1].superiority = superiority(gap, gaps.collect());
    }
}

fn superiority(gap: f64, gaps: Vec<f64>) -> Option<f64> {
    let count = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count).sqrt();
    (deviation > 1e-9).then(|| normal_below(gap / deviation))
}
