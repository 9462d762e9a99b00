//! The three evaluations of the published flat search (Brereton, 2017): the progress from the root
//! of the search to a board, from 0 to 1.

use super::PlainBoard;

/// 1 if no medal is left, otherwise 0.
pub fn none(end: &PlainBoard) -> f64 {
    if medals_in(end) == 0 { 1.0 } else { 0.0 }
}

/// The share of medal parts that are freed or visible.
pub fn crude(medals_at_root: u32, end: &PlainBoard) -> f64 {
    medal_progress(medals_at_root, end)
}

/// The weighted mean of medals (10), removed ice (5) and changed gems (1).
pub fn heuristic(medals_at_root: u32, root: &PlainBoard, end: &PlainBoard) -> f64 {
    let medals = medal_progress(medals_at_root, end);
    (10.0 * medals + 5.0 * ice_removed(root, end) + gems_changed(root, end)) / 16.0
}

/// The share of medal parts that are freed or visible, of all that were to be freed at the root.
pub fn medal_progress(medals_at_root: u32, end: &PlainBoard) -> f64 {
    if medals_at_root == 0 {
        return 1.0;
    }
    let shown = end.cells().filter(|cell| end.portion(*cell) >= 0 && end.ice_on(*cell) < 0).count();
    let freed = 4.0 * (f64::from(medals_at_root) - medals_in(end) as f64);
    (freed + shown as f64) / (4.0 * f64::from(medals_at_root))
}

/// The share of the root's ice cells that no longer have ice.
pub fn ice_removed(root: &PlainBoard, end: &PlainBoard) -> f64 {
    let iced = |plain: &PlainBoard| plain.cells().filter(|cell| plain.ice_on(*cell) >= 0).count();
    match iced(root) {
        0 => 1.0,
        before => (before as f64 - iced(end) as f64) / before as f64,
    }
}

/// The share of cells with another gem.
pub fn gems_changed(root: &PlainBoard, end: &PlainBoard) -> f64 {
    let changed = root.cells().filter(|cell| root.gem(*cell) != end.gem(*cell)).count();
    changed as f64 / (root.rows() * root.columns()) as f64
}

fn medals_in(plain: &PlainBoard) -> usize {
    plain.cells().filter(|cell| plain.portion(*cell) == 0).count()
}
