//! The votes of a forest: which placements of its patterns say what, and what each move would change.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::diagram::Diagram;
use tesuji_games::{Draw, Position, RowBoard, RowPosition, Score, Side, State};
use tesuji_learn::forest::{
    CandidateOrder, CellContent, Class, DecisionNode, DecisionTree, Evaluation, ForestCandidates,
    ForestEvaluator, IGNORED, PatternTree, Votes, contents_seen_by,
};
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::Evaluator;

use super::snapshot::{Step, step};
use super::{DeskError, unfinished};

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

/// How a forest votes, and why.
pub fn votes(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<ForestVotes, DeskError> {
    let position = unfinished(&context.game, moves)?.end;
    let forest = tesuji_players::forest::voting_forest(player, &context.game).ok_or_else(|| {
        let expected = "a forest, such as forest";
        DeskError::another_player("the picture of votes", player, expected)
    })?;
    let (model, evaluation) = forest?;
    let unfit = DeskError::Unsolved("forests look at games with stones on a flat board");
    let board = RowBoard::of(&position).ok_or(unfit)?;
    let forest = Voters::new(&evaluation, contents_seen_by(position.to_move(), &board));
    let (value, moves) = valued_moves(&position, board, &evaluation, &forest);
    let best = moves.first().and_then(|best| best.step.cells.last().copied());
    let after = best.map_or(forest.fields.clone(), |best| forest.fields_with(best));
    let (told, deciding) = forest.worth_telling(best, &after);
    let drawn = position.diagram();
    let of_cell = |cell| sum(forest.through(cell).map(|voter| (voter.said, voter.wood.weight)));
    Ok(ForestVotes {
        model,
        value,
        to_move: position.to_move(),
        votes: forest.total(None),
        cells: (0..forest.fields.len()).map(of_cell).collect(),
        voting: forest.all.iter().filter(|voter| voter.said.is_some()).count(),
        placements: told.iter().map(|voter| voter.told(&forest.fields, &after, &drawn)).collect(),
        moves,
        deciding: (0..deciding).collect(),
    })
}

/// The position and every move as the player sees them, the moves best first.
fn valued_moves(
    position: &State,
    board: RowBoard,
    evaluation: &Arc<Evaluation>,
    forest: &Voters<'_>,
) -> (Score, Vec<VotedMove>) {
    let everywhere =
        Arc::new(ForestCandidates::new(evaluation.grid(), None, CandidateOrder::Off, false));
    let mut seen = ForestEvaluator::new(evaluation.clone(), everywhere);
    seen.start(&board);
    let value = Score::estimate(seen.evaluate(&board));
    let (mut moves, mut tried) = (Vec::new(), board.clone());
    board.for_each_move(|own| {
        let cell = board.cell(own);
        if let Some(m) = position.move_to(cell) {
            let (votes, value) = (forest.total(Some(cell)), seen.value_after(&mut tried, own));
            moves.push(VotedMove { step: step(position, m), value, votes });
        }
    });
    moves.sort_by_key(|known| Reverse(known.value));
    (value, moves)
}

/// All placements of the patterns of a forest.
struct Voters<'e> {
    evaluation: &'e Evaluation,
    fields: Vec<CellContent>,
    all: Vec<Voter<'e>>,
    /// By cell: the numbers of the voters that it is part of.
    through: Vec<Vec<usize>>,
}

/// A placement of a tree's pattern, and what it says.
struct Voter<'e> {
    /// Counted from 0.
    tree: usize,
    wood: &'e PatternTree,
    cells: &'e [u16],
    said: Option<Class>,
}

impl<'e> Voters<'e> {
    fn new(evaluation: &'e Evaluation, fields: Vec<CellContent>) -> Voters<'e> {
        let (mut all, mut through) = (Vec::new(), vec![Vec::new(); fields.len()]);
        for (tree, wood) in evaluation.trees().iter().enumerate() {
            for cells in evaluation.placements_of(tree) {
                cells.iter().for_each(|&cell| through[usize::from(cell)].push(all.len()));
                let mut voter = Voter { tree, wood, cells, said: None };
                voter.said = voter.vote(&fields);
                all.push(voter);
            }
        }
        Voters { evaluation, fields, all, through }
    }

    fn through(&self, cell: usize) -> impl Iterator<Item = &Voter<'e>> {
        self.through[cell].iter().map(|&number| &self.all[number])
    }

    /// What lies on the board with a stone more of the side that looks.
    fn fields_with(&self, cell: usize) -> Vec<CellContent> {
        let mut fields = self.fields.clone();
        fields[cell] = CellContent::Mine;
        fields
    }

    /// All votes; with a cell, those with a stone more of the side that looks there.
    fn total(&self, with: Option<usize>) -> Votes {
        let mut said: Vec<Option<Class>> = self.all.iter().map(|voter| voter.said).collect();
        if let Some(cell) = with {
            let fields = self.fields_with(cell);
            for &number in &self.through[cell] {
                said[number] = self.all[number].vote(&fields);
            }
        }
        sum(said.into_iter().zip(self.all.iter().map(|voter| voter.wood.weight)))
    }

