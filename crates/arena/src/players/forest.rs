//! The player `forest`: a search with a learned evaluation, a forest (XML) or a network of weights, from a file or
//! from the program.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tesuji_games::{Grid, RowGame, Spec, SpecError, registry};
use tesuji_learn::Model;
use tesuji_learn::forest::{Evaluation, ForestSearch, Order, Parallel, SearchOptions, Style, Ties};
use tesuji_learn::shipped::{SHIPPED, Shipped};
use tesuji_search::Game;
use tesuji_search::game::BoxedSearch;

use super::file::PlayerFile;
use super::rows::RowSearch;
use super::searching::take_threads;
use super::{PlayerContext, PlayerInfo, SEED};
use crate::quantity::BYTES_EXAMPLES;

pub(super) const FOREST: PlayerInfo = PlayerInfo {
    name: "forest",
    summary: "a search with a forest or network that was learned (needs Stones)",
    options: &[
        (
            "file=FILE",
            "a forest (.xml) or network (.tuples) (default: what comes with the program)",
        ),
        ("model=NAME", "one that comes with the program, where it has several for the game"),
        ("depth=N", "plies to look ahead; 0: the child that it likes best (default 4)"),
        ("time=T", "time a move at most (default 1s for strong without a depth)"),
        ("nodes=N", "positions a move at most"),
        (
            "style=thesis|strong",
            "alpha-beta to the depth, or everything that helps (default thesis)",
        ),
        ("radius=N|off", "how far from a stone a move may be, unless stones fall (default 2)"),
        (
            "order=patterns|forest|off",
            "which moves first: by rows, by the forest, none (default patterns)",
        ),
        ("ties=first|random", "among equally good moves (default first)"),
        ("threads=N", "threads of one search (default 1)"),
        ("parallel=root|shared", "threads split the root, or share a table (default root)"),
        ("tt=SIZE", "memory for known positions, where there is a table (default 16M)"),
        ("board=any|own", "play also games that the file was not made for (default own)"),
        SEED,
    ],
};

/// The options, understood.
#[derive(Clone, Debug)]
pub(super) struct ForestSpec {
    source: Source,
    options: SearchOptions,
    any_board: bool,
    /// The file, read and laid on the board when first wanted: a player is made anew for every game.
    evaluation: Arc<Mutex<Option<Laid>>>,
}

/// A board, and the file laid on it.
type Laid = (Grid, Arc<Evaluation>);

/// Where the model is.
#[derive(Clone, Debug)]
enum Source {
    /// In a file.
    File(PlayerFile),
    /// In the program, under this name.
    Named(String),
    /// In the program: the first for the game.
    Any,
}

impl ForestSpec {
    /// Bytes that the table takes.
    pub(super) fn memory(&self) -> u64 {
        self.options.table.bytes()
    }

    /// Reads the options other than limits.
    pub(super) fn read(spec: &mut Spec) -> Result<ForestSpec, SpecError> {
        let usual = SearchOptions::default();
        let styles = [("thesis", Style::Thesis), ("strong", Style::Strong)];
        let orders =
            [("patterns", Order::Patterns), ("forest", Order::Forest), ("off", Order::Off)];
        let ties = [("first", Ties::First), ("random", Ties::Random)];
        let parallel = [("root", Parallel::RootSplit), ("shared", Parallel::SharedTable)];
        let file = PlayerFile::take(spec, "file", Model::LONGEST_FILE);
        let source = match (file, spec.take("model")) {
            (Some(file), None) => Source::File(file),
            (None, Some(name)) => Source::Named(name),
            (None, None) => Source::Any,
            (Some(_), Some(name)) => {
                return Err(spec.bad_value("model", &name, "a file or a model, not both"));
            }
        };
        let options = SearchOptions {
            style: spec.choice("style", &styles)?.unwrap_or(usual.style),
            radius: take_radius(spec)?.unwrap_or(usual.radius),
            order: spec.choice("order", &orders)?.unwrap_or(usual.order),
            ties: spec.choice("ties", &ties)?.unwrap_or(usual.ties),
            threads: take_threads(spec)?,
            parallel: spec.choice("parallel", &parallel)?.unwrap_or(usual.parallel),
            table: spec.value("tt", BYTES_EXAMPLES)?.unwrap_or(usual.table),
        };
        let any_board = spec.choice("board", &[("any", true), ("own", false)])?.unwrap_or(false);
        Ok(ForestSpec { source, options, any_board, evaluation: Arc::default() })
    }

