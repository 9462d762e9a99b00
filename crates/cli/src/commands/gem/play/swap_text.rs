//! Swaps as people type them: `e5 right`, `e5r`, `e5 f5`, or `r1-c1-r2-c2` as in logs.

use tesuji_games::rules::gem_island::text::LogAction;
use tesuji_games::rules::gem_island::{GemCell, GemSettings, Swap};

/// The letter of a column: `a` to `z`, then `A` to `Z`.
pub(super) fn column_label(column: u8) -> char {
    if column < 26 { char::from(b'a' + column) } else { char::from(b'A' + column - 26) }
}

/// A swap as text, such as `e5 f5`.
pub(super) fn swap_text(swap: Swap, settings: &GemSettings) -> String {
    let text = |cell: GemCell| format!("{}{}", column_label(cell.column), settings.rows - cell.row);
    format!("{} {}", text(swap.first), text(swap.second))
}

/// Parses a swap of two neighbors on the board.
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
        None => Err(format!("'{shown}': not a swap; expected one such as e5 right")),
        Some(swap) if !inside(swap.first) || !inside(swap.second) => {
            Err(format!("'{shown}': not on the board"))
        }
        Some(swap) if !swap.first.touches(swap.second) => {
            Err(format!("'{shown}': cells are not neighbors; expected two adjacent cells"))
        }
        Some(swap) => Ok(swap),
    }
}

/// Parses a cell and a direction, or two cells.
fn from_cell(text: &str, settings: &GemSettings) -> Option<Swap> {
    let (first, rest) = read_cell(text, settings)?;
    let rest = rest.trim_start();
    let GemCell { row, column } = first;
    let second = match rest.to_ascii_lowercase().as_str() {
        "right" | "r" => GemCell::new(row, column + 1),
        "down" | "d" => GemCell::new(row + 1, column),
        // A cell beyond the edge fails the later check, like any cell off the board.
        "left" | "l" => GemCell::new(row, column.wrapping_sub(1)),
        "up" | "u" => GemCell::new(row.wrapping_sub(1), column),
        _ => match read_cell(rest, settings)? {
            (second, "") => second,
            _ => return None,
        },
    };
    Some(Swap { first, second })
}

/// Parses a cell at the start of a text, and returns the rest.
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
