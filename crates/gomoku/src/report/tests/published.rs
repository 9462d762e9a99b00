//! The published programs' own answers, by running them: a faithful agent gives the same value and the same move.

use tesuji_games::Side;

use crate::report::{
    AlphaBeta, Board, Cell, Limits, Naive, NaiveOptions, Options, ParameterSet, Points, ReportAgent,
};

/// A position and the answers to it.
struct Answers {
    board: Board,
    last: (Points, Cell),
    pydan2: (Points, Cell),
    naive: Option<Cell>,
}

fn cell(text: &str) -> Option<Cell> {
    let (row, column) = text.split_once(',')?;
    Some(Cell::row_column(row.parse().ok()?, column.parse().ok()?))
}

fn valued(text: &str) -> (Points, Cell) {
    let (points, at) = text.trim().split_once(' ').unwrap();
    (points.parse().unwrap(), cell(at).unwrap())
}

fn answers(line: &str) -> Answers {
    let fields: Vec<&str> = line.split('|').collect();
    let (first, second) = fields[0].split_once('/').unwrap();
    let mut board = Board::new(20, 20).unwrap();
    for (side, stones) in [(Side::First, first), (Side::Second, second)] {
        for stone in stones.split_whitespace() {
            board.place(cell(stone).unwrap(), side).unwrap();
        }
    }
    Answers {
        board,
        last: valued(fields[1]),
        pydan2: valued(fields[2]),
        naive: cell(fields[3].trim()),
    }
}

fn all() -> Vec<Answers> {
    let lines = include_str!("published.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(answers).collect()
}

fn faithful(set: ParameterSet, board: &Board) -> (Points, Cell) {
    let options = Options { set, faithful: true, ..Options::default() };
    let choice = AlphaBeta::new(options).search(board, &Limits::default()).unwrap();
    (choice.points, choice.cell)
}

#[test]
fn faithful_agents_answer_as_the_published_programs_do() {
    let all = all();
    assert_eq!(all.len(), 60);
    for (at, answers) in all.iter().enumerate() {
        let board = &answers.board;
        assert_eq!(faithful(ParameterSet::Final, board), answers.last, "final, position {at}");
        assert_eq!(faithful(ParameterSet::Pydan2, board), answers.pydan2, "pydan2, position {at}");
    }
}

#[test]
fn the_naive_agent_answers_as_the_published_program_does() {
    for (at, answers) in all().iter().enumerate() {
        let mut agent = Naive::new(NaiveOptions::default());
        let chosen = agent.choose(&answers.board, &Limits::default());
        match answers.naive {
            Some(cell) => assert_eq!(chosen, Some(cell), "position {at}"),
            None => assert!(chosen.is_some_and(|cell| answers.board.is_empty(cell))),
        }
    }
}

/// With the faults mended, some answers must differ, or there was nothing to mend.
#[test]
fn mended_agents_answer_differently_somewhere() {
    let differs = |answers: &&Answers| {
        let mut agent = AlphaBeta::new(Options { set: ParameterSet::Pydan2, ..Options::default() });
        let choice = agent.search(&answers.board, &Limits::default()).unwrap();
        choice.cell != answers.pydan2.1
    };
    let different = all().iter().filter(differs).count();
    assert!(different >= 5, "{different} of 60");
}
