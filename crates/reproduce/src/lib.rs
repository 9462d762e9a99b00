//! The tables and figures of four published systems, each made again with one command and set beside the numbers that
//! were published.
//!
//! * [`catalogue`]: what there is to reproduce, by id.
//! * [`comparison`]: when two numbers agree. [`report`]: rows of such comparisons, as text, Markdown and JSON.
//!   [`picture`]: the same as SVG. [`shipped`]: reports that come with the program.
//! * The experiments, a folder for each document: [`loos`] (forests for k-in-a-row games), [`fudan`] (agents for
//!   Gomoku), [`gem_island`], [`anigmo`] (a library of abstract games).
//!
//! Published figures stand beside the code that makes ours; ours are never written down, always measured.

pub mod anigmo;
pub mod catalogue;
pub mod comparison;
pub mod fudan;
pub mod gem_island;
pub mod loos;
pub mod picture;
pub mod report;
pub mod run;
pub mod shipped;
pub mod thread_timer;

pub use catalogue::{Experiment, ILLUSTRATIONS, Illustration, Publication, experiments, find};
pub use comparison::{Better, ComparisonVerdict, Estimate};
pub use report::{
    ComparisonRow, ComparisonTable, Findings, Provenance, ReportedValue, ReproductionReport,
};
pub use run::{Effort, ExperimentProgress, ExperimentRun, ExternalEngine, ReproduceError};
