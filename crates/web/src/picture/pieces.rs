//! Draws pieces around a point, in cells of 40 units. The sides differ by shape, sign or rim as
//! well as by color. Chess pieces have the outlines of the pages' board.

use tesuji_games::Side;

use tesuji_play::report::svg::SvgDrawing;

/// The pieces of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PieceSet {
    /// Crosses and noughts.
    Ink,
    /// Black and white stones.
    Stones,
    /// Red and yellow discs in a rack.
    Discs,
    /// Discs with a black and a white side.
    Reversible,
    /// Men and kings of checkers.
    Checkers,
    Chessmen,
}

const CROSS: &str = "M-11-11 11 11M11-11-11 11";
const SMALL_CROSS: &str = "M-7-7 7 7M7-7-7 7";
const CROWN: &str = "M-7 5-8-5-3.5-.5 0-7 3.5-.5 8-5 7 5Z";
const FOOT: &str = "M-9 10H9q2 0 2 2v3H-11v-3q0-2 2-2Z";

/// Draws a piece of a side; `symbol` is the game's letter for it.
pub(super) fn draw_piece(
    drawing: &mut SvgDrawing,
    middle: (f64, f64),
    set: PieceSet,
    side: Side,
    symbol: char,
) {
    let class = if side == Side::First { "piece first" } else { "piece second" };
    drawing.group(middle, class, |drawing| match set {
        PieceSet::Ink => ink_mark(drawing, side),
        PieceSet::Stones => stone(drawing, side, 18.0),
        PieceSet::Reversible => stone(drawing, side, 16.0),
        PieceSet::Discs => disc(drawing, side),
        PieceSet::Checkers => man(drawing, side, symbol.is_uppercase()),
        PieceSet::Chessmen => chessman(drawing, side, symbol),
    });
}

/// The fill and the contrast color of a side's pieces.
fn dark_and_light(dark: bool) -> (&'static str, &'static str) {
    if dark { ("#26282d", "#e9e6de") } else { ("#fbfaf6", "#33363c") }
}

fn ink_mark(drawing: &mut SvgDrawing, side: Side) {
    match side {
        Side::First => drawing.path(CROSS, "none", Some(("#1f4f94", 4.5))),
        Side::Second => drawing.circle((0.0, 0.0), 12.0, "none", Some(("#b2471f", 4.5))),
    }
}

fn stone(drawing: &mut SvgDrawing, side: Side, radius: f64) {
    let (fill, _) = dark_and_light(side == Side::First);
    drawing.circle((0.0, 0.0), radius, fill, Some(("#1a1b1e", 1.0)));
}

fn disc(drawing: &mut SvgDrawing, side: Side) {
    let (fill, relief) = match side {
        Side::First => ("#d3392f", "#8f1d16"),
        Side::Second => ("#f2c230", "#a67c06"),
    };
    drawing.circle((0.0, 0.0), 17.0, fill, Some((relief, 1.5)));
    match side {
        Side::First => drawing.path(SMALL_CROSS, "none", Some((relief, 2.5))),
        Side::Second => drawing.circle((0.0, 0.0), 9.0, "none", Some((relief, 2.5))),
    }
}

fn man(drawing: &mut SvgDrawing, side: Side, is_king: bool) {
    let (fill, relief) = dark_and_light(side == Side::First);
    drawing.circle((0.0, 0.0), 15.5, fill, Some(("#1a1b1e", 1.2)));
    drawing.circle((0.0, 0.0), 11.5, "none", Some((relief, 1.0)));
    if is_king {
        drawing.path(CROWN, relief, None);
    }
}

fn chessman(drawing: &mut SvgDrawing, side: Side, symbol: char) {
    // In chess the first side is white.
    let (fill, relief) = dark_and_light(side == Side::Second);
    let (outline, detail) = outlines(symbol.to_ascii_uppercase());
    drawing.path(&format!("{outline}{FOOT}"), fill, Some(("#1a1b1e", 1.4)));
    if !detail.is_empty() {
        drawing.path(detail, "none", Some((relief, 1.4)));
    }
}

/// The outline above the foot, and the inner lines.
fn outlines(kind: char) -> (&'static str, &'static str) {
    match kind {
        'R' => ("M-9-13h4v3h3v-3h4v3h3v-3h4v7l-3 3v9l3 4H-9l3-4V-3l-3-3Z", "M-6-3H6M-6 6H6"),
        'N' => (
            "M-4-15-1.5-11.5C7-11.5 10.5-3 9 10H-7C-7 4.5-.5 2.5 0-2.5-3-.5-5.5.5-7.5 3-9.5 3.5-11.5 1-10.5-1.5-8.5-5-7.5-9-5.5-11.5Z",
            "M-4.5-6.5h.01",
        ),
        'B' => (
            "M0-16.5a2.3 2.3 0 0 1 1.6 4C6.5-8.5 8.5-3 4.8 2.2L6.5 10H-6.5L-4.8 2.2C-8.5-3-6.5-8.5-1.6-12.5A2.3 2.3 0 0 1 0-16.5Z",
            "M2-9-1.5-3.5M-5 2.2H5",
        ),
        'Q' => {
            ("M-7 10-11.5-9-5.5-1.5-4.2-13.5 0-3 4.2-13.5 5.5-1.5 11.5-9 7 10Z", "M-8.5 5.5H8.5")
        }
        'K' => (
            "M-1.3-17h2.6v2.4h2.6v2.4H1.3v3.7C4-12 12.5-10 11.5-3.5 10.8 1 7 4 7 10H-7C-7 4-10.8 1-11.5-3.5-12.5-10-4-12-1.3-8.5v-3.7H-3.9v-2.4h2.6Z",
            "M-7.5 5.5H7.5M0-8.5V4",
        ),
        _ => ("M-3.6-2C-4 4-8 6-8 10H8C8 6 4 4 3.6-2A5.6 5.6 0 1 0-3.6-2Z", ""),
    }
}
