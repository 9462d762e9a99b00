//! `tesuji reproduce`: reproduces published tables and figures, and compares the numbers.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tesuji_learn::gem_island::GemLogs;
use tesuji_reproduce::report::whole_document;
use tesuji_reproduce::run::USES_LOGS;
use tesuji_reproduce::{
    Effort, ExternalEngine, ILLUSTRATIONS, Provenance, Publication, ReproduceError, Reproduction,
    ReproductionProgress, ReproductionReport, ReproductionRun, VerdictCounts, experiments, find,
};
use tesuji_store::safe_file::IfExists;
use tesuji_train::threads::threads;

use crate::output::{json_text, write_file};
use crate::prelude::*;

/// Reproduce published tables and figures, and compare the numbers
#[derive(clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Reproduce these tables and figures, by the ids of --list
    #[arg(value_name = "ID", required_unless_present_any = ["all", "list"], conflicts_with_all = ["all", "list"])]
    ids: Vec<String>,
    /// List all tables and figures and stop
    #[arg(long, conflicts_with = "all")]
    list: bool,
    /// Reproduce all tables and figures
    #[arg(long)]
    all: bool,
    /// Take under a minute for each on two cores, with wider error bars
    #[arg(long)]
    quick: bool,
    /// Seed all random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Play this many games at once; affects only timings [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// For fudan-table: play against this Gomocup program, under its name in the published table
    /// or any other; may be repeated
    #[arg(long = "engine", value_name = "NAME=COMMAND")]
    engines: Vec<ExternalEngine>,
    /// For gem-6-3, gem-fig-6-1, gem-humans and gem-policy: use the games of people in this folder
    /// or store of logs
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Write reports and figures to this folder
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Write one Markdown document with these and all earlier reports; reports and figures go to
    /// the folder of the same name without .md
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["list", "out"])]
    document: Option<PathBuf>,
    /// Skip reports that the folder has with the same effort, seed and version
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
        // Each experiment counts its steps from 0.
        let (id, bar) = (Cell::new(""), RefCell::new(None::<(u64, Progress)>));
        let on_step =
            |ReproductionProgress { done, total: of, label: what }: ReproductionProgress<'_>| {
                let mut bar = bar.borrow_mut();
                if bar.as_ref().is_none_or(|(total, _)| *total != of) {
                    // The old bar is dropped before the new one is drawn.
                    bar.take();
                    *bar = Some((of, Progress::new(Some(of), "steps")));
                }
                if let Some((_, progress)) = &*bar {
                    progress.show(done, || format!("{}: {what}", id.get()));
                }
            };
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let threads = threads(self.threads.map_or(0, usize::from));
        let run = ReproductionRun {
            engines: &self.engines,
            logs: self.logs.as_deref(),
            ..ReproductionRun::new(effort, self.seed, threads, &on_step)
        };
        let mut reports = Vec::new();
        for experiment in chosen {
            id.set(experiment.id);
            let reusable = self.reusable(experiment, &run).map(Ok);
            let report = reusable.unwrap_or_else(|| self.reproduce(experiment, &run));
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

    fn chosen(&self) -> Result<Vec<&'static Reproduction>, Failure> {
        if self.all {
            return Ok(experiments().collect());
        }
        let mut chosen: Vec<&Reproduction> = Vec::new();
        for id in &self.ids {
            let Some(experiment) = find(id) else {
                let ids = experiments().map(|e| e.id).collect::<Vec<_>>().join(", ");
                let id = id.escape_debug();
                return Err(Failure::BadInput(format!("id '{id}': unknown; expected {ids}")));
            };
            if !chosen.iter().any(|other| other.id == experiment.id) {
                chosen.push(experiment);
            }
        }
        Ok(chosen)
    }

    /// Checks the arguments before hours of work.
    fn check(&self, chosen: &[&Reproduction]) -> Result<(), Failure> {
        if let Some(path) = &self.document
            && path.extension().is_none_or(|ending| ending != "md")
        {
            let problem = "unknown format; expected a name that ends in .md, such as all.md";
            return Err(Failure::in_file(path, problem));
        }
        let has_engines = chosen.iter().any(|experiment| experiment.id == "fudan-table");
        if !self.engines.is_empty() && !has_engines {
            return Err(Failure::bad(
                "--engine: only for fudan-table; example: tesuji reproduce fudan-table --engine \
                 pela=./pbrain-pela",
            ));
        }
        if let Some(logs) = &self.logs {
            if !chosen.iter().any(|experiment| USES_LOGS.contains(&experiment.id)) {
                let ids = USES_LOGS.join(", ");
                return Err(Failure::bad(format!("--logs: only for {ids}")));
            }
            GemLogs::read(logs)?.report_skipped();
        }
        Ok(())
    }

    fn reproduce(
        &self,
        experiment: &Reproduction,
        run: &ReproductionRun<'_>,
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
        // Written last: the report is complete if this file exists.
        self.write(&report.id, "json", &(json + "\n"))?;
        Ok(report)
    }

    /// The folder of reports and figures.
    fn folder(&self) -> PathBuf {
        let of_document = self.document.as_ref().map(|document| document.with_extension(""));
        of_document.unwrap_or(self.out.clone())
    }

    /// Writes the document with all reports in the folder, including those of earlier runs.
    fn write_document(&self) -> Result<(), Failure> {
        let Some(path) = &self.document else { return Ok(()) };
        let reports: Vec<ReproductionReport> = experiments().filter_map(|e| self.read(e)).collect();
        let pictures = path.file_stem().unwrap_or_default().to_string_lossy();
        write(path, &whole_document(&reports, &pictures))
    }

    fn read(&self, experiment: &Reproduction) -> Option<ReproductionReport> {
        let path = self.folder().join(format!("{}.json", experiment.id));
        serde_json::from_str(&input::read_text(&path).ok()?).ok()
    }

    fn write(&self, id: &str, ending: &str, text: &str) -> Result<(), Failure> {
        write(&self.folder().join(format!("{id}.{ending}")), text)
    }

    /// The report of an earlier run, with --resume and if this run would give the same.
    fn reusable(
        &self,
        experiment: &Reproduction,
        run: &ReproductionRun<'_>,
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
            let entries = made.chain(shown).filter(|(of, ..)| *of == source);
            let rows = entries.map(|(_, id, place, what)| {
                [format!("  {id}"), place.to_string(), what.to_string()]
            });
            print_table(&rows.collect::<Vec<_>>())?;
            say!("")?;
        }
        say!(
            "Rows with - have nothing to measure; their last column says where Tesuji shows the same."
        )
    }

    fn print_end(&self, reports: &[ReproductionReport]) -> Result<(), Failure> {
        if reports.len() > 1 {
            let mut all = VerdictCounts::default();
            reports.iter().for_each(|report| all.add(report.counts));
            let row = |id: &str, counts: VerdictCounts| {
                let measured = counts.measured().to_string();
                [id.to_string(), measured, counts.summary(), counts.not_counted()]
            };
            let rows = reports.iter().map(|report| row(&report.id, report.counts));
            let rows = rows.chain([row("all", all)]);
            print_titled(&["id", "measured", "summary", "not counted"], rows)?;
            say!("")?;
        }
        let folder = self.folder();
        let folder = folder.display();
        let text = if self.document.is_none() { ", a .md" } else { "" };
        let document =
            self.document.as_ref().map(|path| format!("; all reports in {}", path.display()));
        let document = document.unwrap_or_default();
        say!("written to {folder}: a .json{text} and a .svg file for each{document}")
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
