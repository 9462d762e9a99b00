//! Training examples: positions of games, each as the indices of its active parameters.

use std::collections::BTreeMap;

use tesuji_gomoku::engine::evaluation::threats;
use tesuji_gomoku::engine::weights::{SCALE, combination_of_code};
use tesuji_gomoku::{Board, Cell, MoveClass, Vcf, VcfOutcome};

use super::fit::Objective;
use super::parameters::ParameterLayout;
use super::record::{AnalyzedPosition, DECIDED};

/// Positions with the target of the estimate.
#[derive(Clone, Debug, Default)]
pub struct EstimateExamples {
    /// By position: indices of the estimate's parameters, with their counts.
    terms: Vec<Vec<(u16, i16)>>,
    /// The winning chance of the side to move; a draw is half a win.
    targets: Vec<f32>,
}

/// Positions with the best move.
#[derive(Clone, Debug, Default)]
pub struct OrderExamples {
    /// By position and move: the indices of two of the order's parameters.
    moves: Vec<Vec<[u16; 2]>>,
    /// By position: the index of the best move.
    best: Vec<u16>,
}

/// Extracts examples from positions of games.
pub struct ExampleExtractor {
    layout: ParameterLayout,
    /// The weight of the game's result against the score of the search.
    result_share: f32,
    vcf: Vcf,
}

/// The node limit of the search for a win by fours, which the engine finds as well.
const VCF_NODES: u64 = 300;

impl ExampleExtractor {
    /// An extractor with this weight of the game's result in the targets.
    pub fn new(layout: ParameterLayout, result_share: f32) -> ExampleExtractor {
        ExampleExtractor { layout, result_share, vcf: Vcf::new() }
    }

    /// Adds a position to the examples. Skips positions with wins by fours or forced replies: the
    /// engine searches these deeper before it estimates them.
    pub fn extract(
        &mut self,
        analyzed: AnalyzedPosition<'_>,
        estimates: &mut EstimateExamples,
        orders: &mut OrderExamples,
    ) {
        let AnalyzedPosition { board, best, score, result } = analyzed;
        if is_urgent(board) {
            return;
        }
        let side = board.to_move();
        if matches!(self.vcf.solve(board, side, VCF_NODES), VcfOutcome::Win(_)) {
            return;
        }
        self.add_estimate(board, estimates);
        estimates.targets.push(target(self.result_share, score, result));
        if score.abs() < DECIDED && board.count(!side, MoveClass::OpenFour) == 0 {
            self.add_order(board, best, orders);
        }
    }

    fn add_estimate(&self, board: &Board, estimates: &mut EstimateExamples) {
        let own = board.to_move();
        let mut counts: BTreeMap<u16, i16> = BTreeMap::new();
        for row in 0..board.height() {
            for column in 0..board.width() {
                let cell = Cell::new(column, row);
                for (side, sign) in [(own, 1), (!own, -1)] {
                    let index = self.layout.cell(side, combination_of_code(board.code(side, cell)));
                    *counts.entry(index as u16).or_default() += sign;
                }
            }
        }
        counts.retain(|_, count| *count != 0);
        let threats = (self.layout.threats(own, threats(board)) as u16, 1);
        estimates.terms.push(counts.into_iter().chain([threats]).collect());
    }

    fn add_order(&self, board: &Board, best: Cell, orders: &mut OrderExamples) {
        let (own, mut moves, mut best_index) = (board.to_move(), Vec::new(), None);
        board.candidates().for_each(|cell| {
            if board.is_forbidden(own, cell) {
                return;
            }
            if cell == best {
                best_index = Some(moves.len() as u16);
            }
            let combination = |side| combination_of_code(board.code(side, cell));
            let (attack, defense) = (
                self.layout.cell(own, combination(own)),
                self.layout.defense(!own, combination(!own)),
            );
            moves.push([attack as u16, defense as u16]);
        });
        if let Some(index) = best_index {
            orders.best.push(index);
            orders.moves.push(moves);
        }
    }
}

/// Whether the side to move wins immediately or must block a win.
fn is_urgent(board: &Board) -> bool {
    let own = board.to_move();
    [(own, MoveClass::Five), (own, MoveClass::OpenFour), (!own, MoveClass::Five)]
        .iter()
        .any(|&(side, class)| board.count(side, class) > 0)
}

fn target(result_share: f32, score: i32, result: i32) -> f32 {
    if score.abs() >= DECIDED {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    let (result, chance) = ((result + 1) as f32 / 2.0, sigmoid(score as f32 / SCALE as f32));
    result_share * result + (1.0 - result_share) * chance
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl EstimateExamples {
    fn sum(&self, n: usize, parameters: &[f32]) -> f32 {
        let terms = self.terms[n].iter();
        terms.map(|&(index, count)| parameters[usize::from(index)] * f32::from(count)).sum()
    }
}

/// Logistic regression: the cross entropy between the target, which may be a chance, and the
/// estimated chance.
impl Objective for EstimateExamples {
    fn count(&self) -> usize {
        self.targets.len()
    }

    fn loss(&self, n: usize, parameters: &[f32]) -> f32 {
        let (x, target) = (self.sum(n, parameters), self.targets[n]);
        // ln(1 + eˣ) without overflow.
        x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x
    }

    fn add_gradient(&self, n: usize, parameters: &[f32], gradient: &mut [f32]) {
        let error = sigmoid(self.sum(n, parameters)) - self.targets[n];
        for &(index, count) in &self.terms[n] {
            gradient[usize::from(index)] += error * f32::from(count);
        }
    }
}

impl OrderExamples {
    /// The logits of an example's moves, minus the largest one.
    fn logits(&self, n: usize, parameters: &[f32]) -> (&[[u16; 2]], Vec<f32>) {
        let moves = &self.moves[n];
        let logit = |&[a, d]: &[u16; 2]| parameters[usize::from(a)] + parameters[usize::from(d)];
        let mut logits: Vec<f32> = moves.iter().map(logit).collect();
        let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        logits.iter_mut().for_each(|logit| *logit -= max);
        (moves, logits)
    }

    /// The share of examples in which only the best move has the highest logit.
    pub fn accuracy(&self, parameters: &[f32]) -> f64 {
        let found = (0..self.count()).filter(|&n| {
            let (_, logits) = self.logits(n, parameters);
            let of_best = logits[usize::from(self.best[n])];
            logits.iter().filter(|&&logit| logit >= of_best).count() == 1
        });
        found.count() as f64 / self.count().max(1) as f64
    }
}

/// Softmax regression: the cross entropy of the best move.
impl Objective for OrderExamples {
    fn count(&self) -> usize {
        self.best.len()
    }

    fn loss(&self, n: usize, parameters: &[f32]) -> f32 {
        let (_, logits) = self.logits(n, parameters);
        logits.iter().map(|logit| logit.exp()).sum::<f32>().ln() - logits[usize::from(self.best[n])]
    }

    fn add_gradient(&self, n: usize, parameters: &[f32], gradient: &mut [f32]) {
        let (moves, logits) = self.logits(n, parameters);
        let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
        for (n_move, (indices, logit)) in moves.iter().zip(&logits).enumerate() {
            let is_best = f32::from(u8::from(n_move == usize::from(self.best[n])));
            let error = logit.exp() / sum - is_best;
            indices.iter().for_each(|&index| gradient[usize::from(index)] += error);
        }
    }
}
