//! A minimal Parquet writer: one page of plain values for each column of each row group, and a
//! footer in Thrift's compact protocol (<https://parquet.apache.org/docs/file-format/>). All
//! readers support such files.
//!
//! The crate `parquet` (60.1, without its default features) has 130,000 lines and brings 23 crates,
//! 12 of them new to the program; most of them read, compress and convert, which a writer does not
//! need.

use std::io::Write;

use super::ExchangeError;
use super::table::{Cell, Column, ColumnType};
use crate::Record;

/// The magic number at the start and end of a file.
const MARK: &[u8; 4] = b"PAR1";
/// A row group is written when it reaches one of these limits, so that memory does not grow with
/// the table.
const MAX_ROWS: usize = 1 << 16;
const MAX_BYTES: usize = 16 << 20;

/// Numbers of the format's enumerations.
mod code {
    pub(super) const PLAIN: i64 = 0;
    pub(super) const RLE: i64 = 3;
    pub(super) const UNCOMPRESSED: i64 = 0;
    pub(super) const DATA_PAGE: i64 = 0;
    pub(super) const REQUIRED: i64 = 0;
    pub(super) const OPTIONAL: i64 = 1;
}

impl ColumnType {
    /// The physical type and the converted type.
    const fn codes(self) -> (i64, Option<i64>) {
        match self {
            ColumnType::Flag => (0, None),
            ColumnType::Count => (2, Some(14)),
            ColumnType::Integer => (2, None),
            ColumnType::Real => (5, None),
            ColumnType::Text => (6, Some(0)),
        }
    }
}

/// Writes the rows of one table, one row group at a time. Readers refuse a file that is not
/// [finished](Self::finish), since it has no footer.
pub struct Writer<W: Write> {
    out: W,
    at: u64,
    columns: &'static [Column],
    /// Rows that are not written yet, by column.
    pages: Vec<Page>,
    rows: usize,
    groups: Vec<Group>,
}

/// A written row group.
struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

/// A column of a row group: the offset of its page, and its length with the header.
struct Chunk {
    at: u64,
    length: usize,
}

impl<W: Write> Writer<W> {
    /// Starts a file.
    pub fn new(mut out: W, columns: &'static [Column]) -> Result<Self, ExchangeError> {
        out.write_all(MARK)?;
        let pages = columns.iter().map(|column| Page::new(column.optional)).collect();
        Ok(Writer { out, at: MARK.len() as u64, columns, pages, rows: 0, groups: Vec::new() })
    }

    /// Adds the row of a record.
    pub fn write(&mut self, record: &Record) -> Result<(), ExchangeError> {
        for (column, page) in self.columns.iter().zip(&mut self.pages) {
            page.push(&column.cell(record));
        }
        self.rows += 1;
        let bytes: usize = self.pages.iter().map(|page| page.values.len()).sum();
        if self.rows >= MAX_ROWS || bytes >= MAX_BYTES { self.end_group() } else { Ok(()) }
    }

    /// Writes the last rows and the footer.
    pub fn finish(mut self) -> Result<(), ExchangeError> {
        if self.rows > 0 {
            self.end_group()?;
        }
        let footer = self.footer();
        self.out.write_all(&footer)?;
        self.out.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.out.write_all(MARK)?;
        Ok(self.out.flush()?)
    }

    fn end_group(&mut self) -> Result<(), ExchangeError> {
        let mut chunks = Vec::with_capacity(self.pages.len());
        for page in &mut self.pages {
            let bytes = page.take(self.rows)?;
            self.out.write_all(&bytes)?;
            chunks.push(Chunk { at: self.at, length: bytes.len() });
            self.at += bytes.len() as u64;
        }
        self.groups.push(Group { rows: std::mem::take(&mut self.rows), chunks });
        Ok(())
    }

