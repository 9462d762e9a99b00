//! A new game in one file: Nim with three heaps. Implement `Position`, `Notation` and `Draw`, and
//! test the rules with the conformance suite: `cargo run --release -p tesuji-games --example
//! own_game`.
#![allow(clippy::print_stdout)]

use tesuji_games::bits::zobrist;
use tesuji_games::random::seeded;
use tesuji_games::{
    Diagram, DiagramCell, Draw, Notation, NotationError, Outcome, Position, Side, conformance,
};

/// Three heaps. A move takes matches from one heap; taking the last match wins.
#[derive(Clone, Copy)]
struct Nim {
    heaps: [u8; 3],
    to_move: Side,
}

const LARGEST: u8 = 7;

impl Position for Nim {
    /// `8 * heap + matches`.
    type Move = u8;
    type Undo = ();

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.heaps == [0; 3]).then_some(Outcome::Win(!self.to_move))
    }

    fn key(&self) -> u64 {
        let heaps = self.heaps.iter().fold(0, |code, &left| 8 * code + u64::from(left));
        zobrist(2 * heaps + self.to_move.index() as u64)
    }

    fn for_each_move(&self, mut each: impl FnMut(u8)) {
        for (heap, &left) in (0u8..).zip(&self.heaps) {
            (1..=left).for_each(|taken| each(8 * heap + taken));
        }
    }

    fn is_legal(&self, m: u8) -> bool {
        self.heaps.get(usize::from(m / 8)).is_some_and(|left| (1..=*left).contains(&(m % 8)))
    }

    fn play(&mut self, m: u8) {
        self.heaps[usize::from(m / 8)] -= m % 8;
        self.to_move = !self.to_move;
    }

    fn undo(&mut self, m: u8, (): ()) {
        self.heaps[usize::from(m / 8)] += m % 8;
        self.to_move = !self.to_move;
    }

    fn move_index(&self, m: u8) -> usize {
        usize::from(m)
    }

    fn num_move_indices(&self) -> usize {
        24
    }
}

impl Notation for Nim {
    fn move_text(&self, m: u8) -> String {
        format!("{}{}", char::from(b'a' + m / 8), m % 8)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        match text.as_bytes() {
            [heap @ b'a'..=b'c', taken @ b'1'..=b'7', ..] => {
                Ok((8 * (heap - b'a') + taken - b'0', &text[2..]))
            }
            _ => Err(NotationError::malformed(text, "a heap and a number of matches, such as b3")),
        }
    }
}

impl Draw for Nim {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(3, usize::from(LARGEST), |heap, row| {
            match row < self.heaps[heap].into() {
                true => DiagramCell::Piece { side: self.to_move, symbol: '|' },
                false => DiagramCell::Empty,
            }
        })
    }

    fn cells_of(&self, m: u8) -> Vec<usize> {
        let (heap, left) = (usize::from(m / 8), self.heaps[usize::from(m / 8)]);
        let rows = left - m % 8..left;
        rows.map(|row| Diagram::index(3, LARGEST.into(), heap, row.into())).collect()
    }
}

tesuji_games::capabilities!(Nim);

fn main() {
    let start = Nim { heaps: [3, 5, LARGEST], to_move: Side::First };
    conformance::check(&start, 100, 1);
    let (mut game, mut rng) = (start, seeded(1));
    while game.outcome().is_none() {
        println!("{}", game.diagram());
        let m = game.random_move(&mut rng);
        println!("{} plays {}\n", game.to_move(), game.move_text(m));
        game.play(m);
    }
    println!("{} wins", !game.to_move());
}

#[test]
fn the_rules_keep_the_laws() {
    main();
}
