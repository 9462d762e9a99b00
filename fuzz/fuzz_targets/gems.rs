//! Law: any bytes are read as a log of Gem Island, with repairs if necessary, or rejected in one
//! line, and a log that was read round-trips. The text of a state or an action round-trips exactly.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::rules::gem_island::log::GemLog;
use tesuji_games::rules::gem_island::text::{GemSnapshot, LogAction, TextDialect};

fuzz_target!(|bytes: &[u8]| {
    match GemLog::read(bytes) {
        Err(error) => assert!(!error.to_string().contains('\n')),
        Ok(reading) => {
            if let Some(log) = reading.log {
                let again =
                    GemLog::read(log.to_text(TextDialect::Js).as_bytes()).expect("reads back");
                assert_eq!((again.log, again.repairs.len()), (Some(log), 0));
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    for dialect in [TextDialect::Python, TextDialect::Js] {
        if let Ok(state) = GemSnapshot::parse(&text, 2, 3, dialect) {
            assert_eq!(state.to_text(dialect), text);
        }
    }
    if let Ok(action) = text.parse::<LogAction>() {
        assert_eq!(action.to_string(), text);
    }
});
