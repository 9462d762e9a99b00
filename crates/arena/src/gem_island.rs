//! Gem Island beyond its rules: recorded cases that the rules must reproduce.

pub mod cases;
