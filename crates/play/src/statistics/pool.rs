//! Ratings of a pool of players from the games between them: Elo by a fit of all games at once, error bars by
//! bootstrap over pairs, one player anchored.

mod blocks;
mod davidson;
mod connectivity;

use serde::{Deserialize, Serialize};
use tesuji_games::bits::mix;
use tesuji_games::{Outcome, Side, random};

use super::WinDrawLoss;
use super::elo::{ELO_PER_LOG_ODDS, normal_below};
use crate::InvalidInput;
use blocks::Blocks;
use davidson::{Fit, Workspace};
use connectivity::Connectivity;

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
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions { anchor: 0, anchor_elo: 0.0, resamples: 1000, seed: 1 }
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
    /// Pentanomial (or single games) among them: what the error bars draw from.
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
    pub tally: WinDrawLoss,
    /// Games played.
    pub games: u64,
    /// A point a win, half a point a draw.
    pub points: f64,
}

/// How much of the resamples an error bar covers.
const CONFIDENCE: f64 = 0.95;

/// Rates `players` players (0, 1, 2 …) by their games.
pub fn rate(
    players: usize,
    games: &[PoolGame],
    options: &PoolOptions,
) -> Result<PoolTable, InvalidInput> {
    let PoolOptions { anchor, anchor_elo, .. } = *options;
    if anchor >= players {
        return Err(InvalidInput(format!(
            "no player {anchor} to anchor ratings at: there are {players}, counted from 0"
        )));
    }
    if !anchor_elo.is_finite() {
        return Err(InvalidInput(format!(
            "the anchor's rating must be a finite number, not {anchor_elo}"
        )));
    }
    let against = against(players, games)?;
    let reach = Connectivity::from_anchor(&against, anchor);
    let places = places(&reach.connected, anchor);
    let blocks = Blocks::new(games, &places);
    let rated = places.iter().flatten().count();
    let mut work = Workspace::new(rated);
    let fit = Fit::even(rated).improved(&blocks.matchups, &blocks.scores(), &mut work);
    let draws = resampled(&blocks, &fit, options, &mut work);
    let elos = Elos::of(&fit);
    let row = |player: usize| {
        let elo = places[player].map(|place| anchor_elo + elos.strengths[place]);
        // No spread at all would pretend certainty; only the anchor is certain, as its rating is given.
        let bar = match places[player] {
            Some(0) => Some([anchor_elo; 2]),
            Some(place) => interval(draws.iter().map(|draw| anchor_elo + draw.strengths[place])),
            None => None,
        };
        let tally: WinDrawLoss = against[player].iter().copied().sum();
        PoolRow {
            player,
            elo,
            low: bar.map(|[low, _]| low).filter(|_| reach.bounded_below[player]),
            high: bar.map(|[_, high]| high).filter(|_| reach.bounded_above[player]),
            superiority: None,
            opponents: None,
            tally,
            games: tally.games(),
            points: tally.points(),
        }
    };
    let mut rows: Vec<PoolRow> = (0..players).map(row).collect();
    add_opponents(&mut rows, &against);
    // Who are alike stay in the order of their numbers.
    rows.sort_by(|a, b| {
        let [elo_a, elo_b] = [a, b].map(|row| row.elo.unwrap_or(f64::NEG_INFINITY));
        elo_b.total_cmp(&elo_a).then(b.points.total_cmp(&a.points))
    });
    add_superiority(&mut rows, &places, &draws);
    let used = |game: &&PoolGame| reach.connected[game.players[0]];
    Ok(PoolTable {
        rows,
        first_move_elo: elos.first_move,
        first_move_interval: interval(draws.iter().map(|draw| draw.first_move)),
        draw: fit.draw(),
        draw_rate: fit.draw() / (2.0 + fit.draw()),
        games: games.iter().filter(used).count() as u64,
        pairs: blocks.len() as u64,
    })
}

/// What each player made of its games against each other. Complains about games that nobody can have played.
pub(crate) fn against(players: usize, games: &[PoolGame]) -> Result<Vec<Vec<WinDrawLoss>>, InvalidInput> {
    let mut against = vec![vec![WinDrawLoss::default(); players]; players];
    for (game, PoolGame { players: [first, second], outcome, .. }) in games.iter().enumerate() {
        if let Some(player) = [first, second].into_iter().find(|player| **player >= players) {
            return Err(InvalidInput(format!(
                "game {game} is played by player {player}, but there are {players}, counted from 0"
            )));
        }
        if first == second {
            return Err(InvalidInput(format!(
                "in game {game} player {first} meets itself: wanted two different players"
            )));
        }
        against[*first][*second].add(outcome.points(Side::First));
        against[*second][*first].add(outcome.points(Side::Second));
    }
    Ok(against)
}

/// The fit counts only the players connected with the anchor, the anchor as 0: their numbers in it, by player.
fn places(connected: &[bool], anchor: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; connected.len()];
    let others = (0..connected.len()).filter(|&player| connected[player] && player != anchor);
    for (place, player) in std::iter::once(anchor).chain(others).enumerate() {
        places[player] = Some(place);
    }
    places
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

/// The middle part of the values, as many left out below as above; `None` where they do not differ at all.
fn interval(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        values[below] * (1.0 - part) + values[(below + 1).min(last)] * part
    };
    let outside = (1.0 - CONFIDENCE) / 2.0;
    let [low, high] = [at(outside), at(1.0 - outside)];
    (high - low > 1e-9).then_some([low, high])
}

/// Games are counted before ratings are added up: rounding must not tell in which order they were played.
fn add_opponents(rows: &mut [PoolRow], against: &[Vec<WinDrawLoss>]) {
    let elos: Vec<f64> = rows.iter().map(|row| row.elo.unwrap_or(0.0)).collect();
    for (row, met) in rows.iter_mut().zip(against) {
        let sum: f64 = met.iter().zip(&elos).map(|(met, elo)| met.games() as f64 * elo).sum();
        row.opponents = row.elo.filter(|_| row.games > 0).map(|_| sum / row.games as f64);
    }
}

/// By the normal distribution with the mean and deviation of the difference over the resamples: smoother than
/// counting them.
fn add_superiority(rows: &mut [PoolRow], places: &[Option<usize>], draws: &[Elos]) {
    for rank in 1..rows.len() {
        let [ours, theirs] = [rank - 1, rank].map(|rank| places[rows[rank].player]);
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let gap = rows[rank - 1].elo.zip(rows[rank].elo).map_or(0.0, |(a, b)| a - b);
        let gaps = draws.iter().map(|draw| draw.strengths[ours] - draw.strengths[theirs]);
        let (count, mean) = (draws.len() as f64, gaps.clone().sum::<f64>() / draws.len() as f64);
        let deviation = (gaps.map(|gap| (gap - mean).powi(2)).sum::<f64>() / count).sqrt();
        rows[rank - 1].superiority = (deviation > 1e-9).then(|| normal_below(gap / deviation));
    }
}
