//! `tesuji forest`: inspects, tests, exports and imports forests.

mod export;
mod import;
mod show;
mod test;
mod weigh;

use std::path::Path;

use tesuji_learn::ModelError;
use tesuji_learn::forest::xml;

use crate::examples::help;
use crate::failure::Failure;

/// The example in the help of `forest` and of `forest show`.
pub(crate) const EXAMPLE: &str = "tesuji forest show examples/forest.xml --trees 3";

commands! {
    enum ForestCommand {
        Show(show::ShowArgs): help(EXAMPLE),
        Export(export::ExportArgs): help("tesuji forest export examples/forest.xml other.xml"),
        Import(import::ImportArgs): help("tesuji forest import foreign.xml --game mnk:10x10,k=5 -o forest.xml"),
        Test(Box<test::TestArgs>): help("tesuji forest test examples/forest.xml --vs random --depths 0..2 --games 20"),
        Weigh(weigh::WeighArgs): help("tesuji forest weigh examples/forest.xml weighted.xml --games 50"),
    }
}

/// Loads a forest.
fn load(path: &Path) -> Result<tesuji_learn::Forest, Failure> {
    xml::load(path).map_err(model_failure)
}

/// Bad input for a rejected model or path, otherwise a failed command.
pub(super) fn model_failure(error: ModelError) -> Failure {
    match error {
        ModelError::Invalid(why) => Failure::bad(why),
        ModelError::Read(path, error) | ModelError::Write(path, error) => {
            Failure::of_output(&path, &error)
        }
    }
}
