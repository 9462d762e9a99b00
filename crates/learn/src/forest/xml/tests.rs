//! Round trips, files of other programs, and everything that must be rejected.

use std::process::Command;
use std::sync::Arc;

use tesuji_games::random::{Rng, below, seeded};

use super::*;
use crate::forest::{
    CellContent, Class, Dataset, DecisionNode, DecisionTree, LeafVotes, PatternFit, PatternShape,
    PatternSymmetries, PatternTree, PatternWindow, ShareOf, Spread, Translations, TreeSpec,
    VoteFormula, WindowSample, grow_tree, random_pattern,
};

/// A forest with grown trees, a single leaf, and no metadata at its default.
fn random_forest(seed: u64) -> Forest {
    let rng = &mut seeded(seed);
    let window = PatternWindow { side: 2 + below(rng, 6) as usize };
    let mut data = Dataset::new(window);
    for _ in 0..below(rng, 200) {
        let contents =
            (0..window.cells()).map(|_| CellContent::ALL[below(rng, 3) as usize]).collect();
        data.push(&WindowSample { contents, class: Class::ALL[below(rng, 3) as usize] });
    }
    let mut trees: Vec<PatternTree> =
        (0..1 + below(rng, 5)).map(|_| random_tree(&data, rng)).collect();
    let pattern = random_pattern(window, 3, PatternShape::Scattered, rng);
    trees.push(PatternTree::new(
        pattern,
        DecisionTree::leaf(Class::ALL[below(rng, 3) as usize]),
        Some(1.0 / 3.0),
    ));
    Forest {
        game: "mnk:10x10,k=5 <\"&?>ä".to_string(),
        window,
        spread: Spread {
            symmetries: PatternSymmetries::Mirror,
            slide: Translations::Sideways,
            fit: PatternFit::Window,
        },
        formula: VoteFormula {
            draw: 1.5,
            drawn_game: Some(0.1),
            zero_sum: true,
            share_of: [ShareOf::Votes, ShareOf::Placements][seed as usize % 2],
            ..VoteFormula::default()
        },
        trees: trees.into_iter().map(Arc::new).collect(),
    }
}

fn random_tree(data: &Dataset, rng: &mut Rng) -> PatternTree {
    let cells = 1 + below(rng, 8) as usize;
    let pattern = random_pattern(data.window(), cells, PatternShape::Mixed, rng);
    let recipe = TreeSpec {
        pattern,
        seed: u64::from(below(rng, 1000)),
        samples: data.len(),
        votes: LeafVotes {
            confidence: [0, 40, 60][below(rng, 3) as usize],
            graded: below(rng, 2) > 0,
        },
    };
    PatternTree { weight: below(rng, 5), ..grow_tree(data, &recipe) }
}

/// A forest without the structure of its trees: only their predictions.
fn answers(forest: &Forest) -> Forest {
    let mut forest = forest.clone();
    for tree in &mut forest.trees {
        let plain = PatternTree { decisions: DecisionTree::leaf(Class::Draw), ..(**tree).clone() };
        *tree = Arc::new(plain);
    }
    forest
}

#[test]
fn round_trips_keep_predictions_and_metadata() {
    for seed in 0..60 {
        let forest = random_forest(seed);
        let text = write(&forest);
        let back = read(text.as_bytes()).unwrap();
        assert_eq!(answers(&back), answers(&forest), "{seed}");
        for tree in &back.trees {
            assert_eq!(tree.table, tree.decisions.table(tree.pattern.len()));
        }
        assert_eq!(write(&back), text);
    }
}

#[test]
fn gzip_files_are_read_and_damage_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.xml.gz");
    let forest = random_forest(1);
    save(&forest, &path, IfExists::Keep).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() < write(&forest).len() / 4, "{}", bytes.len());
    assert_eq!(answers(&load(&path).unwrap()), answers(&forest));
    for length in [2, 3, 10, bytes.len() / 2, bytes.len() - 1] {
        let error = read(&bytes[..length]).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{length}: {error}");
    }
}

/// A few kilobytes that would unpack to more than the maximum.
#[test]
fn gzip_bombs_are_rejected() {
    let mut bomb = Vec::new();
    pack(&vec![b' '; MAX_BYTES as usize + 1], &mut bomb).unwrap();
    let error = read(&bomb).unwrap_err().to_string();
    assert!(error.contains("larger than 64 MiB"), "{error}");
}

