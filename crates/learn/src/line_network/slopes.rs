//! The slopes of the loss, by hand: forwards as an [`Eye`] does, backwards the same way. Nothing is done twice for lines
//! that occur twice, and no number between the layers is written to memory that the way back does not need.

use super::batch::{Batch, Scene};
use super::eye::{Around, Eye, Numbers, add_scaled};
use super::table::of_rows;
use super::weights::{HIDDEN, LineWeights, POOL_SHARE, POOLED, Part, UNITS, WIDTH};
use crate::network::dot;

/// How wrong a network was, added up over positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// Positions.
    pub positions: usize,
    /// Positions with a move to be played.
    pub moves: usize,
    /// The cross entropy of the chance.
    pub value: f64,
    /// The cross entropy of the move.
    pub policy: f64,
    /// How often the move to be played was the most promising.
    pub found: usize,
}

impl Losses {
    /// Adds others.
    pub fn add(&mut self, other: &Losses) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.value += other.value;
        self.policy += other.policy;
        self.found += other.found;
    }
}

/// Room for the way forwards and backwards.
#[derive(Debug, Default)]
pub struct Slopes {
    eye: Eye,
    /// By line: the hidden units.
    hidden: Vec<[f32; HIDDEN]>,
    /// By line: what it brings,
    brought: Vec<Numbers>,
    /// and the slopes of that.
    brought_slopes: Vec<Numbers>,
    /// By cell, with an edge: the slopes of the neighbourhoods.
    slopes: Vec<Numbers>,
    /// By cell: the policy.
    policy: Vec<f32>,
}

impl Slopes {
    /// How wrong a network is.
    pub fn judge(&mut self, weights: &LineWeights, batch: &Batch) -> Losses {
        self.lines_forwards(weights, batch);
        let mut losses = Losses::default();
        for scene in &batch.scenes {
            losses.add(&self.forwards(weights, scene));
        }
        losses
    }

    /// The same, and the slopes of the mean of value and policy loss by all numbers, in the order of
    /// [`LineWeights::numbers`].
    pub fn find(
        &mut self,
        weights: &LineWeights,
        batch: &Batch,
        gradient: &mut Vec<f32>,
    ) -> Losses {
        gradient.clear();
        gradient.resize(LineWeights::count(), 0.0);
        self.lines_forwards(weights, batch);
        self.brought_slopes.clear();
        self.brought_slopes.resize(batch.lines.len(), [0.0; WIDTH]);
        let (mut losses, share) = (Losses::default(), 1.0 / batch.scenes.len().max(1) as f32);
        for scene in &batch.scenes {
            losses.add(&self.forwards(weights, scene));
            let pooled = self.answers_backwards(weights, scene, share, gradient);
            self.board_backwards(scene, &pooled);
            self.cells_backwards(weights, scene, gradient);
        }
        self.lines_backwards(weights, batch, gradient);
        losses
    }

    fn lines_forwards(&mut self, weights: &LineWeights, batch: &Batch) {
        self.hidden.clear();
        self.brought.clear();
        for line in &batch.lines {
            let (hidden, brought) = of_rows(weights, line.map(|row| row as usize));
            self.hidden.push(hidden);
            self.brought.push(brought);
        }
    }

    fn forwards(&mut self, weights: &LineWeights, scene: &Scene) -> Losses {
        let (columns, cells) = (scene.columns, scene.lines.len());
        self.eye.make_room(columns, cells / columns);
        let bias: &Numbers = weights.row(Part::MixBias, 0);
        for (cell, lines) in scene.lines.iter().enumerate() {
            let mut sum = *bias;
            lines.iter().for_each(|&line| add(&mut sum, &self.brought[line as usize]));
            self.eye.cells[inside(cell, columns)] = sum.map(|number| number.max(0.0));
        }
        self.eye.think(weights, columns, |cell| scene.sees[cell]);
        self.losses(scene)
    }

