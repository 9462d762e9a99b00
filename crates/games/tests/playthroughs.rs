//! Golden playthroughs: everything observable in a short game of each kind, as text that is
//! compared with a file and reviewed as a diff. It includes keys: opening books store them, so a
//! change of a key makes old books useless and must be intended.
//!
//! After an intended change: `UPDATE_PLAYTHROUGHS=1 cargo test -p tesuji-games --test all
//! playthroughs`.

use std::fmt::Write;
use std::path::PathBuf;

use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Playable, registry, typed};

const PLIES: usize = 12;

struct Playthrough;

impl Playthrough {
    fn visit<P: Playable>(self, start: P) -> String {
        let mut rng = seeded(1950);
        let mut text = String::new();
        let mut line = GameLine::new(start);
        while line.moves.len() < PLIES && line.end.outcome().is_none() {
            describe(&line.end, &mut text);
            let m = line.end.random_move(&mut rng);
            writeln!(text, "plays {}\n", line.end.move_text(m)).unwrap();
            line.play(m).unwrap();
        }
        describe(&line.end, &mut text);
        writeln!(text, "line {}", line.text()).unwrap();
        text
    }
}

fn describe<P: Playable>(position: &P, text: &mut String) {
    write!(text, "{}", position.diagram()).unwrap();
    writeln!(text, "key {:016x}", position.key()).unwrap();
    if let Some(symmetry) = P::symmetry() {
        writeln!(text, "canonical {:016x}", (symmetry.canonical_key)(position)).unwrap();
    }
    if let Some(notation) = position.position_text() {
        writeln!(text, "position {notation}").unwrap();
    }
    if let Some(outcome) = position.outcome() {
        writeln!(text, "over: {outcome}").unwrap();
        return;
    }
    writeln!(text, "to move {}, estimate {}", position.to_move(), position.estimate()).unwrap();
    let names = |moves: &[P::Move]| {
        moves.iter().map(|&m| position.move_text(m)).collect::<Vec<_>>().join(" ")
    };
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    writeln!(text, "moves {}", names(&moves)).unwrap();
    moves.sort_by_key(|&m| std::cmp::Reverse(position.move_score_of(m)));
    moves.truncate(5);
    writeln!(text, "promising {}", names(&moves)).unwrap();
    if let Some(m) = position.winning_move() {
        writeln!(text, "wins with {}", position.move_text(m)).unwrap();
    }
    if let Some(tactics) = P::tactics() {
        let mut forcing = Vec::new();
        (tactics.push)(position, &mut forcing);
        writeln!(text, "forcing {}", names(&forcing)).unwrap();
    }
}

#[test]
fn games_play_as_they_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let update = std::env::var_os("UPDATE_PLAYTHROUGHS").is_some();
    for name in registry::names() {
        let played = registry::start(name)
            .map(|state| typed!(state, |start| Playthrough.visit(Clone::clone(start))))
            .unwrap();
        let path = folder.join(name).with_extension("txt");
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &played).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; see the top of this file", path.display())
        });
        let same = golden.lines().zip(played.lines()).take_while(|(a, b)| a == b).count();
        assert!(
            golden == played,
            "{name} plays differently from line {} on:\n{}",
            same + 1,
            played.lines().skip(same).take(5).collect::<Vec<_>>().join("\n")
        );
    }
}
