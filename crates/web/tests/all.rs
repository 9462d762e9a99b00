//! The integration tests of the crate as one program: it is linked once, and the tests of all files
//! run in parallel.

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