    /// The losses of a position; leaves its policy behind.
    fn losses(&mut self, scene: &Scene) -> Losses {
        let Slopes { eye, policy, .. } = self;
        policy.clear();
        policy.extend(scene.empty.iter().enumerate().map(|(cell, &is_empty)| match is_empty {
            true => eye.promise(cell),
            false => f32::NEG_INFINITY,
        }));
        let most = policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        policy.iter_mut().for_each(|promise| *promise = (*promise - most).exp());
        let all: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|promise| *promise /= all);
        let last = eye.last;
        // ln(1 + eˣ) without overflow.
        let value = last.max(0.0) + (-last.abs()).exp().ln_1p() - scene.chance * last;
        let mut losses = Losses { positions: 1, value: value.into(), ..Losses::default() };
        if let Some(best) = scene.best.map(usize::from) {
            losses.moves = 1;
            losses.policy = f64::from(-policy[best].max(f32::MIN_POSITIVE).ln());
            losses.found = usize::from(policy.iter().all(|&other| other <= policy[best]));
        }
        losses
    }

    /// From the losses to the slopes of what is kept of the board, and of the neighbourhoods as far as they come from
    /// the policy.
    fn answers_backwards(
        &mut self,
        weights: &LineWeights,
        scene: &Scene,
        share: f32,
        gradient: &mut [f32],
    ) -> [f32; POOLED] {
        let promise = self.policy_backwards(scene, share);
        let eye = &self.eye;
        let last = share * (eye.chance() - scene.chance);
        row_of::<1>(gradient, Part::Value3Bias, 0)[0] += last;
        add_scaled(row_of(gradient, Part::Value3, 0), last, &eye.second);
        add(row_of(gradient, Part::Promise, 0), &promise);
        let mut second: [f32; UNITS] = weights.row::<UNITS>(Part::Value3, 0).map(|w| w * last);
        for (n, (slope, said)) in second.iter_mut().zip(&eye.second).enumerate() {
            add_scaled(row_of(gradient, Part::PromiseByUnit, n), *said, &promise);
            *slope += dot(weights.row::<WIDTH>(Part::PromiseByUnit, n), &promise);
        }
        let parts = (Part::Value2, Part::Value2Bias);
        let first = layer_backwards(weights, parts, &eye.first, &eye.second, second, gradient);
        let (parts, pooled) = ((Part::Value1, Part::Value1Bias), eye.pooled.as_flattened());
        layer_backwards(weights, parts, pooled, &eye.first, first, gradient)
    }

    /// Begins the slopes of the neighbourhoods; returns those of what a cell's numbers promise.
    fn policy_backwards(&mut self, scene: &Scene, share: f32) -> Numbers {
        let (columns, cells) = (scene.columns, scene.lines.len());
        let across = columns + 2;
        self.slopes.clear();
        self.slopes.resize(across * (cells / columns + 2), [0.0; WIDTH]);
        let mut promise = [0.0; WIDTH];
        let Some(best) = scene.best.map(usize::from) else { return promise };
        for cell in (0..cells).filter(|&cell| scene.empty[cell]) {
            let wanted = f32::from(u8::from(cell == best));
            let slope = share * (self.policy[cell] - wanted);
            add_scaled(&mut promise, slope, &self.eye.neighbourhoods[cell]);
            let slopes = &mut self.slopes[inside(cell, columns)];
            add_scaled(slopes, slope, &self.eye.promise);
        }
        promise
    }

    /// Adds the slopes of the neighbourhoods that come from the value, and takes away those that ReLU does not let
    /// through.
    fn board_backwards(&mut self, scene: &Scene, pooled: &[f32; POOLED]) {
        let (sums, most) = pooled.split_at(WIDTH);
        let greatest = &self.eye.pooled[1];
        let mut given = [false; WIDTH];
        for (cell, numbers) in self.eye.neighbourhoods.iter().enumerate() {
            let slopes = &mut self.slopes[inside(cell, scene.columns)];
            if scene.sees[cell] {
                for n in 0..WIDTH {
                    slopes[n] += POOL_SHARE * sums[n];
                    if !given[n] && numbers[n] == greatest[n] {
                        given[n] = true;
                        slopes[n] += most[n];
                    }
                }
            }
            stop_where_zero(slopes, numbers);
        }
    }

    /// From the slopes of the neighbourhoods to those of what lines bring.
    fn cells_backwards(&mut self, weights: &LineWeights, scene: &Scene, gradient: &mut [f32]) {
        let (columns, across) = (scene.columns, scene.columns + 2);
        let row = |n| -> &Numbers { weights.row(Part::Neighbours, n) };
        let (own, beside, diagonal) = (row(0), row(1), row(2));
        let mut found = [[0.0; WIDTH]; 5];
        for (y, lines) in scene.lines.chunks_exact(columns).enumerate() {
            for (x, lines) in lines.iter().enumerate() {
                let corner = y * across + x;
                let slopes = Around::new(&self.slopes[corner..], across);
                let values = Around::new(&self.eye.cells[corner..], across);
                let mut cell = [0.0; WIDTH];
                for n in 0..WIDTH {
                    let (here, sides, corners) = slopes.sums(n);
                    let (value, values_beside, values_diagonal) = values.sums(n);
                    found[0][n] += here * value;
                    found[1][n] += here * values_beside;
                    found[2][n] += here * values_diagonal;
                    found[3][n] += here;
                    let slope = own[n] * here + beside[n] * sides + diagonal[n] * corners;
                    cell[n] = if value > 0.0 { slope } else { 0.0 };
                    found[4][n] += cell[n];
                }
                lines.iter().for_each(|&it| add(&mut self.brought_slopes[it as usize], &cell));
            }
        }
        (0..3).for_each(|n| add(row_of(gradient, Part::Neighbours, n), &found[n]));
        add(row_of(gradient, Part::NeighboursBias, 0), &found[3]);
        add(row_of(gradient, Part::MixBias, 0), &found[4]);
    }

    fn lines_backwards(&mut self, weights: &LineWeights, batch: &Batch, gradient: &mut [f32]) {
        let (mix, _) = weights.part(Part::Mix).as_chunks::<WIDTH>();
        let lines = batch.lines.iter().zip(&self.hidden).zip(&self.brought_slopes);
        for ((line, hidden), slopes) in lines {
            let mut units = [0.0; HIDDEN];
            for (n, mix) in mix.iter().enumerate() {
                if hidden[n] > 0.0 {
                    units[n] = dot(mix, slopes);
                    add_scaled(row_of(gradient, Part::Mix, n), hidden[n], slopes);
                }
            }
            line.iter().for_each(|&row| add(row_of(gradient, Part::Halves, row as usize), &units));
        }
    }
}

