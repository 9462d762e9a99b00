//! Every command in the documentation works. Documents whose commands need other programs are in
//! `documentation_with_programs`.

use crate::doc_commands;

#[test]
fn every_command_works() {
    let mut documents = doc_commands::documents();
    documents.retain(|document| !doc_commands::needs_other_programs(document));
    doc_commands::run(documents, |run_document| run_document(doc_commands::Services::default()));
}

#[test]
fn every_exception_is_needed() {
    doc_commands::every_exception_is_needed();
}
