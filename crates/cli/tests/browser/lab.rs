//! The laboratory and the library: a run is started and watched while it learns, played against, a tournament is played,
//! published numbers are seen beside ours and made again, recorded games are found and replayed.

use serde_json::json;

use crate::Test;
use crate::seat::{PERSON, Seat};
use crate::visit::{Look, Visit};

pub(crate) const TESTS: &[Test] = &[
    ("watches_a_run_learn_and_plays_against_it", watches_a_run_learn_and_plays_against_it),
    ("needs_the_token_to_start_anything", needs_the_token_to_start_anything),
    ("runs_an_experiment_and_draws_its_results", runs_an_experiment_and_draws_its_results),
    ("plays_a_match_and_rates_its_players", plays_a_match_and_rates_its_players),
    ("shows_published_numbers_beside_ours", shows_published_numbers_beside_ours),
    ("makes_a_report_here", makes_a_report_here),
    ("says_that_there_is_no_such_experiment", says_that_there_is_no_such_experiment),
    ("says_how_to_begin_with_many_machines", says_how_to_begin_with_many_machines),
    ("replays_a_recorded_game", replays_a_recorded_game),
];

/// Starts one of the examples with changed settings.
fn start(visit: &Visit, example: &str, change: impl Fn(&str) -> String, name: &str) {
    visit.enter("/lab");
    visit.choose("#example", example);
    let text = visit.until("its settings", "document.querySelector('#toml').value");
    visit.paste_into("#toml", &change(text.as_str().unwrap()));
    visit.paste_into(".start input[name=name]", name);
    visit.click("#start");
    let job = format!("document.querySelector('[data-job=\"{name}\"]')");
    visit.until("the job", &job);
}

