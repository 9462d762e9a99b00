//! What goes into a network: all numbers, or only those that are not zero.

/// The input of a network. An index stands for a number's place in the network's [`Shape`](super::Shape); one that is
/// named twice counts twice.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Every number.
    Dense(&'a [f32]),
    /// The places of the ones; all others are zero.
    OneHot(&'a [u32]),
    /// Places and numbers; all others are zero.
    Sparse(&'a [(u32, f32)]),
}

impl Input<'_> {
    /// Calls `each` with the places of numbers that are not zero, and the numbers.
    #[inline]
    pub(super) fn for_each(self, mut each: impl FnMut(usize, f32)) {
        match self {
            Input::Dense(numbers) => {
                for (index, &number) in numbers.iter().enumerate() {
                    if number != 0.0 {
                        each(index, number);
                    }
                }
            }
            Input::OneHot(places) => places.iter().for_each(|&index| each(index as usize, 1.0)),
            Input::Sparse(pairs) => {
                pairs.iter().for_each(|&(index, number)| each(index as usize, number));
            }
        }
    }

    /// Whether it is an input of so many numbers.
    pub(super) fn fits(self, size: usize) -> bool {
        match self {
            Input::Dense(numbers) => numbers.len() == size,
            Input::OneHot(places) => places.iter().all(|&place| (place as usize) < size),
            Input::Sparse(pairs) => pairs.iter().all(|&(place, _)| (place as usize) < size),
        }
    }
}
