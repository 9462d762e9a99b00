//! Bradley–Terry strengths with draws (Davidson, 1970) and an advantage of the first move (Davidson
//! and Beaver, 1977), fitted by Newton's method.
//!
//! With x = θ(first) − θ(second) + γ the first player wins, draws and loses in the proportion
//! e^(x/2) : ν : e^(−x/2). The logarithm of the likelihood is concave in (θ, γ, ln ν), so there is
//! one best fit.

/// Two players; the first one has the first move.
pub(super) type Matchup = [usize; 2];

/// Wins, draws and losses of the first player; fractional with virtual games.
pub(super) type WdlCounts = [f64; 3];

/// The fitted parameters. Player 0 is the reference: its strength is 0.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fit {
    /// Strengths in log-odds.
    pub(super) strengths: Vec<f64>,
    /// The advantage of the first move, in log-odds.
    pub(super) first_move: f64,
    /// ln ν; `None` if no game was drawn (ν = 0).
    pub(super) log_draw: Option<f64>,
}

impl Fit {
    /// All players equal: the start of the first fit.
    pub(super) fn even(players: usize) -> Fit {
        Fit { strengths: vec![0.0; players], first_move: 0.0, log_draw: Some(0.0) }
    }

    /// ν, the weight of a draw.
    pub(super) fn draw(&self) -> f64 {
        self.log_draw.map_or(0.0, f64::exp)
    }

    /// Probabilities of win, draw and loss of the first player of a matchup.
    pub(super) fn chances(&self, [first, second]: Matchup) -> WdlCounts {
        let x = self.strengths[first] - self.strengths[second] + self.first_move;
        let (win, draw, loss) = ((x / 2.0).exp(), self.draw(), (-x / 2.0).exp());
        let total = win + draw + loss;
        [win / total, draw / total, loss / total]
    }

    fn log_likelihood(&self, matchups: &[Matchup], scores: &[WdlCounts]) -> f64 {
        matchups
            .iter()
            .zip(scores)
            .map(|(&matchup, score)| {
                let chances = self.chances(matchup);
                (0..3).filter(|&i| score[i] > 0.0).map(|i| score[i] * chances[i].ln()).sum::<f64>()
            })
            .sum()
    }

    /// The maximum-likelihood fit to these scores, starting here. Every matchup needs a win and a
    /// loss of some weight, which the virtual games provide; then the fit exists and is finite.
    pub(super) fn improved(
        mut self,
        matchups: &[Matchup],
        scores: &[WdlCounts],
        work: &mut Workspace,
    ) -> Fit {
        self.log_draw = match scores.iter().any(|score| score[1] > 0.0) {
            true => Some(self.log_draw.unwrap_or(0.0)),
            false => None,
        };
        for _ in 0..100 {
            work.collect(&self, matchups, scores);
            let Some(gain) = work.solve() else { break };
            self.step(work, matchups, scores, gain);
            // `gain` is the predicted gain in log-likelihood. Convergence is quadratic: the step
            // just taken leaves far less.
            if gain < 1e-9 {
                break;
            }
        }
        self
    }

    /// Takes a Newton step, halved until it improves the likelihood; near the optimum the full step
    /// does.
    fn step(&mut self, work: &Workspace, matchups: &[Matchup], scores: &[WdlCounts], gain: f64) {
        if gain < 0.01 {
            return self.advance(&work.direction, 1.0);
        }
        let before = self.log_likelihood(matchups, scores);
        let mut share = 1.0;
        while share > 1e-6 {
            let mut next = self.clone();
            next.advance(&work.direction, share);
            if next.log_likelihood(matchups, scores) > before {
                *self = next;
                return;
            }
            share /= 2.0;
        }
    }

    fn advance(&mut self, direction: &[f64], share: f64) {
        let players = self.strengths.len();
        for (strength, step) in self.strengths[1..].iter_mut().zip(direction) {
            *strength += share * step;
        }
        self.first_move += share * direction[players - 1];
        if let Some(log_draw) = &mut self.log_draw {
            *log_draw += share * direction[players];
        }
    }
}

