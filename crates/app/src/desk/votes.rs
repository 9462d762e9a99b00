//! The votes of a forest: which placements of its patterns say what, and what each move would change.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::diagram::Diagram;
use tesuji_games::{Draw, Line, Position, RowBoard, Score, Side, SpecError, State, Stones};
use tesuji_learn::forest::{
    Candidates, Class, Evaluation, Field, ForestEvaluator, IGNORED, Node, Order, Tree, Votes, Wood,
    fields_seen_by,
};
use tesuji_search::Evaluator;

use super::DeskError;
use super::snapshot::{Step, step};
use tesuji_play::{PlayerContext, PlayerSpec};

/// What a forest says of a position. The side to move looks: a vote for a win is one for its win.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForestVotes {
    /// What the forest is called.
    pub model: String,
    /// What the position is worth to the side to move.
    pub value: Score,
    /// The side to move.
    pub to_move: Side,
    /// All votes.
    pub votes: Votes,
    /// By cell of the board: the votes of the placements that it is part of.
    pub cells: Vec<Votes>,
    /// How many placements vote.
    pub voting: usize,
    /// Some of them: those that the best move changes most, and of each cell a few that see most stones.
    pub placements: Vec<PlacementVote>,
    /// Every move, best first.
    pub moves: Vec<VotedMove>,
    /// The places among the placements of those that the best move changes most, those first that change more.
    pub deciding: Vec<usize>,
}

/// What the tree of one placement says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlacementVote {
    /// The number of the tree, from 1.
    pub tree: usize,
    /// Where its pattern lies.
    pub cells: Vec<usize>,
    /// What it sees there: `X` a stone of the side to move, `O` one of the other, `.` nothing.
    pub seen: String,
    /// What it says; nothing where it sees no stone.
    pub vote: Option<Class>,
    /// What it would say after the best move.
    pub after: Option<Class>,
    /// How many contents of its pattern the tree calls a win, a draw, a loss.
    pub counts: Votes,
    /// Why it says so.
    pub rule: String,
}

/// What a forest says of the position after a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VotedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// For the side that makes it.
    pub value: Score,
    /// The votes then.
    pub votes: Votes,
}

/// So many placements are told of that the best move changes.
const MOST_DECIDING: usize = 12;
/// So many of each cell.
const OF_EACH_CELL: usize = 3;
/// And so many in all.
const MOST_TOLD: usize = 600;

pub(super) fn of(
    line: &Line,
    player: &PlayerSpec,
    context: &PlayerContext,
) -> Result<ForestVotes, DeskError> {
    let forest = tesuji_players::forest::voters(player, &context.game);
    let (model, evaluation) = forest.unwrap_or_else(|| {
        Err(SpecError::BadValue {
            owner: "the picture of votes".to_string(),
            option: "player".to_string(),
            value: player.text().to_string(),
            expected: "a forest, such as forest".to_string(),
        })
    })?;
    let unfit = DeskError::Unsolved("forests look at games with stones on a flat board");
    let board = RowBoard::of(&line.end).ok_or(unfit)?;
    let position = &line.end;
    let hall = Hall::new(&evaluation, fields_seen_by(position.to_move(), &board));
    let (value, moves) = valued_moves(position, board, &evaluation, &hall);
    let best = moves.first().and_then(|best| best.step.cells.last().copied());
    let (told, deciding) = hall.worth_telling(best);
    let drawn = position.diagram();
    Ok(ForestVotes {
        model,
        value,
        to_move: position.to_move(),
        votes: hall.total,
        cells: hall.by_cell(),
        voting: hall.said.iter().flatten().count(),
        placements: told.iter().map(|&voter| hall.told(voter, best, &drawn)).collect(),
        moves,
        deciding: (0..deciding).collect(),
    })
}

