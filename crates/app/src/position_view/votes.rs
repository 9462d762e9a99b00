//! The votes of a forest: the vote of each placement of its patterns, and the change by each move.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::diagram::Diagram;
use tesuji_games::{Draw, Position, RowBoard, RowPosition, Score, Side, State};
use tesuji_learn::forest::{
    CandidateOrder, CellContent, Class, DecisionNode, DecisionTree, ForestCandidates,
    ForestEvaluation, ForestEvaluator, PatternTree, Vote, Votes, contents_seen_by,
};
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::Evaluator;

use super::snapshot::{BoardMove, step};
use super::{PositionViewError, unfinished};

/// The votes of a forest on a position, from the view of the side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForestVotes {
    /// The name of the model.
    pub model: String,
    /// The value for the side to move.
    pub value: Score,
    /// The side to move.
    pub to_move: Side,
    /// All votes.
    pub votes: Votes,
    /// For each cell of the board, the votes of the placements that contain it.
    pub cells: Vec<Votes>,
    /// The number of placements that vote.
    pub voting: usize,
    /// A selection: the placements that the best move changes most, and for each cell a few that
    /// contain most stones.
    pub placements: Vec<PlacementVote>,
    /// Every move, best first.
    pub moves: Vec<MoveVotes>,
    /// The indices of the placements that the best move changes most, largest change first.
    pub deciding: Vec<usize>,
}

/// The vote of one placement of a tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlacementVote {
    /// The number of the tree, from 1.
    pub tree: usize,
    /// The cells of its pattern.
    pub cells: Vec<usize>,
    /// Their content: `X` a stone of the side to move, `O` a stone of the other side, `.` empty.
    pub seen: String,
    /// The vote; `None` without a stone, or if the tree does not vote on this content.
    pub vote: Option<Class>,
    /// The vote after the best move.
    pub after: Option<Class>,
    /// How many contents of its pattern the tree classifies as win, draw and loss.
    pub counts: Votes,
    /// The rule that decided the vote.
    pub rule: String,
}

/// The votes of a forest after a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveVotes {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The value for the side that makes it.
    pub value: Score,
    /// The votes after it.
    pub votes: Votes,
}

/// The most placements that the best move changes.
const MAX_DECIDING: usize = 12;
/// The most placements of each cell.
const MAX_PER_CELL: usize = 3;
/// The most placements in all.
const MAX_PLACEMENTS: usize = 600;

/// Returns the votes of a forest and their rules.
pub fn votes(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<ForestVotes, PositionViewError> {
    let position = unfinished(&context.game, moves)?.end;
    let forest = tesuji_players::forest::voting_forest(player, &context.game).ok_or_else(|| {
        let expected = "the player forest";
        PositionViewError::unsupported_player("the forest view", player, expected)
    })?;
    let (model, evaluation) = forest?;
    let unfit = PositionViewError::Unsolved("forest: needs a game with stones on a flat board");
    let board = RowBoard::of(&position).ok_or(unfit)?;
    let forest = Placements::new(&evaluation, contents_seen_by(position.to_move(), &board));
    let (value, moves) = valued_moves(&position, board, &evaluation, &forest);
    let best = moves.first().and_then(|best| best.step.cells.last().copied());
    let after = best.map_or(forest.fields.clone(), |best| forest.fields_with(best));
    let (selected, deciding) = forest.selected(best, &after);
    let drawn = position.diagram();
    let of_cell =
        |cell| sum(forest.through(cell).map(|placement| (placement.vote, placement.wood.weight)));
    Ok(ForestVotes {
        model,
        value,
        to_move: position.to_move(),
        votes: forest.total(None),
        cells: (0..forest.fields.len()).map(of_cell).collect(),
        voting: forest.all.iter().filter(|placement| placement.vote != Vote::NONE).count(),
        placements: selected
            .iter()
            .map(|placement| placement.view(&forest.fields, &after, &drawn))
            .collect(),
        moves,
        deciding: (0..deciding).collect(),
    })
}

/// Returns the player's values of the position and of every move, best move first.
fn valued_moves(
    position: &State,
    board: RowBoard,
    evaluation: &Arc<ForestEvaluation>,
    forest: &Placements<'_>,
) -> (Score, Vec<MoveVotes>) {
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
            moves.push(MoveVotes { step: step(position, m), value, votes });
        }
    });
    moves.sort_by_key(|known| Reverse(known.value));
    (value, moves)
}

