//! Every constant of the search that could as well be another: what it means, its value and its range, in one list.
//! A match with `gomoku:tune.NAME=N` tells whether another is better.

/// One constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// The option of a player that sets it: `tune.` and the name.
    pub option: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Its value unless told otherwise.
    pub usual: i32,
    /// The least and the greatest value that make sense.
    pub range: (i32, i32),
}

/// There is no such constant, or it cannot be that.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TunableError {
    /// No constant has this name.
    #[error("search constant '{0}': unknown; expected a name from: tesuji engine --tunables")]
    Unknown(String),
    /// The value lies outside the range.
    #[error("search constant '{name}': {value} is out of range; expected {low} to {high}")]
    Outside {
        /// Which constant.
        name: &'static str,
        /// What it was to be.
        value: i32,
        /// The least.
        low: i32,
        /// The greatest.
        high: i32,
    },
}

macro_rules! tunables {
    ($($(#[doc = $what:literal])+ $name:ident = $usual:literal in $low:literal..=$high:literal;)*) => {
        /// The constants. See the top of this file.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Tunables { $($(#[doc = $what])+ pub $name: i32,)* }

        impl Default for Tunables {
            fn default() -> Self {
                Tunables { $($name: $usual,)* }
            }
        }

        impl Tunables {
            /// All of them.
            pub const ALL: &[Tunable] = &[$(Tunable {
                name: stringify!($name),
                option: concat!("tune.", stringify!($name)),
                what: concat!($($what),+),
                usual: $usual,
                range: ($low, $high),
            },)*];

            /// Sets the one with this name.
            pub fn set(&mut self, name: &str, value: i32) -> Result<(), TunableError> {
                let value_slot = match name {
                    $(stringify!($name) => &mut self.$name,)*
                    _ => return Err(TunableError::Unknown(name.to_string())),
                };
                let known = Tunables::ALL.iter().find(|tunable| tunable.name == name);
                if let Some(&Tunable { name, range: (low, high), .. }) = known
                    && !(low..=high).contains(&value)
                {
                    return Err(TunableError::Outside { name, value, low, high });
                }
                *value_slot = value;
                Ok(())
            }
        }
    };
}

tunables! {
    /// from this depth on a search begins with a window around the last value
    window_depth = 5 in 2..=20;
    /// how far that window reaches to either side at first
    window_width = 24 in 4..=500;
    /// positions looked at for a win by fours before a move is searched, in thousands
    root_vcf_thousands = 200 in 0..=10000;
    /// percent of the time for a move in which a win by threats is looked for first
    root_vct_percent = 8 in 0..=50;
    /// positions looked at for a win by fours inside the search
    vcf_nodes = 1000 in 1..=100000;
    /// how many fours such a win may have where the depth is used up
    leaf_vcf_fours = 10 in 1..=100;
    /// how many more for every ply of depth that is left
    inner_vcf_fours = 1 in 0..=20;
    /// up to this depth a position far below the window is only looked at for a win by fours
    razor_depth = 3 in 0..=10;
    /// how far below, to begin with
    razor_base = 140 in 0..=2000;
    /// how far below, more for every ply
    razor_step = 110 in 0..=2000;
    /// up to this depth a position far above the window is not searched
    futility_depth = 9 in 0..=20;
    /// how far above, for every ply
    futility_step = 50 in 1..=1000;
    /// how much less far when the position got better since the last own move
    futility_improving = 50 in 0..=1000;
    /// where the estimate is this far above the window, the position is searched one ply less
    high_base = 100 in 0..=2000;
    /// how far above, more for every ply
    high_step = 30 in 0..=500;
    /// plies that the moves after one that raised the value are searched less
    raised_less = 1 in 0..=3;
    /// from this depth on a position without a known best move is searched one ply less
    unknown_depth = 5 in 1..=30;
    /// moves that are searched at depth 0, when depth decides how many
    count_base = 3 in 1..=100;
    /// how many more for every ply, in tenths
    count_step = 15 in 0..=500;
    /// the same for every ply squared, in tenths
    count_square = 4 in 0..=100;
    /// up to this depth only so many moves are searched
    count_depth = 10 in 0..=30;
    /// up to this depth, reductions counted, moves that cannot reach the window are left out
    quiet_depth = 5 in 0..=20;
    /// by how much they must miss it, to begin with
    quiet_base = 120 in 0..=2000;
    /// by how much they must miss it, more for every ply
    quiet_step = 90 in 0..=2000;
    /// plies that late moves are searched less, to begin with, in hundredths
    late_base = 110 in -200..=400;
    /// what the product of the logarithms of depth and move number is divided by, in hundredths
    late_divisor = 90 in 50..=1000;
    /// how many hundredths more where a cut is expected
    late_cut = 90 in 0..=400;
    /// how many hundredths more where the position got no better
    late_worse = 50 in 0..=400;
    /// how many hundredths less on the line of best play
    late_open = 80 in 0..=400;
    /// how many hundredths less for a move that makes a four or an open three
    late_threat = 90 in 0..=400;
    /// how many hundredths less where an unstoppable four must be answered
    late_pressure = 0 in 0..=400;
    /// what a move's history is divided by for hundredths less
    late_history = 60 in 1..=10000;
    /// what the lag of a move's promise behind the best is divided by for hundredths more
    late_promise = 5 in 1..=10000;
    /// from this depth on it is asked whether the known best move stands alone
    alone_depth = 6 in 3..=30;
    /// by how much for every ply it must be better than the rest
    alone_step = 4 in 1..=100;
    /// by how much more it must be better to be searched two plies more
    alone_twice = 40 in 0..=1000;
    /// how much history counts in the order of moves, in percent
    order_history = 100 in 0..=1000;
    /// what an answer that was good before counts in the order of moves
    order_answer = 60 in 0..=2000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_within_their_ranges_and_stay_there() {
        for &Tunable { name, usual, range: (low, high), what, .. } in Tunables::ALL {
            assert!((low..=high).contains(&usual) && !what.is_empty(), "{name}");
            let mut tunables = Tunables::default();
            assert_eq!(tunables.set(name, usual), Ok(()));
            assert_eq!(tunables, Tunables::default(), "{name}");
            assert!(tunables.set(name, high + 1).is_err() && tunables.set(name, low - 1).is_err());
            assert_eq!(tunables, Tunables::default(), "{name}");
        }
        assert!(Tunables::default().set("nothing", 1).is_err());
    }
}