/// The position and every move as the player sees them, the moves best first.
fn valued_moves(
    position: &State,
    board: RowBoard,
    evaluation: &Arc<Evaluation>,
    hall: &Hall<'_>,
) -> (Score, Vec<VotedMove>) {
    let everywhere = Arc::new(Candidates::new(evaluation.grid(), None, Order::Off, false));
    let mut seen = ForestEvaluator::new(evaluation.clone(), everywhere);
    seen.start(&board);
    let value = Score::estimate(seen.evaluate(&board));
    let (mut moves, mut tried) = (Vec::new(), board.clone());
    board.for_each_move(|own| {
        let cell = board.cell(own);
        if let Some(m) = position.move_to(cell) {
            let (votes, value) = (hall.total_after(cell), seen.value_after(&mut tried, own));
            moves.push(VotedMove { step: step(position, m), value, votes });
        }
    });
    moves.sort_by_key(|known| Reverse(known.value));
    (value, moves)
}

/// All placements with what they see and say.
struct Hall<'e> {
    evaluation: &'e Evaluation,
    fields: Vec<Field>,
    voters: Vec<Voter<'e>>,
    /// By voter.
    said: Vec<Option<Class>>,
    total: Votes,
    /// By cell: the voters that it is part of.
    through: Vec<Vec<usize>>,
}

/// A placement of a tree's pattern.
#[derive(Clone, Copy)]
struct Voter<'e> {
    tree: usize,
    cells: &'e [u16],
}

