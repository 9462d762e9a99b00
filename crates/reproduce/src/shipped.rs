//! Reports of a full run that are part of the program, from `docs/reproduction`. Debug builds read
//! them from disk.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::Embed;

use crate::catalogue::find;
use crate::report::ReproductionReport;

#[derive(Embed)]
#[folder = "../../docs/reproduction"]
struct Files;

/// Read once, since they do not change while the program runs.
static REPORTS: LazyLock<BTreeMap<String, ReproductionReport>> = LazyLock::new(|| {
    let names = Files::iter().filter(|name| name.ends_with(".json"));
    let reports = names.filter_map(|name| serde_json::from_str(&text(&name)?).ok());
    reports.map(|report: ReproductionReport| (report.id.clone(), report)).collect()
});

/// Returns the report of an experiment.
pub fn report(id: &str) -> Option<&'static ReproductionReport> {
    REPORTS.get(find(id)?.id)
}

/// Returns the picture of an experiment, as SVG.
pub fn picture(id: &str) -> Option<String> {
    text(&format!("{}.svg", find(id)?.id))
}

fn text(name: &str) -> Option<String> {
    String::from_utf8(Files::get(name)?.data.into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_file_is_a_report_of_the_catalogue_or_its_picture() {
        assert!(Files::iter().count() >= 2, "nothing is shipped");
        for name in Files::iter() {
            let (id, ending) = name.rsplit_once('.').unwrap();
            assert_eq!(report(id).map(|report| &*report.id), Some(id), "{name}");
            assert!(picture(id).is_some_and(|svg| svg.starts_with("<svg ")), "{name}");
            assert!(["json", "svg"].contains(&ending), "{name}");
        }
    }

    #[test]
    fn nothing_else_is_reached() {
        for id in ["", "nothing", "../web", "..", "anigmo-stats.json", "anigmo-stats\0"] {
            assert!(report(id).is_none() && picture(id).is_none(), "{id:?}");
        }
    }
}
