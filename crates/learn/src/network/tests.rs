//! Tests of networks: gradients equal finite differences, sparse inputs equal dense ones, training
//! reduces the loss, files round-trip.

mod tensors;

use super::*;
use tesuji_games::random::{Rng, below, seeded, unit, word};
use tesuji_search::envelope::checksum;

fn random_numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| (2.0 * unit(rng) - 1.0) as f32).collect()
}

/// Networks that together have every layer, activation and padding.
fn sample_networks() -> Vec<Network> {
    use Activation::{Identity, Relu, Sigmoid};
    use Padding::{Same, Valid};
    let uneven = Layer::Convolution {
        filters: 3,
        window: [2, 4],
        padding: Same,
        activation: Sigmoid,
        l2: 0.02,
    };
    let all: Vec<(Shape, Vec<Layer>)> = vec![
        (Shape::flat(5), vec![Layer::dense(3, Sigmoid), Layer::dense(1, Sigmoid)]),
        (Shape::flat(4), vec![Layer::dense(9, Relu).with_l2(0.05), Layer::dense(2, Identity)]),
        (
            Shape::new(5, 6, 2),
            vec![Layer::convolution(3, 3, Valid, Relu).with_l2(0.1), Layer::dense(2, Sigmoid)],
        ),
        (
            Shape::new(4, 5, 3),
            vec![uneven, Layer::convolution(2, 3, Same, Identity), Layer::dense(1, Sigmoid)],
        ),
        (
            Shape::new(3, 3, 2),
            vec![
                Layer::convolution(4, 3, Same, Sigmoid),
                Layer::Dropout { rate: 0.5 },
                Layer::convolution(2, 2, Valid, Sigmoid),
                Layer::dense(11, Sigmoid),
                Layer::Dropout { rate: 0.2 },
                Layer::dense(3, Sigmoid),
            ],
        ),
        (Shape::new(3, 4, 1), vec![Layer::convolution(2, 3, Valid, Sigmoid)]),
        (
            Shape::flat(7),
            vec![
                Layer::dense(6, Sigmoid).without_biases(),
                Layer::dense(4, Relu).without_biases().with_l2(0.03),
                Layer::dense(1, Sigmoid).without_biases(),
            ],
        ),
        (
            Shape::new(4, 4, 2),
            vec![
                Layer::convolution(3, 2, Valid, Sigmoid),
                Layer::dense(2, Sigmoid).without_biases(),
            ],
        ),
    ];
    let made = |(n, (shape, layers)): (usize, (Shape, Vec<Layer>))| {
        Network::new(shape, &layers, n as u64).unwrap()
    };
    all.into_iter().enumerate().map(made).collect()
}

