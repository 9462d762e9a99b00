//! Recorded answers of the published programs: a faithful agent gives the same value and the same
//! move.

use tesuji_games::Side;
use tesuji_search::Limits;

use crate::fudan::{
    FudanAgent, FudanAlphaBeta, FudanAlphaBetaOptions, FudanBoard, FudanCell, FudanNaive,
    FudanNaiveOptions, ParameterSet, Points,
};

/// A position and the recorded answers.
struct Answers {
    board: FudanBoard,
    last: (Points, FudanCell),
    pydan2: (Points, FudanCell),
    naive: Option<FudanCell>,
    last_depth_3: Option<(Points, FudanCell)>,
}

fn cell(text: &str) -> Option<FudanCell> {
    let (row, column) = text.split_once(',')?;
    Some(FudanCell::row_column(row.parse().ok()?, column.parse().ok()?))
}

fn valued(text: &str) -> Option<(Points, FudanCell)> {
    let (points, at) = text.trim().split_once(' ')?;
    Some((points.parse().ok()?, cell(at)?))
}

fn answers(line: &str) -> Answers {
    let fields: Vec<&str> = line.split('|').collect();
    let (first, second) = fields[0].split_once('/').unwrap();
    let mut board = FudanBoard::new(20, 20).unwrap();
    for (side, stones) in [(Side::First, first), (Side::Second, second)] {
        for stone in stones.split_whitespace() {
            board.place(cell(stone).unwrap(), side).unwrap();
        }
    }
    Answers {
        board,
        last: valued(fields[1]).unwrap(),
        pydan2: valued(fields[2]).unwrap(),
        naive: cell(fields[3].trim()),
        last_depth_3: valued(fields[4]),
    }
}

fn all() -> Vec<Answers> {
    let lines = include_str!("published.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(answers).collect()
}

fn faithful(set: ParameterSet, board: &FudanBoard, limits: &Limits) -> (Points, FudanCell) {
    let options = FudanAlphaBetaOptions { set, faithful: true, ..FudanAlphaBetaOptions::default() };
    let choice = FudanAlphaBeta::new(options).search(board, limits).unwrap();
    (choice.points, choice.cell)
}

#[test]
fn faithful_agents_reproduce_the_published_answers() {
    let all = all();
    assert_eq!(all.len(), 60);
    let own_depth = Limits::default();
    for (at, answers) in all.iter().enumerate() {
        let board = &answers.board;
        let [last, pydan2] =
            [ParameterSet::Final, ParameterSet::Pydan2].map(|set| faithful(set, board, &own_depth));
        assert_eq!(last, answers.last, "final, position {at}");
        assert_eq!(pydan2, answers.pydan2, "pydan2, position {at}");
    }
}

/// At greater depth, the blindness of minimizing nodes and the extensions of forced moves take
/// effect.
#[test]
fn a_faithful_agent_reproduces_the_published_faults_at_depth_3() {
    let all = all();
    let deep = all.iter().filter_map(|answers| Some((&answers.board, answers.last_depth_3?)));
    let mut compared = 0;
    for (board, answer) in deep {
        assert_eq!(faithful(ParameterSet::Final, board, &Limits::depth(3)), answer);
        compared += 1;
    }
    assert_eq!(compared, 39);
}

#[test]
fn the_naive_agent_reproduces_the_published_answers() {
    for (at, answers) in all().iter().enumerate() {
        let mut agent = FudanNaive::new(FudanNaiveOptions::default());
        let chosen = agent.choose(&answers.board, &Limits::default());
        match answers.naive {
            Some(cell) => assert_eq!(chosen, Some(cell), "position {at}"),
            None => assert!(chosen.is_some_and(|cell| answers.board.is_empty(cell))),
        }
    }
}

/// With the faults corrected some answers must differ.
#[test]
fn corrected_agents_give_other_answers() {
    let differs = |answers: &&Answers| {
        let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions {
            set: ParameterSet::Pydan2,
            ..FudanAlphaBetaOptions::default()
        });
        let choice = agent.search(&answers.board, &Limits::default()).unwrap();
        choice.cell != answers.pydan2.1
    };
    let different = all().iter().filter(differs).count();
    assert!(different >= 5, "{different} of 60");
}
