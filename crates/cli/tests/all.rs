//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod bad_input;
mod bench;
mod connect4_book;
mod doc_commands;
mod documentation;
mod engine;
mod error_texts;
mod experiments;
mod five_in_a_row;
mod forest;
mod front_page;
mod gem;
mod gomocup;
mod gomoku_problems;
mod killing;
mod line_network;
mod matches;
mod models;
mod named_files;
mod output;
mod own_game;
mod play;
#[allow(dead_code, reason = "the suite `cluster` uses the rest")]
#[path = "cluster/processes.rs"]
mod processes;
mod processor;
mod replaced_files;
mod reproduce;
mod serve;
mod store;
mod terminal;
mod test_files;
mod tournaments;
mod training;
