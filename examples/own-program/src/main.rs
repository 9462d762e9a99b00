//! A program on the libraries of Tesuji: the rules, a search, the Gomoku engine's proof of a win,
//! and a match between two custom players.

use std::error::Error;

use tesuji_games::random::{choose, seeded};
use tesuji_games::rules::connect4::{self, Connect4};
use tesuji_games::{GameLine, Move, Notation, Rng, RowRule, Side, SpecError};
use tesuji_gomoku::{Board, Cell, Vcf, VcfOutcome};
use tesuji_play::{
    Choice, Match, MatchResult, Openings, Player, PlayerContext, PlayerError, PlayerKind,
    PlayerSetup, Roster, Turn,
};
use tesuji_search::perft::perft;
use tesuji_search::{Engine, EngineOptions, GameHeuristic, Limits, Registry, Search, searches};

/// Searches a Connect Four position, given as columns, and returns the best move.
fn best_column(moves: &str) -> Result<Option<String>, Box<dyn Error>> {
    let position = Connect4::new().parse_line(moves)?.end;
    let mut engine = Engine::new(GameHeuristic, EngineOptions::strongest());
    let report = engine.run(&position, &Limits::depth(8));
    Ok(report.best.map(|m| position.move_text(m)))
}

/// Whether the first player wins by continuous fours from three stones in a row.
fn wins_by_fours() -> Result<bool, Box<dyn Error>> {
    let mut board = Board::new(RowRule::AtLeast, 15, 15)?;
    for (column, row) in [(7, 7), (0, 0), (8, 7), (14, 0), (9, 7), (0, 14)] {
        board.play(Cell::new(column, row));
    }
    Ok(matches!(Vcf::new().solve(&mut board, Side::First, 1_000), VcfOutcome::Win(_)))
}

/// A player that plays the first legal move, or a random one.
#[derive(Clone, Debug)]
struct Simple {
    name: &'static str,
    rng: Option<Rng>,
}

impl Player for Simple {
    fn name(&self) -> &str {
        self.name
    }

    fn choose(&mut self, game: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
        let moves: Vec<Move> = game.end.legal_moves();
        let chosen = match &mut self.rng {
            Some(rng) => choose(rng, &moves).copied(),
            None => moves.first().copied(),
        };
        chosen
            .map(Choice::without_report)
            .ok_or_else(|| PlayerError::GameOver(self.name.to_string()))
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = self.rng.as_ref().map(|_| seeded(seed));
    }
}

impl PlayerSetup for Simple {
    fn build(
        &self,
        _: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        let mut player = self.clone();
        player.new_game(context.seed);
        Ok(Some(Box::new(player)))
    }
}

static PLAYERS: &[&[PlayerKind]] = &[&[
    PlayerKind {
        name: "first",
        former_name: None,
        summary: "the first legal move",
        options: &[],
        read: |_| Ok(Box::new(Simple { name: "first", rng: None })),
    },
    PlayerKind {
        name: "random",
        former_name: None,
        summary: "a random legal move",
        options: &[],
        read: |_| Ok(Box::new(Simple { name: "random", rng: Some(seeded(0)) })),
    },
]];

/// Plays color-swapped pairs of Connect Four between the two players.
fn compare(games: u64) -> Result<MatchResult, Box<dyn Error>> {
    let registry = Registry::empty().with(connect4::GAME, searches::of::<Connect4>);
    let players = Roster::new(PLAYERS);
    let pair = [players.read("first")?, players.read("random")?];
    let settings = Match { games, seed: 1, ..Match::default() };
    let openings = Openings::Random { plies: 2 };
    Ok(settings.run(&registry.open("connect4")?, &pair, &openings, &|_| {})?)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("positions after 5 plies: {}", perft(&Connect4::new(), 5, Default::default()));
    println!("best move after 4453: {:?}", best_column("4453")?);
    println!("a win by continuous fours: {}", wins_by_fours()?);
    println!("100 games: {:?}", compare(100)?.score.tally);
    Ok(())
}

#[test]
fn the_libraries_work_together() {
    assert_eq!(perft(&Connect4::new(), 5, Default::default()), 16_807, "7 to the power of 5");
    assert_eq!(best_column("445566").unwrap().as_deref(), Some("3"), "four in a row");
    assert!(wins_by_fours().unwrap());
    assert_eq!(compare(20).unwrap().score.tally.games(), 20);
}