/// The gradient by finite differences, of the loss of a batch with its penalty. Dropout is the same
/// every time, since a new trainer has made no step.
fn differences(network: &Network, loss: Loss, batch: &[Example<'_>]) -> Vec<f32> {
    let value = |index: usize, by: f32| {
        let mut moved = network.clone();
        moved.parameters_mut()[index] += by;
        let mut trainer = Trainer::new(moved, loss, Optimizer::Sgd { rate: 0.0, momentum: 0.0 }, 7);
        f64::from(trainer.step(batch, 1.0)) + f64::from(trainer.penalty())
    };
    let step = 1e-2;
    (0..network.parameters().len())
        .map(|index| ((value(index, step) - value(index, -step)) / (2.0 * f64::from(step))) as f32)
        .collect()
}

#[test]
fn gradients_equal_finite_differences() {
    let mut rng = seeded(1);
    for (n, network) in sample_networks().into_iter().enumerate() {
        let inputs: Vec<Vec<f32>> =
            (0..11).map(|_| random_numbers(&mut rng, network.input().size())).collect();
        let targets: Vec<Vec<f32>> = (0..11)
            .map(|_| (0..network.outputs()).map(|_| unit(&mut rng) as f32).collect())
            .collect();
        let batch: Vec<Example<'_>> = inputs
            .iter()
            .zip(&targets)
            .map(|(input, target)| Example { input: Input::Dense(input), target })
            .collect();
        for loss in [Loss::MeanSquaredError, Loss::BinaryCrossEntropy] {
            let sigmoid =
                network.layers().last().map(Layer::activation) == Some(Activation::Sigmoid);
            if loss == Loss::BinaryCrossEntropy && !sigmoid {
                continue;
            }
            let optimizer = Optimizer::Sgd { rate: 0.0, momentum: 0.0 };
            let mut trainer = Trainer::new(network.clone(), loss, optimizer, 7);
            trainer.step(&batch, 1.0);
            let expected = differences(&network, loss, &batch);
            for (index, (&grad, &expected)) in trainer.gradient().iter().zip(&expected).enumerate()
            {
                let off = (grad - expected).abs();
                assert!(off < 2e-3 * (1.0 + expected.abs()), "{n}, {index}: {grad}, {expected}");
            }
        }
    }
}

/// The gradient that a critic needs for temporal differences.
#[test]
fn gradients_of_the_output() {
    let biased = |units| Layer::dense(units, Activation::Sigmoid);
    let plain = |units| biased(units).without_biases();
    for layers in [[biased(5), biased(1)], [plain(5), plain(1)], [plain(5), biased(1)]] {
        let network = Network::new(Shape::flat(6), &layers, 3).unwrap();
        let mut scratch = network.scratch();
        let input = Input::Sparse(&[(0, 1.0), (3, 0.5), (5, 2.0)]);
        let mut gradient = vec![0.0; network.parameters().len()];
        network.predict(input, &mut scratch);
        network.backward(input, &[1.0], &mut scratch, &mut gradient);
        for (index, grad) in gradient.iter().enumerate() {
            let mut output = |by: f32| {
                let mut moved = network.clone();
                moved.parameters_mut()[index] += by;
                moved.predict(input, &mut scratch)[0]
            };
            let expected = (output(1e-2) - output(-1e-2)) / 2e-2;
            assert!((grad - expected).abs() < 1e-3, "{index}: {grad}, {expected}");
        }
    }
}

#[test]
fn sparse_inputs_are_dense_ones() {
    let mut rng = seeded(2);
    for network in sample_networks() {
        let size = network.input().size();
        for _ in 0..20 {
            let indices: Vec<u32> = (0..size as u32).filter(|_| below(&mut rng, 3) == 0).collect();
            let mut dense = vec![0.0; size];
            indices.iter().for_each(|&index| dense[index as usize] = 1.0);
            let pairs: Vec<(u32, f32)> = indices.iter().map(|&index| (index, 1.0)).collect();
            let mut scratch = network.scratch();
            let mut output = |input| network.predict(input, &mut scratch).to_vec();
            let (dense, ones) = (output(Input::Dense(&dense)), output(Input::OneHot(&indices)));
            let sparse = output(Input::Sparse(&pairs));
            let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(
                close(&dense, &ones) && close(&dense, &sparse),
                "{dense:?} {ones:?} {sparse:?}"
            );
        }
    }
}

/// The convolution by its definition.
#[test]
fn convolutions_equal_their_definition() {
    let mut rng = seeded(3);
    for (padding, reach) in [(Padding::Valid, 0), (Padding::Same, 1)] {
        let (shape, filters) = (Shape::new(5, 4, 2), 3);
        let layer = Layer::convolution(filters, 3, padding, Activation::Identity);
        let network = Network::new(shape, &[layer], 5).unwrap();
        let input = random_numbers(&mut rng, shape.size());
        let mut scratch = network.scratch();
        let output = network.predict(Input::Dense(&input), &mut scratch);
        let output_shape = Shape::new(3 + 2 * reach, 2 + 2 * reach, filters);
        assert_eq!(output.len(), output_shape.size());
        for (row, column, filter) in (0..output_shape.rows)
            .flat_map(|r| (0..output_shape.columns).flat_map(move |c| [0, 1, 2].map(|f| (r, c, f))))
        {
            let mut expected = 0.0;
            for (y, x, channel) in
                (0..3).flat_map(|y| (0..3).flat_map(move |x| [0, 1].map(|c| (y, x, c))))
            {
                let (r, c) = ((row + y).wrapping_sub(reach), (column + x).wrapping_sub(reach));
                if r < shape.rows && c < shape.columns {
                    let weight = ((channel * 3 + y) * 3 + (2 - x)) * filters + filter;
                    expected += network.parameters()[weight] * input[shape.index(r, c, channel)];
                }
            }
            let found = output[output_shape.index(row, column, filter)];
            assert!((found - expected).abs() < 1e-5, "{found}, {expected}");
        }
    }
}

fn xor_loss(optimizer: Optimizer, loss: Loss) -> f32 {
    let layers = [Layer::dense(8, Activation::Sigmoid), Layer::dense(1, Activation::Sigmoid)];
    let network = Network::new(Shape::flat(2), &layers, 1).unwrap();
    let mut trainer = Trainer::new(network, loss, optimizer, 1);
    let cases =
        [([0.0, 0.0], [0.0]), ([0.0, 1.0], [1.0]), ([1.0, 0.0], [1.0]), ([1.0, 1.0], [0.0])];
    let batch: Vec<Example<'_>> = cases
        .iter()
        .map(|(input, target)| Example { input: Input::Dense(input), target })
        .collect();
    (0..4000).map(|_| trainer.step(&batch, 1.0)).last().unwrap()
}

#[test]
fn xor_is_learned() {
    let (entropy, squares) = (Loss::BinaryCrossEntropy, Loss::MeanSquaredError);
    assert!(xor_loss(Optimizer::Adam { rate: 0.03 }, entropy) < 0.01);
    assert!(xor_loss(Optimizer::Adam { rate: 0.03 }, squares) < 0.01);
    assert!(xor_loss(Optimizer::Sgd { rate: 0.5, momentum: 0.9 }, entropy) < 0.01);
    assert!(xor_loss(Optimizer::Sgd { rate: 2.0, momentum: 0.0 }, entropy) < 0.05);
}

/// Boards labeled by whether they have a row of three, which few weights detect only with a
/// convolution.
fn rows_of_three(count: usize, seed: u64) -> Examples {
    let mut rng = seeded(seed);
    let mut examples = Examples::new(1);
    for n in 0..count {
        let mut cells: Vec<u32> = (0..36).filter(|_| below(&mut rng, 4) == 0).collect();
        let (row, column) = (below(&mut rng, 6), below(&mut rng, 4));
        if n % 2 == 0 {
            cells.extend((0..3).map(|by| row * 6 + column + by));
            cells.sort_unstable();
            cells.dedup();
        }
        let runs = |&cell: &u32| cell % 6 < 4 && (1..3).all(|by| cells.contains(&(cell + by)));
        let is_there = cells.iter().any(runs);
        examples.push(cells.iter().map(|&cell| (cell, 1.0)), &[f32::from(u8::from(is_there))]);
    }
    examples
}

fn learn_rows(threads: usize) -> (Trainer, f32) {
    let layers = [
        Layer::convolution(6, 3, Padding::Same, Activation::Relu),
        Layer::Dropout { rate: 0.1 },
        Layer::dense(12, Activation::Relu),
        Layer::dense(1, Activation::Sigmoid),
    ];
    let network = Network::new(Shape::new(6, 6, 1), &layers, 2).unwrap();
    let examples = rows_of_three(2000, 1);
    let optimizer = Optimizer::Adam { rate: 0.004 };
    let mut trainer =
        Trainer::new(network, Loss::BinaryCrossEntropy, optimizer, 3).with_threads(threads);
    let mut loss = 0.0;
    for epoch in 0..25 {
        let order = examples.shuffled(epoch);
        for batch in order.chunks(32) {
            let batch: Vec<Example<'_>> = batch.iter().map(|&n| examples.get(n as usize)).collect();
            loss = trainer.step(&batch, 1.0);
        }
    }
    (trainer, loss)
}

#[test]
fn convolutions_learn_and_threads_change_nothing() {
    let (alone, loss) = learn_rows(1);
    let (together, same_loss) = learn_rows(3);
    assert_eq!(loss, same_loss);
    assert_eq!(alone.network().to_bytes(), together.network().to_bytes());
    let fresh = rows_of_three(500, 2);
    let mut scratch = alone.network().scratch();
    let right = |n: &usize| {
        let example = fresh.get(*n);
        let output = alone.network().predict(example.input, &mut scratch)[0];
        (output > 0.5) == (example.target[0] > 0.5)
    };
    let right = (0..fresh.len()).filter(right).count();
    assert!(right >= 440, "{right} of 500");
}

fn train_steps(trainer: &mut Trainer, batch: &[Example<'_>], steps: usize) {
    for _ in 0..steps {
        trainer.step(batch, 1.0);
    }
}

#[test]
fn a_resumed_trainer_is_bit_identical() {
    let network = sample_networks().swap_remove(4);
    let mut rng = seeded(4);
    let input = random_numbers(&mut rng, network.input().size());
    let batch = [Example { input: Input::Dense(&input), target: &[0.0, 1.0, 0.5] }];
    for optimizer in [Optimizer::Adam { rate: 0.01 }, Optimizer::Sgd { rate: 0.1, momentum: 0.5 }] {
        let begin = || Trainer::new(network.clone(), Loss::BinaryCrossEntropy, optimizer, 9);
        let mut uninterrupted = begin();
        train_steps(&mut uninterrupted, &batch, 10);
        let mut interrupted = begin();
        train_steps(&mut interrupted, &batch, 5);
        let saved = tesuji_train::unpack::<TrainerState>(&tesuji_train::pack(&interrupted.state()))
            .unwrap();
        assert_eq!(saved, interrupted.state());
        let mut resumed = begin();
        assert!(resumed.restore(saved.clone()));
        train_steps(&mut resumed, &batch, 5);
        assert_eq!(resumed.state(), uninterrupted.state());
        let mut other =
            Trainer::new(sample_networks().swap_remove(0), Loss::BinaryCrossEntropy, optimizer, 9);
        assert!(!other.restore(saved));
    }
}

#[test]
fn dropout_keeps_the_mean() {
    let network = Network::new(Shape::flat(4000), &[Layer::Dropout { rate: 0.25 }], 1).unwrap();
    let ones = vec![1.0; 4000];
    let batch = [Example { input: Input::Dense(&ones), target: &ones }];
    let optimizer = Optimizer::Sgd { rate: 0.0, momentum: 0.0 };
    // A number that is dropped is off by 1, one that is kept by a third.
    let loss =
        Trainer::new(network.clone(), Loss::MeanSquaredError, optimizer, 1).step(&batch, 1.0);
    assert!((loss - (0.25 + 0.75 / 9.0)).abs() < 0.02, "{loss}");
    assert_eq!(network.predict(Input::Dense(&ones), &mut network.scratch()), ones);
}

#[test]
fn the_seed_determines_initial_weights() {
    let layers = [Layer::dense(40, Activation::Relu), Layer::dense(10, Activation::Sigmoid)];
    let network = |seed| Network::new(Shape::flat(60), &layers, seed).unwrap();
    assert_eq!(network(1), network(1));
    assert_ne!(network(1), network(2));
    let network = network(1);
    let first = &network.parameters()[..2400];
    let largest = first.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
    let range = (6.0f32 / 60.0).sqrt();
    assert!(largest <= range && largest > 0.99 * range, "{largest}");
}

#[test]
fn files_round_trip() {
    for network in sample_networks() {
        let network = network.with_origin("by chance \"quoted\"\n");
        assert_eq!(Network::from_bytes(&network.to_bytes()).unwrap(), network);
    }
}

fn error_text(bytes: &[u8]) -> String {
    let text = Network::from_bytes(bytes).unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn truncated_and_altered_files_are_rejected() {
    let bytes = sample_networks()[0].to_bytes();
    (0..bytes.len()).for_each(|length| drop(error_text(&bytes[..length])));
    for index in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[index] ^= 0x10;
        error_text(&altered);
    }
    assert!(error_text(b"<?xml").contains("tesuji-n"));
}

#[test]
fn arbitrary_bytes_do_not_panic() {
    let mut rng = seeded(5);
    let network = &sample_networks()[4];
    let mut trainer =
        Trainer::new(network.clone(), Loss::MeanSquaredError, Optimizer::Adam { rate: 0.1 }, 1);
    trainer.step(&[Example { input: Input::OneHot(&[1]), target: &[0.0; 3] }], 1.0);
    for bytes in [network.to_bytes()] {
        for _ in 0..2000 {
            // The checksum is corrected, so that the code after its check is reached.
            let mut altered = bytes[..bytes.len() - 8].to_vec();
            for _ in 0..=below(&mut rng, 4) {
                let index = 9 + below(&mut rng, altered.len() as u32 - 9) as usize;
                altered[index] = word(&mut rng) as u8;
            }
            let altered = with_checksum(altered);
            let _ = Network::from_bytes(&altered);
        }
    }
}

#[test]
fn errors_name_the_problem() {
    let shape = |rows, columns, channels| Shape::new(rows, columns, channels);
    let dense = |outputs| Layer::dense(outputs, Activation::Relu);
    let window = |side| Layer::convolution(2, side, Padding::Valid, Activation::Relu);
    for (input, layers, expected) in [
        (shape(1, 1, 1), vec![], "0 layers; expected 1 to 32"),
        (shape(0, 1, 1), vec![dense(1)], "layer 0: the number of rows is 0"),
        (shape(1, 1, 1), vec![dense(0)], "layer 1: the number of outputs is 0"),
        (shape(1, 1, 1), vec![dense(usize::MAX)], "expected 1 to 65536"),
        (shape(1024, 1024, 65536), vec![dense(1)], "the size is 68719476736"),
        (shape(3, 3, 1), vec![window(3), window(2)], "layer 2: window larger than the input"),
        (shape(3, 3, 1), vec![window(0)], "the window's rows is 0"),
        (shape(1, 1, 3000), vec![dense(3000)], "the number of parameters is 9003000"),
        (shape(1, 1, 1), vec![Layer::Dropout { rate: 1.0 }], "rate is 1; expected"),
        (shape(1, 1, 1), vec![dense(1).with_l2(f32::NAN)], "l2 is NaN; expected"),
    ] {
        let error = Network::new(input, &layers, 1).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let few = Network::with_parameters(Shape::flat(2), &[dense(1)], vec![0.0; 2]);
    assert!(few.unwrap_err().to_string().contains("2 parameters; expected 3"));
    let odd = Network::with_parameters(Shape::flat(2), &[dense(1)], vec![0.0, f32::NAN, 0.0]);
    assert!(odd.unwrap_err().to_string().contains("parameter 1 is not finite"));
}
