//! Result tables: cross tables, rating lists, competition tables, each as text, CSV, JSON (by
//! `Serialize`) and SVG. The functions return strings and write nothing.

pub mod competition;
pub mod cross_table;
pub mod layout;
mod matrix;
pub mod rating_list;
pub mod svg;

pub use competition::{Competition, CompetitionRow};
pub use cross_table::{CrossRow, CrossTable};
pub use rating_list::{RatingList, RatingRow};
pub use svg::escaped;
