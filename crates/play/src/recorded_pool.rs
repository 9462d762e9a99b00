//! Builds a pool for ratings from recorded games of any events.

use std::collections::HashMap;

use tesuji_store::{GameRecord, PlayerRecord};

use crate::statistics::PoolGame;

/// Players and the games between them, collected from records.
#[derive(Clone, Debug, Default)]
pub struct RecordedPool {
    players: Vec<PlayerRecord>,
    numbers: HashMap<PlayerRecord, usize>,
    pairs: HashMap<(String, [usize; 2], u64), u64>,
    games: Vec<PoolGame>,
    next_pair: u64,
}

impl RecordedPool {
    /// Adds a game. A game of a player against itself carries no information about strength and is
    /// ignored.
    pub fn add(&mut self, game: &GameRecord) {
        let players = [0, 1].map(|side| self.number(&game.players[side]));
        if players[0] == players[1] {
            return;
        }
        let pair = self.pair(game, players);
        self.games.push(PoolGame { players, outcome: game.outcome, pair });
    }

    fn number(&mut self, player: &PlayerRecord) -> usize {
        *self.numbers.entry(player.clone()).or_insert_with(|| {
            self.players.push(player.clone());
            self.players.len() - 1
        })
    }

    /// The two games of a color-swapped pair get the same number, every other game its own.
    fn pair(&mut self, game: &GameRecord, players: [usize; 2]) -> u64 {
        let next = self.next_pair;
        let two = [players[0].min(players[1]), players[0].max(players[1])];
        let number = match game.pair {
            None => next,
            Some(pair) => *self.pairs.entry((game.event.clone(), two, pair)).or_insert(next),
        };
        self.next_pair += u64::from(number == next);
        number
    }

    /// The players, in the order of their first games.
    pub fn players(&self) -> &[PlayerRecord] {
        &self.players
    }

    /// Names for tables: with the spec if two players have the same name.
    pub fn names(&self) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for player in &self.players {
            *counts.entry(&player.name).or_default() += 1;
        }
        let name = |player: &PlayerRecord| match counts[player.name.as_str()] {
            1 => player.name.clone(),
            _ => format!("{} ({})", player.name, player.spec),
        };
        self.players.iter().map(name).collect()
    }

    /// The games.
    pub fn games(&self) -> &[PoolGame] {
        &self.games
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::{Outcome, Side};
    use tesuji_store::{Ending, EndingKind};

    fn record(first: (&str, &str), second: (&str, &str), pair: Option<u64>) -> GameRecord {
        let player =
            |(name, spec): (&str, &str)| PlayerRecord { name: name.into(), spec: spec.into() };
        GameRecord {
            key: String::new(),
            event: "e".to_string(),
            game: "tictactoe".to_string(),
            players: [player(first), player(second)],
            pair,
            seed: 0,
            start: None,
            moves: String::new(),
            opening_plies: 0,
            outcome: Outcome::Win(Side::First),
            ending: Ending::plain(EndingKind::Rules),
            thoughts: Vec::new(),
            played_at: 0,
        }
    }

    #[test]
    fn pairs_are_recognized_in_any_order() {
        let (a, b, c) = (("a", "x"), ("b", "y"), ("a", "z"));
        let mut pool = RecordedPool::default();
        for (first, second, pair) in [
            (a, b, Some(0)),
            (a, b, Some(1)),
            (b, a, Some(1)),
            (b, a, Some(0)),
            (a, b, None),
            (a, b, None),
            (b, c, Some(0)),
            (a, a, Some(0)),
        ] {
            pool.add(&record(first, second, pair));
        }
        assert_eq!(pool.names(), ["a (x)", "b", "a (z)"]);
        let pairs: Vec<u64> = pool.games().iter().map(|game| game.pair).collect();
        assert_eq!(pairs, [0, 1, 1, 0, 2, 3, 4]);
        assert_eq!(pool.games()[3].players, [1, 0]);
    }
}
