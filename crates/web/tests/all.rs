//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod access;
mod addresses;
mod connections;
mod gems;
mod guests;
mod lab;
mod library;
mod machines;
mod openapi;
mod play;
mod records;
mod reproduction;
mod safety;
mod support;
mod think;
