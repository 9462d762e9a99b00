//! A seat at a table of the play page: moves are made by clicking the board, as the API says where they lie.

use serde_json::{Value, json};

use crate::visit::Visit;

/// A seat in a game.
pub(crate) struct Seat<'a> {
    visit: &'a Visit<'a>,
    game: &'static str,
}

/// How a person is written in the address of a table.
pub(crate) const PERSON: &str = "human";

impl<'a> Seat<'a> {
    /// Sits down: `first` and `second` are players, [`PERSON`] among them.
    #[track_caller]
    pub(crate) fn take(visit: &'a Visit, game: &'static str, first: &str, second: &str) -> Self {
        // With a seed the same game is played whenever the test runs.
        visit.open_table(game, &[("first", first), ("second", second), ("seed", "1")]);
        Seat { visit, game }
    }

    /// The same with moves on the board already.
    #[track_caller]
    pub(crate) fn take_at(visit: &'a Visit, game: &'static str, moves: &str) -> Self {
        let query = [("moves", moves), ("first", PERSON), ("second", PERSON)];
        visit.open_table(game, &query);
        let seat = Seat { visit, game };
        // The address has them as the server writes them.
        let written = visit.api("/api/position", &[("game", game), ("moves", moves)]);
        seat.until_moves(written["position"].as_str().unwrap());
        seat
    }

    /// A seat at the table that the page shows already.
    pub(crate) fn at(visit: &'a Visit, game: &'static str) -> Self {
        Seat { visit, game }
    }

    /// The moves so far, which the address always has.
    #[track_caller]
    pub(crate) fn moves(&self) -> String {
        let moves = self.visit.value("new URLSearchParams(location.search).get('moves') ?? ''");
        moves.as_str().unwrap().to_string()
    }

    /// The position as the server describes it.
    #[track_caller]
    pub(crate) fn snapshot(&self) -> Value {
        self.visit.api("/api/position", &[("game", self.game), ("moves", &self.moves())])
    }

    #[track_caller]
    pub(crate) fn until_moves(&self, moves: &str) {
        let here =
            format!("new URLSearchParams(location.search).get('moves') === {}", json!(moves));
        self.visit.until(&format!("position '{moves}'"), &here);
    }

    /// Makes a move with the mouse.
    #[track_caller]
    pub(crate) fn play(&self, text: &str) {
        let before = self.snapshot();
        let legal = before["moves"].as_array().unwrap();
        let found = legal.iter().find(|legal| legal["move"] == text);
        let cells = &found.unwrap_or_else(|| panic!("{text} is not legal: {legal:?}"))["cells"];
        let cells: Vec<u64> =
            cells.as_array().unwrap().iter().map(|cell| cell.as_u64().unwrap()).collect();
        match cells.as_slice() {
            [] => self.visit.click("#pass"),
            [cell] => self.visit.click_cell(*cell),
            [from, .., to] => {
                self.visit.click_cell(*from);
                self.visit.until("places to go to", "document.querySelector('#board .target')");
                self.visit.click_cell(*to);
                let ends = |legal: &&Value| {
                    legal["cells"].get(0) == Some(&json!(from))
                        && legal["cells"].as_array().unwrap().last() == Some(&json!(to))
                };
                if legal.iter().filter(ends).count() > 1 {
                    self.choose_in_menu(text);
                }
            }
        }
        let other =
            format!("new URLSearchParams(location.search).get('moves') !== {}", before["position"]);
        self.visit.until(&format!("the move {text}"), &other);
    }

    /// Where several moves have the same ends, a menu asks which.
    #[track_caller]
    fn choose_in_menu(&self, text: &str) {
        self.visit.until("a menu of moves", "document.querySelector('#board .which button')");
        let texts = self.visit.texts("#board .which button");
        let index = texts.iter().position(|shown| shown.starts_with(text));
        let index = index.unwrap_or_else(|| panic!("{text} is not among {texts:?}")) + 1;
        self.visit.click(&format!("#board .which button:nth-child({index})"));
    }

    /// Waits until it is this person's turn or all is over; whether it is over.
    #[track_caller]
    pub(crate) fn until_turn_or_end(&self) -> bool {
        let end = "document.querySelector('#end')?.hidden === false";
        let turn = "document.querySelector('#status').textContent.startsWith('Your turn')";
        self.visit.until("my turn", &format!("{end} || {turn}"));
        self.visit.value(end) == true
    }

    /// Plays to the end with an adviser's moves, against whoever sits on the other side.
    #[track_caller]
    pub(crate) fn play_on(&self, adviser: &str) {
        while !self.until_turn_or_end() {
            let question = json!({ "game": self.game, "moves": self.moves(), "player": adviser });
            let advice = self.visit.post("/api/move", &question);
            self.play(advice["choice"]["move"].as_str().unwrap());
        }
    }
}
