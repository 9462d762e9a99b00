//! The network: patterns, and a weight for each of their contents.

use super::TuplesError;
use crate::forest::{Pattern, PatternWindow, Spread};

/// Weights for every content of every pattern. All placements of a pattern share its weights.
///
/// Swapping colors and the side to move negates the value exactly. Therefore
/// only one set of weights is learned and stored, and [`weights`](Self::weights) contains both.
#[derive(Clone, PartialEq, Debug)]
pub struct TupleNetwork {
    /// The game that it was trained for, such as `mnk:10x10,k=5`.
    pub game: String,
    /// The window from which the patterns were drawn.
    pub window: PatternWindow,
    /// How patterns are placed on the board.
    pub spread: Spread,
    /// The patterns.
    pub patterns: Vec<Pattern>,
    /// By the side to move, the pattern and the index of its content (digit 1 = a stone of the
    /// first side): the contribution to the value for the first side. Never `i16::MIN`.
    pub weights: [Vec<Vec<i16>>; 2],
    /// The value of a position is the hyperbolic tangent of this times the sum of its weights.
    pub scale: f32,
    /// How it was made, as a text for users.
    pub origin: String,
}

impl TupleNetwork {
    /// The maximum number of patterns. Limits keep a malicious file from exhausting the memory.
    pub const MAX_PATTERNS: usize = 4096;
    /// The maximum number of weights of one side.
    pub const MAX_WEIGHTS: usize = 1 << 25;

    /// A network with these weights for the first side to move, by pattern and index.
    pub fn new(
        game: String,
        spread: Spread,
        patterns: Vec<Pattern>,
        mut first: Vec<Vec<i16>>,
        scale: f32,
    ) -> Result<TupleNetwork, TuplesError> {
        let window = check_patterns(&patterns)?;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(TuplesError::Content(format!("scale {scale}; expected a positive number")));
        }
        let fits = |(pattern, table): (&Pattern, &Vec<i16>)| table.len() == entries(pattern);
        if first.len() != patterns.len() || !patterns.iter().zip(&first).all(fits) {
            let what = "the tables do not fit the patterns".to_string();
            return Err(TuplesError::Content(what));
        }
        // The minimum of i16 has no negation.
        first.iter_mut().flatten().for_each(|weight| *weight = (*weight).max(-i16::MAX));
        let swapped = |(pattern, table): (&Pattern, &Vec<i16>)| {
            swapped_indices(pattern.len()).into_iter().map(|n| -table[n as usize]).collect()
        };
        let second = patterns.iter().zip(&first).map(swapped).collect();
        let weights = [first, second];
        Ok(TupleNetwork { game, window, spread, patterns, weights, scale, origin: String::new() })
    }

    /// A network with these learned weights, quantized so that the largest weight becomes 32,767.
    pub fn rounded(
        game: String,
        spread: Spread,
        patterns: Vec<Pattern>,
        first: &[Vec<f32>],
    ) -> Result<TupleNetwork, TuplesError> {
        let max = first.iter().flatten().fold(0f32, |max, weight| max.max(weight.abs()));
        if !max.is_finite() {
            return Err(TuplesError::Content("a weight is not finite".to_string()));
        }
        let scale = if max > 0.0 { max / f32::from(i16::MAX) } else { 1.0 };
        let round = |weight: &f32| (weight / scale).round() as i16;
        let first = first.iter().map(|table| table.iter().map(round).collect()).collect();
        TupleNetwork::new(game, spread, patterns, first, scale)
    }
}

/// The number of contents of a pattern.
pub(super) fn entries(pattern: &Pattern) -> usize {
    table_size(pattern.len())
}

/// The number of contents of this many cells.
pub(super) fn table_size(cells: usize) -> usize {
    3usize.saturating_pow(cells as u32)
}

/// For each index of a pattern with `cells` cells, the index after swapping the colors.
pub(super) fn swapped_indices(cells: usize) -> Vec<u32> {
    const SWAPPED: [u32; 3] = [0, 2, 1];
    let mut all = vec![0];
    for cell in 0..cells as u32 {
        let higher = |digit: usize| SWAPPED[digit] * 3u32.pow(cell);
        all = (0..3).flat_map(|digit| all.iter().map(move |low| higher(digit) + low)).collect();
    }
    all
}

