//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod experiments;
mod position_view;
mod training;
