//! The player `forest`: a search with a learned evaluation, a forest (XML) or an n-tuple network,
//! from a file or shipped.

use std::path::Path;
use std::sync::Arc;

use tesuji_games::{RowGame, RowGrid, SpecError, registry};
use tesuji_learn::Model;
use tesuji_learn::forest::{
    CandidateOrder, ForestEvaluation, ForestSearch, ForestSearchOptions, ParallelMode, SearchStyle,
    TieBreak,
};
use tesuji_learn::shipped::{SHIPPED_MODELS, ShippedModel};
use tesuji_play::options::{
    PlayerOptions, SEED, THREADS, ValueType, WordValues, number, option, word, words,
};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSetup, PlayerSpec, SearchKind, SearchProfile};
use tesuji_search::Game;

use crate::model_source::{MODEL, ModelSource};
use crate::rows::{RowGameSearch, row_game_for};
use crate::searching::{Cached, NODES, depth_and_effort, search_setup};

const STYLES: WordValues<SearchStyle, 2> =
    [("thesis", SearchStyle::Thesis), ("strong", SearchStyle::Strong)];
const ORDERS: WordValues<CandidateOrder, 3> = [
    ("patterns", CandidateOrder::Patterns),
    ("forest", CandidateOrder::Forest),
    ("off", CandidateOrder::Off),
];
const TIES: WordValues<TieBreak, 2> = [("first", TieBreak::First), ("random", TieBreak::Random)];
const PARALLELS: WordValues<ParallelMode, 2> =
    [("root", ParallelMode::RootSplit), ("shared", ParallelMode::SharedTable)];
const BOARDS: WordValues<bool, 2> = [("any", true), ("own", false)];

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "forest",
    former_name: None,
    summary: "a search with a learned forest or n-tuple network (needs RowPosition)",
    options: &[
        option(
            "file",
            ValueType::File { most: Model::MAX_BYTES },
            "forest (.xml) or n-tuple network (.tuples) [default: shipped model]",
        ),
        MODEL,
        option(
            "depth",
            number(0, 255),
            "search depth in plies, the own move included; 0 evaluates the children only [default: 4]",
        ),
        option(
            "time",
            ValueType::Time,
            "maximum time per move [default: 1s for style=strong without a depth]",
        ),
        NODES,
        option(
            "style",
            word(&words(&STYLES)),
            "thesis: alpha-beta to the depth; strong: all search features [default: thesis]",
        ),
        option(
            "radius",
            ValueType::WordOr { words: &["off"], other: &number(1, 20) },
            "maximum distance of a move from a stone, ignored with gravity [default: 2]",
        ),
        option(
            "order",
            word(&words(&ORDERS)),
            "move ordering: by rows, by the forest, or none [default: patterns]",
        ),
        option("ties", word(&words(&TIES)), "tie-break between equal moves [default: first]"),
        THREADS,
        option(
            "parallel",
            word(&words(&PARALLELS)),
            "how threads cooperate: split root or shared table [default: root]",
        ),
        option(
            "tt",
            ValueType::Size,
            "transposition table size, if there is a table [default: 16M]",
        ),
        option(
            "board",
            word(&words(&BOARDS)),
            "any: also play games that the model was not made for [default: own]",
        ),
        SEED,
    ],
    read,
}];

fn read(given: &PlayerOptions) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let usual = ForestSearchOptions::default();
    let radius = given.number("radius").map(|radius| radius as usize).or(usual.radius);
    let options = ForestSearchOptions {
        style: given.choice("style", &STYLES).unwrap_or(usual.style),
        radius: radius.filter(|_| !given.is("radius", "off")),
        order: given.choice("order", &ORDERS).unwrap_or(usual.order),
        ties: given.choice("ties", &TIES).unwrap_or(usual.ties),
        threads: given.threads(),
        parallel: given.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
        table: given.size("tt").unwrap_or(usual.table),
    };
    let deepens = options.style == SearchStyle::Strong;
    let pace = if deepens { SearchKind::IterativeDeepening } else { SearchKind::FixedDepth };
    let facts = SearchProfile::new(pace, depth_and_effort(given));
    let facts = SearchProfile { tables: options.table.bytes(), ..facts };
    let model = Arc::new(ForestModel::read(given)?);
    let known = model.clone();
    let check = move |player: &str, context: &PlayerContext| {
        let wanted = row_game_for(player, context, "a game such as mnk:10x10,k=5 or connect4")?;
        // A shipped model fits its game, so the check does not place it on the board.
        match &known.source {
            ModelSource { file: None, name: None, .. } => {
                known.shipped(&context.game, &wanted).map(drop)?;
            }
            _ => known.evaluation(&context.game, &wanted).map(drop)?,
        }
        Ok(wanted)
    };
    search_setup(facts, check, move |wanted, context| {
        let evaluation = model.evaluation(&context.game, &wanted)?;
        let search = ForestSearch::new(evaluation, options.clone(), context.seed);
        Ok(RowGameSearch::boxed(Box::new(match &context.scheduler {
            Some(scheduler) => search.with_scheduler(scheduler.clone()),
            None => search,
        })))
    })
}

