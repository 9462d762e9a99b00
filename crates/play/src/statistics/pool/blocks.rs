//! The games of a pool grouped by pair and counted: the input of the fit and of the bootstrap.

use tesuji_games::random::{self, Rng};

use super::PoolGame;
use super::davidson::{Matchup, WdlCounts};

/// The games of a pool. Independent of the order of the games.
pub(super) struct Blocks {
    /// All pairings, in both orders.
    pub(super) matchups: Vec<Matchup>,
    /// The distinct blocks of games (nearly always pairs), each as (matchup, result) entries.
    kinds: Vec<Vec<(usize, usize)>>,
    /// The kind of each played block.
    played: Vec<u32>,
    /// The virtual games of each matchup; see [`virtual_games`].
    prior: Vec<WdlCounts>,
}

impl Blocks {
    /// Groups the games. `place[player]` is the index of a player in the fit; games of players
    /// without one are ignored.
    pub(super) fn new(games: &[PoolGame], place: &[Option<usize>]) -> Blocks {
        let mut entries = entries(games, place);
        entries.sort_unstable();
        let matchups = matchups(&entries);
        let (kinds, played) = kinds(&entries, &matchups);
        let mut blocks = Blocks { prior: Vec::new(), matchups, kinds, played };
        let scores = blocks.scores();
        blocks.prior = virtual_games(&blocks.matchups, &scores);
        blocks
    }

    /// Number of played blocks.
    pub(super) fn len(&self) -> usize {
        self.played.len()
    }

    /// The results by matchup, virtual games included.
    pub(super) fn scores(&self) -> Vec<WdlCounts> {
        let mut counts = vec![0u32; self.kinds.len()];
        self.played.iter().for_each(|&kind| counts[kind as usize] += 1);
        self.summed(&counts)
    }

    /// Draws as many blocks at random, with replacement (bootstrap; Efron, 1979).
    pub(super) fn resampled(&self, rng: &mut Rng) -> Vec<WdlCounts> {
        let mut counts = vec![0u32; self.kinds.len()];
        for _ in 0..self.played.len() {
            let drawn = random::below(rng, self.played.len() as u32) as usize;
            counts[self.played[drawn] as usize] += 1;
        }
        self.summed(&counts)
    }

    fn summed(&self, counts: &[u32]) -> Vec<WdlCounts> {
        let mut scores = match self.prior.is_empty() {
            true => vec![[0.0; 3]; self.matchups.len()],
            false => self.prior.clone(),
        };
        for (kind, &count) in self.kinds.iter().zip(counts) {
            for &(matchup, result) in kind {
                scores[matchup][result] += f64::from(count);
            }
        }
        scores
    }
}

/// One game: its two players in numerical order, its pair, whether the lower number moved first,
/// and whether the first mover won (0), drew (1) or lost (2).
type Entry = (u32, u32, u64, bool, u8);

fn entries(games: &[PoolGame], place: &[Option<usize>]) -> Vec<Entry> {
    let entry = |game: &PoolGame| {
        let [first, second] = game.players.map(|player| place.get(player).copied().flatten());
        let (first, second) = (first? as u32, second? as u32);
        let result = (2.0 - 2.0 * game.outcome.points(tesuji_games::Side::First)) as u8;
        Some((first.min(second), first.max(second), game.pair, first < second, result))
    };
    games.iter().filter_map(entry).collect()
}

/// Both orders of each pairing: those of the `n`-th one are at 2n (the lower number moves first)
/// and 2n + 1.
fn matchups(sorted: &[Entry]) -> Vec<Matchup> {
    sorted
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .flat_map(|met| {
            let (low, high) = (met[0].0 as usize, met[0].1 as usize);
            [[low, high], [high, low]]
        })
        .collect()
}

/// The distinct blocks and the kind of each played block. Sorted, so that the result does not
/// depend on the numbers of the pairs and the order of the games.
fn kinds(sorted: &[Entry], matchups: &[Matchup]) -> (Vec<Vec<(usize, usize)>>, Vec<u32>) {
    let mut blocks: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut place = 0;
    for block in sorted.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        while matchups[place] != [block[0].0 as usize, block[0].1 as usize] {
            place += 2;
        }
        let game = |entry: &Entry| (place + usize::from(!entry.3), usize::from(entry.4));
        let mut games: Vec<_> = block.iter().map(game).collect();
        games.sort_unstable();
        blocks.push(games);
    }
    blocks.sort_unstable();
    let mut kinds: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut played = Vec::with_capacity(blocks.len());
    for block in blocks {
        if kinds.last() != Some(&block) {
            kinds.push(block);
        }
        played.push(kinds.len() as u32 - 1);
    }
    (kinds, played)
}

/// A weak prior as in BayesElo (Coulom, 2005): each player has one virtual game, distributed over
/// its opponents like its real games, half of it with either color, half won and half lost. It
/// keeps undefeated players finite, does not connect players that never met, and does not affect
/// the share of draws.
fn virtual_games(matchups: &[Matchup], scores: &[WdlCounts]) -> Vec<WdlCounts> {
    let players = matchups.iter().map(|[first, _]| first + 1).max().unwrap_or(0);
    let both = scores.chunks_exact(2).map(|both| both.iter().flatten().sum::<f64>());
    let met: Vec<(Matchup, f64)> = matchups.iter().copied().step_by(2).zip(both).collect();
    let mut games = vec![0.0; players];
    for ([one, other], met) in &met {
        games[*one] += met;
        games[*other] += met;
    }
    let virtual_score = |([one, other], met): (Matchup, f64)| {
        let quarter = (met / games[one] + met / games[other]) / 4.0;
        [[quarter, 0.0, quarter]; 2]
    };
    met.into_iter().flat_map(virtual_score).collect()
}
