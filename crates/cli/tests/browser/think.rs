//! See it think: every picture is drawn, and its numbers are those of its JSON.

use serde_json::Value;

use crate::Test;
use crate::seat::Seat;
use crate::visit::{Look, Visit};

pub(crate) const TESTS: &[Test] = &[
    ("draws_the_tree_and_its_cuts", draws_the_tree_and_its_cuts),
    ("draws_what_it_thought_at_each_depth", draws_what_it_thought_at_each_depth),
    ("draws_visits_as_they_grow", draws_visits_as_they_grow),
    ("draws_perfect_play", draws_perfect_play),
    ("draws_forced_lines", draws_forced_lines),
    ("draws_the_votes_of_a_forest", draws_the_votes_of_a_forest),
    ("draws_the_inputs_of_the_critic", draws_the_inputs_of_the_critic),
];

/// Opens a picture and waits until it is complete.
fn open(visit: &Visit, game: &'static str, moves: &str, picture: &str) {
    Seat::take_at(visit, game, moves);
    visit.click("#tab-think");
    visit.click(&format!("[data-picture=\"{picture}\"]"));
    let ready = format!(
        "document.querySelector('#think-picture[data-shown=\"{picture}\"]')?.dataset.state === 'ready'"
    );
    visit.until(&format!("the picture {picture}"), &ready);
}

/// The number that stands for a score: plies to the end, below 0 for a loss, or the estimate.
fn number(score: &Value) -> f64 {
    let field = |name: &str| score[name].as_f64();
    field("win_in").or(field("loss_in").map(|plies| -plies)).or(field("estimate")).unwrap()
}

/// Equal but for the last digit.
#[track_caller]
fn assert_close(drawn: &[f64], expected: &[f64], what: &str) {
    assert_eq!(drawn.len(), expected.len(), "{what}: {drawn:?} is not {expected:?}");
    let close = drawn.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
    assert!(close, "{what}: {drawn:?} is not {expected:?}");
}

fn numbers(of: &Value, field: &str) -> Vec<f64> {
    of.as_array().unwrap().iter().map(|one| one[field].as_f64().unwrap()).collect()
}