/// Loads the voting forest of a player and its name for the board of a game; `None` for a player
/// without one.
pub fn voting_forest(
    player: &PlayerSpec,
    game: &Game,
) -> Option<Result<(String, Arc<ForestEvaluation>), SpecError>> {
    let is_forest = PLAYERS.iter().any(|kind| kind.name == player.name());
    is_forest.then(|| ForestModel::read(player.options())?.voting_trees(game))
}

/// Where the evaluation comes from.
#[derive(Debug)]
struct ForestModel {
    source: ModelSource,
    any_board: bool,
    /// The evaluation for the board that was used last.
    on_board: Cached<RowGrid, Arc<ForestEvaluation>>,
}

impl ForestModel {
    fn read(options: &PlayerOptions) -> Result<ForestModel, SpecError> {
        let any_board = options.choice("board", &BOARDS).unwrap_or(false);
        Ok(ForestModel {
            source: ModelSource::read(options)?,
            any_board,
            on_board: Cached::default(),
        })
    }

    /// Loads the voting trees for the board of the game, with their name. A player takes the
    /// strongest shipped model; this takes the first that is a forest.
    fn voting_trees(mut self, game: &Game) -> Result<(String, Arc<ForestEvaluation>), SpecError> {
        let no_stones = || self.source.unusable("a game with stones");
        let wanted = game.rows().ok_or_else(no_stones)?;
        let name = match (&self.source.file, &self.source.name) {
            (Some(file), _) => {
                Path::new(file.name()).file_name().unwrap_or_default().display().to_string()
            }
            (None, Some(name)) => name.clone(),
            (None, None) => {
                let forest = shipped_for(&wanted).find(|shipped| shipped.is_forest());
                forest.ok_or_else(|| self.nothing_shipped(game))?.name.to_string()
            }
        };
        if self.source.file.is_none() {
            self.source.name = Some(name.clone());
        }
        let evaluation = self.evaluation(game, &wanted)?;
        if evaluation.trees().is_empty() {
            let expected = "a forest with voting trees, not an n-tuple network";
            return Err(self.source.unusable(expected));
        }
        Ok((name, evaluation))
    }

    /// Loads the evaluation for the board of the game.
    fn evaluation(
        &self,
        game: &Game,
        wanted: &RowGame,
    ) -> Result<Arc<ForestEvaluation>, SpecError> {
        self.on_board.get(wanted.grid, || self.load(game, wanted).map(Arc::new))
    }

    fn load(&self, game: &Game, wanted: &RowGame) -> Result<ForestEvaluation, SpecError> {
        let bad = |what: &dyn std::fmt::Display| {
            self.source.unusable(&format!("a valid model file ({what})"))
        };
        let model = match &self.source.file {
            Some(file) => Model::read(file.bytes().map_err(|error| bad(&error))?),
            None => self.shipped(game, wanted)?.model(),
        };
        let model = model.map_err(|error| bad(&error))?;
        let made_for = model.game();
        if !self.any_board && rows_of(made_for) != Some(*wanted) {
            return Err(self.source.unusable(&format!(
                "a file made for '{}', not for '{made_for}'; board=any plays it anyway",
                game.name()
            )));
        }
        model.evaluation(&wanted.grid).map_err(|error| bad(&error))
    }

    /// Finds the shipped model.
    fn shipped(&self, game: &Game, wanted: &RowGame) -> Result<&'static ShippedModel, SpecError> {
        match self.source.named(SHIPPED_MODELS, |shipped| shipped.name)? {
            Some(named) => Ok(named),
            None => shipped_for(wanted).next().ok_or_else(|| self.nothing_shipped(game)),
        }
    }

    fn nothing_shipped(&self, game: &Game) -> SpecError {
        let expected = format!("a file made for '{}', since no model is shipped", game.name());
        self.source.unusable(&expected)
    }
}

/// Returns the shipped models for a game.
fn shipped_for(wanted: &RowGame) -> impl Iterator<Item = &'static ShippedModel> + '_ {
    SHIPPED_MODELS.iter().filter(move |shipped| rows_of(shipped.game) == Some(*wanted))
}

