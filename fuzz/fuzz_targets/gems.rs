//! Law: any bytes are a log of Gem Island, are repaired into one, or are refused in one line; and a log that was read
//! is written and reads back as it was. A state or an action that is read is written back character by character.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::rules::gem_island::log::Log;
use tesuji_games::rules::gem_island::text::{Action, Dialect, Snapshot};

fuzz_target!(|bytes: &[u8]| {
    match Log::read(bytes) {
        Err(error) => assert!(!error.to_string().contains('\n')),
        Ok(reading) => {
            if let Some(log) = reading.log {
                let again = Log::read(log.to_text(Dialect::Js).as_bytes()).expect("reads back");
                assert_eq!((again.log, again.repairs.len()), (Some(log), 0));
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    for dialect in [Dialect::Python, Dialect::Js] {
        if let Ok(state) = Snapshot::parse(&text, 2, 3, dialect) {
            assert_eq!(state.to_text(dialect), text);
        }
    }
    if let Ok(action) = text.parse::<Action>() {
        assert_eq!(action.to_string(), text);
    }
});