    pub(super) fn file(&self) -> Option<&PlayerFile> {
        match &self.source {
            Source::File(file) => Some(file),
            Source::Named(_) | Source::Any => None,
        }
    }

    /// Whether it reaches its depth ply by ply, so that it has an answer whenever the time is over.
    pub(super) fn deepens(&self) -> bool {
        self.options.style == Style::Strong
    }

    pub(super) fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<BoxedSearch, SpecError> {
        context.game.rows().ok_or_else(|| needs_stones(player, context))?;
        let evaluation = self.evaluation(&context.game)?;
        let mut search = ForestSearch::new(evaluation, self.options.clone(), context.seed);
        if let Some(scheduler) = &context.scheduler {
            search = search.with_scheduler(scheduler.clone());
        }
        Ok(RowSearch::boxed(Box::new(search)))
    }

    /// Whether there is a model for the game. One that comes with the program is not laid on the
    /// board for that.
    pub(super) fn check(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        let game = &context.game;
        let wanted = game.rows().ok_or_else(|| needs_stones(player, context))?;
        match &self.source {
            Source::Any => self.shipped(game, &wanted).map(drop),
            Source::File(_) | Source::Named(_) => self.evaluation(game).map(drop),
        }
    }

    /// The trees that vote on the board of the game, and what they are called. Unlike a player, which takes the
    /// strongest model, this takes the first that is a forest.
    pub(super) fn voters(&self, game: &Game) -> Result<(String, Arc<Evaluation>), SpecError> {
        let name = match &self.source {
            Source::File(file) => {
                Path::new(file.path()).file_name().unwrap_or_default().display().to_string()
            }
            Source::Named(name) => name.clone(),
            Source::Any => {
                let wanted = game.rows().ok_or_else(|| self.unusable("a game with stones"))?;
                let forest = shipped_for(&wanted).find(|shipped| shipped.votes());
                let name = forest.ok_or_else(|| self.nothing_shipped(game))?.name;
                let source = Source::Named(name.to_string());
                return ForestSpec { source, evaluation: Arc::default(), ..self.clone() }
                    .voters(game);
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
        let (option, value) = match &self.source {
            Source::File(file) => ("file", file.path().to_string()),
            Source::Named(name) => ("model", name.clone()),
            Source::Any => ("file", String::new()),
        };
        SpecError::BadValue {
            owner: FOREST.name.to_string(),
            option: option.to_string(),
            value,
            expected: expected.to_string(),
        }
    }
}

/// The models in the program for such a game.
fn shipped_for(wanted: &RowGame) -> impl Iterator<Item = &'static Shipped> + '_ {
    SHIPPED.iter().filter(move |shipped| rows_of(shipped.game) == Some(*wanted))
}

/// `radius=2`, `radius=off`.
fn take_radius(spec: &mut Spec) -> Result<Option<Option<usize>>, SpecError> {
    let expected = "a whole number from 1 to 20, or off";
    match spec.take("radius").as_deref() {
        None => Ok(None),
        Some("off") => Ok(Some(None)),
        Some(text) => match text.parse() {
            Ok(radius @ 1..=20) => Ok(Some(Some(radius))),
            _ => Err(spec.bad_value("radius", text, expected)),
        },
    }
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
    use crate::{PlayerSpec, opened};
    use tesuji_games::random::seeded;
    use tesuji_learn::forest::{
        Class, Forest, Formula, Shape as PatternShape, Spread, Tree, Window, Wood, draw_pattern,
    };
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
        match text.parse::<PlayerSpec>() {
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
            ("forest:file=x.xml,radius=0", "cannot take radius '0'; expected a whole number"),
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
            let spec: PlayerSpec = format!("forest:file={file},{options}").parse().unwrap();
            let mut player = spec.build(&context).unwrap();
            player.new_game(3);
            let choice = player.choose(&line, &crate::Turn::default()).unwrap();
            assert!(tesuji_games::Position::is_legal(&line.end, choice.m));
            let given = Limits::default();
            let found =
                crate::analysis::analyze(&line.end, &spec, &given, &context, &mut |_| {}).unwrap();
            assert!(!found.moves.is_empty());
            assert!(found.moves.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