/// A row of the slopes of all numbers.
fn row_of<const COLUMNS: usize>(
    gradient: &mut [f32],
    part: Part,
    row: usize,
) -> &mut [f32; COLUMNS] {
    &mut gradient[part.range()].as_chunks_mut().0[row]
}

/// Backwards through a layer with ReLU: from the slopes of what it said to those of what it was told.
fn layer_backwards<const N: usize>(
    weights: &LineWeights,
    (part, bias): (Part, Part),
    told: &[f32],
    said: &[f32; UNITS],
    mut slopes: [f32; UNITS],
    gradient: &mut [f32],
) -> [f32; N] {
    stop_where_zero(&mut slopes, said);
    add(row_of(gradient, bias, 0), &slopes);
    std::array::from_fn(|n| {
        add_scaled(row_of(gradient, part, n), told[n], &slopes);
        dot(weights.row::<UNITS>(part, n), &slopes)
    })
}

fn stop_where_zero(slopes: &mut [f32; WIDTH], said: &[f32; WIDTH]) {
    for (slope, said) in slopes.iter_mut().zip(said) {
        *slope = if *said > 0.0 { *slope } else { 0.0 };
    }
}

/// The place of a cell on a board with an edge.
fn inside(cell: usize, columns: usize) -> usize {
    (cell / columns + 1) * (columns + 2) + cell % columns + 1
}

#[inline]
fn add<const N: usize>(sums: &mut [f32; N], others: &[f32; N]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}
