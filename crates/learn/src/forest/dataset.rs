//! Training samples in columns, one column of bytes for each cell of the window. One pass over the
//! few columns of a pattern computes the table index of every sample.

use super::{CellContent, Class, Pattern, PatternWindow, WindowSample};

/// Window samples in insertion order, in absolute colors: 1 is a stone of the side that moved
/// first. Samples are only appended, so the first n samples never change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dataset {
    window: PatternWindow,
    columns: Vec<Vec<u8>>,
    classes: Vec<Class>,
}

impl Dataset {
    /// Creates an empty data set.
    pub fn new(window: PatternWindow) -> Dataset {
        Dataset { window, columns: vec![Vec::new(); window.cells()], classes: Vec::new() }
    }

    /// Appends a sample.
    ///
    /// # Panics
    /// Panics if the sample has another window size.
    pub fn push(&mut self, sample: &WindowSample) {
        let (cells, expected) = (sample.contents.len(), self.columns.len());
        assert_eq!(cells, expected, "a sample of {cells} cells; expected {expected}");
        for (column, &content) in self.columns.iter_mut().zip(&sample.contents) {
            column.push(content as u8);
        }
        self.classes.push(sample.class);
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether the data set is empty.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The window of all samples.
    pub fn window(&self) -> PatternWindow {
        self.window
    }

    /// The results of the games, by sample.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Reconstructs a sample; `None` past the end.
    pub fn sample(&self, place: usize) -> Option<WindowSample> {
        let class = *self.classes.get(place)?;
        let contents =
            self.columns.iter().map(|column| CellContent::ALL[usize::from(column[place])]);
        Some(WindowSample { contents: contents.collect(), class })
    }

    /// The table index of each of the first `samples` samples under a pattern, from the first
    /// side's view.
    pub(super) fn indices(&self, pattern: &Pattern, samples: usize) -> Vec<u32> {
        let mut indices = vec![0u32; samples];
        let mut power = 1;
        for &cell in pattern.cells() {
            // Plain arithmetic over two slices, which the compiler vectorizes.
            for (index, &digit) in indices.iter_mut().zip(&self.columns[usize::from(cell)]) {
                *index += power * u32::from(digit);
            }
            power *= 3;
        }
        indices
    }
}

impl<'a> Extend<&'a WindowSample> for Dataset {
    fn extend<I: IntoIterator<Item = &'a WindowSample>>(&mut self, samples: I) {
        samples.into_iter().for_each(|sample| self.push(sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_survive_a_round_trip() {
        let window = PatternWindow { side: 2 };
        let make = |digits: [usize; 4], class| WindowSample {
            contents: digits.map(|digit| CellContent::ALL[digit]).to_vec(),
            class,
        };
        let samples = [make([0, 1, 2, 0], Class::Loss), make([2, 2, 0, 1], Class::Draw)];
        let mut data = Dataset::new(window);
        data.extend(&samples);
        assert_eq!((data.len(), data.is_empty()), (2, false));
        assert_eq!(data.sample(0), Some(samples[0].clone()));
        assert_eq!(data.sample(1), Some(samples[1].clone()));
        assert_eq!(data.sample(2), None);
        let pattern = Pattern::new(window, vec![2, 0, 1]).unwrap();
        let expected = samples.map(|s| pattern.index(|cell| s.contents[cell]) as u32);
        assert_eq!(data.indices(&pattern, 2), expected);
        assert_eq!(data.indices(&pattern, 1), expected[..1]);
    }
}
