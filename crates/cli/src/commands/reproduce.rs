//! `tesuji reproduce`: the tables and figures of the published systems, made again beside the published numbers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use tesuji_reproduce::{
    Effort, Engine, Experiment, Made, Report, ReproduceError, Run, Source, Step, experiments, find,
};
use tesuji_store::safe_file::{self, Existing};

use crate::examples;
use crate::failure::Failure;
use crate::output::{print_json, print_table};
use crate::progress::Progress;

/// Make the tables and figures of the published systems again, beside the published numbers
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Reproduce {
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
    engines: Vec<Engine>,
    /// Write reports and pictures to this folder
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Leave out what the folder has already, made with the same effort, seed and version
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn help() -> String {
    format!("{}\n\n{}", examples::REPRODUCE_MORE, examples::help(examples::REPRODUCE))
}

impl Reproduce {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.list {
            return self.print_list();
        }
        let chosen = self.chosen()?;
        fs::create_dir_all(&self.out).map_err(|error| Failure::in_file(&self.out, error))?;
        let bar = Bar::default();
        let watch = |step: Step<'_>| bar.show(step);
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let threads = self.threads.map_or_else(threads_here, usize::from);
        let run = Run { engines: &self.engines, ..Run::new(effort, self.seed, threads, &watch) };
        let mut reports = Vec::new();
        for experiment in chosen {
            let report = match self.known(experiment, &run) {
                Some(report) => report,
                None => {
                    let report = self.make(experiment, &run, &bar);
                    bar.clear();
                    report?
                }
            };
            if !self.json {
                writeln!(io::stdout(), "{}", report.text())?;
            }
            reports.push(report);
        }
        match self.json {
            true => print_json(&reports),
            false => self.print_end(&reports),
        }
    }

    fn chosen(&self) -> Result<Vec<&'static Experiment>, Failure> {
        if self.all {
            return Ok(experiments().collect());
        }
        let mut named = BTreeSet::new();
        let known = || experiments().map(|e| e.id).collect::<Vec<_>>().join(", ");
        let find = |id: &String| {
            find(id).ok_or_else(|| {
                let id = id.escape_debug();
                Failure::BadInput(format!("there is no '{id}' to reproduce; there are {}", known()))
            })
        };
        let found = self.ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|experiment| named.insert(experiment.id)).collect())
    }

    fn make(&self, experiment: &Experiment, run: &Run<'_>, bar: &Bar) -> Result<Report, Failure> {
        bar.begin(experiment.id);
        let started = Instant::now();
        let findings = (experiment.run)(run)?;
        let seconds = started.elapsed().as_secs_f64();
        let (report, svg) = Report::new(experiment, run, findings, seconds, Made::here());
        let json = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::Undone(format!("cannot write JSON: {error}")))?;
        let picture = format!("{}.svg", report.id);
        self.write(&report.id, "svg", &svg)?;
        self.write(&report.id, "md", &report.markdown(&picture))?;
        // Last, as its being there says that the report is complete.
        self.write(&report.id, "json", &(json + "\n"))?;
        Ok(report)
    }

    fn write(&self, id: &str, ending: &str, text: &str) -> Result<(), Failure> {
        let path = self.out.join(format!("{id}.{ending}"));
        safe_file::write(&path, Existing::Replace, |file| file.write_all(text.as_bytes()))
            .map_err(|error: io::Error| Failure::Undone(format!("{}: {error}", path.display())))
    }

    /// What an earlier run has made of it, if that is wanted and it would be the same.
    fn known(&self, experiment: &Experiment, run: &Run<'_>) -> Option<Report> {
        let path = self.out.join(format!("{}.json", experiment.id));
        let text = self.resume.then(|| fs::read_to_string(path).ok()).flatten()?;
        let report: Report = serde_json::from_str(&text).ok()?;
        let made = Made::here();
        let same = report.command == run.command(experiment.id)
            && (report.effort, report.seed) == (run.effort, run.seed)
            && (&report.made.commit, &report.made.version) == (&made.commit, &made.version);
        same.then_some(report)
    }

    fn print_list(&self) -> Result<(), Failure> {
        if self.json {
            let all = experiments().map(|experiment| {
                serde_json::json!({
                    "id": experiment.id,
                    "document": experiment.source.document(),
                    "place": experiment.place,
                    "title": experiment.title,
                })
            });
            return print_json(&all.collect::<Vec<_>>());
        }
        for source in Source::ALL {
            writeln!(io::stdout(), "{}", source.document())?;
            let of_it = experiments().filter(|experiment| experiment.source == source);
            let rows: Vec<[String; 3]> = of_it
                .map(|e| [format!("  {}", e.id), e.place.to_string(), e.title.to_string()])
                .collect();
            print_table(&rows)?;
            writeln!(io::stdout())?;
        }
        Ok(())
    }

    fn print_end(&self, reports: &[Report]) -> Result<(), Failure> {
        let mut rows = vec![["id", "rows", "verdicts"].map(String::from)];
        let row = |r: &Report| [r.id.clone(), r.rows().count().to_string(), r.summary()];
        rows.extend(reports.iter().map(row));
        if reports.len() > 1 {
            print_table(&rows)?;
            writeln!(io::stdout())?;
        }
        let folder = self.out.display();
        let files = match reports {
            [one] => format!("{0}.json, {0}.md and {0}.svg", one.id),
            _ => "a .json, a .md and a .svg for each".to_string(),
        };
        Ok(writeln!(io::stdout(), "written to {folder}: {files}")?)
    }
}

fn threads_here() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The progress of one experiment after the other; steps of each are counted anew.
#[derive(Default)]
struct Bar {
    id: RefCell<&'static str>,
    shown: RefCell<Option<(u64, Progress)>>,
}

impl Bar {
    fn begin(&self, id: &'static str) {
        *self.id.borrow_mut() = id;
        self.clear();
    }

    fn show(&self, Step { done, of, what }: Step<'_>) {
        let mut shown = self.shown.borrow_mut();
        if shown.as_ref().is_none_or(|(total, _)| *total != of) {
            // The old bar goes before the new one comes.
            shown.take();
            *shown = Some((of, Progress::new(Some(of), "steps")));
        }
        if let Some((_, progress)) = &*shown {
            progress.show(done, || format!("{}: {what}", self.id.borrow()));
        }
    }

    fn clear(&self) {
        self.shown.borrow_mut().take();
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Arena(error) => error.into(),
            ReproduceError::Spec(error) => error.into(),
            ReproduceError::Train(error) => error.into(),
            ReproduceError::Io(error) => error.into(),
            ReproduceError::Other(what) => Failure::Undone(what),
        }
    }
}
