//! Draws a position as a self-contained SVG, without style sheets, scripts or special fonts. It
//! uses only the snapshot and knows no rules.

mod pieces;

use tesuji_app::position_view::Snapshot;
use tesuji_games::{BoardMaterial, DiagramCell, Outcome, Side};
use tesuji_play::report::svg::{SvgDrawing, TextAnchor};

use pieces::{PieceSet, draw_piece};

/// The size of a cell.
const CELL: f64 = 40.0;
/// Space for the labels below a board, and the least space left of it.
const LABEL_SPACE: f64 = 28.0;
/// The approximate width of a letter of a label.
const LETTER_WIDTH: f64 = 7.5;
/// Space around the drawing and between boards.
const GAP: f64 = 12.0;
/// The color of labels.
const LABEL_COLOR: &str = "#52565f";
/// Space for the label of a layer.
const LAYER_LABEL_SPACE: f64 = 20.0;

/// Returns the SVG of a position.
pub(crate) fn picture(game: &str, shown: &Snapshot) -> String {
    let board_picture = BoardPicture::of(shown);
    let (width, height) = board_picture.size();
    let mut drawing = SvgDrawing::new(width, height, &title(game, shown)).on("#faf9f5");
    for layer in 0..shown.board.layers.len() {
        board_picture.draw_layer(&mut drawing, layer);
    }
    drawing.finish()
}

fn title(game: &str, shown: &Snapshot) -> String {
    let side = |side: Side| shown.look.sides[side.index()];
    match shown.outcome {
        Some(Outcome::Win(winner)) => format!("{game}: {} has won", side(winner)),
        Some(Outcome::Draw) => format!("{game}: a draw"),
        None => format!("{game}: {} to move", side(shown.to_move)),
    }
}

/// The layout of a drawing.
struct BoardPicture<'s> {
    shown: &'s Snapshot,
    columns: usize,
    rows: usize,
    across: usize,
    /// Space above each board for the label of its layer.
    head: f64,
    /// Space left of each board for the labels of its rows.
    left: f64,
    /// The cells of the last move; the destination is the last.
    last: &'s [usize],
}

