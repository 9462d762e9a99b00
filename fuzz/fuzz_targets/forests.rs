//! Law: any bytes are read as a forest or rejected in one line, and a forest that was read
//! round-trips with the same predictions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_learn::forest::xml;

fuzz_target!(|bytes: &[u8]| {
    match xml::read(bytes) {
        Err(error) => assert!(!error.to_string().contains('\n')),
        Ok(forest) => {
            let text = xml::write(&forest);
            let back = xml::read(text.as_bytes()).expect("what was written reads back");
            assert_eq!(xml::write(&back), text);
            for (before, after) in forest.trees.iter().zip(&back.trees) {
                assert_eq!(before.table, after.table);
            }
        }
    }
});
