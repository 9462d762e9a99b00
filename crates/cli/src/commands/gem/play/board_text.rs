//! The board as text. A cell has three characters: the ice or medal under the gem, the letter of
//! the gem, its bonus.

use tesuji_games::rules::gem_island::{Bonus, GemCell, GemView, Mask};

use super::swap_text::column_label;

/// The meaning of the characters.
pub(super) const LEGEND: &str = "  \
  R G Y P C W O L  kinds of gems
  + * #            bonuses: cross (a row or column), star (all of a kind), diamond (around it)
  ░ ▒ ▓            ice: one layer, two, more than two
  ┌ ┐ └ ┘          parts of a medal without ice on them";

const LETTERS: [char; 8] = ['R', 'G', 'Y', 'P', 'C', 'W', 'O', 'L'];
/// Foreground colors of the kinds, all different from the background of ice.
const COLORS: [&str; 8] = ["31", "32", "33", "35", "36", "37", "91", "92"];
const ICE: &str = ";44";
/// The quarters of a medal.
const PORTIONS: [char; 4] = ['┌', '┐', '└', '┘'];

/// The board as the player sees it: rows are numbered from the bottom, columns from `a`.
pub(super) fn board<M: Mask>(view: &GemView<M>, colors: bool) -> String {
    let settings = &view.known.grid().settings;
    let mut text = String::new();
    for row in 0..settings.rows {
        let mut line = format!("{:>2} ", settings.rows - row);
        for column in 0..settings.columns {
            line += &cell_text(view, GemCell::new(row, column), colors);
        }
        text += line.trim_end();
        text.push('\n');
    }
    let labels: Vec<String> =
        (0..settings.columns).map(|column| format!(" {} ", column_label(column))).collect();
    text + "   " + labels.concat().trim_end()
}

fn cell_text<M: Mask>(view: &GemView<M>, cell: GemCell, colors: bool) -> String {
    let (grid, board) = (view.known.grid(), view.known.board());
    let index = grid.index(cell);
    let (gem, layers) = (board.gem(index), board.layers(index));
    let under = match (layers, board.portion(grid, board.medals, cell)) {
        (0, Some(portion)) => PORTIONS[usize::from(portion)],
        (0, None) => ' ',
        (1, _) => '░',
        (2, _) => '▒',
        _ => '▓',
    };
    let bonus = match gem.bonus {
        None => ' ',
        Some(Bonus::Cross) => '+',
        Some(Bonus::Star) => '*',
        Some(Bonus::Diamond) => '#',
    };
    let text = format!("{under}{}{bonus}", LETTERS[usize::from(gem.kind)]);
    if !colors {
        return text;
    }
    let ice = if layers > 0 { ICE } else { "" };
    format!("\x1b[1;{}{ice}m{text}\x1b[0m", COLORS[usize::from(gem.kind)])
}