fn draws_the_tree_and_its_cuts(visit: &Visit) {
    // Without motion the playback stands at its end at once.
    visit.look(Look::ReducedMotion);
    let moves = "b2 a1 c3";
    open(visit, "tictactoe", moves, "tree");
    visit.until("the end", "document.querySelector('.tree')?.dataset.complete === 'true'");
    let query = [("game", "tictactoe"), ("moves", moves), ("depth", "3"), ("ordered", "false")];
    let tree = visit.api("/api/think/tree", &query);
    let nodes = tree["nodes"].as_array().unwrap();
    let drawn = visit.value(
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
    visit.picture("tree");
    for count in tree["counts"].as_array().unwrap() {
        let row = format!("[data-algorithm={}] .number", count["algorithm"]);
        let expected: Vec<f64> = count["nodes"].as_f64().into_iter().collect();
        assert_close(&visit.numbers(&row, "data-value"), &expected, &row);
    }
}

fn draws_what_it_thought_at_each_depth(visit: &Visit) {
    open(visit, "connect4", "4444", "deepening");
    let shown = data_of_the_picture(visit);
    let steps = shown.as_array().unwrap();
    assert!(steps.len() >= 4, "{} depths", steps.len());
    let scores: Vec<f64> = steps.iter().map(|step| number(&step["score"])).collect();
    assert_close(&visit.numbers(".deepening-list .score", "data-value"), &scores, "scores");
    assert_close(
        &visit.numbers(".deepening-list small", "data-value"),
        &numbers(&shown, "nodes"),
        "nodes",
    );
    // Depth for depth, another search thinks the same; it may come further or not so far.
    let query = [("game", "connect4"), ("moves", "4444"), ("seconds", "2")];
    let again = visit.ask("/api/think/deepening", &query).events("depth");
    for (one, other) in steps.iter().zip(&again).take(4) {
        assert_eq!((&one["depth"], &one["score"]), (&other["depth"], &other["score"]));
    }
    visit.picture("depths");
}

/// What a picture says its data is.
fn data_of_the_picture(visit: &Visit) -> Value {
    visit.click("#pictures details summary");
    let text =
        visit.until("the data", "document.querySelector('#pictures details pre').textContent");
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

fn draws_visits_as_they_grow(visit: &Visit) {
    open(visit, "connect4", "4444", "visits");
    let shown = data_of_the_picture(visit);
    assert!(shown["simulations"].as_u64().unwrap() > 100);
    let total = visit.numbers("#pictures .think-total", "data-value");
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
        &visit.numbers("#pictures .bars .number", "data-value"),
        &expected,
        "visits and wins",
    );
    assert!(visit.count("#board .mark") >= 1, "discs on the board");
    visit.picture("visits");
}

fn draws_perfect_play(visit: &Visit) {
    open(visit, "connect4", "444444222", "solver");
    let answer = visit.ask("/api/think/solver", &[("game", "connect4"), ("moves", "444444222")]);
    let solution = answer.events("done").remove(0);
    assert_eq!(solution["exact"], true);
    let total = visit.numbers("#pictures .think-total", "data-value");
    assert_close(&total, &[number(&solution["score"])], "the score");
    let moves = solution["moves"].as_array().unwrap();
    let expected: Vec<f64> = moves.iter().map(|one| number(&one["score"])).collect();
    assert_close(
        &visit.numbers("#pictures .choices [data-move]", "data-value"),
        &expected,
        "moves",
    );
    assert_eq!(visit.count("#board .mark"), moves.len() as u64, "a score on every column");
    let line: Vec<&str> = solution["line"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["move"].as_str())
        .collect();
    assert_eq!(visit.texts("#pictures .line-of-moves > li"), line, "the perfect line");
    visit.picture("scores");
}

fn draws_forced_lines(visit: &Visit) {
    // Black has three in a row with both ends open.
    let moves = "h8 a1 i8 a15 j8 o1";
    open(visit, "gomoku", moves, "threats");
    let threats = visit.api("/api/think/threats", &[("game", "gomoku"), ("moves", moves)]);
    assert_eq!(threats["found"], true);
    let length = threats["line"].as_array().unwrap().len();
    assert_close(&visit.numbers("[data-threat=own]", "data-value"), &[length as f64], "own");
    let against = &threats["against"];
    let expected =
        if against["found"] == true { against["line"].as_array().unwrap().len() } else { 0 };
    assert_close(
        &visit.numbers("[data-threat=against]", "data-value"),
        &[expected as f64],
        "against",
    );
    let stones = visit.texts("[data-threat=own] .line-of-moves > li");
    let line: Vec<&str> = threats["line"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["move"].as_str())
        .collect();
    assert_eq!(stones, line);
    assert_eq!(visit.count("#board .ghost.line"), length as u64, "numbered stones on the board");
    visit.picture("line");
}

fn draws_the_votes_of_a_forest(visit: &Visit) {
    let moves = "b2 a1 c3";
    open(visit, "tictactoe", moves, "forest");
    let forest = visit.api("/api/think/forest", &[("game", "tictactoe"), ("moves", moves)]);
    let total = visit.numbers("#pictures .think-total", "data-value");
    assert_close(&total, &[number(&forest["value"])], "the value");
    let votes = ["win", "draw", "loss"].map(|kind| forest["votes"][kind].as_f64().unwrap());
    let drawn = visit.numbers("#think-picture .votes [data-value]", "data-value");
    assert_close(&drawn[..3], &votes, "votes");
    let warm = |cell: &&Value| cell["win"] != cell["loss"];
    let cells = forest["cells"].as_array().unwrap();
    assert_eq!(visit.count("#board .mark.heat"), cells.iter().filter(warm).count() as u64, "heat");
    let moves = forest["moves"].as_array().unwrap();
    let best: Vec<f64> = moves.iter().take(6).map(|one| number(&one["value"])).collect();
    assert_close(&visit.numbers("#pictures .bars .number", "data-value"), &best, "moves");
    // A cell shows the votes of the patterns through it.
    visit.value("document.querySelector('#board [data-cell=\"4\"]').focus()");
    let through: f64 =
        ["win", "draw", "loss"].iter().filter_map(|kind| cells[4][kind].as_f64()).sum();
    visit.until("patterns", "document.querySelector('.patterns h3')?.dataset.value");
    assert_close(&visit.numbers(".patterns h3", "data-value"), &[through], "votes of a cell");
    visit.picture("votes");
}

fn draws_the_inputs_of_the_critic(visit: &Visit) {
    let moves = "h8 h9 i8";
    let game = "gomoku";
    open(visit, game, moves, "critic");
    let critic = visit.api("/api/think/critic", &[("game", game), ("moves", moves)]);
    let lamps = "[...document.querySelectorAll('.lamp')]\
                 .map((lamp) => `${lamp.ariaLabel.split(': ')[0]} ${Number(lamp.dataset.value)}`).sort()";
    let inputs = format!(
        "{}.map(({{ name, side, value }}) => \
         `${{{{ first: 'Black ', second: 'White ' }}[side] ?? ''}}${{name}} ${{value}}`).sort()",
        critic["inputs"]
    );
    assert_eq!(visit.value(lamps), visit.value(&inputs), "a lamp for every input");
    let listed: Vec<f64> = numbers(&critic["moves"], "value").into_iter().take(16).collect();
    assert_close(&visit.numbers("#pictures .choices [data-move]", "data-value"), &listed, "moves");
    let value = visit.numbers("#pictures .bars .number", "data-value");
    assert_close(&value[..1], &[critic["value"].as_f64().unwrap()], "the value");
    visit.picture("lamps");
    // A move that is chosen shows the lamps that it changes.
    visit.click("#pictures .choices [data-move]");
    let changed = critic["moves"][0]["changed"].as_array().unwrap().len();
    visit.until(
        "changed lamps",
        "document.querySelector('#pictures .choices [aria-pressed=\"true\"]')",
    );
    assert_eq!(visit.count(".lamp.changed"), changed as u64);
}
