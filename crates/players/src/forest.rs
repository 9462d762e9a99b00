//! The player `forest`: a search with a learned evaluation, a forest (XML) or a network of weights, from a file or
//! from the program.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tesuji_games::{Grid, RowGame, SpecError, registry};
use tesuji_learn::Model;
use tesuji_learn::forest::{Evaluation, ForestSearch, Order, Parallel, SearchOptions, Style, Ties};
use tesuji_learn::shipped::{SHIPPED, Shipped};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Limits};

use super::model_source::{MODEL, Source};
use super::rows::RowSearch;
use crate::limits::depth_and_effort;
use tesuji_play::options::{Choices, Options, SEED, THREADS, Takes, number, option, word, words};
use tesuji_play::{Pace, SearchFacts, Setup};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSpec};

const NAME: &str = "forest";

const STYLES: Choices<Style, 2> = [("thesis", Style::Thesis), ("strong", Style::Strong)];
const ORDERS: Choices<Order, 3> =
    [("patterns", Order::Patterns), ("forest", Order::Forest), ("off", Order::Off)];
const TIES: Choices<Ties, 2> = [("first", Ties::First), ("random", Ties::Random)];
const PARALLELS: Choices<Parallel, 2> =
    [("root", Parallel::RootSplit), ("shared", Parallel::SharedTable)];
const BOARDS: Choices<bool, 2> = [("any", true), ("own", false)];

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: NAME,
    summary: "a search with a forest or network that was learned (needs Stones)",
    options: &[
        option(
            "file",
            Takes::File { most: Model::LONGEST_FILE },
            "a forest (.xml) or network (.tuples) (default: what comes with the program)",
        ),
        MODEL,
        option(
            "depth",
            number(0, 255),
            "plies to look ahead; 0: the child that it likes best (default 4)",
        ),
        option("time", Takes::Time, "time a move at most (default 1s for strong without a depth)"),
        option("nodes", number(1, u64::MAX), "positions a move at most"),
        option(
            "style",
            word(&words(&STYLES)),
            "alpha-beta to the depth, or everything that helps (default thesis)",
        ),
        option(
            "radius",
            Takes::WordOr { words: &["off"], other: &number(1, 20) },
            "how far from a stone a move may be, unless stones fall (default 2)",
        ),
        option(
            "order",
            word(&words(&ORDERS)),
            "which moves first: by rows, by the forest, none (default patterns)",
        ),
        option("ties", word(&words(&TIES)), "among equally good moves (default first)"),
        THREADS,
        option(
            "parallel",
            word(&words(&PARALLELS)),
            "threads split the root, or share a table (default root)",
        ),
        option(
            "tt",
            Takes::Size,
            "memory for known positions, where there is a table (default 16M)",
        ),
        option(
            "board",
            word(&words(&BOARDS)),
            "play also games that the file was not made for (default own)",
        ),
        SEED,
    ],
    read: |options| Ok(Box::new(ForestSpec::read(options)?)),
}];

/// The options, understood.
#[derive(Clone, Debug)]
struct ForestSpec {
    source: Source,
    limits: Limits,
    options: SearchOptions,
    any_board: bool,
    /// The file, read and laid on the board when first wanted: a player is made anew for every game.
    evaluation: Arc<Mutex<Option<Laid>>>,
}

/// A board, and the file laid on it.
type Laid = (Grid, Arc<Evaluation>);

impl ForestSpec {
    fn read(given: &Options) -> Result<ForestSpec, SpecError> {
        let usual = SearchOptions::default();
        let radius = given.number("radius").map(|radius| radius as usize).or(usual.radius);
        let options = SearchOptions {
            style: given.choice("style", &STYLES).unwrap_or(usual.style),
            radius: radius.filter(|_| !given.is("radius", "off")),
            order: given.choice("order", &ORDERS).unwrap_or(usual.order),
            ties: given.choice("ties", &TIES).unwrap_or(usual.ties),
            threads: given.threads(),
            parallel: given.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
            table: given.size("tt").unwrap_or(usual.table),
        };
        Ok(ForestSpec {
            source: Source::read(given)?,
            limits: depth_and_effort(given),
            options,
            any_board: given.choice("board", &BOARDS).unwrap_or(false),
            evaluation: Arc::default(),
        })
    }
}

