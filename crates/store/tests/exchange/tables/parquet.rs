//! A reader of Parquet for plain pages, one for each column of a row group. It follows
//! `parquet.thrift` and shares no code with the writer.

use std::collections::BTreeMap;

use super::Shown;

/// A whole file.
pub(super) struct Table {
    pub(super) names: Vec<String>,
    /// Rows of each row group.
    pub(super) groups: Vec<usize>,
    pub(super) rows: Vec<Vec<Shown>>,
}

/// A value of Thrift's compact protocol.
enum Value {
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Struct(BTreeMap<u8, Value>),
}

impl Value {
    fn field(&self, number: u8) -> &Value {
        self.get(number).expect("the field is there")
    }

    fn get(&self, number: u8) -> Option<&Value> {
        let Value::Struct(fields) = self else { panic!("no struct") };
        fields.get(&number)
    }

    fn number(&self) -> i64 {
        let Value::Number(number) = self else { panic!("no number") };
        *number
    }

    fn size(&self) -> usize {
        self.number().try_into().unwrap()
    }

    fn text(&self) -> &str {
        let Value::Text(text) = self else { panic!("no text") };
        text
    }

    fn list(&self) -> &[Value] {
        let Value::List(list) = self else { panic!("no list") };
        list
    }
}

/// A reader of bytes.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap()
    }

    fn varint(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let [byte] = self.array();
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn value(&mut self, kind: u8) -> Value {
        match kind {
            5 | 6 => {
                let number = self.varint();
                Value::Number((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
            }
            8 => {
                let length = self.varint() as usize;
                Value::Text(String::from_utf8(self.take(length).to_vec()).unwrap())
            }
            9 => {
                let [head] = self.array();
                let length = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                Value::List((0..length).map(|_| self.value(head & 15)).collect())
            }
            12 => self.structure(),
            kind => panic!("type {kind} is not used"),
        }
    }

    fn structure(&mut self) -> Value {
        let (mut fields, mut number) = (BTreeMap::new(), 0);
        loop {
            let [head] = self.array();
            if head == 0 {
                return Value::Struct(fields);
            }
            number += head >> 4;
            fields.insert(number, self.value(head & 15));
        }
    }
}

pub(super) fn read(bytes: &[u8]) -> Table {
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let rest = &bytes[..bytes.len() - 4];
    let (rest, length) = rest.split_last_chunk().unwrap();
    let footer = &rest[rest.len() - u32::from_le_bytes(*length) as usize..];
    let footer = Input(footer).structure();
    let [root, schema @ ..] = footer.field(2).list() else { panic!("no root") };
    assert_eq!(root.field(5).size(), schema.len());
    let mut table = Table {
        names: schema.iter().map(|column| column.field(4).text().to_string()).collect(),
        groups: Vec::new(),
        rows: Vec::new(),
    };
    for group in footer.field(4).list() {
        let count = group.field(3).size();
        let columns: Vec<Vec<Shown>> = group
            .field(1)
            .list()
            .iter()
            .zip(schema)
            .map(|(chunk, column)| cells(bytes, chunk.field(3), column, count))
            .collect();
        table.groups.push(count);
        table.rows.extend((0..count).map(|row| columns.iter().map(|it| it[row].clone()).collect()));
    }
    assert_eq!(footer.field(3).size(), table.rows.len());
    table
}

/// The cells of a column of a row group.
fn cells(bytes: &[u8], metadata: &Value, column: &Value, count: usize) -> Vec<Shown> {
    assert_eq!(metadata.field(3).list()[0].text(), column.field(4).text());
    assert_eq!(metadata.field(1).number(), column.field(1).number());
    assert_eq!((metadata.field(4).number(), metadata.field(5).size()), (0, count));
    let (start, length) = (metadata.field(9).size(), metadata.field(7).size());
    let mut page = Input(&bytes[start..start + length]);
    let header = page.structure();
    assert_eq!(header.field(2).size(), page.0.len(), "one page is the whole chunk");
    assert_eq!(header.field(5).field(1).size(), count);
    let there: Vec<bool> = match column.field(3).number() {
        0 => vec![true; count],
        _ => {
            let length = u32::from_le_bytes(page.array()) as usize;
            let mut levels = Input(page.take(length));
            let groups = levels.varint();
            assert!(groups & 1 == 1 && levels.0.len() as u64 == groups >> 1);
            (0..count).map(|n| levels.0[n / 8] >> (n % 8) & 1 == 1).collect()
        }
    };
    let (kind, converted) = (column.field(1).number(), column.get(6).map(Value::number));
    let mut flags = 0;
    let mut value = || match (kind, converted) {
        (0, None) => {
            flags += 1;
            (page.0[(flags - 1) / 8] >> ((flags - 1) % 8) & 1 == 1).to_string()
        }
        (2, Some(14)) => u64::from_le_bytes(page.array()).to_string(),
        (2, None) => i64::from_le_bytes(page.array()).to_string(),
        (5, None) => super::real(f64::from_le_bytes(page.array())),
        (6, Some(0)) => {
            let length = u32::from_le_bytes(page.array()) as usize;
            String::from_utf8(page.take(length).to_vec()).unwrap()
        }
        other => panic!("type {other:?} is not used"),
    };
    there.into_iter().map(|there| there.then(&mut value)).collect()
}
