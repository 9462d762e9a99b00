//! The tunable search constants in one list: meaning, default and range. A match with
//! `gomoku:tune.NAME=N` tests another value.

/// A search constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tunable {
    /// The name.
    pub name: &'static str,
    /// The player option that sets it: `tune.` and the name.
    pub option: &'static str,
    /// The effect.
    pub description: &'static str,
    /// The default value.
    pub default: i32,
    /// The least and the greatest sensible value.
    pub range: (i32, i32),
}

/// Why a search constant cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TunableError {
    /// No constant has this name.
    #[error("search constant '{0}': unknown; expected a name from: tesuji engine --tunables")]
    Unknown(String),
    /// The value is out of range.
    #[error("search constant '{name}': {value} is out of range; expected {low} to {high}")]
    Outside {
        /// The name of the constant.
        name: &'static str,
        /// The given value.
        value: i32,
        /// The least.
        low: i32,
        /// The greatest.
        high: i32,
    },
}

macro_rules! tunables {
    ($($(#[doc = $description:literal])+ $name:ident = $default:literal in $low:literal..=$high:literal;)*) => {
        /// The values of all search constants.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Tunables { $($(#[doc = $description])+ pub $name: i32,)* }

        impl Default for Tunables {
            fn default() -> Self {
                Tunables { $($name: $default,)* }
            }
        }

        impl Tunables {
            /// The declarations of all constants.
            pub const ALL: &[Tunable] = &[$(Tunable {
                name: stringify!($name),
                option: concat!("tune.", stringify!($name)),
                description: concat!($($description),+),
                default: $default,
                range: ($low, $high),
            },)*];

            /// Sets a constant by name.
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
    /// least depth of an aspiration window
    window_depth = 5 in 2..=20;
    /// first half-width of the aspiration window
    window_width = 24 in 4..=500;
    /// node limit of the VCF search at the root, in thousands
    root_vcf_thousands = 200 in 0..=10000;
    /// share of the limits for the VCT search at the root, in percent
    root_vct_percent = 8 in 0..=50;
    /// node limit of a VCF search inside the tree
    vcf_nodes = 1000 in 1..=100000;
    /// fours that a VCF may have at the horizon
    leaf_vcf_fours = 10 in 1..=100;
    /// additional fours for every ply of remaining depth
    inner_vcf_fours = 1 in 0..=20;
    /// greatest depth of razoring (positions far below alpha)
    razor_depth = 3 in 0..=10;
    /// razoring margin
    razor_base = 140 in 0..=2000;
    /// razoring margin for every ply of depth
    razor_step = 110 in 0..=2000;
    /// greatest depth of reverse futility pruning (positions far above beta)
    futility_depth = 9 in 0..=20;
    /// reverse futility margin for every ply of depth
    futility_step = 50 in 1..=1000;
    /// reverse futility margin less if the estimate is improving
    futility_improving = 50 in 0..=1000;
    /// margin above beta that reduces a node by one ply
    high_base = 100 in 0..=2000;
    /// margin above beta for every ply of depth
    high_step = 30 in 0..=500;
    /// reduction of the moves after one that raised alpha, in plies
    raised_less = 1 in 0..=3;
    /// least depth of internal iterative reduction (no table move)
    unknown_depth = 5 in 1..=30;
    /// late move pruning: number of moves at depth 0
    count_base = 3 in 1..=100;
    /// late move pruning: more moves for every ply, in tenths
    count_step = 15 in 0..=500;
    /// late move pruning: more moves for every ply squared, in tenths
    count_square = 4 in 0..=100;
    /// greatest depth of late move pruning
    count_depth = 10 in 0..=30;
    /// greatest reduced depth of futility pruning of quiet moves
    quiet_depth = 5 in 0..=20;
    /// futility margin of quiet moves
    quiet_base = 120 in 0..=2000;
    /// futility margin of quiet moves for every ply
    quiet_step = 90 in 0..=2000;
    /// late move reduction, in hundredths of a ply
    late_base = 110 in -200..=400;
    /// divisor of log(depth) * log(move number) in late move reductions, in hundredths
    late_divisor = 90 in 50..=1000;
    /// reduction more at expected cut nodes, in hundredths
    late_cut = 90 in 0..=400;
    /// reduction more if the estimate is not improving, in hundredths
    late_worse = 50 in 0..=400;
    /// reduction less at nodes of the principal variation, in hundredths
    late_open = 80 in 0..=400;
    /// reduction less for a move that makes a four or an open three, in hundredths
    late_threat = 90 in 0..=400;
    /// reduction less against a threatened unstoppable four, in hundredths
    late_pressure = 0 in 0..=400;
    /// divisor of a move's history, which reduces the reduction
    late_history = 60 in 1..=10000;
    /// divisor of the gap to the best move score, which adds to the reduction
    late_promise = 5 in 1..=10000;
    /// least depth of singular extensions
    alone_depth = 6 in 3..=30;
    /// singular margin for every ply of depth
    alone_step = 4 in 1..=100;
    /// additional margin of a double extension
    alone_twice = 40 in 0..=1000;
    /// weight of history in move ordering, in percent
    order_history = 100 in 0..=1000;
    /// bonus of the counter move in move ordering
    order_answer = 60 in 0..=2000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_within_their_ranges_and_stay_there() {
        for &Tunable { name, default, range: (low, high), description, .. } in Tunables::ALL {
            assert!((low..=high).contains(&default) && !description.is_empty(), "{name}");
            let mut tunables = Tunables::default();
            assert_eq!(tunables.set(name, default), Ok(()));
            assert_eq!(tunables, Tunables::default(), "{name}");
            assert!(tunables.set(name, high + 1).is_err() && tunables.set(name, low - 1).is_err());
            assert_eq!(tunables, Tunables::default(), "{name}");
        }
        assert!(Tunables::default().set("nothing", 1).is_err());
    }
}