impl Setup for ForestSpec {
    fn facts(&self) -> Option<SearchFacts> {
        let deepens = self.options.style == Style::Strong;
        let pace = if deepens { Pace::Deepens } else { Pace::ToDepth };
        let facts = SearchFacts::new(pace, self.limits.clone());
        Some(SearchFacts { tables: self.options.table.bytes(), ..facts })
    }

    /// A model that comes with the program is not laid on the board to find out.
    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        let game = &context.game;
        let wanted = game.rows().ok_or_else(|| needs_stones(player, context))?;
        match &self.source {
            Source::Any => self.shipped(game, &wanted).map(drop),
            Source::File(_) | Source::Named(_) => self.evaluation(game).map(drop),
        }
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        context.game.rows().ok_or_else(|| needs_stones(player, context))?;
        let evaluation = self.evaluation(&context.game)?;
        let mut search = ForestSearch::new(evaluation, self.options.clone(), context.seed);
        if let Some(scheduler) = &context.scheduler {
            search = search.with_scheduler(scheduler.clone());
        }
        Ok(RowSearch::boxed(Box::new(search)))
    }
}

/// The forest behind a player and its name, on the board of a game; `None` for a player without one.
pub fn voters(
    player: &PlayerSpec,
    game: &Game,
) -> Option<Result<(String, Arc<Evaluation>), SpecError>> {
    let is_forest = PLAYERS.iter().any(|kind| kind.name == player.name());
    let voters = |spec: ForestSpec| spec.voting_trees(game);
    is_forest.then(|| ForestSpec::read(player.options()).and_then(voters))
}

impl ForestSpec {
    /// The trees that vote on the board of the game, and what they are called. Unlike a player, which takes the
    /// strongest model, this takes the first that is a forest.
    fn voting_trees(&self, game: &Game) -> Result<(String, Arc<Evaluation>), SpecError> {
        let name = match &self.source {
            Source::File(file) => {
                Path::new(file.name()).file_name().unwrap_or_default().display().to_string()
            }
            Source::Named(name) => name.clone(),
            Source::Any => {
                let wanted = game.rows().ok_or_else(|| self.unusable("a game with stones"))?;
                let forest = shipped_for(&wanted).find(|shipped| shipped.votes());
                let name = forest.ok_or_else(|| self.nothing_shipped(game))?.name;
                let source = Source::Named(name.to_string());
                return ForestSpec { source, evaluation: Arc::default(), ..self.clone() }
                    .voting_trees(game);
            }
        };
        let evaluation = self.evaluation(game)?;
        if evaluation.woods().is_empty() {
            return Err(self.unusable("a forest, whose trees vote; this is a network of weights"));
        }
        Ok((name, evaluation))
    }

    /// What the file says, on the board of the game.
    fn evaluation(&self, game: &Game) -> Result<Arc<Evaluation>, SpecError> {
        let wanted = game.rows().ok_or_else(|| self.unusable("a game with stones"))?;
        let mut known = self.evaluation.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, evaluation)) = known.as_ref().filter(|(grid, _)| *grid == wanted.grid) {
            return Ok(evaluation.clone());
        }
        let evaluation = Arc::new(self.load(game, &wanted)?);
        *known = Some((wanted.grid, evaluation.clone()));
        Ok(evaluation)
    }

    fn load(&self, game: &Game, wanted: &RowGame) -> Result<Evaluation, SpecError> {
        let bad = |what: &dyn std::fmt::Display| {
            self.unusable(&format!("a file that can be used ({what})"))
        };
        let model = match &self.source {
            Source::File(file) => Model::read(file.bytes().map_err(|error| bad(&error))?),
            Source::Named(_) | Source::Any => self.shipped(game, wanted)?.model(),
        };
        let model = model.map_err(|error| bad(&error))?;
        self.check_game(model.game(), game, wanted)?;
        model.evaluation(&wanted.grid).map_err(|error| bad(&error))
    }

    /// The model in the program.
    fn shipped(&self, game: &Game, wanted: &RowGame) -> Result<&'static Shipped, SpecError> {
        if let Source::Named(name) = &self.source {
            let names = SHIPPED.iter().map(|shipped| shipped.name).collect::<Vec<_>>().join(", ");
            return Shipped::named(name).ok_or_else(|| self.unusable(&format!("one of {names}")));
        }
        shipped_for(wanted).next().ok_or_else(|| self.nothing_shipped(game))
    }

    fn nothing_shipped(&self, game: &Game) -> SpecError {
        self.unusable(&format!("a file made for '{}': none comes with the program", game.name()))
    }

    fn check_game(&self, made_for: &str, game: &Game, wanted: &RowGame) -> Result<(), SpecError> {
        let made_for_this = rows_of(made_for) == Some(*wanted);
        if self.any_board || made_for_this {
            return Ok(());
        }
        let expected = format!(
            "a file made for '{}'; this one was made for '{made_for}' (board=any plays it all the same)",
            game.name()
        );
        Err(self.unusable(&expected))
    }

    fn unusable(&self, expected: &str) -> SpecError {
        self.source.unusable(NAME, expected)
    }
}

