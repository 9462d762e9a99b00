//! Hex on 5x5: X connects bottom and top, O connects left and right. Cells have six neighbors.

use tesuji_games::bits::zobrist;
use tesuji_games::notation::{cell_text, read_cell};
use tesuji_games::registry::{GameEntry, GameInfo};
use tesuji_games::{
    Diagram, DiagramCell, Draw, Notation, NotationError, Outcome, Position, Side, State,
};

const N: u8 = 5;
/// A row has one unused bit after its last cell, so that a step over the edge of the board ends on
/// it.
const ROW: u8 = N + 1;
const BOTTOM: u64 = 0b11111;
const LEFT: u64 = 1 | 1 << ROW | 1 << (2 * ROW) | 1 << (3 * ROW) | 1 << (4 * ROW);

/// A position: the stones of each side, one bit per cell, row by row from the bottom.
#[derive(Clone, Copy, Default)]
pub struct Hex([u64; 2]);

impl Hex {
    /// Whether a side's stones connect its edges: flood fill from one edge.
    fn connects(&self, side: Side) -> bool {
        let edges = [[BOTTOM, BOTTOM << (4 * ROW)], [LEFT, LEFT << 4]][side.index()];
        let (own, mut reached) = (self.0[side.index()], self.0[side.index()] & edges[0]);
        loop {
            let near = |by: u8| reached << by | reached >> by;
            let more = own & (reached | near(1) | near(ROW) | near(ROW - 1));
            if more == reached {
                return reached & edges[1] != 0;
            }
            reached = more;
        }
    }
}

impl Position for Hex {
    type Move = u8;
    type Undo = Hex;

    fn to_move(&self) -> Side {
        Side::ALL[(self.0[0] | self.0[1]).count_ones() as usize % 2]
    }
    fn outcome(&self) -> Option<Outcome> {
        Side::ALL.into_iter().find(|&side| self.connects(side)).map(Outcome::Win)
    }
    fn key(&self) -> u64 {
        zobrist(self.0[0]) ^ zobrist(!self.0[1])
    }
    fn for_each_move(&self, each: impl FnMut(u8)) {
        (0..N * ROW).filter(|&cell| self.is_legal(cell)).for_each(each);
    }
    fn is_legal(&self, cell: u8) -> bool {
        let on_board = cell < N * ROW && cell % ROW < N;
        on_board && (self.0[0] | self.0[1]) >> cell & 1 == 0 && self.outcome().is_none()
    }
    fn play(&mut self, cell: u8) -> Hex {
        let before = *self;
        self.0[self.to_move().index()] |= 1 << cell;
        before
    }
    fn undo(&mut self, _: u8, before: Hex) {
        *self = before;
    }
    fn move_index(&self, cell: u8) -> usize {
        usize::from(cell)
    }
    fn num_move_indices(&self) -> usize {
        usize::from(N * ROW)
    }
}

impl Notation for Hex {
    fn move_text(&self, cell: u8) -> String {
        cell_text(usize::from(cell % ROW), usize::from(cell / ROW))
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        let ((column, row), rest) = read_cell(text, N.into(), N.into())?;
        Ok((row as u8 * ROW + column as u8, rest))
    }
}

impl Draw for Hex {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(N.into(), N.into(), |column, row| {
            let cell = row as u8 * ROW + column as u8;
            DiagramCell::mark(
                Side::ALL.into_iter().find(|side| self.0[side.index()] >> cell & 1 == 1),
            )
        })
    }

    fn cells_of(&self, cell: u8) -> Vec<usize> {
        vec![Diagram::index(N.into(), N.into(), (cell % ROW).into(), (cell / ROW).into())]
    }
}

tesuji_games::capabilities!(Hex);

/// The registry entry of Hex.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "hex",
        title: "Hex",
        summary: "Hex on 5x5: connect your two edges",
        rules: "The sides take turns to fill a cell. X connects the bottom with the top, O the left \
            with the right. There are no draws.",
        options: &[],
        presets: &[],
    },
    open: |spec| spec.finish().map(|()| State::new(Hex::default())),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_keeps_the_laws() {
        tesuji_games::conformance::check(&Hex::default(), 20, 1);
    }
}