/// Gradient, curvature and step of one Newton iteration; reused by all fits.
pub(super) struct Workspace {
    /// Players except the reference, then first move and draw.
    size: usize,
    gradient: Vec<f64>,
    /// The negated Hessian in row-major order; after `solve`, its Cholesky factor.
    curvature: Vec<f64>,
    direction: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(players: usize) -> Workspace {
        let size = players + 1;
        Workspace {
            size,
            gradient: vec![0.0; size],
            curvature: vec![0.0; size * size],
            direction: vec![0.0; size],
        }
    }

    /// Computes the derivatives of the log-likelihood at `fit`. In x the gradient is n (points −
    /// expected points); the curvature is n times the covariance of (points, drawn).
    fn collect(&mut self, fit: &Fit, matchups: &[Matchup], scores: &[WdlCounts]) {
        self.gradient.fill(0.0);
        self.curvature.fill(0.0);
        let last = self.size - 1;
        for (&matchup, score) in matchups.iter().zip(scores) {
            let games: f64 = score.iter().sum();
            if games == 0.0 {
                continue;
            }
            let [win, draw, _] = fit.chances(matchup);
            let expected = win + draw / 2.0;
            let points = score[0] + score[1] / 2.0 - games * expected;
            let spread = games * (win + draw / 4.0 - expected * expected);
            let mixed = games * draw * (0.5 - expected);
            let places = self.places(matchup);
            for (a, sign) in places {
                self.gradient[a] += sign * points;
                self.curvature[last * self.size + a] += sign * mixed;
                for (b, other) in places {
                    self.curvature[a * self.size + b] += sign * other * spread;
                }
            }
            self.gradient[last] += score[1] - games * draw;
            self.curvature[last * self.size + last] += games * draw * (1.0 - draw);
        }
        if fit.log_draw.is_none() {
            self.curvature[last * self.size + last] = 1.0;
        }
    }

    /// The signed unknowns of a matchup's x: + first, − second, + first move.
    fn places(&self, [first, second]: Matchup) -> [(usize, f64); 3] {
        // The reference player has no unknown; sign 0 cancels its terms.
        let place = |player: usize, sign: f64| match player {
            0 => (0, 0.0),
            other => (other - 1, sign),
        };
        [place(first, 1.0), place(second, -1.0), (self.size - 2, 1.0)]
    }