    /// `FileMetaData` of `parquet.thrift`; the numbers are its field ids.
    fn footer(&self) -> Vec<u8> {
        let rows: usize = self.groups.iter().map(|group| group.rows).sum();
        let root = Struct::new().text(4, "table").i32(5, self.columns.len() as i64);
        let schema = std::iter::once(root).chain(self.columns.iter().map(schema_element));
        let groups = self.groups.iter().map(|group| self.row_group(group));
        Struct::new()
            .i32(1, 1)
            .structs(2, schema.collect())
            .i64(3, rows as i64)
            .structs(4, groups.collect())
            .text(6, concat!("tesuji version ", env!("CARGO_PKG_VERSION")))
            .end()
    }

    fn row_group(&self, group: &Group) -> Struct {
        let chunks = self.columns.iter().zip(&group.chunks).map(|(column, chunk)| {
            let (at, length) = (chunk.at as i64, chunk.length as i64);
            let metadata = Struct::new()
                .i32(1, column.column_type.codes().0)
                .i32s(2, &[code::PLAIN, code::RLE])
                .texts(3, &[column.name])
                .i32(4, code::UNCOMPRESSED)
                .i64(5, group.rows as i64)
                .i64(6, length)
                .i64(7, length)
                .i64(9, at);
            Struct::new().i64(2, at).struct_(3, metadata)
        });
        let length: usize = group.chunks.iter().map(|chunk| chunk.length).sum();
        Struct::new().structs(1, chunks.collect()).i64(2, length as i64).i64(3, group.rows as i64)
    }
}

fn schema_element(column: &Column) -> Struct {
    let (physical, converted) = column.column_type.codes();
    let repetition = if column.optional { code::OPTIONAL } else { code::REQUIRED };
    let element = Struct::new().i32(1, physical).i32(3, repetition).text(4, column.name);
    converted.into_iter().fold(element, |element, converted| element.i32(6, converted))
}

/// Cells of a column that are not written yet.
struct Page {
    /// For an optional column, whether each cell has a value.
    levels: Option<Bits>,
    /// All values except flags.
    values: Vec<u8>,
    flags: Bits,
}

impl Page {
    fn new(optional: bool) -> Page {
        Page { levels: optional.then(Bits::default), values: Vec::new(), flags: Bits::default() }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        if let Some(levels) = &mut self.levels {
            levels.push(*cell != Cell::Missing);
        }
        match cell {
            Cell::Missing => {}
            Cell::Text(text) => {
                self.values.extend((text.len() as u32).to_le_bytes());
                self.values.extend(text.as_bytes());
            }
            Cell::Count(number) => self.values.extend(number.to_le_bytes()),
            Cell::Integer(number) => self.values.extend(number.to_le_bytes()),
            Cell::Real(number) => self.values.extend(number.to_le_bytes()),
            Cell::Flag(flag) => self.flags.push(*flag),
        }
    }

    /// Takes the page with its header, and starts the next.
    fn take(&mut self, rows: usize) -> Result<Vec<u8>, ExchangeError> {
        let Page { levels, values, flags } =
            std::mem::replace(self, Page::new(self.levels.is_some()));
        let mut body = levels.map_or_else(Vec::new, Bits::into_levels);
        body.extend(values);
        body.extend(flags.bytes);
        let length = i32::try_from(body.len()).map_err(|_| {
            std::io::Error::other("a page is too long for Parquet; expected less than 2 GiB")
        })?;
        let page = Struct::new()
            .i32(1, rows as i64)
            .i32(2, code::PLAIN)
            .i32(3, code::RLE)
            .i32(4, code::RLE);
        let header = Struct::new()
            .i32(1, code::DATA_PAGE)
            .i32(2, length.into())
            .i32(3, length.into())
            .struct_(5, page);
        let mut bytes = header.end();
        bytes.extend(body);
        Ok(bytes)
    }
}