/// All placements of the patterns of a forest.
struct Placements<'e> {
    evaluation: &'e ForestEvaluation,
    fields: Vec<CellContent>,
    all: Vec<Placement<'e>>,
    /// For each cell, the indices of the placements that contain it.
    through: Vec<Vec<usize>>,
}

/// A placement of a tree's pattern, and its vote.
struct Placement<'e> {
    /// Counted from 0.
    tree: usize,
    wood: &'e PatternTree,
    cells: &'e [u16],
    vote: Vote,
}

impl<'e> Placements<'e> {
    fn new(evaluation: &'e ForestEvaluation, fields: Vec<CellContent>) -> Placements<'e> {
        let (mut all, mut through) = (Vec::new(), vec![Vec::new(); fields.len()]);
        for (tree, wood) in evaluation.trees().iter().enumerate() {
            for cells in evaluation.placements_of(tree) {
                cells.iter().for_each(|&cell| through[usize::from(cell)].push(all.len()));
                let mut placement = Placement { tree, wood, cells, vote: Vote::NONE };
                placement.vote = placement.vote_on(&fields);
                all.push(placement);
            }
        }
        Placements { evaluation, fields, all, through }
    }

    fn through(&self, cell: usize) -> impl Iterator<Item = &Placement<'e>> {
        self.through[cell].iter().map(|&number| &self.all[number])
    }

    /// The board with one more stone of the side to move.
    fn fields_with(&self, cell: usize) -> Vec<CellContent> {
        let mut fields = self.fields.clone();
        fields[cell] = CellContent::Mine;
        fields
    }

    /// The sum of all votes, optionally with one more stone of the side to move on a cell.
    fn total(&self, with: Option<usize>) -> Votes {
        let mut said: Vec<Vote> = self.all.iter().map(|placement| placement.vote).collect();
        if let Some(cell) = with {
            let fields = self.fields_with(cell);
            for &number in &self.through[cell] {
                said[number] = self.all[number].vote_on(&fields);
            }
        }
        sum(said.into_iter().zip(self.all.iter().map(|placement| placement.wood.weight)))
    }

    /// Selects placements to show. Also returns how many of the first ones are those that the best
    /// move changes most.
    fn selected(&self, best: Option<usize>, after: &[CellContent]) -> (Vec<&Placement<'e>>, usize) {
        let mut selected = best.map_or(Vec::new(), |best| self.deciding(best, after));
        let deciding = selected.len();
        let mut chosen = vec![false; self.all.len()];
        selected.iter().for_each(|&number| chosen[number] = true);
        for numbers in &self.through {
            let saying = numbers.iter().filter(|&&number| self.all[number].vote != Vote::NONE);
            let mut saying: Vec<usize> = saying.copied().collect();
            saying.sort_by_key(|&number| Reverse(self.all[number].stones(&self.fields)));
            for number in saying.into_iter().take(MAX_PER_CELL) {
                if !chosen[number] && selected.len() < MAX_PLACEMENTS {
                    chosen[number] = true;
                    selected.push(number);
                }
            }
        }
        (selected.into_iter().map(|number| &self.all[number]).collect(), deciding)
    }

    /// The placements that a stone on a cell changes most, largest change first.
    fn deciding(&self, cell: usize, after: &[CellContent]) -> Vec<usize> {
        let formula = self.evaluation.formula();
        let worth = |said: Vote| {
            let of = said.class().map_or(formula.draw, |class| formula.of(class));
            of * f64::from(said.count().max(1))
        };
        let change = |&number: &usize| {
            let placement = &self.all[number];
            let (then, weight) = (placement.vote_on(after), f64::from(placement.wood.weight));
            let change = ((worth(then) - worth(placement.vote)) * weight).abs();
            (placement.vote != then).then_some((number, change))
        };
        let mut changed: Vec<(usize, f64)> = self.through[cell].iter().filter_map(change).collect();
        changed.sort_by(|one, other| other.1.total_cmp(&one.1));
        changed.into_iter().take(MAX_DECIDING).map(|(number, _)| number).collect()
    }
}

