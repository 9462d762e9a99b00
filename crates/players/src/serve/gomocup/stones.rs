//! The stones that the manager has sent, each with its side. Their order of play is not always
//! known and any stone may be taken back, so an order is derived when it is needed.

use tesuji_games::Side;
use tesuji_games::point::Point;

use crate::external::gomocup::read_pair;

/// The stones on the board, in the order of play as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StoneList {
    placed: Vec<(Side, Point)>,
}

impl StoneList {
    /// Reads the stones of `BOARD`; the engine is to move.
    pub(super) fn from_board(lines: &[String]) -> Result<StoneList, String> {
        let fields = read_fields(lines)?;
        match count(&fields) {
            (own, other) if own == other => StoneList::from_fields(&fields, Side::First),
            (own, other) if own + 1 == other => StoneList::from_fields(&fields, Side::Second),
            (own, other) => {
                Err(format!("not the engine's turn: {own} own stones and {other} others"))
            }
        }
    }

    /// Reads the stones of `YXBOARD`, after which either side may be to move.
    pub(super) fn from_yxboard(lines: &[String]) -> Result<StoneList, String> {
        let fields = read_fields(lines)?;
        let (own, other) = count(&fields);
        let own_first = match own.abs_diff(other) {
            // The first stone belongs to the first side.
            0 => fields.first().is_none_or(|first| first.1),
            1 => own > other,
            _ => return Err(format!("invalid position: {own} own stones and {other} others")),
        };
        StoneList::from_fields(&fields, if own_first { Side::First } else { Side::Second })
    }

    /// Reads the stones of `SWAP2BOARD`, in the order of play, with or without their sides.
    pub(super) fn from_opening(lines: &[String]) -> Result<StoneList, String> {
        let points: Option<Vec<Point>> = lines.iter().map(|line| read_start(line)).collect();
        let mut stones = StoneList::default();
        let points = points.ok_or("expected x,y or x,y,who")?;
        points.iter().try_for_each(|&point| stones.put(point))?;
        Ok(stones)
    }

    fn from_fields(fields: &[(Point, bool)], own_side: Side) -> Result<StoneList, String> {
        let mut stones = StoneList::default();
        for &(point, own) in fields {
            stones.put_for(if own { own_side } else { !own_side }, point)?;
        }
        Ok(stones)
    }

    /// Places a stone of the side to move.
    pub(super) fn put(&mut self, point: Point) -> Result<(), String> {
        self.put_for(self.to_move(), point)
    }

    fn put_for(&mut self, side: Side, point: Point) -> Result<(), String> {
        if self.placed.iter().any(|stone| stone.1 == point) {
            return Err(format!("{},{} is occupied", point.x, point.y));
        }
        self.placed.push((side, point));
        Ok(())
    }

    /// Removes a stone.
    pub(super) fn take(&mut self, point: Point) -> Result<(), String> {
        let place = self.placed.iter().position(|stone| stone.1 == point);
        let place = place.ok_or_else(|| format!("{},{} is empty", point.x, point.y))?;
        self.placed.remove(place);
        Ok(())
    }

    /// Returns the side with fewer stones, or the first side.
    pub(super) fn to_move(&self) -> Side {
        let [first, second] = self.sides();
        if first.len() <= second.len() { Side::First } else { Side::Second }
    }

