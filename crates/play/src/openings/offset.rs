//! Openings as offsets from the center: `0,0, 1,-1, 2,3`. Each pair is a stone: columns to the
//! right, then rows down, counted from the cell at half the width and half the height (rounded
//! down) from the top left corner. Gomocup's managers (Piskvork, c-gomoku-cli) use this format,
//! because one list then serves boards of every size.
//!
//! A file is such a list if it has the line `# offset`, or if every opening in it consists of pairs
//! and none of them is a list of moves. So `4,4` is two moves in Connect Four and one stone in
//! Gomoku.

use tesuji_games::point::{Point, board_size, move_at, moves_are_points};
use tesuji_games::{GameLine, Notation, NotationError, PlayError, Position, State};

/// The comment that declares the format.
const HEADER: &str = "offset";
/// Two numbers for each cell of the largest board.
const MOST_NUMBERS: usize = 2 * 20 * 20;

/// Parses such lines for one board.
pub(super) struct OffsetReader {
    width: usize,
    height: usize,
}

impl OffsetReader {
    /// Returns a reader if the file is a list of offsets.
    pub(super) fn for_file<'t>(
        start: &State,
        text: &str,
        openings: impl Iterator<Item = &'t str> + Clone,
    ) -> Option<OffsetReader> {
        let (width, height) = board_size(start)?;
        let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
        let declared = comments.clone().any(|comment| comment.trim() == HEADER);
        let is_detected = || {
            openings.clone().all(|line| pairs(line).is_some())
                && openings.clone().all(|line| start.parse_line(line).is_err())
        };
        (moves_are_points(start) && (declared || is_detected()))
            .then_some(OffsetReader { width, height })
    }

    /// Parses one opening.
    pub(super) fn read(&self, start: &State, text: &str) -> Result<GameLine, NotationError> {
        let expected = "pairs of whole numbers such as 0,0, 1,-1";
        let offsets = pairs(text).ok_or_else(|| NotationError::malformed(text, expected))?;
        let mut line = GameLine::new(start.clone());
        for (x, y) in offsets {
            let word = format!("{x},{y}");
            let point = self.point(x, y).ok_or_else(|| self.outside(&word))?;
            let m = move_at(&line.end, Some(point)).ok_or_else(|| {
                let is_over = line.end.outcome().is_some();
                let why = if is_over { PlayError::GameOver } else { PlayError::Illegal };
                NotationError::refused(&word, why)
            })?;
            line.play(m).map_err(|why| NotationError::refused(&word, why))?;
        }
        Ok(line)
    }

    fn point(&self, x: i32, y: i32) -> Option<Point> {
        let place = |offset: i32, side: usize| {
            let place = (side / 2).checked_add_signed(isize::try_from(offset).ok()?)?;
            (place < side).then_some(place)
        };
        Some(Point { x: place(x, self.width)?, y: place(y, self.height)? })
    }

    fn outside(&self, word: &str) -> NotationError {
        let (left, top) = (self.width / 2, self.height / 2);
        let (right, bottom) = (self.width - 1 - left, self.height - 1 - top);
        let expected = format!("an offset from -{left},-{top} to {right},{bottom} on this board");
        NotationError::malformed(word, expected)
    }
}

/// The numbers of a line in pairs; `None` if the line contains anything else, or no comma.
fn pairs(line: &str) -> Option<Vec<(i32, i32)>> {
    let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let numbers: Option<Vec<i32>> =
        words.take(MOST_NUMBERS + 1).map(|word| word.parse().ok()).collect();
    let is_whole = |numbers: &Vec<i32>| !numbers.is_empty() && numbers.len().is_multiple_of(2);
    let numbers = numbers.filter(|numbers| line.contains(',') && is_whole(numbers))?;
    Some(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Openings;
    use crate::testing::opened;

    /// The first opening of a file as moves, or the error.
    fn first(game: &str, file: &str) -> String {
        let game = opened(game);
        match Openings::read(game.start(), file) {
            Ok(openings) => openings.opening(game.start(), 0, 0).text(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn offsets_count_from_the_center() {
        for (game, file, moves) in [
            ("gomoku", "0,0, 1,0, 1,3", "h8i8i5"),
            ("gomoku", "-7,-7, 7,7", "a15o1"),
            ("mnk:20x20,k=5", "0,0, -10,-10, 9,9", "k10a20t1"),
            ("mnk:20x20,k=5", "8,-3, 6,-4,5,-4\n-1,3, -1,5", "s13q14p14"),
            ("mnk:9x6,k=5", "0,0, 4,2 -4,-3", "e3i1a6"),
            ("connect6", "0,0, 1,1, -1,-1", "j10k9i11"),
            ("othello", "# offset\n0,1", "e6"),
            // Numbers are columns here, unless the file declares offsets.
            ("connect4", "4,4\n3,3", "44"),
            ("connect4", "# offset\n0,2, 0,1, 1,2", "445"),
            ("connect4", "4,4,3", "443"),
            ("tictactoe", "0,0, 1,1", "b2c1"),
            ("tictactoe", "b2 a1", "b2a1"),
        ] {
            assert_eq!(first(game, file), moves, "{game}: {file}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (game, file, words) in [
            (
                "gomoku",
                "0,0\n\n0,0, 8,0",
                "line 3: cannot read \"8,0\"; expected an offset from -7,-7 to 7,7",
            ),
            ("mnk:20x20,k=5", "10,0", "from -10,-10 to 9,9"),
            ("gomoku", "0,0, 1,1, 0,0", "line 1: cannot play \"0,0\": the move is not legal here"),
            (
                "gomoku",
                "0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0, 4,1",
                "\"4,1\": the game is over",
            ),
            (
                "gomoku",
                "0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0",
                "line 1: the game is over after",
            ),
            ("gomoku", "# offset\n0,0, 1", "line 2: cannot read \"0,0, 1\"; expected pairs"),
            ("gomoku", "# offset\nh8", "expected pairs"),
            ("gomoku", "0,0\nh8", "line 1: cannot read"),
            ("gomoku", "99999999999,0", "line 1: cannot read"),
            ("chess", "# offset\n0,0", "line 2: cannot read"),
            ("connect4", "# offset\n0,0", "the move is not legal here"),
        ] {
            let error = first(game, file);
            assert!(error.contains(words), "{game}: {error}");
        }
    }
    #[test]
    fn the_shipped_list_is_read() {
        let list = include_str!("../../../../examples/openings/gomoku.txt");
        for side in [15, 20] {
            let game = opened(&format!("mnk:{side}x{side},k=5"));
            let openings = Openings::read(game.start(), list).unwrap();
            let Openings::List(lines) = openings else { panic!("not a list") };
            assert_eq!(lines.len(), 29);
            assert!(lines.iter().all(|line| (4..=6).contains(&line.moves.len())));
        }
    }
}