impl<'s> BoardPicture<'s> {
    fn of(shown: &'s Snapshot) -> BoardPicture<'s> {
        let board = &shown.board;
        let longest = board.rows.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let labelled = board.layers.iter().any(|label| !label.is_empty());
        BoardPicture {
            shown,
            columns: board.columns.len().max(1),
            rows: board.rows.len().max(1),
            across: board.layers_across.clamp(1, board.layers.len().max(1)),
            left: LABEL_SPACE.max(14.0 + LETTER_WIDTH * longest as f64),
            head: if labelled { LAYER_LABEL_SPACE } else { 0.0 },
            last: shown.played.last().map_or(&[], |played| &played.step.cells),
        }
    }

    fn board_size(&self) -> (f64, f64) {
        (CELL * self.columns as f64, CELL * self.rows as f64)
    }

    fn size(&self) -> (f64, f64) {
        let (width, height) = self.board_size();
        let down = self.shown.board.layers.len().div_ceil(self.across);
        (
            GAP + self.across as f64 * (self.left + width + GAP),
            GAP + down as f64 * (self.head + height + LABEL_SPACE + GAP),
        )
    }

    /// The upper left corner of a layer's cells.
    fn corner(&self, layer: usize) -> (f64, f64) {
        let (width, height) = self.board_size();
        let (column, row) = ((layer % self.across) as f64, (layer / self.across) as f64);
        (
            GAP + self.left + column * (self.left + width + GAP),
            GAP + self.head + row * (self.head + height + LABEL_SPACE + GAP),
        )
    }

    fn draw_layer(&self, drawing: &mut SvgDrawing, layer: usize) {
        let corner = self.corner(layer);
        self.draw_labels(drawing, layer, corner);
        self.draw_ground(drawing, corner);
        let first = layer * self.rows * self.columns;
        for place in 0..self.rows * self.columns {
            let Some(&cell) = self.shown.board.cells.get(first + place) else { break };
            let (column, row) = self.drawn_at(place % self.columns, place / self.columns);
            let middle =
                (corner.0 + CELL * (column as f64 + 0.5), corner.1 + CELL * (row as f64 + 0.5));
            self.draw_cell(drawing, first + place, cell, middle);
        }
    }

    /// The drawn place of a cell; the board is rotated by half a turn if that puts the first side
    /// at the bottom.
    fn drawn_at(&self, column: usize, row: usize) -> (usize, usize) {
        match self.shown.look.bottom {
            Some(Side::Second) => (self.columns - 1 - column, self.rows - 1 - row),
            _ => (column, row),
        }
    }

    fn draw_labels(&self, drawing: &mut SvgDrawing, layer: usize, (x, y): (f64, f64)) {
        let board = &self.shown.board;
        let (_, height) = self.board_size();
        for (column, label) in board.columns.iter().enumerate() {
            let middle = x + CELL * (self.drawn_at(column, 0).0 as f64 + 0.5);
            drawing.text(middle, y + height + 19.0, TextAnchor::Middle, LABEL_COLOR, label);
        }
        for (row, label) in board.rows.iter().enumerate() {
            let base = y + CELL * (self.drawn_at(0, row).1 as f64 + 0.5) + 4.5;
            drawing.text(x - 9.0, base, TextAnchor::End, LABEL_COLOR, label);
        }
        if let Some(label) = board.layers.get(layer).filter(|label| !label.is_empty()) {
            drawing.text(x, y - 6.0, TextAnchor::Start, LABEL_COLOR, label);
        }
    }

    /// Draws the board without pieces.
    fn draw_ground(&self, drawing: &mut SvgDrawing, (x, y): (f64, f64)) {
        let (width, height) = self.board_size();
        let all = [x, y, width, height];
        match self.shown.look.material {
            BoardMaterial::Paper => {
                drawing.rectangle(all, "#ffffff");
                self.draw_lines(drawing, (x, y), 0.0, "#6f7480");
            }
            BoardMaterial::Kaya => {
                drawing.rectangle(all, "#e2b565");
                self.draw_lines(drawing, (x, y), CELL / 2.0, "#6b4d20");
            }
            BoardMaterial::Rack => drawing.rectangle(all, "#2a62b8"),
            BoardMaterial::Felt => {
                drawing.rectangle(all, "#1e7a4d");
                self.draw_lines(drawing, (x, y), 0.0, "#115233");
            }
            BoardMaterial::Squares => drawing.rectangle(all, "#efe2cc"),
        }
    }

    /// Draws lines along the edges or through the centers of cells.
    fn draw_lines(&self, drawing: &mut SvgDrawing, (x, y): (f64, f64), inset: f64, ink: &str) {
        let (width, height) = self.board_size();
        let through_middles = usize::from(inset > 0.0);
        let (left, right) = (x + inset, x + width - inset);
        let (top, bottom) = (y + inset, y + height - inset);
        for column in 0..=self.columns - through_middles {
            let at = left + CELL * column as f64;
            drawing.wide_line([at, top, at, bottom], ink, 1.2);
        }
        for row in 0..=self.rows - through_middles {
            let at = top + CELL * row as f64;
            drawing.wide_line([left, at, right, at], ink, 1.2);
        }
    }

    fn draw_cell(
        &self,
        drawing: &mut SvgDrawing,
        index: usize,
        cell: DiagramCell,
        (x, y): (f64, f64),
    ) {
        let material = self.shown.look.material;
        let tile = [x - CELL / 2.0, y - CELL / 2.0, CELL, CELL];
        let (column, row) = (index % self.columns, index / self.columns % self.rows);
        match material {
            BoardMaterial::Squares if self.is_dark(column, row) => {
                drawing.rectangle(tile, "#a97d5d")
            }
            BoardMaterial::Rack => drawing.circle((x, y), 17.0, "#e4ebf5", Some(("#153a74", 1.5))),
            _ => {}
        }
        let (won, last) = (self.shown.winning.contains(&index), self.last.contains(&index));
        let on_tile = matches!(material, BoardMaterial::Paper | BoardMaterial::Squares);
        if on_tile && won {
            drawing.rectangle(tile, "#b9d6f0");
        } else if on_tile && last {
            drawing.rectangle(tile, "#f0d58c");
        }
        if let DiagramCell::Piece { side, symbol } = cell {
            draw_piece(drawing, (x, y), self.set(), side, symbol);
        }
        if !on_tile && won {
            drawing.circle((x, y), 17.0, "none", Some((self.ring(), 4.0)));
        }
        if !on_tile && self.last.last() == Some(&index) {
            drawing.circle((x, y), 4.5, "#e0552b", Some(("#ffffff", 1.5)));
        }
        if self.shown.forbidden.contains(&index) {
            let arm = 6.0;
            drawing.wide_line([x - arm, y - arm, x + arm, y + arm], "#b3261e", 2.5);
            drawing.wide_line([x + arm, y - arm, x - arm, y + arm], "#b3261e", 2.5);
        }
    }

    /// Light squares have an even sum of column and row from the top, so the lower left square is
    /// dark.
    fn is_dark(&self, column: usize, row: usize) -> bool {
        (column + row) % 2 == 1
    }

    fn ring(&self) -> &'static str {
        match self.shown.look.material {
            BoardMaterial::Rack => "#ffffff",
            _ => "#2f8fe0",
        }
    }

