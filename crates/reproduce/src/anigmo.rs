//! Woebker (2013): Anigmo, a library with one set of searches for all abstract games of two
//! players.

mod appendix;
mod center_first;
mod people;
mod stats;
mod unbeatable;

use crate::catalogue::{Publication, Reproduction, experiment};

/// The experiments, in the order of the publication.
pub const EXPERIMENTS: &[Reproduction] = &[
    experiment(
        Publication::Anigmo,
        "anigmo-stats",
        "Chapters 3.1 and 4.1",
        "how many games and states tic-tac-toe and Connect Four have",
        stats::run,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-unbeatable",
        "Chapter 3.5",
        "perfect tic-tac-toe against chance and against every line: no loss",
        unbeatable::run,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-people",
        "Chapter 4.3",
        "Connect Four against opponents of ten strengths, in place of people",
        people::run,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-a-ordering",
        "Appendix A, move ordering",
        "five searches of Connect Four with and without move ordering",
        appendix::ordering,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-a-bitboard",
        "Appendix A, bitboard",
        "five searches of Connect Four on an array and on a bitboard",
        appendix::bitboard,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-a-hash",
        "Appendix A, hash table",
        "alpha-beta with and without a hash table, one search and ten",
        appendix::hash,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-a-book",
        "Appendix A, opening book",
        "alpha-beta with and without an opening book",
        appendix::book,
    ),
    experiment(
        Publication::Anigmo,
        "anigmo-a-complete",
        "Appendix A, complete results",
        "all improvements together, one search and ten",
        appendix::complete,
    ),
];