impl Placement<'_> {
    fn field(&self, place: usize, fields: &[CellContent]) -> CellContent {
        fields[usize::from(self.cells[place])]
    }

    fn stones(&self, fields: &[CellContent]) -> usize {
        let places = 0..self.cells.len();
        places.filter(|&place| self.field(place, fields) != CellContent::Empty).count()
    }

    fn vote_on(&self, fields: &[CellContent]) -> Vote {
        let sees = self.stones(fields) > 0;
        match sees {
            true => self.wood.decisions.vote(|place| self.field(place, fields)),
            false => Vote::NONE,
        }
    }

    fn view(
        &self,
        fields: &[CellContent],
        after: &[CellContent],
        board: &Diagram,
    ) -> PlacementVote {
        let letter = |place| field_text(self.field(place, fields)).0;
        let answers = self.wood.table.iter().map(|&entry| Vote::of_entry(entry).class());
        let mut counts = Votes::default();
        answers.flatten().for_each(|class| counts.add(class, 1));
        PlacementVote {
            tree: self.tree + 1,
            cells: self.cells.iter().copied().map(usize::from).collect(),
            seen: (0..self.cells.len()).map(letter).collect(),
            vote: self.vote.class(),
            after: self.vote_on(after).class(),
            counts,
            rule: self.rule(fields, board),
        }
    }

    /// The tests that led to the vote, as text.
    fn rule(&self, fields: &[CellContent], board: &Diagram) -> String {
        let said = match self.vote.class() {
            None if self.stones(fields) == 0 => return "no stone here yet".to_string(),
            None => "no vote",
            Some(Class::Win) => "a win",
            Some(Class::Draw) => "a draw",
            Some(Class::Loss) => "a loss",
        };
        let tested = tested_cells(&self.wood.decisions, |place| self.field(place, fields));
        let words = tested.into_iter().map(|place| {
            let (_, what) = field_text(self.field(place, fields));
            format!("{}: {what}", cell_label(board, usize::from(self.cells[place])))
        });
        let words: Vec<String> = words.collect();
        match words.is_empty() {
            true => format!("whatever lies here: {said}"),
            false => format!("{}: {said}", words.join(", ")),
        }
    }
}

/// The content of a cell as a letter and as text.
fn field_text(field: CellContent) -> (char, &'static str) {
    match field {
        CellContent::Empty => ('.', "empty"),
        CellContent::Mine => ('X', "own stone"),
        CellContent::Theirs => ('O', "other stone"),
    }
}

/// Sums weighted votes.
fn sum(said: impl Iterator<Item = (Vote, u32)>) -> Votes {
    let mut votes = Votes::default();
    for (vote, weight) in said {
        let count = weight * vote.count();
        vote.class().into_iter().for_each(|class| votes.add(class, count));
    }
    votes
}

/// The cells of a pattern that its pruned tree tests before it decides.
fn tested_cells(tree: &DecisionTree, field: impl Fn(usize) -> CellContent) -> Vec<usize> {
    let (tree, mut place, mut tested) = (tree.pruned(), 0, Vec::new());
    while let DecisionNode::Split { attribute, branches } = tree.nodes()[place] {
        tested.push(usize::from(attribute));
        place = branches[field(usize::from(attribute)) as usize] as usize;
    }
    tested
}

fn cell_label(board: &Diagram, cell: usize) -> String {
    let columns = board.columns.len().max(1);
    let part = |labels: &[String], place: usize| labels.get(place).cloned().unwrap_or_default();
    part(&board.columns, cell % columns) + &part(&board.rows, cell / columns)
}