/// Returns the built-in game that a model was made for, if it is a row game.
fn rows_of(game: &str) -> Option<RowGame> {
    registry::start(game).ok()?.rows()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::random::seeded;
    use tesuji_learn::forest::{
        Class, DecisionTree, Forest, PatternShape, PatternTree, PatternWindow, Spread, VoteFormula,
        random_pattern,
    };
    use tesuji_play::PlayerSpec;
    use tesuji_search::Limits;
    use tesuji_store::safe_file::IfExists;

    fn forest_file(folder: &tempfile::TempDir, game: &str) -> String {
        let (window, mut rng) = (PatternWindow { side: 5 }, seeded(1));
        let mut wood = || {
            let pattern = random_pattern(window, 4, PatternShape::Scattered, &mut rng);
            Arc::new(PatternTree::new(pattern, DecisionTree::leaf(Class::Win), None))
        };
        let woods = vec![wood(), wood()];
        let (spread, formula) = (Spread::default(), VoteFormula::default());
        let forest = Forest { game: game.to_string(), window, spread, formula, trees: woods };
        let path = folder.path().join("forest.xml");
        tesuji_learn::forest::xml::save(&forest, &path, IfExists::Replace).unwrap();
        path.display().to_string()
    }

    fn error(text: &str, game: &str) -> String {
        match crate::player(text) {
            Err(error) => error.to_string(),
            Ok(spec) => match spec.build(&PlayerContext::new(&opened(game), 1)) {
                Err(error) => error.to_string(),
                Ok(_) => String::new(),
            },
        }
    }

    #[test]
    fn a_file_is_for_its_game_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = forest_file(&folder, "mnk:15x15,k=5");
        for game in ["gomoku", "mnk:15x15,k=5", "mnk:15x15"] {
            assert_eq!(error(&format!("forest:file={file}"), game), "");
        }
        for game in
            ["mnk:10x10,k=5", "mnk:15x15,k=6", "mnk:15x15,k=5,p=2,q=1", "mnk:15x15,k=5,exact"]
        {
            let text = error(&format!("forest:file={file}"), game);
            assert!(text.contains("not for 'mnk:15x15,k=5'; board=any"), "{text}");
            assert_eq!(error(&format!("forest:file={file},board=any"), game), "");
        }
        let small = error(&format!("forest:file={file},board=any"), "mnk:2x2,k=2");
        assert!(small.contains("fits nowhere") && !small.contains('\n'), "{small}");
    }

    #[test]
    fn errors_name_the_problem() {
        let folder = tempfile::tempdir().unwrap();
        let file = forest_file(&folder, "othello");
        for (text, words) in [
            ("forest:model=gomoku-99x99", "invalid model 'gomoku-99x99'; expected one of"),
            ("forest:model=gomoku-10x10", "not for 'mnk:10x10,k=5'; board=any"),
            ("forest:model=gomoku-15x15,file=x.xml", "a file or a model, not both"),
            ("forest:file=/no/such/file.xml", "/no/such/file.xml"),
            ("forest:file=x.xml,radius=0", "invalid radius '0'; expected off or a whole number"),
            ("forest:file=x.xml,style=fast", "one of thesis, strong"),
            ("forest:file=x.xml,depht=3", "unknown option 'depht'"),
            ("forest:file=x.xml,depth=300", "0 to 255"),
        ] {
            let found = error(text, "gomoku");
            assert!(found.contains(words), "{text}: {found}");
        }
        let none = error("forest", "mnk:11x11,k=5");
        assert!(none.contains("no model is shipped"), "{none}");
        assert_eq!(error("forest", "mnk:15x15,k=5"), "");
        let othello = error(&format!("forest:file={file}"), "othello");
        assert!(
            othello.contains("does not support 'othello', which lacks RowPosition"),
            "{othello}"
        );
    }

    #[test]
    fn it_plays_and_analyses() {
        let folder = tempfile::tempdir().unwrap();
        let file = forest_file(&folder, "mnk:9x9,k=5");
        let game = opened("mnk:9x9,k=5");
        let context = PlayerContext::new(&game, 1);
        let line = game.line("e5e6d5d6c5c6b5").unwrap();
        for options in ["depth=0", "depth=2,style=strong", "depth=2,ties=random,radius=off"] {
            let spec: PlayerSpec = crate::player(&format!("forest:file={file},{options}")).unwrap();
            let mut player = spec.build(&context).unwrap();
            player.new_game(3);
            let choice = player.choose(&line, &tesuji_play::Turn::default()).unwrap();
            assert!(tesuji_games::Position::is_legal(&line.end, choice.m));
            let given = Limits::default();
            let found =
                tesuji_play::analyze(&line.end, &spec, &given, &context, &mut |_| {}).unwrap();
            assert!(!found.moves.is_empty());
            assert!(found.moves.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