#[test]
fn redundant_tests_are_not_written() {
    let [win, _, loss] = Class::ALL.map(|class| DecisionNode::Leaf(class.into()));
    let split = |attribute, branches| DecisionNode::Split { attribute, branches };
    let nodes = vec![split(1, [1, 2, 3]), win, split(0, [4, 5, 6]), loss, loss, loss, loss];
    let pattern = crate::forest::Pattern::new(PatternWindow { side: 3 }, vec![7, 2]).unwrap();
    let tree = PatternTree::new(pattern, DecisionTree::new(nodes).unwrap(), None);
    let forest =
        Forest { trees: vec![Arc::new(tree)], window: PatternWindow { side: 3 }, ..small() };
    let text = write(&forest);
    assert!(!text.contains("<TreeNode"), "{text}");
    assert_eq!(read(text.as_bytes()).unwrap().trees[0].table, forest.trees[0].table);
}

#[test]
fn written_files_are_valid_by_their_own_definition() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.xml");
    save(&random_forest(3), &path, IfExists::Keep).unwrap();
    assert!(save(&random_forest(4), &path, IfExists::Keep).is_err(), "it is there already");
    assert_eq!(load(&path).unwrap().trees.len(), random_forest(3).trees.len());
    // Our reader checks the structure above. If xmllint is installed, it must agree.
    if let Ok(checked) = Command::new("xmllint").args(["--noout", "--valid"]).arg(&path).output() {
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

fn small() -> Forest {
    Forest {
        game: String::new(),
        window: PatternWindow { side: 2 },
        spread: Spread::default(),
        formula: VoteFormula::default(),
        trees: Vec::new(),
    }
}

/// A file as another program might write it: no instruction, no definition, several lists of cells,
/// other spacing and case.
const FOREIGN: &str = r#"<RandomForest>
  <!-- made by another tool --><?other tool?>
  <RandomWoods>
    <TrainingAttributesList>
      <TrainingAttributes attributeIndxs=" 8, 0 ,4"></TrainingAttributes>
      <TrainingAttributes attributeIndxs="18,10,14"/>
    </TrainingAttributesList>
    <ForestTree decisionAttr="9">
      <TreeRoot headerIndx="4">
        <TreeLeaf categoryValue="LOSS" branchValue="2"/>
        <TreeNode branchValue="1" headerIndx="8">
          <TreeLeaf branchValue="1" categoryValue="Win"/>
          <TreeLeaf branchValue="&#48;" categoryValue="win"/>
        </TreeNode>
      </TreeRoot>
    </ForestTree>
  </RandomWoods>
</RandomForest>"#;

#[test]
fn foreign_files_are_read_and_missing_branches_predict_the_majority() {
    let forest = read(FOREIGN.as_bytes()).unwrap();
    assert_eq!(
        Forest { trees: Vec::new(), ..forest.clone() },
        Forest { window: PatternWindow { side: 3 }, ..small() }
    );
    let tree = &forest.trees[0];
    assert_eq!((tree.pattern.cells(), tree.error, tree.weight), (&[8, 0, 4][..], None, 1));
    let predicts =
        |eight, four| tree.decisions.vote(|j| CellContent::ALL[[eight, 0, four][j]]).class();
    assert_eq!([predicts(0, 1), predicts(1, 1), predicts(2, 1)], [Some(Class::Win); 3]);
    assert_eq!([predicts(0, 2), predicts(0, 0)], [Some(Class::Loss), Some(Class::Win)]);
    let tied = FOREIGN.replace("categoryValue=\"Win\"", "categoryValue=\"draw\"");
    let tree = &read(tied.as_bytes()).unwrap().trees[0];
    assert_eq!(
        tree.decisions
            .vote(|j| [CellContent::Theirs, CellContent::Empty, CellContent::Mine][j])
            .class(),
        Some(Class::Draw)
    );
}

fn refusal(text: &str) -> String {
    let error = match read(text.as_bytes()) {
        Ok(_) => panic!("this was accepted: {text}"),
        Err(error) => error.to_string(),
    };
    assert!(!error.contains('\n') && error.starts_with("line "), "{error}");
    error
}

/// Each row: a part of a valid file, its replacement, and the expected error.
const REFUSED: [(&str, &str, &str); 33] = [
    ("</RandomForest>", "", "line 18: the file ends inside RandomForest; expected RandomWoods"),
    ("</TreeRoot>", "</TreeNode>", "line 15: not well-formed XML"),
    ("<RandomForest>", "<Forest>", "line 1: not a forest; expected an XML document"),
    (
        "headerIndx=\"4\"",
        "headerIndx=\"5\"",
        "line 9: headerIndx of TreeRoot is '5'; expected one of the tree's attributes 8,0,4",
    ),
    ("headerIndx=\"8\"", "headerIndx=\"4\"", "line 11: attribute index 4 is tested twice"),
    ("headerIndx=\"8\"", "headerIndx=\"99999999999\"", "line 11: headerIndx of TreeNode"),
    ("headerIndx=\"8\"", "", "line 11: headerIndx of TreeNode is ''"),
    ("8, 0 ,4", "9,0,4", "line 5: attribute index 9 lies outside the 3x3 window; expected 0 to 8"),
    ("8, 0 ,4", "8,0,8", "line 5: attribute index 8 occurs twice"),
    (
        "8, 0 ,4",
        "",
        "line 5: attributeIndxs of TrainingAttributes is ''; expected numbers of cells",
    ),
    ("8, 0 ,4", "8,0,-4", "expected numbers of cells joined by commas"),
    ("8, 0 ,4", "0,1,2,3,4,5,6,7,8,9,10,11,12", "line 6: attributeIndxs"),
    (
        "18,10,14",
        "18,10",
        "line 6: attributeIndxs of TrainingAttributes is '18,10'; expected 3 numbers",
    ),
    (
        "decisionAttr=\"9\"",
        "decisionAttr=\"10\"",
        "line 8: decisionAttr of ForestTree is '10'; expected the number of cells",
    ),
    ("decisionAttr=\"9\"", "decisionAttr=\"0\"", "decisionAttr of ForestTree is '0'"),
    ("decisionAttr=\"9\"", "decisionAttr=\"65536\"", "decisionAttr of ForestTree is '65536'"),
    (
        "decisionAttr=\"9\"",
        "decisionAttr=\"4\"",
        "line 5: attribute index 8 lies outside the 2x2 window",
    ),
    (
        "branchValue=\"2\"",
        "branchValue=\"3\"",
        "line 10: branchValue of TreeLeaf is '3'; expected 0 (empty), 1",
    ),
    (
        "branchValue=\"1\" headerIndx",
        "branchValue=\"2\" headerIndx",
        "line 11: branchValue of TreeNode is '2'; expected one not used",
    ),
    (
        "LOSS",
        "2",
        "line 10: categoryValue of TreeLeaf is '2'; expected win, draw, loss or none, or several",
    ),
    (
        "branchValue=\"2\"",
        "branchvalue=\"2\"",
        "line 10: TreeLeaf has no attribute 'branchvalue'; expected branchValue and categoryValue",
    ),
    (
        "<RandomForest>",
        "<RandomForest xmlns=\"x\">",
        "line 1: RandomForest has no attribute 'xmlns'; expected none",
    ),
    ("&#48;", "&zero;", "line 13: not well-formed XML"),
    ("<!-- made by another tool -->", "&zero;", "line 2: entities are not allowed, found '&zero;'"),
    (
        "<!-- made by another tool -->",
        "hello",
        "line 2: found the text 'hello' in RandomForest; expected RandomWoods",
    ),
    ("<!-- made by another tool -->", "<![CDATA[ ]]>", "found <![CDATA[ in RandomForest"),
    (
        "<!-- made by another tool -->",
        "<script/>",
        "line 2: found '<script' in RandomForest; expected RandomWoods",
    ),
    (
        "<!-- made by another tool -->",
        "<TreeRoot/>",
        "line 2: found TreeRoot in RandomForest; expected RandomWoods",
    ),
    (
        "<!-- made by another tool -->",
        "<RandomWoods/>",
        "line 2: found its end in RandomWoods; expected TrainingAttributesList",
    ),
    (
        "<RandomForest>",
        "<!DOCTYPE RandomForest SYSTEM \"/etc/passwd\"><RandomForest>",
        "line 1: the document type refers to another file",
    ),
    (
        "<RandomForest>",
        "<!DOCTYPE RandomForest [<!ENTITY a \"b\">]><RandomForest>",
        "line 1: entities are not allowed, found '<!ENTITY a \"b\">'",
    ),
    (
        "<RandomForest>",
        "<?xml version=\"1.0\" encoding=\"latin1\"?><RandomForest>",
        "line 1: not UTF-8; expected a forest in UTF-8",
    ),
    (
        "</RandomForest>",
        "</RandomForest><RandomForest/>",
        "line 18: found a second element RandomForest",
    ),
];

#[test]
fn errors_name_the_line() {
    for (from, to, expected) in REFUSED {
        assert!(FOREIGN.contains(from), "{from}");
        let error = refusal(&FOREIGN.replacen(from, to, 1));
        assert!(error.contains(expected), "{to}: {error}");
    }
    assert!(refusal("").contains("the file ends inside the file; expected RandomForest"));
    assert!(
        refusal("<RandomForest/>").contains("found nothing in RandomForest; expected RandomWoods")
    );
    assert!(read(b"<RandomForest>\xff").unwrap_err().to_string().contains("not UTF-8"));
}

/// A user who can name a file must not learn its content.
#[test]
fn errors_never_quote_other_files() {
    for text in [
        "secret",
        "secret=1\n<RandomForest/>",
        "<secret>",
        "</secret>",
        "<!DOCTYPE secret>",
        "&secret;",
        "<?xml version='1.0' encoding='secret'?><RandomForest/>",
        "<!-- secret",
        "<![CDATA[secret]]>",
        "<?secret?><secret/>",
    ] {
        let error = refusal(text);
        assert!(!error.contains("secret"), "{text}: {error}");
    }
}

#[test]
fn metadata_is_checked() {
    let text = write(&random_forest(1));
    let game = "\"game\":\"";
    for (from, to, expected) in [
        ("\"version\":1", "\"version\":2", "version 2; expected 1"),
        ("\"window\":", "\"window\":1", "decisionAttr of ForestTree"),
        ("\"window\":", "\"window\":99999", "expected 1 to 255"),
        ("\"weights\":[", "\"weights\":[1,", "expected one for each of the"),
        ("\"weights\":[", "\"weights\":[1001,", "weight 1001; expected 0 to 1000"),
        ("\"errors\":[", "\"errors\":[1.5,", "error 1.5; expected 0 to 1"),
        (game, "\"depth\":1,\"game\":\"", "unknown field `depth`"),
        (game, "\"game\":\"\\n", "expected a game's name"),
        ("{\"version", "[\"version", "the <?tesuji …?> instruction is invalid"),
        ("<RandomForest>", "<?tesuji {}?><RandomForest>", "a second <?tesuji"),
        ("</RandomForest>", "<?tesuji {}?></RandomForest>", "found <?tesuji …?> in RandomForest"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = refusal(&text.replacen(from, to, 1));
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn excessive_sizes_are_rejected() {
    let deep = FOREIGN.replace(
        "<TreeLeaf branchValue=\"1\"",
        &("<TreeNode branchValue=\"1\" headerIndx=\"0\">".repeat(100_000)
            + "<TreeLeaf branchValue=\"1\""),
    );
    assert!(refusal(&deep).contains("attribute index 0 is tested twice"));
    let bomb = "<!DOCTYPE RandomForest [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>";
    assert!(
        refusal(&FOREIGN.replace("<RandomForest>", &format!("{bomb}<RandomForest>&b;")))
            .contains("entities")
    );
    let (start, end) =
        (FOREIGN.find("<RandomWoods>").unwrap(), FOREIGN.find("</RandomForest>").unwrap());
    let tree = &FOREIGN[start..end];
    assert!(
        refusal(&FOREIGN.replace(tree, &tree.repeat(MAX_TREES + 1)))
            .contains("more than 10000 trees")
    );
    let wide = tree
        .replace("18,10,14", "1,2,3,4,5,6,7,8,9,10,11,12")
        .replace(" 8, 0 ,4", "0,1,2,3,4,8,6,7,5,9,10,11");
    let wide = wide.replace("decisionAttr=\"9\"", "decisionAttr=\"16\"");
    assert!(refusal(&FOREIGN.replace(tree, &wide.repeat(600))).contains("entries"));
    let large = vec![b' '; MAX_BYTES as usize + 1];
    assert!(read(&large).unwrap_err().to_string().contains("larger than 64 MiB"));
}

/// Any mutation of a file is read or rejected in one line.
#[test]
fn arbitrary_bytes_never_panic() {
    let rng = &mut seeded(8);
    let good = [FOREIGN.as_bytes().to_vec(), write(&random_forest(2)).into_bytes()];
    for round in 0..20_000 {
        let mut bytes = good[round % 2].clone();
        bytes.truncate(3000);
        for _ in 0..1 + below(rng, 4) {
            mutate(&mut bytes, rng);
        }
        match read(&bytes) {
            Ok(forest) => assert!(read(write(&forest).as_bytes()).is_ok()),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut at = |bytes: &Vec<u8>| below(rng, bytes.len() as u32) as usize;
    let (here, there) = (at(bytes), at(bytes));
    match there % 4 {
        0 => bytes[here] = b"<>&;\"'[]!?/=0129,\0\xff-"[there % 20],
        1 => drop(bytes.drain(here..(here + there % 40).min(bytes.len()))),
        2 => {
            let copy = bytes[here..(here + there % 60).min(bytes.len())].to_vec();
            let place = there.min(bytes.len());
            bytes.splice(place..place, copy);
        }
        _ => bytes.insert(here, b"<>&;\"'[]!?/=0129, \n-"[there % 20]),
    }
    if bytes.is_empty() {
        bytes.push(b'<');
    }
}
