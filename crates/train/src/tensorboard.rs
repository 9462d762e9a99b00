//! The metrics of a run for TensorBoard: an event file next to `metrics.jsonl`, written again from it when a
//! run is resumed.
//!
//! A file is a sequence of records (length, checksum, data, checksum), each an `Event` message of
//! `tensorflow/core/util/event.proto`. Five of its fields are needed, so the messages are encoded here.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::folder::{FolderError, RunFolder, wrong};
use crate::metrics::Row;

/// The folder of the file in that of the run; `tensorboard --logdir` is given the run or the folder of all runs.
const FOLDER: &str = "tensorboard";

/// An event file that grows with the run.
pub(crate) struct EventFile {
    path: PathBuf,
    /// Wall-clock time of the next row: the beginning of the run and the seconds of its steps.
    time: f64,
}

impl EventFile {
    /// Writes the rows of a run so far.
    pub(crate) fn begin(
        folder: &RunFolder,
        started_at: u64,
        rows: &[Row],
    ) -> Result<EventFile, FolderError> {
        let place = folder.path().join(FOLDER);
        std::fs::create_dir_all(&place).map_err(|error| wrong(&place, error))?;
        let name = format!("{FOLDER}/events.out.tfevents.{started_at}.tesuji");
        let mut file = EventFile { path: folder.path().join(&name), time: started_at as f64 };
        let mut bytes = record(&version_event(file.time));
        for row in rows {
            bytes.extend(file.records(row));
        }
        folder.redraw(&name, &bytes)?;
        Ok(file)
    }

    /// Appends a row.
    pub(crate) fn add(&mut self, row: &Row) -> Result<(), FolderError> {
        let bytes = self.records(row);
        let written: io::Result<()> = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .and_then(|mut it| it.write_all(&bytes));
        written.map_err(|error| wrong(&self.path, error))
    }

    fn records(&mut self, row: &Row) -> Vec<u8> {
        self.time += row.seconds;
        let values = row.numbers();
        // TensorBoard groups tags by what stands before a slash.
        let tag = |name: &str| match name.strip_prefix(crate::chart::STRENGTH) {
            Some(rest) => format!("strength/{rest}"),
            None => name.to_string(),
        };
        let values: Vec<(String, f64)> =
            values.into_iter().map(|(name, value)| (tag(&name), value)).collect();
        record(&scalar_event(self.time, row.step, &values))
    }
}

/// The first event of a file.
fn version_event(time: f64) -> Vec<u8> {
    let mut event = Message::default();
    event.double(1, time);
    event.bytes(3, b"brain.Event:2");
    event.0
}

fn scalar_event(time: f64, step: u64, values: &[(String, f64)]) -> Vec<u8> {
    let mut summary = Message::default();
    for (tag, value) in values {
        let mut scalar = Message::default();
        scalar.bytes(1, tag.as_bytes());
        scalar.float(2, *value as f32);
        summary.bytes(1, &scalar.0);
    }
    let mut event = Message::default();
    event.double(1, time);
    event.varint(2, step);
    event.bytes(5, &summary.0);
    event.0
}

/// A message in the wire format of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn varint(&mut self, field: u64, value: u64) {
        self.number(field << 3);
        self.number(value);
    }

    fn double(&mut self, field: u64, value: f64) {
        self.number(field << 3 | 1);
        self.0.extend(value.to_le_bytes());
    }

    fn float(&mut self, field: u64, value: f32) {
        self.number(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.number(field << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }
}

/// Data with its length and checksums.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut bytes = length.to_vec();
    bytes.extend(masked_checksum(&length).to_le_bytes());
    bytes.extend(data);
    bytes.extend(masked_checksum(data).to_le_bytes());
    bytes
}

/// CRC-32C, rotated and shifted as the format has it, so that a checksum of checksums is no special case.
fn masked_checksum(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: a row has some hundred bytes.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, appendix B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
    }

    #[test]
    fn an_event_has_the_bytes_of_its_message() {
        let event = scalar_event(1.0, 300, &[("a".to_string(), 0.5)]);
        let expected = b"\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x10\xac\x02\x2a\x0a\x0a\x08\x0a\x01a\x15\x00\x00\x00\x3f";
        assert_eq!(event, expected);
        let bytes = record(&event);
        assert_eq!(
            (&bytes[..8], bytes.len()),
            (&(event.len() as u64).to_le_bytes()[..], event.len() + 16)
        );
    }
}
