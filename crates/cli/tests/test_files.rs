//! Every test file is built: in a crate that lists its test programs, every file in `tests` is one
//! of them or a module of `all.rs`.

use std::fs;
use std::path::Path;

#[test]
fn every_test_file_is_built() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut checked = 0;
    for package in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(all) = fs::read_to_string(package.join("tests/all.rs")) else { continue };
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        for file in fs::read_dir(package.join("tests")).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let name = file.file_stem().unwrap().to_str().unwrap();
            let is_module = all.lines().any(|line| line == format!("mod {name};"));
            let is_program = manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
            assert!(is_module || is_program, "{}: mod {name}; is not in all.rs", file.display());
            checked += 1;
        }
    }
    assert!(checked > 80, "{checked} files");
}
