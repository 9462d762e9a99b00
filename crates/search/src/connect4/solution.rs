//! Implements [`ExactSolver`] and [`Search`] for the Connect Four solver.

use std::cmp::Reverse;
use std::time::Instant;

use tesuji_games::Position;
use tesuji_games::rules::connect4::{Connect4, Connect4Move, Geometry};

use super::{Connect4Solver, LimitReached, TableWord};
use crate::analysis::analyze_each_move_once;
use crate::exact::{ExactSolver, ExactValue, GameValue, Solution, SolveOptions};
use crate::{Limits, ProgressFn, Search, SearchReport};

impl<G: Geometry<Bits: TableWord>> ExactSolver<Connect4<G>> for Connect4Solver<G> {
    fn solve(
        &mut self,
        position: &Connect4<G>,
        options: SolveOptions,
        limits: &Limits,
    ) -> Solution<Connect4Move> {
        let (started, nodes_before) = (Instant::now(), self.nodes());
        let found = self.solution(position, options, limits);
        let (nodes, time) = (self.nodes() - nodes_before, started.elapsed());
        match found {
            Ok(solution) => Solution { nodes, time, ..solution },
            Err(LimitReached) => Solution::unknown(nodes, time),
        }
    }
}

impl<G: Geometry<Bits: TableWord>> Connect4Solver<G> {
    fn solution(
        &mut self,
        position: &Connect4<G>,
        options: SolveOptions,
        limits: &Limits,
    ) -> Result<Solution<Connect4Move>, LimitReached> {
        let score = if options.value_only {
            self.sign(position, limits)?
        } else {
            self.score(position, limits)?
        };
        let exact = self.exact_value(position, score, options);
        let mut moves = Vec::new();
        if options.every_move {
            moves = self.every_move(position, options, limits)?;
        }
        let mut line = Vec::new();
        if options.no_line {
            // No line requested.
        } else if options.value_only {
            line.extend(self.move_of_sign(position, score, limits)?);
        } else if let Err(unfinished) = self.extend_line(&mut line, position, score, limits)
            && line.is_empty()
        {
            // When the score is known from a book, a partial line is still a result.
            return Err(unfinished);
        }
        let mut best: Vec<Connect4Move> =
            moves.iter().filter(|(_, w)| *w == exact).map(|&(m, _)| m).collect();
        if best.is_empty() {
            best.extend(line.first());
        }
        Ok(Solution { best, moves, line, ..Solution::of(exact) })
    }

    /// The first move, from the center outward, that keeps the win, draw or loss.
    fn move_of_sign(
        &mut self,
        position: &Connect4<G>,
        sign: i32,
        limits: &Limits,
    ) -> Result<Option<Connect4Move>, LimitReached> {
        for m in super::moves_from_center(position) {
            let mut child = *position;
            child.play(m);
            if self.sign(&child, limits)? == -sign {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    fn every_move(
        &mut self,
        position: &Connect4<G>,
        options: SolveOptions,
        limits: &Limits,
    ) -> Result<Vec<(Connect4Move, ExactValue)>, LimitReached> {
        let scores = if options.value_only {
            self.signs(position, limits)?
        } else {
            self.scores(position, limits)?
        };
        let mut moves: Vec<(i32, Connect4Move, ExactValue)> = scores
            .into_iter()
            .map(|(m, score)| (score, m, self.exact_value(position, score, options)))
            .collect();
        moves.sort_by_key(|&(score, ..)| Reverse(score));
        Ok(moves.into_iter().map(|(_, m, exact)| (m, exact)).collect())
    }

    fn exact_value(&self, position: &Connect4<G>, score: i32, options: SolveOptions) -> ExactValue {
        let value = GameValue::of_score(score);
        if options.value_only {
            return ExactValue::without_score(value);
        }
        let plies = self.last_ply(position, score) - position.ply();
        ExactValue { value, score: Some(score), plies: Some(plies) }
    }
}

/// The solver as a player. Without a result within the limits, it reports an estimated draw and the
/// most central move.
impl<G: Geometry<Bits: TableWord>> Search<Connect4<G>> for Connect4Solver<G> {
    fn search(
        &mut self,
        position: &Connect4<G>,
        limits: &Limits,
        _: ProgressFn<'_, Connect4Move>,
    ) -> SearchReport<Connect4Move> {
        let central = super::moves_from_center(position).first().copied();
        self.solve(position, SolveOptions::default(), limits).into_report(central)
    }

    /// Solves the position after each move.
    fn analyze(
        &mut self,
        position: &Connect4<G>,
        limits: &Limits,
        _: ProgressFn<'_, Connect4Move>,
    ) -> SearchReport<Connect4Move> {
        analyze_each_move_once(self, position, limits)
    }

    fn forget(&mut self) {
        Connect4Solver::forget(self);
    }
}
