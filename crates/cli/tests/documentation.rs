//! Every command of the documents works. Those whose commands want other programs are in `documentation_with_programs`.

use crate::book;

#[test]
fn every_command_works() {
    let mut documents = book::documents();
    documents.retain(|document| !book::wants_other_programs(document));
    book::run(documents, |read| read(book::Neighbours::default()));
}

#[test]
fn every_excuse_is_needed() {
    book::every_excuse_is_needed();
}