fn watches_a_run_learn_and_plays_against_it(visit: &Visit) {
    let small = |text: &str| text.replace("iterations = 102", "iterations = 80");
    start(visit, "training/tictactoe.toml", small, "watched");
    visit.picture("started");
    visit.open("/lab/runs/watched");
    // Points come while it learns: at two moments there are more.
    let points = "Math.max(0, ...[...document.querySelectorAll('[data-points]')].map((group) => Number(group.dataset.points)))";
    let first = visit.until("the first points", points).as_u64().unwrap();
    let more = visit.until("more points", &format!("({points} > {first}) && {points}"));
    assert!(more.as_u64().unwrap() > first);
    visit.picture("learning");
    visit.until(
        "its end",
        "document.querySelector('.card-head')?.innerText.toLowerCase().includes('finished')",
    );
    let run = visit.api("/api/lab/runs/watched", &[]);
    let longest = run["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|curve| curve["points"].as_array().unwrap().len());
    assert_eq!(visit.value(points).as_u64(), longest.max().map(|length| length as u64));
    // Its strength is the first chart, with an error bar for each measured step, and the table names the best.
    let strength = "document.querySelector('.charts [data-chart]')";
    assert_eq!(visit.value(&format!("{strength}.dataset.chart")), "Score against fixed opponents");
    let measured = |series: &serde_json::Value| series["errors"].as_array().map_or(0, Vec::len);
    let errors: usize = run["series"].as_array().unwrap().iter().map(measured).sum();
    assert!(errors > 0);
    assert_eq!(visit.value(&format!("{strength}.querySelectorAll('.whisker').length")), errors);
    let best = visit.value("Number(document.querySelector('#strength [data-best]').dataset.best)");
    assert_eq!(best.as_f64(), run["best"]["step"].as_f64());
    visit.picture("learned");
    visit.click("#play-against");
    visit.until("a board", "document.querySelector('#board [data-cell]')");
    visit.until_status("Your turn");
    visit.click_cell(0);
    visit.until("its answer", "document.querySelectorAll('#board .piece').length === 2");
    visit.until_status("Your turn");
    visit.picture("played");
}

fn needs_the_token_to_start_anything(visit: &Visit) {
    const HOW: &str = "open the link that `tesuji serve` printed";
    visit.expect_refusals();
    for path in ["/lab", EXPERIMENT] {
        visit.open(path);
        let told = format!("document.body.innerText.includes({})", json!(HOW));
        visit.until("how to get in", &told);
        for button in ["#start", "#run-here", "[data-stop]", "[data-resume]"] {
            assert_eq!(visit.count(button), 0, "{path}: {button}");
        }
        visit.picture("guest");
    }
    visit.open("/lab");
    visit.type_into(".start input[type=password]", "wrong");
    visit.click(".start button");
    visit.until("a refusal", "document.querySelector('.start [role=alert]:not([hidden])')");
    visit.reload();
    visit.type_into(".start input[type=password]", &visit.server.token);
    visit.click(".start button");
    visit.until("the form", "document.querySelector('#start')");
    assert_eq!(visit.address(), "/lab");
    assert_eq!(visit.value("document.cookie"), "", "scripts cannot read the cookie");
    visit.reload();
    visit.until("the form again", "document.querySelector('#start')");
}

fn plays_a_match_and_rates_its_players(visit: &Visit) {
    start(visit, "match.toml", str::to_string, "measured");
    visit.until("its card", "document.querySelector('#tournaments [data-event]')");
    visit.picture("started");
    visit.click("#tournaments [data-event]");
    visit.until("two players", "document.querySelectorAll('#ratings [data-player]').length === 2");
    visit.picture("rated");
}

fn runs_an_experiment_and_draws_its_results(visit: &Visit) {
    let file = "title = 'How deep?'\nseeds = [1, 2]\n[match]\ngame = 'tictactoe'\nplayer = 'pvs'\nopponents = ['random', 'heuristic']\ngames = 10\n[grid]\ndepth = [1, 2, 4]\n";
    visit.enter("/lab");
    visit.choose("#example", "own:experiment");
    visit.paste_into("#toml", file);
    visit.paste_into(".start input[name=name]", "deep");
    visit.click("#start");
    visit.until("its card", "document.querySelector('#experiments [data-experiment=deep]')");
    visit.picture("started");
    visit.click("#experiments [data-experiment=deep]");
    visit.until("its end", "document.querySelector('.lead [data-state=finished]')");
    assert_eq!(visit.address(), "/lab/experiments/deep");
    let whole = visit.api("/api/lab/experiments/deep", &[]);
    let cells = whole["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 6);
    let scores: Vec<f64> = cells.iter().map(|cell| cell["score"].as_f64().unwrap()).collect();
    assert_eq!(visit.numbers("#results [data-cell]", "data-value"), scores);
    // A point with an error bar for each cell, a label for each value.
    assert_eq!(visit.count("#plot .whisker"), 6);
    assert_eq!(visit.count("#plot .dot"), 6);
    let labels = visit.texts("#plot text");
    for label in ["1", "2", "4", "depth"] {
        assert!(labels.iter().any(|text| text == label), "{label}: {labels:?}");
    }
    assert_eq!(visit.count("#runs [data-run]"), 6);
    assert_eq!(visit.count("#runs [data-state=finished]"), 6);
    let saved = visit
        .value("fetch(document.querySelector('#picture').href).then((answer) => answer.text())");
    assert!(saved.as_str().unwrap().starts_with("<svg"));
    assert_eq!(visit.text("#toml"), file.trim_end());
    visit.picture("finished");
    visit.reload();
    visit.until("the same table", "document.querySelectorAll('#results [data-cell]').length === 6");
    // It stands among what was started, and leads back.
    visit.open("/lab");
    visit.look(Look::Phone);
    visit.click("#jobs [data-job=deep] a");
    visit.until("the table again", "document.querySelector('#results')");
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert_eq!(visit.value(wide), false, "it can be scrolled sideways");
    visit.picture("finished-360");
}

/// An experiment that takes a moment, and whose report comes with the program.
const EXPERIMENT: &str = "/lab/reproduction/anigmo-stats";

fn shows_published_numbers_beside_ours(visit: &Visit) {
    visit.open("/lab");
    visit.click("#to-reproduction");
    visit.until("the list", "document.querySelector('[data-experiment]')");
    let listed = visit.api("/api/lab/reproduction", &[]);
    let experiments = listed["experiments"].as_array().unwrap();
    assert_eq!(visit.count("[data-experiment]"), experiments.len() as u64);
    visit.picture("list");
    visit.click("[data-experiment=\"anigmo-stats\"]");
    visit.until("a verdict", "document.querySelector('.compared [data-verdict]')");
    assert_eq!(visit.address(), EXPERIMENT);
    let whole = visit.api(&format!("/api{EXPERIMENT}"), &[]);
    let tables = whole["report"]["tables"].as_array().unwrap();
    let rows = tables.iter().flat_map(|table| table["rows"].as_array().unwrap());
    let verdicts: Vec<&str> = rows.map(|row| row["verdict"].as_str().unwrap()).collect();
    let drawn = visit.value(
        "[...document.querySelectorAll('.compared [data-verdict]')].map((mark) => mark.dataset.verdict)",
    );
    assert_eq!(drawn, json!(verdicts));
    assert_eq!(
        visit.numbers("#counts [data-value]", "data-value").iter().sum::<f64>(),
        verdicts.len() as f64
    );
    let shown = visit.texts("#report .verdict");
    assert!(shown.iter().all(|words| words.chars().any(char::is_alphabetic)), "{shown:?}");
    assert_eq!(visit.text("#command"), whole["report"]["command"].as_str().unwrap());
    visit.picture("report");
    visit.value("document.querySelector('#picture').scrollIntoView()");
    visit.until("the picture", "document.querySelector('#picture').naturalWidth");
    visit.picture("picture");
    visit.reload();
    visit.until("the same report", "document.querySelector('.compared [data-verdict]')");
    visit.value("history.back()");
    visit.until("the list again", "document.querySelector('[data-experiment]')");
}

fn makes_a_report_here(visit: &Visit) {
    visit.enter(&format!("{EXPERIMENT}?origin=here"));
    visit.until("that there is none", "document.querySelector('#no-report')");
    visit.picture("none");
    visit.click("#run-here");
    visit.until("the job", "document.querySelector('#work [data-job=\"anigmo-stats\"]')");
    visit.until("the report", "document.querySelector('.compared [data-verdict]')");
    visit.until("its end", "document.querySelector('#work [data-state=finished]')");
    visit.value("document.querySelector('#work').scrollIntoView()");
    visit.picture("made");
    let whole = visit.api(&format!("/api{EXPERIMENT}"), &[]);
    assert_eq!((&whole["origin"], &whole["report"]["effort"]), (&json!("here"), &json!("quick")));
    visit.click("#other");
    visit.until("the other", "document.querySelector('.facts')?.innerText.includes('came with')");
    // It stands among the other jobs, and leads back.
    visit.open("/lab");
    visit.click("#jobs [data-job=\"anigmo-stats\"] a");
    visit.until("the report again", "document.querySelector('.compared [data-verdict]')");
}

fn says_that_there_is_no_such_experiment(visit: &Visit) {
    visit.expect_refusals();
    visit.open("/lab/reproduction/nothing");
    visit.until("the words", "document.querySelector('.problem')?.innerText.includes('no such')");
    visit.picture("missing");
}

/// The server of these tests has no queue.
fn says_how_to_begin_with_many_machines(visit: &Visit) {
    visit.enter("/lab");
    visit.until("the form", "document.querySelector('#start')");
    assert_eq!(visit.count("#on-workers"), 0, "there are no workers to choose");
    visit.press(&["m"]);
    visit.until("what to do", "document.querySelector('#no-queue')");
    assert_eq!(visit.address(), "/lab/queue");
    let said = visit.text("#no-queue");
    for words in ["--queue nats://HOST", "tesuji worker", "docs/cluster.md"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(visit.value("document.querySelector('#machines').hidden"), true);
    visit.picture("none");
}

fn replays_a_recorded_game(visit: &Visit) {
    let seat = Seat::take(visit, "tictactoe", PERSON, PERSON);
    for text in ["a1", "b1", "a2", "b2", "a3"] {
        seat.play(text);
    }
    visit.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    visit.open("/library");
    visit.until("the list", "document.querySelector('#games [data-key]')");
    visit.choose("#filters [name=game]", "tictactoe");
    visit.until("the filter", "location.search.includes('game=tictactoe')");
    visit.click("#games [data-key]");
    visit.until("the last move", "document.querySelector('#replay')?.dataset.ply === '5'");
    assert_eq!(visit.count("#replay .piece"), 5);
    visit.picture("replay");
    visit.press(&["ArrowLeft", "ArrowLeft"]);
    visit.until("two back", "document.querySelector('#replay')?.dataset.ply === '3'");
    assert_eq!(visit.count("#replay .piece"), 3);
    let key = visit.value("document.querySelector('#replay').dataset.key");
    visit.reload();
    visit.until(
        "the same game",
        &format!("document.querySelector('#replay')?.dataset.key === {key}"),
    );
    let record = visit.api("/api/library/game", &[("key", key.as_str().unwrap())]);
    assert_eq!(record["record"]["outcome"], json!({ "win": "first" }));
}