/// The models in the program for such a game.
fn shipped_for(wanted: &RowGame) -> impl Iterator<Item = &'static Shipped> + '_ {
    SHIPPED.iter().filter(move |shipped| rows_of(shipped.game) == Some(*wanted))
}

fn needs_stones(player: &str, context: &PlayerContext) -> SpecError {
    SpecError::MissingCapability {
        user: player.to_string(),
        capability: "Stones",
        game: context.game.name().to_string(),
        remedy: "forests play games such as mnk:10x10,k=5 and connect4".to_string(),
    }
}

/// The built-in game that a model was made for, if it is one of rows.
fn rows_of(game: &str) -> Option<RowGame> {
    registry::start(game).ok()?.rows()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::random::seeded;
    use tesuji_learn::forest::{
        Class, Forest, Formula, Shape as PatternShape, Spread, Tree, Window, Wood, draw_pattern,
    };
    use tesuji_play::PlayerSpec;
    use tesuji_search::Limits;
    use tesuji_store::safe_file::Existing;

    fn forest_file(folder: &tempfile::TempDir, game: &str) -> String {
        let (window, mut rng) = (Window { side: 5 }, seeded(1));
        let mut wood = || {
            let pattern = draw_pattern(window, 4, PatternShape::Scattered, &mut rng);
            Arc::new(Wood::new(pattern, Tree::leaf(Class::Win), None))
        };
        let woods = vec![wood(), wood()];
        let (spread, formula) = (Spread::default(), Formula::default());
        let forest = Forest { game: game.to_string(), window, spread, formula, woods };
        let path = folder.path().join("forest.xml");
        tesuji_learn::forest::xml::save(&forest, &path, Existing::Replace).unwrap();
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
            assert!(text.contains("made for 'mnk:15x15,k=5' (board=any"), "{text}");
            assert_eq!(error(&format!("forest:file={file},board=any"), game), "");
        }
        let small = error(&format!("forest:file={file},board=any"), "mnk:2x2,k=2");
        assert!(small.contains("fits nowhere") && !small.contains('\n'), "{small}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = forest_file(&folder, "othello");
        for (text, words) in [
            ("forest:model=gomoku-99x99", "cannot take model 'gomoku-99x99'; expected one of"),
            ("forest:model=gomoku-10x10", "made for 'mnk:10x10,k=5' (board=any"),
            ("forest:model=gomoku-15x15,file=x.xml", "a file or a model, not both"),
            ("forest:file=/no/such/file.xml", "/no/such/file.xml"),
            (
                "forest:file=x.xml,radius=0",
                "cannot take radius '0'; expected off or a whole number",
            ),
            ("forest:file=x.xml,style=fast", "one of thesis, strong"),
            ("forest:file=x.xml,depht=3", "has no option 'depht'"),
            ("forest:file=x.xml,depth=300", "0 to 255"),
        ] {
            let found = error(text, "gomoku");
            assert!(found.contains(words), "{text}: {found}");
        }
        let none = error("forest", "mnk:11x11,k=5");
        assert!(none.contains("none comes with the program"), "{none}");
        assert_eq!(error("forest", "mnk:15x15,k=5"), "");
        let othello = error(&format!("forest:file={file}"), "othello");
        assert!(
            othello.contains("needs the capability Stones, which 'othello' lacks"),
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
