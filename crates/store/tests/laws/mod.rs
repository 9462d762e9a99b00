//! What every store must do, whichever database is behind it. Each law takes a way to open one store,
//! empty at first, as often as it likes.

pub(crate) mod records;

use std::ops::ControlFlow;

use tesuji_games::random::seeded;
use tesuji_store::{Added, GameRecord, Kind, Metric, Record, Selection, Store, StoreError};

use self::records::{plain_game, plain_rating, plain_run, record};

/// A way to open the store under test.
pub(crate) type Open<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

/// Everything of a kind.
pub(crate) fn all(store: &dyn Store, kind: Kind) -> Vec<Record> {
    selected(store, &Selection::all(kind))
}

/// Everything of a selection.
pub(crate) fn selected(store: &dyn Store, selection: &Selection) -> Vec<Record> {
    let mut found = Vec::new();
    let each = &mut |record| {
        found.push(record);
        ControlFlow::Continue(())
    };
    store.for_each(selection, each).unwrap();
    found
}

/// What was new and what was known.
pub(crate) const fn added(new: u64, known: u64) -> Added {
    Added { new, known }
}

/// Every kind of record comes back as it was written, in the order in which it was, also from a store that
/// was opened again; and a second writing changes nothing.
pub(crate) fn records_come_back_as_they_were(open: Open<'_>) {
    let mut rng = seeded(1);
    let store = open();
    for kind in Kind::ALL {
        let written: Vec<Record> = (0..120).map(|index| record(&mut rng, kind, index)).collect();
        let (first, second) = written.split_at(50);
        assert_eq!(store.add(first).unwrap(), added(50, 0));
        assert_eq!(store.add(second).unwrap(), added(70, 0));
        assert_eq!(all(&*store, kind), written);
        assert_eq!(store.add(&written).unwrap(), added(0, 120), "{kind:?}");
        assert_eq!(all(&*store, kind), written);
        assert_eq!(all(&*open(), kind), written);
    }
}
