//! The players `report-alphabeta`, `report-naive` and `report-mcts`: the Gomoku agents of a published report, as they
//! are in `tesuji_gomoku::report`, in any match of five in a row.
//!
//! The agents know free style only. Where another rule is played they misjudge some rows; in renju, cells where black
//! may not play are walls to them while black is to move, so that what they answer is legal.

use std::time::Instant;

use tesuji_games::{Move, Outcome, Position, RowRule, Score, SpecError, State};
use tesuji_gomoku::report::{
    AlphaBeta, Board, BoardError, Cell, Choice, Naive, NaiveOptions, Options, ParameterSet,
    PlayoutOptions, Playouts, Reach, ReportAgent, TENTHS,
};
use tesuji_play::options::{
    OptionInfo, PlayerOptions as Given, SEED, ValueType, WordValues, decimal, number, option, word,
    words,
};
use tesuji_play::{PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::report::sort_best_first;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, Progress, Report, Search};

use crate::five_in_a_row::FiveInARow;
use crate::monte_carlo::MOST_SIMULATIONS;
use crate::rows::stones;
use crate::searching::{NODES, TIME_AT_MOST, depth_and_effort, searcher, simulations};

const SETS: WordValues<ParameterSet, 2> =
    [("final", ParameterSet::Final), ("pydan2", ParameterSet::Pydan2)];
const REACHES: WordValues<Reach, 2> = [("1", Reach::One), ("2", Reach::Two)];

const FAITHFUL: OptionInfo =
    option("faithful", ValueType::Switch, "keep the faults of the published program (default off)");

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "report-alphabeta",
        summary: "Gomoku: alpha-beta over ten patterns, from a report of 2021 (needs five in a row)",
        options: &[
            option("set", word(&words(&SETS)), "whose numbers (default final)"),
            FAITHFUL,
            option(
                "depth",
                number(1, 255),
                "levels below the root; 1: a move and the best reply (default the set's: 1, 3)",
            ),
            option(
                "deepen",
                ValueType::Switch,
                "level by level up to its limits (default on where time or nodes are given)",
            ),
            option("time", ValueType::Time, "time a move at most (default the set's: 3s, 13s)"),
            NODES,
            SEED,
        ],
        read: |options| {
            let set = options.choice("set", &SETS).unwrap_or_default();
            let faithful = is_faithful(options);
            let deepen = options.switch("deepen").or(faithful.then_some(false));
            report_agent(SearchKind::SelfTerminating, depth_and_effort(options), move |seed| {
                let agent = Options { set, faithful, seed, ..Options::default() };
                Box::new(Deepening { agent: AlphaBeta::new(agent), deepen })
            })
        },
    },
    PlayerKind {
        name: "report-naive",
        summary: "Gomoku: seven patterns, a move and a reply, from the same report (needs five in a row)",
        options: &[
            option(
                "reach",
                word(&words(&REACHES)),
                "how far from stones it looks for moves (default 1)",
            ),
            option("depth", number(1, 255), "levels below the root (default 1)"),
            FAITHFUL,
            TIME_AT_MOST,
            NODES,
            SEED,
        ],
        read: |options| {
            let usual = NaiveOptions::default();
            let reach = options.choice("reach", &REACHES).unwrap_or(usual.reach);
            let agent = NaiveOptions { reach, faithful: is_faithful(options), ..usual };
            report_agent(SearchKind::SelfTerminating, depth_and_effort(options), move |seed| {
                Box::new(Naive::new(NaiveOptions { seed, ..agent }))
            })
        },
    },
    PlayerKind {
        name: "report-mcts",
        summary: "Gomoku: flat Monte Carlo in two stages, from the same report (needs five in a row)",
        options: &[
            option("playouts", number(1, 1_000_000), "for each move in each stage (default 100)"),
            option(
                "intelligence",
                decimal(0.0, 1.0),
                "how likely a move in a playout blocks (default 0)",
            ),
            option("sims", number(1, MOST_SIMULATIONS), "playouts a move at most, in all"),
            FAITHFUL,
            TIME_AT_MOST,
            SEED,
        ],
        read: |options| {
            let mut agent = PlayoutOptions::default();
            if let Some(playouts) = options.number("playouts") {
                agent.short.playouts = playouts as u32;
                agent.long.playouts = playouts as u32;
            }
            agent.intelligence = options.decimal("intelligence").unwrap_or(agent.intelligence);
            agent.faithful = is_faithful(options);
            report_agent(SearchKind::Simulations(None), simulations(options), move |seed| {
                Box::new(Playouts::new(PlayoutOptions { seed, ..agent }))
            })
        },
    },
];