    /// The voters to be told of. So many of them, at the beginning, are those that the best move changes most.
    fn worth_telling(
        &self,
        best: Option<usize>,
        after: &[CellContent],
    ) -> (Vec<&Voter<'e>>, usize) {
        let mut told = best.map_or(Vec::new(), |best| self.deciding(best, after));
        let deciding = told.len();
        let mut chosen = vec![false; self.all.len()];
        told.iter().for_each(|&number| chosen[number] = true);
        for numbers in &self.through {
            let saying = numbers.iter().filter(|&&number| self.all[number].said.is_some());
            let mut saying: Vec<usize> = saying.copied().collect();
            saying.sort_by_key(|&number| Reverse(self.all[number].stones(&self.fields)));
            for number in saying.into_iter().take(OF_EACH_CELL) {
                if !chosen[number] && told.len() < MOST_TOLD {
                    chosen[number] = true;
                    told.push(number);
                }
            }
        }
        (told.into_iter().map(|number| &self.all[number]).collect(), deciding)
    }

    /// The voters that change most by a stone, those first that change more.
    fn deciding(&self, cell: usize, after: &[CellContent]) -> Vec<usize> {
        let formula = self.evaluation.formula();
        let worth = |said| match said {
            Some(Class::Win) => formula.win,
            Some(Class::Loss) => formula.loss,
            Some(Class::Draw) | None => formula.draw,
        };
        let change = |&number: &usize| {
            let voter = &self.all[number];
            let (then, weight) = (voter.vote(after), f64::from(voter.wood.weight));
            let change = ((worth(then) - worth(voter.said)) * weight).abs();
            (voter.said != then).then_some((number, change))
        };
        let mut changed: Vec<(usize, f64)> = self.through[cell].iter().filter_map(change).collect();
        changed.sort_by(|one, other| other.1.total_cmp(&one.1));
        changed.into_iter().take(MOST_DECIDING).map(|(number, _)| number).collect()
    }
}

impl Voter<'_> {
    fn field(&self, place: usize, fields: &[CellContent]) -> CellContent {
        fields[usize::from(self.cells[place])]
    }

    fn stones(&self, fields: &[CellContent]) -> usize {
        let places = 0..self.cells.len();
        places.filter(|&place| self.field(place, fields) != CellContent::Empty).count()
    }

    fn vote(&self, fields: &[CellContent]) -> Option<Class> {
        let sees = self.stones(fields) > 0;
        sees.then(|| self.wood.decisions.classify(|place| self.field(place, fields)))
    }

    fn told(
        &self,
        fields: &[CellContent],
        after: &[CellContent],
        board: &Diagram,
    ) -> PlacementVote {
        let letter = |place| shown(self.field(place, fields)).0;
        let contents = self.wood.table.iter().filter(|&&entry| entry != IGNORED);
        let answers = contents.map(|&entry| (Some(Class::ALL[usize::from(entry)]), 1));
        PlacementVote {
            tree: self.tree + 1,
            cells: self.cells.iter().copied().map(usize::from).collect(),
            seen: (0..self.cells.len()).map(letter).collect(),
            vote: self.said,
            after: self.vote(after),
            counts: sum(answers),
            rule: self.rule(fields, board),
        }
    }

    /// The questions that led to the answer, in words.
    fn rule(&self, fields: &[CellContent], board: &Diagram) -> String {
        let said = match self.said {
            None => return "no stone here yet".to_string(),
            Some(Class::Win) => "a win",
            Some(Class::Draw) => "a draw",
            Some(Class::Loss) => "a loss",
        };
        let asked = questions(&self.wood.decisions, |place| self.field(place, fields));
        let words = asked.into_iter().map(|place| {
            let (_, what) = shown(self.field(place, fields));
            format!("{}: {what}", label(board, usize::from(self.cells[place])))
        });
        let words: Vec<String> = words.collect();
        match words.is_empty() {
            true => format!("whatever lies here: {said}"),
            false => format!("{}: {said}", words.join(", ")),
        }
    }
}

/// What lies on a cell, as a letter and in words.
fn shown(field: CellContent) -> (char, &'static str) {
    match field {
        CellContent::Empty => ('.', "empty"),
        CellContent::Mine => ('X', "own stone"),
        CellContent::Theirs => ('O', "other stone"),
    }
}

/// Answers with their weights as votes.
fn sum(said: impl Iterator<Item = (Option<Class>, u32)>) -> Votes {
    let mut votes = Votes::default();
    for (class, weight) in said.filter_map(|(said, weight)| Some((said?, weight))) {
        votes.add(class, weight);
    }
    votes
}

/// The cells of a pattern that its tree asks for, up to where only one answer is left.
fn questions(tree: &DecisionTree, field: impl Fn(usize) -> CellContent) -> Vec<usize> {
    let (tree, mut place, mut asked) = (tree.pruned(), 0, Vec::new());
    while let DecisionNode::Split { attribute, branches } = tree.nodes()[place] {
        asked.push(usize::from(attribute));
        place = branches[field(usize::from(attribute)) as usize] as usize;
    }
    asked
}

fn label(board: &Diagram, cell: usize) -> String {
    let columns = board.columns.len().max(1);
    let part = |labels: &[String], place: usize| labels.get(place).cloned().unwrap_or_default();
    part(&board.columns, cell % columns) + &part(&board.rows, cell / columns)
}