/// Bits, the lowest bit of a byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.count.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.count % 8);
        }
        self.count += 1;
    }

    /// Definition levels of one bit: the length, and one bit-packed run of the hybrid encoding.
    fn into_levels(self) -> Vec<u8> {
        let mut run = Vec::new();
        put_varint(&mut run, (self.bytes.len() as u64) << 1 | 1);
        run.extend(self.bytes);
        let mut bytes = (run.len() as u32).to_le_bytes().to_vec();
        bytes.extend(run);
        bytes
    }
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// A struct in Thrift's compact protocol. Fields are added in the order of their numbers.
struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    const I32: u8 = 5;
    const I64: u8 = 6;
    const BINARY: u8 = 8;
    const LIST: u8 = 9;
    const STRUCT: u8 = 12;

    fn new() -> Struct {
        Struct { bytes: Vec::new(), last: 0 }
    }

    fn field(mut self, number: u8, kind: u8) -> Struct {
        debug_assert!((1..16).contains(&(number - self.last)));
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
        self
    }

    fn number(mut self, number: i64) -> Struct {
        put_varint(&mut self.bytes, ((number << 1) ^ (number >> 63)) as u64);
        self
    }

    fn i32(self, field: u8, number: i64) -> Struct {
        self.field(field, Struct::I32).number(number)
    }

    fn i64(self, field: u8, number: i64) -> Struct {
        self.field(field, Struct::I64).number(number)
    }

    fn text(self, field: u8, text: &str) -> Struct {
        let mut it = self.field(field, Struct::BINARY);
        put_text(&mut it.bytes, text);
        it
    }

    fn struct_(self, field: u8, inner: Struct) -> Struct {
        let mut it = self.field(field, Struct::STRUCT);
        it.bytes.extend(inner.end());
        it
    }

    fn list(self, field: u8, kind: u8, length: usize) -> Struct {
        let mut it = self.field(field, Struct::LIST);
        match length {
            0..15 => it.bytes.push((length as u8) << 4 | kind),
            _ => {
                it.bytes.push(0xf0 | kind);
                put_varint(&mut it.bytes, length as u64);
            }
        }
        it
    }

    fn i32s(self, field: u8, numbers: &[i64]) -> Struct {
        let it = self.list(field, Struct::I32, numbers.len());
        numbers.iter().fold(it, |it, number| it.number(*number))
    }

    fn texts(self, field: u8, texts: &[&str]) -> Struct {
        let mut it = self.list(field, Struct::BINARY, texts.len());
        texts.iter().for_each(|text| put_text(&mut it.bytes, text));
        it
    }

    fn structs(self, field: u8, inner: Vec<Struct>) -> Struct {
        let it = self.list(field, Struct::STRUCT, inner.len());
        inner.into_iter().fold(it, |mut it, inner| {
            it.bytes.extend(inner.end());
            it
        })
    }

    /// Its bytes with the stop field.
    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_bytes_of_the_compact_protocol() {
        let inner = Struct::new().i32(1, -1);
        let bytes = Struct::new()
            .i32(1, 300)
            .text(4, "ab")
            .structs(5, vec![inner])
            .i32s(6, &[0; 15])
            .i64(9, i64::MIN)
            .end();
        let mut expected = b"\x15\xd8\x04\x38\x02ab\x19\x1c\x15\x01\x00\x19\xf5\x0f".to_vec();
        expected.extend([0; 15]);
        expected.extend(b"\x36\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn levels_and_flags_are_packed_from_the_lowest_bit() {
        let mut page = Page::new(true);
        for n in 0..9 {
            page.push(&if n % 4 == 3 { Cell::Missing } else { Cell::Flag(n % 2 == 0) });
        }
        let bytes = page.take(9).unwrap();
        // Two groups of eight levels, then seven flags.
        let body = b"\x03\x00\x00\x00\x05\x77\x01\x6d";
        assert!(bytes.ends_with(body), "{bytes:02x?}");
        assert!(page.values.is_empty() && page.levels.is_some_and(|levels| levels.count == 0));
    }
}