fn is_faithful(options: &Given) -> bool {
    options.switch("faithful").unwrap_or(false)
}

/// A player that asks an agent, which is made for a seed.
fn report_agent(
    pace: SearchKind,
    limits: Limits,
    agent: impl Fn(u64) -> Box<dyn ReportAgent + Send> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    searcher(SearchProfile::new(pace, limits), FiveInARow::for_player, move |game, context| {
        Ok(Box::new(ReportSearch { agent: agent(context.seed), game }))
    })
}

/// Alpha-beta that is told for every move whether to go deeper as long as it may.
struct Deepening {
    agent: AlphaBeta,
    /// `None`: where it is not told how deep.
    deepen: Option<bool>,
}

impl ReportAgent for Deepening {
    fn consider(&mut self, board: &Board, limits: &Limits) -> Option<Choice> {
        let limited = limits.time.is_some() || limits.nodes.is_some();
        self.agent.set_deepening(self.deepen.unwrap_or(limited && limits.depth.is_none()));
        self.agent.consider(board, limits)
    }

    fn forget(&mut self) {
        self.agent.forget();
    }
}

/// An agent among the searches.
struct ReportSearch {
    agent: Box<dyn ReportAgent + Send>,
    game: FiveInARow,
}

impl ReportSearch {
    fn report(&mut self, position: &State, limits: &Limits) -> Report {
        let board = board_of(position, self.game).ok();
        let Some(choice) = board.and_then(|board| self.agent.consider(&board, limits)) else {
            return Report::empty();
        };
        let (row, column) = (usize::from(choice.cell.row), usize::from(choice.cell.column));
        let best = position.move_to(row * self.game.width + column);
        Report {
            best,
            score: score_of(position, best, &choice),
            line: best.into_iter().collect(),
            depth: choice.depth,
            nodes: choice.nodes,
            ..Report::empty()
        }
    }

    /// The worth of a move to the side that plays it, and what the agent thinks of the position after it.
    fn value_of(&mut self, position: &State, m: Move, limits: &Limits) -> (Score, Report) {
        let after = played(position, m);
        if let Some(outcome) = after.outcome() {
            return (terminal_score(outcome, position.to_move(), 1), Report::empty());
        }
        let replies = self.report(&after, limits);
        ((-replies.score).further(1), replies)
    }
}

impl Search<State> for ReportSearch {
    fn search(&mut self, position: &State, limits: &Limits, progress: Progress<'_>) -> Report {
        let started = Instant::now();
        let mut report = self.report(position, limits);
        report.time = started.elapsed();
        progress(&report);
        report
    }

