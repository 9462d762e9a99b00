//! The committed reports of a full run are complete, and `docs/reproduction.md` is generated from
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use tesuji_reproduce::report::whole_document;
use tesuji_reproduce::{Effort, ReproductionReport, experiments};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn committed() -> Vec<ReproductionReport> {
    let read = |id: &str| {
        let path = docs().join("reproduction").join(format!("{id}.json"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{id}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}"))
    };
    experiments().map(|experiment| read(experiment.id)).collect()
}

#[test]
fn every_report_is_of_a_full_run() {
    for report in committed() {
        assert_eq!((report.effort, report.seed), (Effort::Full, 1), "{}", report.id);
        assert!(report.provenance.commit.is_some(), "{}", report.id);
        assert!(docs().join("reproduction").join(format!("{}.svg", report.id)).is_file());
    }
}

#[test]
fn the_document_is_made_of_the_reports() {
    let document = fs::read_to_string(docs().join("reproduction.md")).unwrap();
    let made = whole_document(&committed(), "reproduction");
    assert!(document == made, "write it again: cargo xtask reproduction");
}

#[test]
fn ids_are_unique_and_titles_are_lines() {
    let mut ids: Vec<&str> = experiments().map(|experiment| experiment.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), experiments().count());
    for experiment in experiments() {
        assert!(
            !experiment.title.contains('\n') && experiment.title.len() < 100,
            "{}",
            experiment.id
        );
    }
}
