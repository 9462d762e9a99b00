//! Work as if it were done elsewhere, without leaving this process: for tests that a bench comes out of its brief as it
//! went in, and that a run through its briefs ends as one without.
//!
//! ```
//! # use tesuji_queue::{Batch, Bench, Brief, Hand, Life, Parcel, Product, Task, Tasks, Trouble, WorkQueue};
//! use tesuji_queue::rehearsal::Elsewhere;
//! # struct Powers(u32);
//! # impl Bench for Powers {
//! #     fn brief(&self) -> Result<Brief, Trouble> {
//! #         Ok(Brief::new("powers", self.0.to_string()))
//! #     }
//! #     fn hand<'a>(&'a self, _: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
//! #         Ok(Box::new(|unit: u64| Ok(Some(Product::noted(&unit.pow(self.0))))))
//! #     }
//! # }
//! # fn powers(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
//! #     Ok(Box::new(Powers(parcel.text.parse().map_err(Trouble::of)?)))
//! # }
//! let queue = Elsewhere::new(Tasks::new([Task::new("powers", powers)]));
//! let batch = Batch::new("example", "1", &[1, 2, 3], &Powers(3));
//! let mut cubes = Vec::new();
//! queue
//!     .perform(&batch, &mut |finished| {
//!         cubes.extend(finished.iter().map(|it| it.product.note::<u64>().unwrap()));
//!         std::ops::ControlFlow::Continue(())
//!     })
//!     .unwrap();
//! cubes.sort();
//! assert_eq!(cubes, [1, 8, 27]);
//! ```

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tesuji_store::Kind;

use crate::{
    Batch, Bench, Brief, Finished, Hand, Life, Parcel, Performed, Pool, Product, QueueError, Tasks,
    Trouble, WorkQueue,
};

/// The bench as another machine has it: made by its task from its brief, whose files lie on the disk while it is made.
pub fn elsewhere(bench: &dyn Bench, tasks: &Tasks) -> Result<Box<dyn Bench>, Trouble> {
    let Brief { task, text, files } = bench.brief()?;
    let folder = tempfile::tempdir().map_err(Trouble::of)?;
    let mut paths = BTreeMap::new();
    for (number, (name, bytes)) in files.into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).map_err(Trouble::of)?;
        paths.insert(name, path);
    }
    tasks.open(task, &Parcel { text, files: paths })
}

/// A queue that makes every bench from its brief, and does the units from last to first. What comes back is checked: a
/// bench must say the same about its units here and there, and make the records that it names.
#[derive(Clone)]
pub struct Elsewhere {
    tasks: Tasks,
}

impl Elsewhere {
    /// With workers that know these tasks.
    pub fn new(tasks: Tasks) -> Elsewhere {
        Elsewhere { tasks }
    }
}

impl WorkQueue for Elsewhere {
    fn perform(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError> {
        let there = Checked { here: batch.bench, there: elsewhere(batch.bench, &self.tasks)? };
        let units: Vec<u64> = batch.units.iter().rev().copied().collect();
        Pool::new(2).perform(&Batch { units: &units, bench: &there, ..batch.clone() }, each)
    }
}

/// A bench and the same bench as it came out of its brief.
struct Checked<'a> {
    here: &'a dyn Bench,
    there: Box<dyn Bench>,
}

impl Bench for Checked<'_> {
    fn brief(&self) -> Result<Brief, Trouble> {
        self.there.brief()
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let mut hand = self.there.hand(life)?;
        Ok(Box::new(move |unit: u64| {
            let product = hand.work(unit)?;
            product.map(|product| self.checked(unit, product)).transpose()
        }))
    }

    fn records(&self, unit: u64) -> Option<(Kind, Vec<String>)> {
        self.there.records(unit)
    }

    fn games(&self, unit: u64) -> u64 {
        self.there.games(unit)
    }
}

impl Checked<'_> {
    fn checked(&self, unit: u64, product: Product) -> Result<Product, Trouble> {
        let (here, there) = (self.here.records(unit), self.there.records(unit));
        if here != there {
            return Err(Trouble(format!(
                "unit {unit} makes the records {here:?} here and {there:?} elsewhere"
            )));
        }
        let (games, elsewhere) = (self.here.games(unit), self.there.games(unit));
        if games != elsewhere {
            return Err(Trouble(format!("unit {unit} is {games} games here, {elsewhere} there")));
        }
        let made: Vec<(Kind, &str)> =
            product.records.iter().map(|it| (it.kind(), it.key().unwrap_or_default())).collect();
        let (kind, keys) = here.unwrap_or((Kind::Game, Vec::new()));
        if made != keys.iter().map(|key| (kind, key.as_str())).collect::<Vec<_>>() {
            return Err(Trouble(format!("unit {unit} names the records {keys:?}, not {made:?}")));
        }
        Ok(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    /// Adds a number that travels in a file; `lies` are told about its records.
    struct Adding {
        number: u64,
        lies: bool,
    }

    impl Bench for Adding {
        fn brief(&self) -> Result<Brief, Trouble> {
            let number = self.number.to_string().into_bytes();
            Ok(Brief::new("adding", self.lies.to_string()).with_file("a/number", number))
        }

        fn hand<'a>(&'a self, _: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
            Ok(Box::new(|unit: u64| Ok(Some(Product::noted(&(unit + self.number))))))
        }

        fn records(&self, unit: u64) -> Option<(Kind, Vec<String>)> {
            self.lies.then(|| (Kind::Sample, vec![unit.to_string()]))
        }
    }

    fn open(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
        let number = String::from_utf8(parcel.read("a/number")?).map_err(Trouble::of)?;
        let number = number.parse().map_err(Trouble::of)?;
        Ok(Box::new(Adding { number, lies: parcel.text == "true" }))
    }

    fn sums(bench: &Adding, name: &'static str) -> Result<Vec<u64>, QueueError> {
        let queue = Elsewhere::new(Tasks::new([Task::new(name, open)]));
        let mut sums = Vec::new();
        queue.perform(&Batch::new("run", "1", &[1, 2, 3], bench), &mut |finished| {
            sums.extend(finished.iter().map(|it| it.product.note::<u64>().unwrap()));
            ControlFlow::Continue(())
        })?;
        sums.sort_unstable();
        Ok(sums)
    }

    #[test]
    fn a_bench_goes_through_its_brief() {
        assert_eq!(sums(&Adding { number: 40, lies: false }, "adding").unwrap(), [41, 42, 43]);
        let unknown = sums(&Adding { number: 40, lies: false }, "other").unwrap_err().to_string();
        assert_eq!(unknown, "this worker cannot do 'adding'; it knows other");
        let lie = sums(&Adding { number: 40, lies: true }, "adding").unwrap_err().to_string();
        assert!(lie.contains("names the records"), "{lie}");
    }
}