    /// The agent chooses its move and then values every move by what it thinks of the position after
    /// it. Its own move stays first unless a proof says otherwise: the published agents play by what
    /// they see from the position itself, which is a level less.
    ///
    /// Half of the time is for the choice, half is shared out among the moves. The choice gets as
    /// many nodes as in a game, so that it is the same.
    fn analyze(&mut self, position: &State, limits: &Limits, progress: Progress<'_>) -> Report {
        let started = Instant::now();
        let moves = position.legal_moves();
        let own = Limits { time: limits.time.map(|time| time / 2), ..limits.clone() };
        let mut report = self.report(position, &own);
        let Some(chosen) = report.best else { return report };
        report.moves = vec![MoveScore { m: chosen, score: report.score, visits: 0 }];
        report.time = started.elapsed();
        progress(&report);
        let parts = moves.len().max(1) as u32;
        let limits = Limits {
            time: own.time.map(|time| time / parts),
            nodes: own.nodes.map(|nodes| (nodes / u64::from(parts)).max(1)),
            ..own
        };
        report.moves.clear();
        report.line.clear();
        for m in moves {
            let (score, replies) = self.value_of(position, m, &limits);
            report.nodes += replies.nodes;
            report.moves.push(MoveScore { m, score, visits: 0 });
            report.lines.push(std::iter::once(m).chain(replies.line).collect());
        }
        sort_best_first(&mut report.moves);
        if let Some(place) = report.moves.iter().position(|known| known.m == chosen) {
            report.moves[..=place].rotate_right(1);
            report.score = report.moves[0].score;
            report.line = report.line_from(chosen);
        }
        report.sort_by_proof();
        report.time = started.elapsed();
        report
    }

    fn forget(&mut self) {
        self.agent.forget();
    }
}

fn played(position: &State, m: Move) -> State {
    let mut after = position.clone();
    after.play(m);
    after
}

/// The position as the agents see it.
fn board_of(position: &State, game: FiveInARow) -> Result<Board, BoardError> {
    let cell = |cell: usize| Cell::row_column((cell / game.width) as u8, (cell % game.width) as u8);
    let mut board = Board::new(game.height, game.width)?;
    for (side, number) in stones(position) {
        board.place(cell(number), side)?;
    }
    if game.rule == RowRule::Renju {
        let is_wall = |&n: &usize| position.stone_at(n).is_none() && position.move_to(n).is_none();
        for number in (0..game.width * game.height).filter(is_wall) {
            board.block(cell(number))?;
        }
    }
    board.set_to_move(position.to_move());
    Ok(board)
}