    /// Solves curvature · direction = gradient by Cholesky decomposition (of the lower triangle)
    /// and returns the predicted gain in log-likelihood; `None` if the curvature is not positive
    /// definite.
    fn solve(&mut self) -> Option<f64> {
        let n = self.size;
        for row in 0..n {
            for column in 0..=row {
                let (a, b) = (&self.curvature[row * n..], &self.curvature[column * n..]);
                let known: f64 = a[..column].iter().zip(&b[..column]).map(|(a, b)| a * b).sum();
                let rest = self.curvature[row * n + column] - known;
                self.curvature[row * n + column] = if row > column {
                    rest / self.curvature[column * n + column]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        self.substitute();
        Some(self.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum::<f64>() / 2.0)
    }

    fn substitute(&mut self) {
        let n = self.size;
        for row in 0..n {
            let known: f64 =
                (0..row).map(|k| self.curvature[row * n + k] * self.direction[k]).sum();
            self.direction[row] = (self.gradient[row] - known) / self.curvature[row * n + row];
        }
        for row in (0..n).rev() {
            let known: f64 =
                (row + 1..n).map(|k| self.curvature[k * n + row] * self.direction[k]).sum();
            self.direction[row] = (self.direction[row] - known) / self.curvature[row * n + row];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random;

    fn all_matchups(players: usize) -> Vec<Matchup> {
        let pairs = (0..players).flat_map(|first| (0..players).map(move |second| (first, second)));
        pairs.filter(|(a, b)| a != b).map(|(first, second)| [first, second]).collect()
    }

    fn some_scores(matchups: &[Matchup], seed: u64) -> Vec<WdlCounts> {
        let mut rng = random::seeded(seed);
        matchups
            .iter()
            .map(|_| std::array::from_fn(|_| 0.5 + f64::from(random::below(&mut rng, 30))))
            .collect()
    }

    /// Moving any parameter away from the fit lowers the likelihood: measured on the likelihood
    /// itself, not on the derivatives that the fit uses.
    #[test]
    fn the_fit_is_a_maximum() {
        let matchups = all_matchups(6);
        let scores = some_scores(&matchups, 3);
        let fit = Fit::even(6).improved(&matchups, &scores, &mut Workspace::new(6));
        let best = fit.log_likelihood(&matchups, &scores);
        for unknown in 0..7 {
            for step in [-1e-3, 1e-3] {
                let mut direction = vec![0.0; 7];
                direction[unknown] = step;
                let mut other = fit.clone();
                other.advance(&direction, 1.0);
                let lost = best - other.log_likelihood(&matchups, &scores);
                assert!(lost > 1e-7, "{unknown} {step}: {lost}");
                // The gradient at the fit is zero: the loss is of second order, equal on both
                // sides.
                direction[unknown] = -step;
                let mut mirrored = fit.clone();
                mirrored.advance(&direction, 1.0);
                let lost_back = best - mirrored.log_likelihood(&matchups, &scores);
                assert!(
                    (lost / lost_back - 1.0).abs() < 1e-2,
                    "{unknown} {step}: {lost} {lost_back}"
                );
            }
        }
    }

    #[test]
    fn derivatives_match_finite_differences() {
        let matchups = all_matchups(4);
        let scores = some_scores(&matchups, 9);
        let fit =
            Fit { strengths: vec![0.0, 0.3, -0.8, 1.1], first_move: 0.2, log_draw: Some(-0.4) };
        let mut work = Workspace::new(4);
        work.collect(&fit, &matchups, &scores);
        let gradient = work.gradient.clone();
        let curvature = work.curvature.clone();
        for unknown in 0..5 {
            let moved = |step: f64| {
                let mut direction = vec![0.0; 5];
                direction[unknown] = step;
                let mut moved = fit.clone();
                moved.advance(&direction, 1.0);
                moved
            };
            let (plus, minus) = (moved(1e-5), moved(-1e-5));
            let slope = (plus.log_likelihood(&matchups, &scores)
                - minus.log_likelihood(&matchups, &scores))
                / 2e-5;
            assert!((slope - gradient[unknown]).abs() < 1e-4, "{unknown}: {slope}");
            let gradients = [plus, minus].map(|fit| {
                work.collect(&fit, &matchups, &scores);
                work.gradient.clone()
            });
            for other in unknown..5 {
                let bend = (gradients[1][other] - gradients[0][other]) / 2e-5;
                let ours = curvature[other * 5 + unknown];
                assert!((bend - ours).abs() < 1e-3, "{unknown} {other}: {bend} {ours}");
            }
        }
    }

    #[test]
    fn one_sided_pools_converge_too() {
        let matchups = all_matchups(3);
        // 0 always beats 1, and 1 always beats 2, except for a hundredth of a virtual game.
        let scores: Vec<WdlCounts> = matchups
            .iter()
            .map(|m| if m[0] < m[1] { [1000.01, 0.0, 0.01] } else { [0.01, 0.0, 1000.01] })
            .collect();
        let fit = Fit::even(3).improved(&matchups, &scores, &mut Workspace::new(3));
        assert_eq!(fit.log_draw, None);
        assert!(fit.strengths[1] < -5.0 && fit.strengths[2] < fit.strengths[1] - 5.0, "{fit:?}");
        assert!(fit.first_move.abs() < 1e-6);
    }
}
