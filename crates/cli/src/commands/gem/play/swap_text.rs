//! Swaps as people type them: `e5 right`, `e5r`, `e5 f5`, or `r1-c1-r2-c2` as in logs.

use tesuji_games::rules::gem_island::text::LogAction;
use tesuji_games::rules::gem_island::{GemCell, GemSettings, Swap};

/// The letter of a column; the largest board goes beyond z.
pub(super) fn column_label(column: u8) -> char {
    if column < 26 { char::from(b'a' + column) } else { char::from(b'A' + column - 26) }
}

/// A swap as the picture names it.
pub(super) fn swap_text(swap: Swap, settings: &GemSettings) -> String {
    let text = |cell: GemCell| format!("{}{}", column_label(cell.column), settings.rows - cell.row);
    format!("{} {}", text(swap.first), text(swap.second))
}

/// Reads a swap of two neighbors on the board; what is wrong otherwise.
pub(super) fn read_swap(text: &str, settings: &GemSettings) -> Result<Swap, String> {
    let swap = match text.parse() {
        Ok(LogAction::Swap(swap)) => Some(swap),
        Ok(LogAction::End) => None,
        Err(error) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            return Err(error.to_string());
        }
        Err(_) => from_cell(text, settings),
    };
    let shown: String = text.chars().take(24).collect();
    let inside = |cell: GemCell| cell.row < settings.rows && cell.column < settings.columns;
    match swap {
        None => Err(format!("'{shown}' is no swap; type one like e5 right")),
        Some(swap) if !inside(swap.first) || !inside(swap.second) => {
            Err(format!("'{shown}' is not on the board"))
        }
        Some(swap) if !swap.first.touches(swap.second) => {
            Err(format!("'{shown}': the two cells are not neighbors"))
        }
        Some(swap) => Ok(swap),
    }
}

/// A cell, then a direction or another cell.
fn from_cell(text: &str, settings: &GemSettings) -> Option<Swap> {
    let (first, rest) = read_cell(text, settings)?;
    let rest = rest.trim_start();
    let GemCell { row, column } = first;
    let second = match rest.to_ascii_lowercase().as_str() {
        "right" | "r" => GemCell::new(row, column + 1),
        "down" | "d" => GemCell::new(row + 1, column),
        // Beyond the edge is off the board, like any cell that does not exist.
        "left" | "l" => GemCell::new(row, column.wrapping_sub(1)),
        "up" | "u" => GemCell::new(row.wrapping_sub(1), column),
        _ => match read_cell(rest, settings)? {
            (second, "") => second,
            _ => return None,
        },
    };
    Some(Swap { first, second })
}

/// A cell at the front of a text, as the picture names it, and the rest.
fn read_cell<'t>(text: &'t str, settings: &GemSettings) -> Option<(GemCell, &'t str)> {
    let letter = text.chars().next()?;
    let column =
        (0..settings.columns).find(|column| column_label(*column) == letter).or_else(|| {
            (0..settings.columns.min(26)).find(|c| column_label(*c) == letter.to_ascii_lowercase())
        })?;
    let rest = &text[letter.len_utf8()..];
    let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let number: u8 = rest[..digits].parse().ok()?;
    let row = settings.rows.checked_sub(number).filter(|_| number > 0)?;
    Some((GemCell::new(row, column), &rest[digits..]))
}
