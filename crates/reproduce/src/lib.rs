//! Reproduces the tables and figures of four published systems, each with one command, and compares
//! them with the published numbers.
//!
//! * [`catalogue`]: the experiments, by id.
//! * [`comparison`]: when two numbers agree. [`report`]: rows of comparisons, as text, Markdown and
//!   JSON. [`picture`]: the same as SVG. [`shipped`]: reports that are part of the program.
//! * The experiments, one folder for each publication: [`loos`] (forests for k-in-a-row games),
//!   [`fudan`] (agents for Gomoku), [`gem_island`], [`anigmo`] (a library of abstract games).
//!
//! Published numbers are in the code next to the experiment that reproduces them; ours are always
//! measured.

pub mod anigmo;
pub mod catalogue;
pub mod comparison;
pub mod fudan;
pub mod gem_island;
pub mod loos;
mod move_times;
pub mod picture;
pub mod report;
pub mod run;
pub mod shipped;
pub mod thread_timer;

pub use catalogue::{ILLUSTRATIONS, Illustration, Publication, Reproduction, experiments, find};
pub use comparison::{Better, ComparisonVerdict, Estimate, VerdictCounts};
pub use report::{
    ComparisonRow, ComparisonTable, Findings, Provenance, ReportedValue, ReproductionReport,
};
pub use run::{Effort, ExternalEngine, ReproduceError, ReproductionProgress, ReproductionRun};
