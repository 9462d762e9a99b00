//! Ratings of a pool of players: Elo by a fit of all games at once, error bars by a bootstrap over
//! pairs, one player anchored.

mod blocks;
mod connectivity;
mod davidson;

use serde::{Deserialize, Serialize};
use tesuji_games::bits::mix;
use tesuji_games::{Outcome, Side, random};

use super::WinDrawLoss;
use super::elo::{ELO_PER_LOG_ODDS, normal_below};
use crate::InvalidInput;
use blocks::Blocks;
use connectivity::Connectivity;
use davidson::{Fit, Workspace};

/// One game between two players of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PoolGame {
    /// The players by side: the first of the two had the first move.
    pub players: [usize; 2],
    /// The result.
    pub outcome: Outcome,
    /// Games of the same two players with the same number are one pair (or block) and are not
    /// independent.
    pub pair: u64,
}

/// The options of a rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolOptions {
    /// The player whose rating is fixed.
    pub anchor: usize,
    /// The anchor's rating.
    pub anchor_elo: f64,
    /// Number of bootstrap resamples for the error bars; 0 for no error bars.
    pub resamples: usize,
    /// Seeds the resampling.
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
    /// The players, best first; unrated ones last.
    pub rows: Vec<PoolRow>,
    /// The advantage of the first move, in Elo.
    pub first_move_elo: f64,
    /// Its error bar; `None` without resamples or if all of them agree.
    pub first_move_interval: Option<[f64; 2]>,
    /// Davidson's ν, the weight of a draw: 0 if no game was drawn.
    pub draw: f64,
    /// The share of draws between equal players: ν / (2 + ν).
    pub draw_rate: f64,
    /// Number of games used: those of players connected to the anchor.
    pub games: u64,
    /// Number of pairs (or single games) among them: the units of the bootstrap.
    pub pairs: u64,
}

/// The rating of one player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRow {
    /// The player's number.
    pub player: usize,
    /// The rating; `None` if no chain of games connects the player to the anchor.
    pub elo: Option<f64>,
    /// Lower end of the error bar. `None` if the games set no such bound: the player took no points
    /// from any player that (directly or through others) took points from the anchor, or all
    /// resamples agree.
    pub low: Option<f64>,
    /// Upper end of the error bar, likewise.
    pub high: Option<f64>,
    /// Likelihood of superiority (LOS): the probability that the player is stronger than the next
    /// one in the list; `None` for the last one, for unrated players and without resamples.
    pub superiority: Option<f64>,
    /// The mean rating of the opponents, weighted by games; `None` for unrated players.
    pub opponents: Option<f64>,
    /// Wins, draws and losses.
    pub tally: WinDrawLoss,
    /// Number of games.
    pub games: u64,
    /// One point per win, half a point per draw.
    pub points: f64,
}

/// The share of the resamples that an error bar covers.
const CONFIDENCE: f64 = 0.95;

/// Rates players `0..players` by their games.
pub fn rate(
    players: usize,
    games: &[PoolGame],
    options: &PoolOptions,
) -> Result<PoolTable, InvalidInput> {
    let PoolOptions { anchor, anchor_elo, .. } = *options;
    if anchor >= players {
        return Err(InvalidInput(format!(
            "anchor {anchor}: no such player; expected a number below {players}"
        )));
    }
    if !anchor_elo.is_finite() {
        return Err(InvalidInput(format!(
            "the anchor's rating is {anchor_elo}; expected a finite number"
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
        // A bar of width zero would claim certainty; only the anchor is certain, as its rating is
        // given.
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
    // Equal players stay in the order of their numbers.
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

/// The results of each player against each other. Refuses games with invalid player numbers.
pub(crate) fn against(
    players: usize,
    games: &[PoolGame],
) -> Result<Vec<Vec<WinDrawLoss>>, InvalidInput> {
    let mut against = vec![vec![WinDrawLoss::default(); players]; players];
    for (game, PoolGame { players: [first, second], outcome, .. }) in games.iter().enumerate() {
        if let Some(player) = [first, second].into_iter().find(|player| **player >= players) {
            return Err(InvalidInput(format!(
                "game {game}: no player {player}; expected a number below {players}"
            )));
        }
        if first == second {
            return Err(InvalidInput(format!(
                "game {game}: player {first} plays itself; expected two different players"
            )));
        }
        against[*first][*second].add(outcome.points(Side::First));
        against[*second][*first].add(outcome.points(Side::Second));
    }
    Ok(against)
}

/// The index of each player in the fit. Only players connected to the anchor have one; the anchor
/// has index 0.
fn places(connected: &[bool], anchor: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; connected.len()];
    let others = (0..connected.len()).filter(|&player| connected[player] && player != anchor);
    for (place, player) in std::iter::once(anchor).chain(others).enumerate() {
        places[player] = Some(place);
    }
    places
}

/// A fit in Elo: strengths by index in the fit, and the advantage of the first move.
struct Elos {
    strengths: Vec<f64>,
    first_move: f64,
}

impl Elos {
    /// Draws flatten Davidson's curve: near equality an expected point costs 1 + ν/2 times as much
    /// log-odds as without draws. After division by that factor, a small difference has the score
    /// of Elo's curve (and so has any difference for ν = 0 and for ν = 2).
    fn of(fit: &Fit) -> Elos {
        let scale = ELO_PER_LOG_ODDS / (1.0 + fit.draw() / 2.0);
        let strengths = fit.strengths.iter().map(|strength| scale * strength).collect();
        Elos { strengths, first_move: scale * fit.first_move }
    }
}

/// Fits to resampled blocks, each started from the fit to the real games.
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

/// The central interval of the values; `None` if they are all equal.
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

/// Counts games before it adds ratings, so that rounding does not depend on the order of the games.
fn add_opponents(rows: &mut [PoolRow], against: &[Vec<WinDrawLoss>]) {
    let elos: Vec<f64> = rows.iter().map(|row| row.elo.unwrap_or(0.0)).collect();
    for (row, met) in rows.iter_mut().zip(against) {
        let sum: f64 = met.iter().zip(&elos).map(|(met, elo)| met.games() as f64 * elo).sum();
        row.opponents = row.elo.filter(|_| row.games > 0).map(|_| sum / row.games as f64);
    }
}

/// Uses the normal distribution with the mean and deviation of the difference over the resamples:
/// smoother than counting resamples.
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
