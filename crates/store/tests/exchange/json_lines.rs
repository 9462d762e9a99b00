//! JSON Lines: every kind of record, and detection of truncated files.

use tesuji_games::random::seeded;
use tesuji_store::exchange::json_lines::Writer;
use tesuji_store::{Record, RecordKind};

use crate::{JSON_LINES, partial, plain, read_all, records, refusal, strict};

const HEADER: &str = "{\"tesuji\":\"records\",\"version\":1}\n";
const HUMAN: &str = "{\"human\":{\"key\":\"k\",\"board\":\"gem\",\"name\":\"Ann\",\"score\":3,\"moves\":2,\"won\":true,\"at\":1}}\n";

fn written(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), records.len() as u64);
    bytes
}

fn of_every_kind(each: usize) -> Vec<Record> {
    let mut rng = seeded(11);
    let mut all = Vec::new();
    for kind in RecordKind::ALL {
        all.extend((0..each).map(|index| records::record(&mut rng, kind, index)));
    }
    all
}

#[test]
fn records_of_every_kind_read_back_bit_for_bit() {
    let records = of_every_kind(100);
    let bytes = written(&records);
    let (read, tally) = read_all(JSON_LINES, &bytes, &strict()).unwrap();
    assert_eq!(read, records);
    assert_eq!(tally.left_out, 0);
    assert_eq!(written(&read), bytes);
    let (read, _) = read_all(JSON_LINES, &written(&[]), &strict()).unwrap();
    assert!(read.is_empty());
}

#[test]
fn a_file_cut_anywhere_is_noticed() {
    let bytes = written(&of_every_kind(2));
    for end in 0..bytes.len() {
        let error = read_all(JSON_LINES, &bytes[..end], &strict()).unwrap_err().to_string();
        assert!(error.starts_with("line ") && !error.contains('\n'), "{end}: {error}");
    }
}

#[test]
fn what_is_left_of_a_cut_file_can_be_had() {
    let records = of_every_kind(3);
    let bytes = written(&records);
    let lines = String::from_utf8(bytes).unwrap();
    let cut: String =
        lines.split_inclusive('\n').take(1 + 10).collect::<String>() + "{\"game\":{\"ke";
    let (read, tally) = read_all(JSON_LINES, cut.as_bytes(), &partial()).unwrap();
    assert_eq!(read, records[..10]);
    assert_eq!(tally.left_out, 1);
    assert!(tally.why.unwrap().to_string().starts_with("line 12: "));
}

#[test]
fn lists_of_other_programs_are_taken_only_when_asked_for() {
    let list = format!("{HUMAN}\nnonsense\n{HUMAN}");
    assert!(refusal(JSON_LINES, &list, &strict()).contains("--partial"));
    let (read, tally) = read_all(JSON_LINES, list.as_bytes(), &partial()).unwrap();
    assert_eq!((read.len(), tally.left_out), (2, 1));
    let game = serde_json::to_string(&plain::plain_game("k")).unwrap();
    let (read, _) = read_all(JSON_LINES, game.as_bytes(), &partial()).unwrap();
    assert_eq!(read, [Record::Game(plain::plain_game("k"))]);
    let wrapped = format!("{HEADER}{game}\n{{\"end\":{{\"records\":1}}}}\n");
    assert!(refusal(JSON_LINES, &wrapped, &strict()).starts_with("line 2: "));
}

#[test]
fn every_kind_of_mistake_has_its_line() {
    let end = |records: u64| format!("{{\"end\":{{\"records\":{records}}}}}\n");
    for (text, words) in [
        (String::new(), "cut off"),
        (HUMAN.to_string(), "line 1: expected {\"tesuji\":\"records\""),
        ("{\"tesuji\":\"book\",\"version\":1}\n".to_string(), "'book'"),
        ("{\"tesuji\":\"records\",\"version\":2}\n".to_string(), "version 2"),
        (format!("{HEADER}{HUMAN}"), "line 2: the file is cut off"),
        (format!("{HEADER}{HUMAN}{}", end(2)), "line 3: 2 records announced, 1 found"),
        (format!("{HEADER}{HUMAN}{}{HUMAN}", end(1)), "line 4: expected nothing after"),
        (format!("{HEADER}{{}}\n{}", end(0)), "line 2: '{}' is not a record"),
        (format!("{HEADER}{{\"person\":1}}\n"), "line 2: "),
        (format!("{HEADER}{HUMAN}{}", end(1).trim_end()), "line 3: the file is cut off"),
    ] {
        let message = refusal(JSON_LINES, &text, &strict());
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn endless_lines_are_not_kept_in_memory() {
    let long = "x".repeat((16 << 20) + 1);
    let text = format!("{HEADER}{long}\n{HUMAN}{{\"end\":{{\"records\":1}}}}\n");
    assert!(refusal(JSON_LINES, &text, &strict()).starts_with("line 2: longer than"));
    let (read, tally) = read_all(JSON_LINES, text.as_bytes(), &partial()).unwrap();
    assert_eq!((read.len(), tally.left_out), (1, 1));
}
