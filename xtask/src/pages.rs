//! The types of the pages: their scripts are plain JavaScript with types in comments, which
//! TypeScript checks where Node is there. The checker is kept in the build folder, never in the
//! repository; the pages themselves need neither.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{programs, steps};

/// The version that the pages are held against.
const TYPESCRIPT: &str = "typescript@7.0.2";

/// How strictly, and for which browsers.
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

/// Finds the checker, and installs it where that can be done; otherwise says why there is none.
pub(crate) fn type_checker() -> Result<TypeChecker, String> {
    let (Some(node), Some(npm)) = (programs::find("node"), programs::find("npm")) else {
        return Err("Node is not there".to_string());
    };
    let folder = steps::target().join("typescript");
    let script = folder.join("node_modules/typescript/bin/tsc");
    let named = folder.join(TYPESCRIPT);
    if !named.is_file() {
        std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        let mut install = Command::new(npm);
        install.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
        steps::run(install.arg("--prefix").arg(&folder).arg(TYPESCRIPT))?;
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
            return Err(format!("there are no scripts in {}", pages.display()));
        }
        println!("{} scripts", scripts.len());
        let mut check = Command::new(&self.node);
        check.arg(&self.script).args(OPTIONS).arg(LIBRARIES).args(&scripts);
        let told = format!("the pages do not pass {TYPESCRIPT}");
        // The command itself would be a hundred names long.
        match check.current_dir(&pages).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(told),
            Err(why) => Err(format!("{told}: {why}")),
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
