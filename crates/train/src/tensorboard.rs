//! The metrics of a run for TensorBoard: an event file derived from `metrics.jsonl`, rewritten when
//! a run is resumed.
//!
//! A file is a sequence of records (length, checksum, data, checksum), each an `Event` message of
//! `tensorflow/core/util/event.proto`. Five of its fields are needed, so the messages are encoded
//! here.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use crate::folder::{FolderError, RunFolder, file_error};
use crate::metrics::MetricsRow;

/// The subfolder of the file; pass the run's folder or the folder of all runs to `tensorboard
/// --logdir`.
const FOLDER: &str = "tensorboard";

/// An event file that grows with the run.
pub(crate) struct EventFile {
    path: PathBuf,
    /// Wall-clock time of the next row: the start of the run plus the seconds of its steps.
    time: f64,
}

impl EventFile {
    /// Writes the rows of a run so far.
    pub(crate) fn create(
        folder: &RunFolder,
        started_at: u64,
        rows: &[MetricsRow],
    ) -> Result<EventFile, FolderError> {
        let path = folder.path().join(FOLDER);
        std::fs::create_dir_all(&path).map_err(|error| file_error(&path, error))?;
        let name = format!("{FOLDER}/events.out.tfevents.{started_at}.tesuji");
        let mut file = EventFile { path: folder.path().join(&name), time: started_at as f64 };
        let version = [double(1, file.time), bytes(3, b"brain.Event:2")].concat();
        let mut content = record(&version);
        rows.iter().for_each(|row| content.extend(file.records(row)));
        folder.write_unsynced(&name, &content)?;
        Ok(file)
    }

    /// Appends a row.
    pub(crate) fn add(&mut self, row: &MetricsRow) -> Result<(), FolderError> {
        let bytes = self.records(row);
        let file = OpenOptions::new().append(true).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(&bytes));
        written.map_err(|error| file_error(&self.path, error))
    }

    fn records(&mut self, row: &MetricsRow) -> Vec<u8> {
        self.time += row.seconds;
        // TensorBoard groups tags by the part before a slash.
        let tag = |name: String| match name.strip_prefix(crate::chart::STRENGTH) {
            Some(rest) => format!("strength/{rest}"),
            None => name,
        };
        let numbers = row.numbers().into_iter();
        let values: Vec<(String, f64)> = numbers.map(|(name, value)| (tag(name), value)).collect();
        record(&scalar_event(self.time, row.step, &values))
    }
}

fn scalar_event(time: f64, step: u64, values: &[(String, f64)]) -> Vec<u8> {
    let scalar = |(tag, value): &(String, f64)| {
        bytes(1, &[bytes(1, tag.as_bytes()), float(2, *value as f32)].concat())
    };
    let summary: Vec<u8> = values.iter().flat_map(scalar).collect();
    let step = [varint(2 << 3), varint(step)].concat();
    [double(1, time), step, bytes(5, &summary)].concat()
}

// Fields of messages in the wire format of protocol buffers: number and type, then the content.

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn double(field: u64, value: f64) -> Vec<u8> {
    [&varint(field << 3 | 1)[..], &value.to_le_bytes()].concat()
}

fn float(field: u64, value: f32) -> Vec<u8> {
    [&varint(field << 3 | 5)[..], &value.to_le_bytes()].concat()
}

fn bytes(field: u64, bytes: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(bytes.len() as u64), bytes].concat()
}

/// Encodes data with its length and checksums.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut bytes = length.to_vec();
    bytes.extend(masked_checksum(&length).to_le_bytes());
    bytes.extend(data);
    bytes.extend(masked_checksum(data).to_le_bytes());
    bytes
}

/// The masked CRC-32C of the format, so that checksums of data that contains checksums work.
fn masked_checksum(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: a row has a few hundred bytes.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_the_standard() {
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
