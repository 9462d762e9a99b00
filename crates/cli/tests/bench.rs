//! `tesuji bench`: figures beside those of peers, and the tables of the Anigmo paper.

mod terminal;

use std::os::unix::fs::PermissionsExt;

use terminal::Terminal;

/// A peer that claims to play a thousand games a second.
fn fake_peer(terminal: &Terminal) -> String {
    let path = terminal.folder().join("peer");
    std::fs::write(&path, "#!/bin/sh\nfor t; do printf '%s\\tsnail 1.0\\t1000\\n' \"$t\"; done\n")
        .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_peer_is_measured_in_the_same_run() {
    let terminal = Terminal::new();
    let peer = fake_peer(&terminal);
    let line = format!("bench playouts/tictactoe --rounds 1 --json --python none --peers {peer}");
    let result = terminal.run(&line).json();
    let task = &result["tasks"][0];
    let ours = task["figure"].as_f64().unwrap();
    assert_eq!(task["id"], "playouts/tictactoe");
    assert_eq!(task["peers"][0]["peer"], "snail 1.0");
    let ratio = task["peers"][0]["we_are_times_as_fast"].as_f64().unwrap();
    assert!(ours > 1000.0 && (ratio - ours / 1000.0).abs() < 1e-6 * ratio);
    assert_eq!(result["anigmo"], serde_json::Value::Null);
}

#[test]
fn without_peers_it_says_how_to_get_them() {
    let line = "bench playouts/tictactoe --rounds 1 --python none";
    let text = Terminal::new().run(line).success();
    assert!(text.contains("games/s") && text.contains("cargo xtask bench"), "{text}");
}

#[test]
fn the_list_names_everything_that_can_be_asked_for() {
    let text = Terminal::new().run("bench --list").success();
    for id in ["playouts/chess", "uct/1-thread", "alphabeta/depth-12", "threads/othello", "anigmo"]
    {
        assert!(text.contains(id), "{text}");
    }
}

/// The node counts were found independently of this program.
#[test]
fn anigmo_tables_visit_the_known_number_of_nodes() {
    let result = Terminal::new().run("bench anigmo --json --python none").json();
    let tables = result["anigmo"].as_array().unwrap();
    let sizes: Vec<usize> = tables.iter().map(|t| t["rows"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [10, 10, 2, 2, 2, 2, 2]);
    let nodes = |table: usize, row: usize| tables[table]["rows"][row]["nodes"].as_u64().unwrap();
    assert_eq!([nodes(0, 0), nodes(0, 1)], [137_256; 2], "Minimax and Negamax");
    assert_eq!([nodes(0, 2), nodes(0, 3)], [25_423; 2], "alpha-beta, columns from the left");
    assert_eq!([nodes(0, 5), nodes(0, 6)], [137_256; 2], "order does not help minimax");
    assert_eq!([nodes(0, 7), nodes(0, 8)], [7_916; 2], "alpha-beta, centre first");
    assert_eq!(nodes(2, 0), 212_330, "depth 8");
    for table in tables {
        assert_eq!(table["rows"][0]["percent"], 100.0);
    }
}
