//! Export of tensors in the safetensors format (Hugging Face,
//! <https://huggingface.co/docs/safetensors>): the length of the header in 8 bytes, the header as
//! JSON, and the numbers in little-endian order.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

/// A named array of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor<'n> {
    /// The name, unique in its file, such as `layers.0.weight`.
    pub name: String,
    /// The length of each side; the last one varies fastest.
    pub shape: Vec<usize>,
    /// The numbers, as many as the product of the shape.
    pub numbers: TensorData<'n>,
}

/// The numbers of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub enum TensorData<'n> {
    /// 32-bit floats.
    F32(Cow<'n, [f32]>),
    /// 16-bit signed integers.
    I16(Cow<'n, [i16]>),
}

impl<'n> Tensor<'n> {
    /// Creates a tensor of floats.
    pub fn f32(
        name: impl Into<String>,
        shape: &[usize],
        numbers: impl Into<Cow<'n, [f32]>>,
    ) -> Tensor<'n> {
        Tensor {
            name: name.into(),
            shape: shape.to_vec(),
            numbers: TensorData::F32(numbers.into()),
        }
    }

    /// Creates a tensor of integers.
    pub fn i16(
        name: impl Into<String>,
        shape: &[usize],
        numbers: impl Into<Cow<'n, [i16]>>,
    ) -> Tensor<'n> {
        Tensor {
            name: name.into(),
            shape: shape.to_vec(),
            numbers: TensorData::I16(numbers.into()),
        }
    }

    /// Creates the transpose of `numbers`, a matrix of `rows` by `columns`.
    pub(crate) fn transposed(
        name: impl Into<String>,
        [rows, columns]: [usize; 2],
        numbers: &[f32],
    ) -> Tensor<'static> {
        let cells =
            (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        let numbers: Vec<f32> = cells.map(|cell| numbers[cell]).collect();
        Tensor::f32(name, &[columns, rows], numbers)
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        match &self.numbers {
            TensorData::F32(numbers) => numbers.len(),
            TensorData::I16(numbers) => numbers.len(),
        }
    }

    /// The format's name of the element type.
    pub const fn dtype(&self) -> &'static str {
        match self.numbers {
            TensorData::F32(_) => "F32",
            TensorData::I16(_) => "I16",
        }
    }

    /// The bytes of the elements in a file.
    fn bytes(&self) -> Vec<u8> {
        match &self.numbers {
            TensorData::F32(numbers) => numbers.iter().flat_map(|it| it.to_le_bytes()).collect(),
            TensorData::I16(numbers) => numbers.iter().flat_map(|it| it.to_le_bytes()).collect(),
        }
    }
}

/// Writes a file of these tensors with metadata.
pub fn write(
    out: &mut dyn Write,
    metadata: &[(&str, String)],
    tensors: &[Tensor<'_>],
) -> io::Result<()> {
    let bytes: Vec<Vec<u8>> = tensors.iter().map(Tensor::bytes).collect();
    let texts: Map<String, Value> =
        metadata.iter().map(|(name, text)| (name.to_string(), json!(text))).collect();
    let mut header = Map::from_iter([("__metadata__".to_string(), Value::Object(texts))]);
    let mut begin = 0;
    for (tensor, bytes) in tensors.iter().zip(&bytes) {
        debug_assert_eq!(tensor.count(), tensor.shape.iter().product::<usize>(), "{}", tensor.name);
        let end = begin + bytes.len();
        let entry =
            json!({ "dtype": tensor.dtype(), "shape": tensor.shape, "data_offsets": [begin, end] });
        header.insert(tensor.name.clone(), entry);
        begin = end;
    }
    let mut header = Value::Object(header).to_string();
    // The data begins at a multiple of 8, so that it can be used in place if the file is
    // memory-mapped.
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    bytes.iter().try_for_each(|bytes| out.write_all(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_length_a_header_and_data() {
        let tensors = [
            Tensor::transposed("a", [2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            Tensor::i16("b", &[2], vec![-1, 300]),
        ];
        let mut bytes = Vec::new();
        write(&mut bytes, &[("kind", "test \"quoted\"".to_string())], &tensors).unwrap();
        let (length, rest) = bytes.split_first_chunk().unwrap();
        let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
        assert_eq!(header.len() % 8, 0);
        let header: Value = serde_json::from_slice(header).unwrap();
        let expected = json!({
            "__metadata__": { "kind": "test \"quoted\"" },
            "a": { "dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24] },
            "b": { "dtype": "I16", "shape": [2], "data_offsets": [24, 28] },
        });
        assert_eq!(header, expected);
        let (floats, whole) = data.split_at(24);
        let floats: Vec<f32> =
            floats.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        assert_eq!(floats, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(whole, [0xff, 0xff, 0x2c, 0x01]);
    }
}
