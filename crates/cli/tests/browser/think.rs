//! The visualizations: every one is drawn, with the numbers of its JSON.

use serde_json::Value;

use crate::Test;
use crate::game_page::GamePage;
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("draws_the_tree_and_its_cuts", draws_the_tree_and_its_cuts),
    ("draws_the_result_at_each_depth", draws_the_result_at_each_depth),
    ("draws_visits_as_they_grow", draws_visits_as_they_grow),
    ("draws_perfect_play", draws_perfect_play),
    ("draws_forced_lines", draws_forced_lines),
    ("draws_the_votes_of_a_forest", draws_the_votes_of_a_forest),
    ("draws_the_inputs_of_the_critic", draws_the_inputs_of_the_critic),
];

/// Opens a visualization and waits until it is complete.
fn open(tab: &Tab, game: &'static str, moves: &str, picture: &str) {
    GamePage::open_at(tab, game, moves);
    tab.click("#tab-think");
    tab.click(&format!("[data-picture=\"{picture}\"]"));
    let ready = format!(
        "document.querySelector('#think-picture[data-shown=\"{picture}\"]')?.dataset.state === 'ready'"
    );
    tab.until(&format!("the picture {picture}"), &ready);
}

/// A score as a number: plies to the end (negative for a loss), or the estimate.
fn number(score: &Value) -> f64 {
    let field = |name: &str| score[name].as_f64();
    field("win_in").or(field("loss_in").map(|plies| -plies)).or(field("estimate")).unwrap()
}

/// Compares numbers up to rounding.
#[track_caller]
fn assert_close(drawn: &[f64], expected: &[f64], what: &str) {
    assert_eq!(drawn.len(), expected.len(), "{what}: {drawn:?} is not {expected:?}");
    let close = drawn.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
    assert!(close, "{what}: {drawn:?} is not {expected:?}");
}

fn numbers(of: &Value, field: &str) -> Vec<f64> {
    of.as_array().unwrap().iter().map(|one| one[field].as_f64().unwrap()).collect()
}

fn draws_the_tree_and_its_cuts(tab: &Tab) {
    // With reduced motion the playback starts at its end.
    tab.emulate(Emulation::ReducedMotion);
    let moves = "b2 a1 c3";
    open(tab, "tictactoe", moves, "tree");
    tab.until("the end", "document.querySelector('.tree')?.dataset.complete === 'true'");
    let query = [("game", "tictactoe"), ("moves", moves), ("depth", "3"), ("ordered", "false")];
    let tree = tab.api("/api/think/tree", &query);
    let nodes = tree["nodes"].as_array().unwrap();
    let drawn = tab.value(
        "[...document.querySelectorAll('.tree [data-node]')]\
         .map((node) => [Number(node.dataset.node), Number(node.dataset.value), node.classList.contains('cut')])",
    );
    let drawn = drawn.as_array().unwrap();
    assert!(drawn.len() > 10, "only {} positions are drawn", drawn.len());
    for shown in drawn {
        let node = nodes.iter().find(|node| node["id"] == shown[0]).unwrap();
        assert_eq!(shown[1].as_f64(), Some(number(&node["value"])), "{node}");
        assert_eq!(shown[2], node["cut"], "{node}");
    }
    assert!(nodes.iter().any(|node| node["cut"] == true), "nothing was cut off");
    tab.picture("tree");
    for count in tree["counts"].as_array().unwrap() {
        let row = format!("[data-algorithm={}] .number", count["algorithm"]);
        let expected: Vec<f64> = count["nodes"].as_f64().into_iter().collect();
        assert_close(&tab.numbers(&row, "data-value"), &expected, &row);
    }
}

fn draws_the_result_at_each_depth(tab: &Tab) {
    open(tab, "connect4", "4444", "deepening");
    let shown = visualization_data(tab);
    let steps = shown.as_array().unwrap();
    assert!(steps.len() >= 4, "{} depths", steps.len());
    let scores: Vec<f64> = steps.iter().map(|step| number(&step["score"])).collect();
    assert_close(&tab.numbers(".deepening-list .score", "data-value"), &scores, "scores");
    assert_close(
        &tab.numbers(".deepening-list small", "data-value"),
        &numbers(&shown, "nodes"),
        "nodes",
    );
    // Another search has the same result at each depth; it may be deeper or not.
    let query = [("game", "connect4"), ("moves", "4444"), ("seconds", "2")];
    let again = tab.ask("/api/think/deepening", &query).events("depth");
    for (one, other) in steps.iter().zip(&again).take(4) {
        assert_eq!((&one["depth"], &one["score"]), (&other["depth"], &other["score"]));
    }
    tab.picture("depths");
}