    pub(super) fn len(&self) -> usize {
        self.placed.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Returns a possible order of play: each side's stones in the order in which they were sent.
    pub(super) fn order(&self) -> Result<Vec<Point>, String> {
        let [first, second] = self.sides();
        if first.len() != second.len() && first.len() != second.len() + 1 {
            let (first, second) = (first.len(), second.len());
            return Err(format!(
                "invalid position: {first} stones of the first side and {second} of the second"
            ));
        }
        let mut order = Vec::with_capacity(self.placed.len());
        for (index, &point) in first.iter().enumerate() {
            order.push(point);
            order.extend(second.get(index));
        }
        Ok(order)
    }

    fn sides(&self) -> [Vec<Point>; 2] {
        Side::ALL
            .map(|side| self.placed.iter().filter(|stone| stone.0 == side).map(|s| s.1).collect())
    }
}

/// Reads the stones among lines `x,y,who`, and whether each is the engine's own. Other lines mark
/// winning rows or forbidden points.
fn read_fields(lines: &[String]) -> Result<Vec<(Point, bool)>, String> {
    let mut fields = Vec::new();
    for line in lines {
        let field = line.rsplit_once(',').and_then(|(at, who)| Some((read_point(at)?, who.trim())));
        match field {
            Some((point, who @ ("1" | "2"))) => fields.push((point, who == "1")),
            Some((_, "3")) => {}
            _ => return Err("expected x,y,who".to_string()),
        }
    }
    Ok(fields)
}

/// Counts own stones and others.
fn count(fields: &[(Point, bool)]) -> (usize, usize) {
    let own = fields.iter().filter(|field| field.1).count();
    (own, fields.len() - own)
}

/// Reads `7,8`: columns from the left and rows from the top.
pub(super) fn read_point(text: &str) -> Option<Point> {
    let (x, y) = read_pair(text)?;
    Some(Point { x: usize::try_from(x).ok()?, y: usize::try_from(y).ok()? })
}

/// The same, and ignores everything after another comma.
pub(super) fn read_start(line: &str) -> Option<Point> {
    let end = line.match_indices(',').nth(1).map_or(line.len(), |(at, _)| at);
    read_point(&line[..end])
}

/// Formats a point for the protocol.
pub(super) fn point_text(point: Point) -> String {
    format!("{},{}", point.x, point.y)
}

/// Formats several points.
pub(super) fn points_text(points: &[Point]) -> String {
    points.iter().copied().map(point_text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    fn order(stones: &StoneList) -> String {
        points_text(&stones.order().unwrap())
    }

    #[test]
    fn boards_are_put_into_an_order_of_play() {
        let stones = StoneList::from_board(&lines("3,3,2 4,3,2 2,3,1 9,9,3")).unwrap();
        assert_eq!((order(&stones).as_str(), stones.to_move()), ("3,3 2,3 4,3", Side::Second));
        let stones = StoneList::from_board(&lines("3,3,2 2,3,1")).unwrap();
        assert_eq!((order(&stones).as_str(), stones.to_move()), ("2,3 3,3", Side::First));
        for (text, words) in [
            ("1,1,1", "not the engine's turn"),
            ("1,1,2 2,2,2", "not the engine's turn: 0 own stones and 2 others"),
            ("1,1", "expected x,y,who"),
            ("1,1,4", "expected x,y,who"),
            ("-1,1,2", "expected x,y,who"),
            ("1,1,2 1,1,1", "1,1 is occupied"),
        ] {
            let error = StoneList::from_board(&lines(text)).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn a_silent_board_may_leave_the_turn_to_anybody() {
        for (text, expected, to_move) in [
            ("5,5,1", "5,5", Side::Second),
            ("5,5,2", "5,5", Side::Second),
            ("5,5,2 6,6,1", "5,5 6,6", Side::First),
            ("5,5,1 6,6,2", "5,5 6,6", Side::First),
            ("", "", Side::First),
        ] {
            let stones = StoneList::from_yxboard(&lines(text)).unwrap();
            assert_eq!((order(&stones).as_str(), stones.to_move()), (expected, to_move), "{text}");
        }
        assert!(StoneList::from_yxboard(&lines("1,1,1 2,2,1")).is_err());
    }

    #[test]
    fn stones_are_taken_from_anywhere() {
        let mut stones = StoneList::from_opening(&lines("7,7 8,8,2 9,9 1,1")).unwrap();
        stones.take(Point { x: 8, y: 8 }).unwrap();
        assert!(stones.order().is_ok());
        stones.take(Point { x: 1, y: 1 }).unwrap();
        assert!(stones.order().unwrap_err().contains("2 stones of the first side and 0"));
        assert_eq!(stones.to_move(), Side::Second);
        stones.put(Point { x: 3, y: 3 }).unwrap();
        assert_eq!(order(&stones), "7,7 3,3 9,9");
        assert!(stones.take(Point { x: 8, y: 8 }).unwrap_err().contains("8,8 is empty"));
    }
}
