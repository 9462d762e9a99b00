//! Checks the types of the pages: their scripts are plain JavaScript with types in comments, which
//! TypeScript checks if Node.js is installed. The checker is in the build folder, not in the
//! repository; the pages themselves need neither.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{programs, steps};

/// The version that checks the pages.
const TYPESCRIPT: &str = "typescript@7.0.2";

/// Strict checks, for browsers with ES2022.
const OPTIONS: [&str; 11] = [
    "--noEmit",
    "--allowJs",
    "--checkJs",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--lib",
];
const LIBRARIES: &str = "es2023,dom,dom.iterable,dom.asynciterable";

/// An installed checker.
pub(crate) struct TypeChecker {
    node: PathBuf,
    script: PathBuf,
}

/// Finds or installs the checker; an error if neither is possible.
pub(crate) fn type_checker() -> Result<TypeChecker, String> {
    let (Some(node), Some(npm)) = (programs::find("node"), programs::find("npm")) else {
        return Err("Node.js: not found; expected node and npm on the search path".to_string());
    };
    let folder = steps::target().join("typescript");
    let script = folder.join("node_modules/typescript/bin/tsc");
    let named = folder.join(TYPESCRIPT);
    if !named.is_file() {
        std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        // A connection can hang: npm gets two minutes, and a second try.
        let install = || {
            let mut install = Command::new("timeout");
            install.arg("120").arg(&npm);
            install.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
            steps::run(install.arg("--prefix").arg(&folder).arg(TYPESCRIPT))
        };
        install().or_else(|_| install())?;
        std::fs::write(&named, "").map_err(|why| format!("{}: {why}", named.display()))?;
    }
    Ok(TypeChecker { node, script })
}

impl TypeChecker {
    /// Checks every script of every page.
    pub(crate) fn run(&self) -> Result<(), String> {
        let pages = steps::root().join("crates/web/pages");
        let mut scripts = Vec::new();
        collect_scripts(&pages, &mut scripts)
            .map_err(|why| format!("{}: {why}", pages.display()))?;
        if scripts.is_empty() {
            return Err(format!("{}: no scripts; expected files *.js", pages.display()));
        }
        println!("{} scripts", scripts.len());
        let mut check = Command::new(&self.node);
        check.arg(&self.script).args(OPTIONS).arg(LIBRARIES).args(&scripts);
        let problem = format!("the pages do not pass {TYPESCRIPT}");
        // The command line is too long for an error.
        match check.current_dir(&pages).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(problem),
            Err(why) => Err(format!("{problem}: {why}")),
        }
    }
}

fn collect_scripts(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            collect_scripts(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "js") {
            found.push(path);
        }
    }
    Ok(())
}