/// The JSON data of a visualization.
fn visualization_data(tab: &Tab) -> Value {
    tab.click("#pictures details summary");
    let text = tab.until("the data", "document.querySelector('#pictures details pre').textContent");
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

fn draws_visits_as_they_grow(tab: &Tab) {
    open(tab, "connect4", "4444", "visits");
    let shown = visualization_data(tab);
    assert!(shown["simulations"].as_u64().unwrap() > 100);
    let total = tab.numbers("#pictures .think-total", "data-value");
    assert_close(&total, &[shown["simulations"].as_f64().unwrap()], "simulations");
    let mut tried: Vec<&Value> =
        shown["moves"].as_array().unwrap().iter().filter(|one| one["visits"] != 0).collect();
    tried.sort_by_key(|one| std::cmp::Reverse(one["visits"].as_u64()));
    let expected: Vec<f64> = tried
        .iter()
        .take(12)
        .flat_map(|one| [one["visits"].as_f64().unwrap(), one["win_rate"].as_f64().unwrap()])
        .collect();
    assert_close(
        &tab.numbers("#pictures .bars .number", "data-value"),
        &expected,
        "visits and wins",
    );
    assert!(tab.count("#board .mark") >= 1, "discs on the board");
    tab.picture("visits");
}

fn draws_perfect_play(tab: &Tab) {
    open(tab, "connect4", "444444222", "solver");
    let answer = tab.ask("/api/think/solver", &[("game", "connect4"), ("moves", "444444222")]);
    let solution = answer.events("done").remove(0);
    assert_eq!(solution["exact"], true);
    let total = tab.numbers("#pictures .think-total", "data-value");
    assert_close(&total, &[number(&solution["score"])], "the score");
    let moves = solution["moves"].as_array().unwrap();
    let expected: Vec<f64> = moves.iter().map(|one| number(&one["score"])).collect();
    assert_close(&tab.numbers("#pictures .choices [data-move]", "data-value"), &expected, "moves");
    assert_eq!(tab.count("#board .mark"), moves.len() as u64, "a score on every column");
    let line: Vec<&str> = solution["line"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["move"].as_str())
        .collect();
    assert_eq!(tab.texts("#pictures .line-of-moves > li"), line, "the perfect line");
    tab.picture("scores");
}

fn draws_forced_lines(tab: &Tab) {
    // Black has an open three.
    let moves = "h8 a1 i8 a15 j8 o1";
    open(tab, "gomoku", moves, "threats");
    let threats = tab.api("/api/think/threats", &[("game", "gomoku"), ("moves", moves)]);
    assert_eq!(threats["found"], true);
    let length = threats["line"].as_array().unwrap().len();
    assert_close(&tab.numbers("[data-threat=own]", "data-value"), &[length as f64], "own");
    let against = &threats["against"];
    let expected =
        if against["found"] == true { against["line"].as_array().unwrap().len() } else { 0 };
    assert_close(
        &tab.numbers("[data-threat=against]", "data-value"),
        &[expected as f64],
        "against",
    );
    let stones = tab.texts("[data-threat=own] .line-of-moves > li");
    let line: Vec<&str> = threats["line"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["move"].as_str())
        .collect();
    assert_eq!(stones, line);
    assert_eq!(tab.count("#board .ghost.line"), length as u64, "numbered stones on the board");
    tab.picture("line");
}

fn draws_the_votes_of_a_forest(tab: &Tab) {
    let moves = "b2 a1 c3";
    open(tab, "tictactoe", moves, "forest");
    let forest = tab.api("/api/think/forest", &[("game", "tictactoe"), ("moves", moves)]);
    let total = tab.numbers("#pictures .think-total", "data-value");
    assert_close(&total, &[number(&forest["value"])], "the value");
    let votes = ["win", "draw", "loss"].map(|kind| forest["votes"][kind].as_f64().unwrap());
    let drawn = tab.numbers("#think-picture .votes [data-value]", "data-value");
    assert_close(&drawn[..3], &votes, "votes");
    let warm = |cell: &&Value| cell["win"] != cell["loss"];
    let cells = forest["cells"].as_array().unwrap();
    assert_eq!(tab.count("#board .mark.heat"), cells.iter().filter(warm).count() as u64, "heat");
    let moves = forest["moves"].as_array().unwrap();
    let best: Vec<f64> = moves.iter().take(6).map(|one| number(&one["value"])).collect();
    assert_close(&tab.numbers("#pictures .bars .number", "data-value"), &best, "moves");
    // A cell shows the votes of its patterns.
    tab.value("document.querySelector('#board [data-cell=\"4\"]').focus()");
    let through: f64 =
        ["win", "draw", "loss"].iter().filter_map(|kind| cells[4][kind].as_f64()).sum();
    tab.until("patterns", "document.querySelector('.patterns h3')?.dataset.value");
    assert_close(&tab.numbers(".patterns h3", "data-value"), &[through], "votes of a cell");
    tab.picture("votes");
}

fn draws_the_inputs_of_the_critic(tab: &Tab) {
    let moves = "h8 h9 i8";
    let game = "gomoku";
    open(tab, game, moves, "critic");
    let critic = tab.api("/api/think/critic", &[("game", game), ("moves", moves)]);
    let units = "[...document.querySelectorAll('.input-unit')]\
                 .map((unit) => `${unit.ariaLabel.split(': ')[0]} ${Number(unit.dataset.value)}`).sort()";
    let inputs = format!(
        "{}.map(({{ name, side, value }}) => \
         `${{{{ first: 'Black ', second: 'White ' }}[side] ?? ''}}${{name}} ${{value}}`).sort()",
        critic["inputs"]
    );
    assert_eq!(tab.value(units), tab.value(&inputs), "one unit per input");
    let listed: Vec<f64> = numbers(&critic["moves"], "value").into_iter().take(16).collect();
    assert_close(&tab.numbers("#pictures .choices [data-move]", "data-value"), &listed, "moves");
    let value = tab.numbers("#pictures .bars .number", "data-value");
    assert_close(&value[..1], &[critic["value"].as_f64().unwrap()], "the value");
    tab.picture("critic-inputs");
    // Choosing a move marks the inputs that it changes.
    tab.click("#pictures .choices [data-move]");
    let changed = critic["moves"][0]["changed"].as_array().unwrap().len();
    tab.until(
        "changed inputs",
        "document.querySelector('#pictures .choices [aria-pressed=\"true\"]')",
    );
    assert_eq!(tab.count(".input-unit.changed"), changed as u64);
}
