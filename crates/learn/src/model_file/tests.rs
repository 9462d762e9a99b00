//! Tests that files are recognized, and that their tensors contain the learned numbers.

use super::*;
use crate::safetensors::TensorData;
use crate::shipped::{GEM_OUTCOME, GEM_UTILITY, GOMOKU_LINES, SHIPPED_CRITICS};

fn read(name: &str) -> ModelFile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    ModelFile::load(&folder.join(name)).unwrap()
}

#[test]
fn file_kinds_are_recognized() {
    let describe = |file: &ModelFile| {
        let info = file.info();
        (info.kind, info.learner, info.game, info.size)
    };
    let game = |text: &str| Some(text.to_string());
    for (name, expected) in [
        ("tictactoe.xml.gz", ("forest", Some("forest"), game("tictactoe"), 15)),
        ("tictactoe.tuples", ("n-tuple network", Some("weights"), game("tictactoe"), 9_054)),
        ("critic-gomoku-10x10.net", ("critic", Some("critic"), game("mnk:10x10,k=5"), 82 * 32)),
        ("gomoku.lines", ("line network", Some("line-network"), game("gomoku"), 76_321)),
    ] {
        assert_eq!(describe(&read(name)), expected, "{name}");
    }
    for (bytes, learner) in [(GEM_OUTCOME, "gem-outcome"), (GEM_UTILITY, "gem-utility")] {
        let info = ModelFile::read(bytes).unwrap().info();
        assert_eq!((info.learner, info.game), (Some(learner), game("gem-island")));
        assert_eq!(info.tensors.len(), 6);
        assert!(info.made.is_some_and(|made| made.starts_with(learner)));
    }
    let other = crate::network::Layer::dense(2, crate::network::Activation::Relu);
    let other = Network::new(crate::network::Shape::flat(3), &[other], 1).unwrap();
    assert_eq!(describe(&ModelFile::Network(other)), ("network", None, None, 8));
}

#[test]
fn tensors_have_the_learned_numbers() {
    let shapes = |name: &str| -> Vec<(String, Vec<usize>)> {
        let info = read(name).info();
        info.tensors.into_iter().map(|tensor| (tensor.name, tensor.shape)).collect()
    };
    let named = |name: &str, shape: &[usize]| (name.to_string(), shape.to_vec());
    assert_eq!(
        shapes("critic-gomoku-15x15.net"),
        [named("layers.0.weight", &[32, 81]), named("layers.1.weight", &[1, 32])]
    );
    assert_eq!(
        shapes("tictactoe.tuples")[..2],
        [named("patterns.0.cells", &[5]), named("patterns.0.weights", &[243])]
    );
    let lines = LineWeights::from_bytes(GOMOKU_LINES).unwrap();
    let file = ModelFile::Lines(lines.clone());
    let tensors = file.tensors().unwrap();
    assert_eq!(tensors.iter().map(Tensor::count).sum::<usize>(), LineWeights::count());
    for (tensor, part) in tensors.iter().zip(Part::ALL) {
        let TensorData::F32(numbers) = &tensor.numbers else { panic!("{}", tensor.name) };
        let [rows, columns] = part.shape();
        assert_eq!(numbers[0], lines.part(part)[0]);
        if tensor.shape == [columns, rows] && columns > 1 {
            assert_eq!(numbers[rows], lines.part(part)[1], "{}: a row is a unit", tensor.name);
        }
    }
}

#[test]
fn invalid_exports_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let forest = read("tictactoe.xml.gz");
    let error = forest.export(&path, IfExists::Keep).unwrap_err().to_string();
    assert!(error.contains("no tensors") && error.contains("tesuji forest export"), "{error}");
    assert!(!path.exists());
    let critic = ModelFile::read(SHIPPED_CRITICS[0].bytes).unwrap();
    assert_eq!(critic.export(&path, IfExists::Keep).unwrap(), 2);
    assert!(critic.export(&path, IfExists::Keep).is_err());
    for unknown in ["", "tesuji-b and more", "PAR1", "<"] {
        let error = ModelFile::read(unknown.as_bytes()).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        assert_eq!(error.starts_with("unknown kind of model; expected"), unknown != "<");
    }
    for bytes in [GEM_OUTCOME, GOMOKU_LINES] {
        assert!(ModelFile::read(&bytes[..bytes.len() - 1]).is_err());
    }
}