/// Checks that all patterns have the same window, and that there are not too many patterns or
/// weights.
pub(super) fn check_patterns(patterns: &[Pattern]) -> Result<PatternWindow, TuplesError> {
    let content = |what: String| Err(TuplesError::Content(what));
    let Some(window) = patterns.first().map(Pattern::window) else {
        return content("no pattern".to_string());
    };
    if patterns.iter().any(|pattern| pattern.window() != window) {
        return content("patterns from windows of different sides".to_string());
    }
    if patterns.len() > TupleNetwork::MAX_PATTERNS {
        let (count, max) = (patterns.len(), TupleNetwork::MAX_PATTERNS);
        return content(format!("{count} patterns; expected up to {max}"));
    }
    let weights: usize = patterns.iter().map(entries).sum();
    if weights > TupleNetwork::MAX_WEIGHTS {
        let max = TupleNetwork::MAX_WEIGHTS;
        return content(format!("{weights} weights; expected up to {max}"));
    }
    Ok(window)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::forest::{CellContent, ForestEvaluation};
    use tesuji_games::random::{below, seeded, word};
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_games::{RowPosition, Side};

    /// Two patterns with arbitrary weights.
    pub(crate) fn arbitrary(seed: u64) -> TupleNetwork {
        let mut rng = seeded(seed);
        let window = PatternWindow { side: 3 };
        let patterns = [vec![0, 1, 2], vec![4, 0, 5, 7]].map(|c| Pattern::new(window, c).unwrap());
        let mut table = |p: &Pattern| (0..entries(p)).map(|_| word(&mut rng) as i16).collect();
        let tables = patterns.iter().map(&mut table).collect();
        let game = "tictactoe".to_string();
        TupleNetwork::new(game, Spread::default(), patterns.to_vec(), tables, 0.001).unwrap()
    }

    #[test]
    fn swapping_twice_changes_nothing() {
        assert_eq!(swapped_indices(1), [0, 2, 1]);
        assert_eq!(swapped_indices(2), [0, 2, 1, 6, 8, 7, 3, 5, 4]);
        let swapped = swapped_indices(5);
        assert!((0..243).all(|i| swapped[swapped[i] as usize] as usize == i));
    }

    /// Holds for any stones, not only for reachable positions.
    #[test]
    fn swapping_colors_negates_the_value() {
        let evaluation =
            ForestEvaluation::of_network(&arbitrary(3), &TicTacToe::new().grid()).unwrap();
        let (mut rng, mut different) = (seeded(4), 0);
        for _ in 0..2_000 {
            let fields = [(); 9].map(|()| CellContent::ALL[below(&mut rng, 3) as usize]);
            let to_move = Side::ALL[below(&mut rng, 2) as usize];
            let score = evaluation.by_tables(&fields, to_move);
            assert_eq!(evaluation.by_tables(&fields.map(CellContent::swapped), !to_move), -score);
            different += usize::from(score != 0);
        }
        assert!(different > 1_900);
    }

    #[test]
    fn rounding_keeps_the_largest_weight() {
        let pattern = Pattern::new(PatternWindow { side: 3 }, vec![4]).unwrap();
        let round = |w: &[f32]| {
            let spread = Spread::default();
            TupleNetwork::rounded("g".into(), spread, vec![pattern.clone()], &[w.to_vec()])
        };
        let network = round(&[0.0, 0.5, -0.25]).unwrap();
        assert_eq!(network.weights[0], [[0, 32767, -16384]]);
        assert_eq!(network.weights[1], [[0, 16384, -32767]]);
        assert!((network.scale * 32767.0 - 0.5).abs() < 1e-6);
        assert!(round(&[0.0, f32::NAN, f32::INFINITY]).is_err());
        assert_eq!(round(&[0.0; 3]).unwrap().scale, 1.0, "any scale is right for zeros");
        assert!(round(&[0.0; 4]).is_err());
    }
}