impl<'e> Hall<'e> {
    fn new(evaluation: &'e Evaluation, fields: Vec<Field>) -> Hall<'e> {
        let laid = (0..evaluation.woods().len()).flat_map(|tree| {
            let placements = evaluation.placements_of(tree).iter();
            placements.map(move |cells| Voter { tree, cells })
        });
        let voters: Vec<Voter<'e>> = laid.collect();
        let mut through = vec![Vec::new(); fields.len()];
        for (number, voter) in voters.iter().enumerate() {
            voter.cells.iter().for_each(|&cell| through[usize::from(cell)].push(number));
        }
        let (said, total) = (Vec::new(), Votes::default());
        let mut hall = Hall { evaluation, fields, voters, said, total, through };
        for voter in 0..hall.voters.len() {
            let said = hall.vote(voter, None);
            let weight = hall.wood(voter).weight;
            add(&mut hall.total, said, weight);
            hall.said.push(said);
        }
        hall
    }

    fn wood(&self, voter: usize) -> &Wood {
        &self.evaluation.woods()[self.voters[voter].tree]
    }

    /// What lies on a cell, with a stone more of the side that looks.
    fn field(&self, cell: u16, with: Option<usize>) -> Field {
        let cell = usize::from(cell);
        if with == Some(cell) { Field::Mine } else { self.fields[cell] }
    }

    fn vote(&self, voter: usize, with: Option<usize>) -> Option<Class> {
        let cells = self.voters[voter].cells;
        let sees = cells.iter().any(|&cell| self.field(cell, with) != Field::Empty);
        sees.then(|| self.wood(voter).tree.classify(|place| self.field(cells[place], with)))
    }

    /// The votes with a stone more of the side that looks.
    fn total_after(&self, cell: usize) -> Votes {
        let (mut votes, mut gone) = (self.total, Votes::default());
        for &voter in &self.through[cell] {
            let weight = self.wood(voter).weight;
            add(&mut gone, self.said[voter], weight);
            add(&mut votes, self.vote(voter, Some(cell)), weight);
        }
        Votes {
            win: votes.win - gone.win,
            draw: votes.draw - gone.draw,
            loss: votes.loss - gone.loss,
        }
    }

    fn by_cell(&self) -> Vec<Votes> {
        let votes_of = |voters: &Vec<usize>| {
            let mut votes = Votes::default();
            voters
                .iter()
                .for_each(|&voter| add(&mut votes, self.said[voter], self.wood(voter).weight));
            votes
        };
        self.through.iter().map(votes_of).collect()
    }

    /// The voters to be told of. So many of them, at the beginning, are those that the best move changes most.
    fn worth_telling(&self, best: Option<usize>) -> (Vec<usize>, usize) {
        let mut told = best.map_or(Vec::new(), |best| self.deciding(best));
        let deciding = told.len();
        let mut chosen = vec![false; self.voters.len()];
        told.iter().for_each(|&voter| chosen[voter] = true);
        for voters in &self.through {
            let mut voters: Vec<usize> =
                voters.iter().copied().filter(|&voter| self.said[voter].is_some()).collect();
            voters.sort_by_key(|&voter| Reverse(self.stones_seen(voter)));
            for voter in voters.into_iter().take(OF_EACH_CELL) {
                if !chosen[voter] && told.len() < MOST_TOLD {
                    chosen[voter] = true;
                    told.push(voter);
                }
            }
        }
        (told, deciding)
    }

    fn stones_seen(&self, voter: usize) -> usize {
        let cells = self.voters[voter].cells.iter();
        cells.filter(|&&cell| self.field(cell, None) != Field::Empty).count()
    }

    /// The voters that change most by a stone, those first that change more.
    fn deciding(&self, cell: usize) -> Vec<usize> {
        let change = |voter: usize| {
            let (before, after) = (self.said[voter], self.vote(voter, Some(cell)));
            let weight = f64::from(self.wood(voter).weight);
            (before != after).then(|| ((self.worth(after) - self.worth(before)) * weight).abs())
        };
        let through = self.through[cell].iter();
        let mut changed: Vec<(usize, f64)> =
            through.filter_map(|&voter| Some((voter, change(voter)?))).collect();
        changed.sort_by(|one, other| other.1.total_cmp(&one.1));
        changed.into_iter().take(MOST_DECIDING).map(|(voter, _)| voter).collect()
    }

    fn worth(&self, said: Option<Class>) -> f64 {
        let formula = self.evaluation.formula();
        match said {
            Some(Class::Win) => formula.win,
            Some(Class::Loss) => formula.loss,
            Some(Class::Draw) | None => formula.draw,
        }
    }

    fn told(&self, voter: usize, best: Option<usize>, board: &Diagram) -> PlacementVote {
        let Voter { tree, cells } = self.voters[voter];
        let letter = |&cell: &u16| match self.field(cell, None) {
            Field::Empty => '.',
            Field::Mine => 'X',
            Field::Theirs => 'O',
        };
        PlacementVote {
            tree: tree + 1,
            cells: cells.iter().copied().map(usize::from).collect(),
            seen: cells.iter().map(letter).collect(),
            vote: self.said[voter],
            after: self.vote(voter, best),
            counts: answers(self.wood(voter)),
            rule: self.rule(voter, board),
        }
    }

    /// The questions that led to the answer, in words.
    fn rule(&self, voter: usize, board: &Diagram) -> String {
        let Some(said) = self.said[voter] else { return "no stone here yet".to_string() };
        let cells = self.voters[voter].cells;
        let asked = questions(&self.wood(voter).tree, |place| self.field(cells[place], None));
        let words = asked.into_iter().map(|place| {
            let what = match self.field(cells[place], None) {
                Field::Empty => "empty",
                Field::Mine => "own stone",
                Field::Theirs => "other stone",
            };
            format!("{}: {what}", label(board, usize::from(cells[place])))
        });
        let words: Vec<String> = words.collect();
        let said = match said {
            Class::Win => "a win",
            Class::Draw => "a draw",
            Class::Loss => "a loss",
        };
        match words.is_empty() {
            true => format!("whatever lies here: {said}"),
            false => format!("{}: {said}", words.join(", ")),
        }
    }
}

fn add(votes: &mut Votes, said: Option<Class>, weight: u32) {
    if let Some(class) = said {
        votes.add(class, weight);
    }
}

/// The cells of a pattern that its tree asks for, up to where only one answer is left.
fn questions(tree: &Tree, field: impl Fn(usize) -> Field) -> Vec<usize> {
    let (tree, mut place, mut asked) = (tree.pruned(), 0, Vec::new());
    while let Node::Split { attribute, branches } = tree.nodes()[place] {
        asked.push(usize::from(attribute));
        place = branches[field(usize::from(attribute)) as usize] as usize;
    }
    asked
}

/// How many contents of its pattern a tree calls what.
fn answers(wood: &Wood) -> Votes {
    let mut votes = Votes::default();
    for &entry in wood.table.iter().filter(|&&entry| entry != IGNORED) {
        votes.add(Class::ALL[usize::from(entry)], 1);
    }
    votes
}

/// The name of a cell.
fn label(board: &Diagram, cell: usize) -> String {
    let columns = board.columns.len().max(1);
    let part = |labels: &[String], place: usize| labels.get(place).cloned().unwrap_or_default();
    part(&board.columns, cell % columns) + &part(&board.rows, cell / columns)
}
