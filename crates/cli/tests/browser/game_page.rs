//! Plays on the play page: makes moves by clicking the cells that the API gives.

use serde_json::{Value, json};

use crate::tab::Tab;

/// A game on the play page.
pub(crate) struct GamePage<'a> {
    tab: &'a Tab<'a>,
    game: &'static str,
}

/// The player text of a person.
pub(crate) const HUMAN: &str = "human";

impl<'a> GamePage<'a> {
    /// Opens a game for two players, such as [`HUMAN`].
    #[track_caller]
    pub(crate) fn open(tab: &'a Tab, game: &'static str, first: &str, second: &str) -> Self {
        // With a fixed seed every run plays the same game.
        tab.open_table(game, &[("first", first), ("second", second), ("seed", "1")]);
        GamePage { tab, game }
    }

    /// Opens a game for two people after some moves.
    #[track_caller]
    pub(crate) fn open_at(tab: &'a Tab, game: &'static str, moves: &str) -> Self {
        let query = [("moves", moves), ("first", HUMAN), ("second", HUMAN)];
        tab.open_table(game, &query);
        let page = GamePage { tab, game };
        // The address has the canonical text of the moves.
        let written = tab.api("/api/position", &[("game", game), ("moves", moves)]);
        page.until_moves(written["position"].as_str().unwrap());
        page
    }

    /// The game that the page already shows.
    pub(crate) fn current(tab: &'a Tab, game: &'static str) -> Self {
        GamePage { tab, game }
    }

    /// The moves so far, from the address.
    #[track_caller]
    pub(crate) fn moves(&self) -> String {
        let moves = self.tab.value("new URLSearchParams(location.search).get('moves') ?? ''");
        moves.as_str().unwrap().to_string()
    }

    /// The position from the API.
    #[track_caller]
    pub(crate) fn snapshot(&self) -> Value {
        self.tab.api("/api/position", &[("game", self.game), ("moves", &self.moves())])
    }

    #[track_caller]
    pub(crate) fn until_moves(&self, moves: &str) {
        let here =
            format!("new URLSearchParams(location.search).get('moves') === {}", json!(moves));
        self.tab.until(&format!("position '{moves}'"), &here);
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
            [] => self.tab.click("#pass"),
            [cell] => self.tab.click_cell(*cell),
            [from, .., to] => {
                self.tab.click_cell(*from);
                self.tab.until("places to go to", "document.querySelector('#board .target')");
                self.tab.click_cell(*to);
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
        self.tab.until(&format!("the move {text}"), &other);
    }

    /// Chooses in the menu of moves with the same first and last cell.
    #[track_caller]
    fn choose_in_menu(&self, text: &str) {
        self.tab.until("a menu of moves", "document.querySelector('#board .move-menu button')");
        let texts = self.tab.texts("#board .move-menu button");
        let index = texts.iter().position(|shown| shown.starts_with(text));
        let index = index.unwrap_or_else(|| panic!("{text} is not among {texts:?}")) + 1;
        self.tab.click(&format!("#board .move-menu button:nth-child({index})"));
    }

    /// Waits for the person's turn or the end of the game; returns whether it is over.
    #[track_caller]
    pub(crate) fn until_turn_or_end(&self) -> bool {
        let end = "document.querySelector('#end')?.hidden === false";
        let turn = "document.querySelector('#status').textContent.startsWith('Your turn')";
        self.tab.until("my turn", &format!("{end} || {turn}"));
        self.tab.value(end) == true
    }

    /// Plays to the end with the moves of a player of the API.
    #[track_caller]
    pub(crate) fn play_to_end(&self, adviser: &str) {
        while !self.until_turn_or_end() {
            let question = json!({ "game": self.game, "moves": self.moves(), "player": adviser });
            let advice = self.tab.post("/api/move", &question);
            self.play(advice["choice"]["move"].as_str().unwrap());
        }
    }
}
