//! `tesuji reproduce`: the tables and figures of the published systems, made again beside the published numbers.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tesuji_reproduce::report::whole_document;
use tesuji_reproduce::{
    Effort, Experiment, ExperimentProgress, ExperimentRun, ExternalEngine, ILLUSTRATIONS,
    Provenance, Publication, ReproduceError, ReproductionReport, experiments, find,
};
use tesuji_store::safe_file::IfExists;
use tesuji_train::threads::threads;

use crate::output::{json_text, write_file};
use crate::prelude::*;

/// Make published tables and figures again, and compare
#[derive(clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Which ones: ids from the list that --list prints
    #[arg(value_name = "ID", required_unless_present_any = ["all", "list"], conflicts_with_all = ["all", "list"])]
    ids: Vec<String>,
    /// List what can be made again
    #[arg(long, conflicts_with = "all")]
    list: bool,
    /// All of them
    #[arg(long)]
    all: bool,
    /// Under a minute for each on two cores, with wider error bars
    #[arg(long)]
    quick: bool,
    /// Decides all chance
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Games at once; changes times, and no result that is not one [default: as many as the machine runs threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// For `fudan-table`: another program that takes part, under a name of the published table in place of its stand-in,
    /// or under any other; may be repeated
    #[arg(long = "engine", value_name = "NAME=COMMAND")]
    engines: Vec<ExternalEngine>,
    /// Write reports and pictures to this folder
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Write one Markdown document with these and all earlier reports; reports and pictures go to the folder beside it
    /// that is named like it
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["list", "out"])]
    document: Option<PathBuf>,
    /// Leave out what the folder has already, made with the same effort, seed and version
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ReproduceArgs {
    pub(crate) fn run(self, _: &Registry) -> Result<(), Failure> {
        if self.list {
            return self.print_list();
        }
        let chosen = self.chosen()?;
        self.check(&chosen)?;
        let folder = self.folder();
        fs::create_dir_all(&folder).in_file(&folder)?;
        // Steps of each experiment are counted anew.
        let (id, bar) = (Cell::new(""), RefCell::new(None::<(u64, Progress)>));
        let watch =
            |ExperimentProgress { done, total: of, label: what }: ExperimentProgress<'_>| {
                let mut bar = bar.borrow_mut();
                if bar.as_ref().is_none_or(|(total, _)| *total != of) {
                    // The old bar goes before the new one comes.
                    bar.take();
                    *bar = Some((of, Progress::new(Some(of), "steps")));
                }
                if let Some((_, progress)) = &*bar {
                    progress.show(done, || format!("{}: {what}", id.get()));
                }
            };
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let threads = threads(self.threads.map_or(0, usize::from));
        let run = ExperimentRun {
            engines: &self.engines,
            ..ExperimentRun::new(effort, self.seed, threads, &watch)
        };
        let mut reports = Vec::new();
        for experiment in chosen {
            id.set(experiment.id);
            let known = self.known(experiment, &run).map(Ok);
            let report = known.unwrap_or_else(|| self.make(experiment, &run));
            bar.take();
            let report = report?;
            if !self.json {
                say!("{}", report.text())?;
            }
            reports.push(report);
        }
        self.write_document()?;
        match self.json {
            true => print_json(&reports),
            false => self.print_end(&reports),
        }
    }

    fn chosen(&self) -> Result<Vec<&'static Experiment>, Failure> {
        if self.all {
            return Ok(experiments().collect());
        }
        let mut chosen: Vec<&Experiment> = Vec::new();
        for id in &self.ids {
            let Some(experiment) = find(id) else {
                let known = experiments().map(|e| e.id).collect::<Vec<_>>().join(", ");
                let problem = format!("there is no '{}' to reproduce", id.escape_debug());
                return Err(Failure::BadInput(format!("{problem}; there are {known}")));
            };
            if !chosen.iter().any(|known| known.id == experiment.id) {
                chosen.push(experiment);
            }
        }
        Ok(chosen)
    }

    /// What would be noticed only after hours otherwise.
    fn check(&self, chosen: &[&Experiment]) -> Result<(), Failure> {
        if let Some(path) = &self.document
            && path.extension().is_none_or(|ending| ending != "md")
        {
            let what = "a document's name must end in .md, such as all.md";
            return Err(Failure::in_file(path, what));
        }
        let with_engines = chosen.iter().any(|experiment| experiment.id == "fudan-table");
        if !self.engines.is_empty() && !with_engines {
            return Err(Failure::bad(
                "--engine is for fudan-table alone; example: tesuji reproduce fudan-table --engine pela=./pbrain-pela",
            ));
        }
        Ok(())
    }

    fn make(
        &self,
        experiment: &Experiment,
        run: &ExperimentRun<'_>,
    ) -> Result<ReproductionReport, Failure> {
        let started = Instant::now();
        let findings = (experiment.run)(run)?;
        let seconds = started.elapsed().as_secs_f64();
        let (report, svg) =
            ReproductionReport::new(experiment, run, findings, seconds, Provenance::here());
        let json = json_text(&report)?;
        self.write(&report.id, "svg", &svg)?;
        if self.document.is_none() {
            self.write(&report.id, "md", &report.markdown(&format!("{}.svg", report.id)))?;
        }
        // Last, as its being there says that the report is complete.
        self.write(&report.id, "json", &(json + "\n"))?;
        Ok(report)
    }

    /// Where reports and pictures go.
    fn folder(&self) -> PathBuf {
        let beside = self.document.as_ref().map(|document| document.with_extension(""));
        beside.unwrap_or(self.out.clone())
    }

    /// All reports that the folder has, those of earlier runs too.
    fn write_document(&self) -> Result<(), Failure> {
        let Some(path) = &self.document else { return Ok(()) };
        let reports: Vec<ReproductionReport> = experiments().filter_map(|e| self.read(e)).collect();
        let pictures = path.file_stem().unwrap_or_default().to_string_lossy();
        write(path, &whole_document(&reports, &pictures))
    }

    fn read(&self, experiment: &Experiment) -> Option<ReproductionReport> {
        let path = self.folder().join(format!("{}.json", experiment.id));
        serde_json::from_str(&input::read_text(&path).ok()?).ok()
    }

    fn write(&self, id: &str, ending: &str, text: &str) -> Result<(), Failure> {
        write(&self.folder().join(format!("{id}.{ending}")), text)
    }

    /// What an earlier run has made of it, if that is wanted and it would be the same.
    fn known(
        &self,
        experiment: &Experiment,
        run: &ExperimentRun<'_>,
    ) -> Option<ReproductionReport> {
        let report = self.resume.then(|| self.read(experiment)).flatten()?;
        let made = Provenance::here();
        let same = report.command == run.command(experiment.id)
            && (report.effort, report.seed) == (run.effort, run.seed)
            && (&report.provenance.commit, &report.provenance.version)
                == (&made.commit, &made.version);
        same.then_some(report)
    }

    fn print_list(&self) -> Result<(), Failure> {
        if self.json {
            let all = experiments().map(|it| {
                json!({ "id": it.id, "document": it.source.document(), "place": it.place, "title": it.title })
            });
            return print_json(&all.collect::<Vec<_>>());
        }
        for source in Publication::ALL {
            say!("{}", source.document())?;
            let made = experiments().map(|e| (e.source, e.id, e.place, e.title));
            let shown = ILLUSTRATIONS.iter().map(|it| (it.source, "-", it.place, it.shows));
            let of_it = made.chain(shown).filter(|(of, ..)| *of == source);
            let rows = of_it.map(|(_, id, place, what)| {
                [format!("  {id}"), place.to_string(), what.to_string()]
            });
            print_table(&rows.collect::<Vec<_>>())?;
            say!("")?;
        }
        say!(
            "Rows with - have nothing to measure; behind them stands where the same is shown here."
        )
    }

    fn print_end(&self, reports: &[ReproductionReport]) -> Result<(), Failure> {
        if reports.len() > 1 {
            let row =
                |r: &ReproductionReport| [r.id.clone(), r.rows().count().to_string(), r.summary()];
            print_titled(&["id", "rows", "verdicts"], reports.iter().map(row))?;
            say!("")?;
        }
        let folder = self.folder();
        let folder = folder.display();
        let text = if self.document.is_none() { ", a .md" } else { "" };
        let whole = self.document.as_ref().map(|path| format!("; all of it in {}", path.display()));
        let whole = whole.unwrap_or_default();
        say!("written to {folder}: a .json{text} and a .svg for each{whole}")
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = write_file(path, IfExists::Replace, text.as_bytes());
    written.map_err(|error| Failure::failed(error).within(path))
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Arena(error) => error.into(),
            ReproduceError::Spec(error) => error.into(),
            ReproduceError::Train(error) => error.into(),
            ReproduceError::Io(error) => error.into(),
            ReproduceError::Other(what) => Failure::Failed(what),
        }
    }
}