/// What the agent thinks, in wholes; a win where the move wins at once.
fn score_of(position: &State, best: Option<Move>, choice: &Choice) -> Score {
    let end = best.and_then(|m| played(position, m).outcome());
    if end == Some(Outcome::Win(position.to_move())) {
        return Score::win_in(1);
    }
    let points = (choice.points / TENTHS).clamp(i32::MIN.into(), i32::MAX.into());
    Score::estimate(points as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::random::seeded;
    use tesuji_games::{Line, Notation};
    use tesuji_play::{Choice as Chosen, PlayerContext, PlayerSpec, Turn};

    const QUICK: [&str; 6] = [
        "report-alphabeta:depth=1",
        "report-alphabeta:nodes=30",
        "report-alphabeta:set=pydan2,faithful=on,depth=1",
        "report-naive",
        "report-naive:reach=2,nodes=20,faithful",
        "report-mcts:playouts=2,sims=100,intelligence=0.5",
    ];

    /// Five in a row on a board that is not square.
    const GOMOKU: &str = "mnk:11x9,k=5";

    /// A game against chance, in which every answer must be legal.
    fn plays_through(player: &str, game: &str, seed: u64) {
        let (spec, start): (PlayerSpec, _) = (crate::player(player).unwrap(), opened(game));
        let mut player = spec.build(&PlayerContext::new(&start, seed)).unwrap();
        let (mut line, mut rng) = (Line::new(start.start().clone()), seeded(seed));
        while line.end.outcome().is_none() {
            let own_turn = line.moves.len() as u64 % 2 == seed % 2;
            let m = match own_turn {
                true => player.choose(&line, &Turn::default()).unwrap().m,
                false => line.end.random_move(&mut rng),
            };
            line.play(m).unwrap_or_else(|error| panic!("{spec} {game} {seed}: {error}"));
        }
    }

    #[test]
    fn every_agent_plays_legal_games_by_every_rule() {
        for player in QUICK {
            for seed in 0..4 {
                plays_through(player, GOMOKU, seed);
                plays_through(player, "renju:9x9", seed);
            }
        }
    }

    fn chosen(player: &str, moves: &str) -> (String, Chosen) {
        let spec: PlayerSpec = crate::player(player).unwrap();
        let context = PlayerContext::new(&opened(GOMOKU), 1);
        let mut player = spec.build(&context).unwrap();
        let line = opened(GOMOKU).line(moves).unwrap();
        let choice = player.choose(&line, &Turn::default()).unwrap();
        (line.end.move_text(choice.m), choice)
    }

    #[test]
    fn fives_are_made_and_stopped() {
        for player in QUICK {
            let (m, choice) = chosen(player, "b2a9 c2c9 d2e9 e2a2 k1");
            assert_eq!(m, "f2", "{player}");
            assert!(choice.score().unwrap() < Score::win_in(1), "{player}");
            let (m, choice) = chosen(player, "b2a9 c2c9 d2e9 e2a2 k1k9");
            assert_eq!((m.as_str(), choice.score()), ("f2", Some(Score::win_in(1))), "{player}");
        }
    }

    /// Limited by nodes, so that nothing depends on the clock.
    #[test]
    fn time_is_used_to_go_deeper() {
        let depth = |player: &str| chosen(player, "e5f6e6").1.report.unwrap().depth;
        assert_eq!(depth("report-alphabeta"), 1);
        assert_eq!(depth("report-alphabeta:depth=2"), 2);
        assert!(depth("report-alphabeta:time=60s,nodes=3000") > 1);
        assert_eq!(depth("report-alphabeta:time=60s,nodes=3000,faithful=on"), 1);
        assert_eq!(depth("report-alphabeta:time=60s,nodes=3000,deepen=off"), 1);
        assert_eq!(depth("report-alphabeta:set=pydan2,nodes=5"), 3);
    }

    #[test]
    fn an_analysis_values_every_move() {
        let position = opened(GOMOKU).line("b2a9 c2c9 d2e9 e2a2 k1").unwrap().end;
        let context = PlayerContext::new(&opened(GOMOKU), 1);
        for player in QUICK {
            let spec: PlayerSpec = crate::player(player).unwrap();
            let given = Limits::default();
            let found =
                tesuji_play::analyze(&position, &spec, &given, &context, &mut |_| {}).unwrap();
            assert_eq!(found.moves.len(), position.move_count(), "{player}");
            assert_eq!(position.move_text(found.moves[0].m), "f2", "{player}");
            assert_eq!(found.moves[1].score, Some(Score::loss_in(2)), "{player}");
        }
    }

    #[test]
    fn chance_is_that_of_the_seed() {
        let moves = |seed: u64| -> Vec<String> {
            let player = format!("report-mcts:playouts=3,seed={seed}");
            ["e5f6", "e5f6e6", "e5f6e6d4"].map(|line| chosen(&player, line).0).to_vec()
        };
        assert_eq!(moves(1), moves(1));
        assert!((2..9).any(|seed| moves(seed) != moves(1)));
    }

    #[test]
    fn options_that_cannot_be_are_refused() {
        for (text, words) in [
            ("report-alphabeta:set=pydan3", "one of final, pydan2"),
            ("report-alphabeta:faithful=very", "on or off"),
            ("report-alphabeta:depth=0", "a whole number from 1 to 255"),
            ("report-naive:reach=3", "one of 1, 2"),
            ("report-mcts:playouts=0", "a whole number from 1 to"),
            ("report-mcts:intelligence=2", "a number from 0 to 1"),
            ("report-mcts:depth=2", "has no option 'depth'"),
            ("report-alphabet", "did you mean 'report-alphabeta'"),
        ] {
            let error = crate::player(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