    fn set(&self) -> PieceSet {
        let cells = &self.shown.board.cells;
        match self.shown.look.material {
            BoardMaterial::Paper => PieceSet::Ink,
            BoardMaterial::Kaya => PieceSet::Stones,
            BoardMaterial::Rack => PieceSet::Discs,
            BoardMaterial::Felt => PieceSet::Reversible,
            BoardMaterial::Squares if cells.contains(&DiagramCell::Unused) => PieceSet::Checkers,
            BoardMaterial::Squares => PieceSet::Chessmen,
        }
    }
}

#[cfg(test)]
mod tests {
    use tesuji_app::position_view;

    use super::*;

    fn shown(game: &str, moves: &str) -> Snapshot {
        position_view::snapshot(&tesuji_builtin::registry().open(game).unwrap(), moves).unwrap()
    }

    /// Checks that it is XML and contains no invalid numbers.
    fn check(svg: &str) {
        let mut reader = quick_xml::Reader::from_str(svg);
        let end = quick_xml::events::Event::Eof;
        while reader.read_event().unwrap_or_else(|error| panic!("{error}: {svg}")) != end {}
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    fn drawn(game: &str, moves: &str) -> String {
        picture(game, &shown(game, moves))
    }

    #[test]
    fn every_game_has_a_picture_of_its_start_and_of_later() {
        let games = tesuji_builtin::registry();
        for game in games.names() {
            let opened = games.open(game).unwrap();
            let mut shown = position_view::snapshot(&opened, "").unwrap();
            for _ in 0..4 {
                let svg = picture(game, &shown);
                check(&svg);
                let pieces =
                    shown.board.cells.iter().filter(|c| matches!(c, DiagramCell::Piece { .. }));
                assert_eq!(svg.matches("<g class=\"piece").count(), pieces.count(), "{game}");
                let labels = shown.board.columns.len() + shown.board.rows.len();
                assert!(svg.matches("<text").count() >= labels * shown.board.layers.len());
                let moves = position_view::played(&opened, &shown.position, &shown.moves[0].text);
                shown = position_view::snapshot(&opened, &moves.unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn winning_rows_and_last_moves_are_marked() {
        let won = drawn("connect4", "1213141");
        assert_eq!(won.matches("stroke=\"#ffffff\" stroke-width=\"4.0\"").count(), 4);
        assert!(won.contains("<title>connect4: red has won</title>"));
        let won = drawn("tictactoe", "a1a2b1b2c1");
        assert_eq!(won.matches("fill=\"#b9d6f0\"").count(), 3);
        let chess = drawn("chess", "e2e4");
        assert_eq!(chess.matches("fill=\"#f0d58c\"").count(), 2);
        assert_eq!(chess.matches("fill=\"#a97d5d\"").count(), 32);
    }

    #[test]
    fn the_first_side_is_at_the_bottom() {
        let lowest = |game: &str| {
            let shown = shown(game, "");
            let board_picture = BoardPicture::of(&shown);
            let of_first =
                |cell: &DiagramCell| matches!(cell, DiagramCell::Piece { side: Side::First, .. });
            let rows = shown.board.cells.iter().enumerate().filter(|(_, cell)| of_first(cell));
            rows.map(|(place, _)| board_picture.drawn_at(0, place / board_picture.columns).1).min()
        };
        assert_eq!([lowest("chess"), lowest("checkers")], [Some(6), Some(5)]);
    }

    #[test]
    fn the_name_of_a_game_is_only_text() {
        let svg = picture("</title><script>alert(1)</script>", &shown("tictactoe", ""));
        check(&svg);
        assert!(!svg.contains("<script"));
    }
}
