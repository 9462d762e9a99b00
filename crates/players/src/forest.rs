//! The players `forest` and `weights`: a search with a learned evaluation, the votes of a forest
//! (XML) or the weights of an n-tuple network, from a file or shipped.

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
    OptionInfo, PlayerOptions, SEED, THREADS, ValueType, WordValues, number, option, word, words,
};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSetup, PlayerSpec, SearchKind, SearchProfile};
use tesuji_search::Game;

use crate::book::{BOOK, BookSearch, PlayerBook};
use crate::model_source::{MODEL, ModelSource};
use crate::rows::{RowGameSearch, row_game_for};
use crate::searching::{Cached, NODES, SearchSetup, depth_and_effort};

const STYLES: WordValues<SearchStyle, 2> =
    [("thesis", SearchStyle::Thesis), ("strong", SearchStyle::Strong)];
const FOREST_ORDERS: WordValues<CandidateOrder, 4> = [
    ("patterns", CandidateOrder::Patterns),
    ("thesis", CandidateOrder::Thesis),
    ("forest", CandidateOrder::Forest),
    ("off", CandidateOrder::Off),
];
const WEIGHTS_ORDERS: WordValues<CandidateOrder, 4> = [
    ("patterns", CandidateOrder::Patterns),
    ("thesis", CandidateOrder::Thesis),
    ("weights", CandidateOrder::Forest),
    ("off", CandidateOrder::Off),
];
const TIES: WordValues<TieBreak, 2> = [("first", TieBreak::First), ("random", TieBreak::Random)];
const PARALLELS: WordValues<ParallelMode, 2> =
    [("root", ParallelMode::RootSplit), ("shared", ParallelMode::SharedTable)];
const BOARDS: WordValues<bool, 2> = [("any", true), ("own", false)];

const FOREST: &str = "forest";
const WEIGHTS: &str = "weights";

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: FOREST,
        former_name: None,
        summary: "a search with an evolved random forest (needs RowPosition)",
        options: &options(
            "forest (.xml) [default: shipped forest]",
            option(
                "order",
                word(&words(&FOREST_ORDERS)),
                "move ordering: by rows, by the thesis's rows, by the forest, or none \
                 [default: patterns]",
            ),
        ),
        read: |given| read(given, Learned::Forest, &FOREST_ORDERS),
    },
    PlayerKind {
        name: WEIGHTS,
        former_name: None,
        summary: "a search with the learned weights of an n-tuple network (needs RowPosition)",
        options: &options(
            "n-tuple network (.tuples) [default: shipped weights]",
            option(
                "order",
                word(&words(&WEIGHTS_ORDERS)),
                "move ordering: by rows, by the thesis's rows, by the weights, or none \
                 [default: patterns]",
            ),
        ),
        read: |given| read(given, Learned::Weights, &WEIGHTS_ORDERS),
    },
];

const DEPTH: OptionInfo = option(
    "depth",
    number(0, 255),
    "search depth in plies, the own move included; 0 evaluates the children only [default: 4]",
);
const TIME: OptionInfo = option(
    "time",
    ValueType::Time,
    "maximum time per move [default: 1s for style=strong without a depth]",
);
const STYLE: OptionInfo = option(
    "style",
    word(&words(&STYLES)),
    "thesis: alpha-beta to the depth; strong: all search features [default: thesis]",
);
const RADIUS: OptionInfo = option(
    "radius",
    ValueType::WordOr { words: &["off"], other: &number(1, 20) },
    "maximum distance of a move from a stone, ignored with gravity [default: 2]",
);
const TIE_BREAK: OptionInfo =
    option("ties", word(&words(&TIES)), "tie-break between equal moves [default: first]");
const PARALLEL: OptionInfo = option(
    "parallel",
    word(&words(&PARALLELS)),
    "how threads cooperate: split root or shared table [default: root]",
);
const TABLE: OptionInfo =
    option("tt", ValueType::Size, "transposition table size, if there is a table [default: 16M]");
const BOARD: OptionInfo = option(
    "board",
    word(&words(&BOARDS)),
    "any: also play games that the model was not made for [default: own]",
);

/// The options of both players, with their file and their order.
const fn options(file: &'static str, order: OptionInfo) -> [OptionInfo; 15] {
    let file = option("file", ValueType::File { most: Model::MAX_BYTES }, file);
    [
        file, MODEL, DEPTH, TIME, NODES, STYLE, RADIUS, order, TIE_BREAK, THREADS, PARALLEL, TABLE,
        BOOK, BOARD, SEED,
    ]
}

/// The kind of the learned evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Learned {
    Forest,
    Weights,
}

impl Learned {
    fn of(shipped: &ShippedModel) -> Learned {
        if shipped.is_forest() { Learned::Forest } else { Learned::Weights }
    }

    /// Why a model of the other kind is unusable: what this player reads, and the player that reads
    /// the model.
    fn expected(self) -> &'static str {
        match self {
            Learned::Forest => "a forest (the player 'weights' reads n-tuple networks)",
            Learned::Weights => "an n-tuple network (the player 'forest' reads forests)",
        }
    }

    /// Before the player `weights`, `forest` played both kinds of models, and weights where the
    /// text named none. Games of weights keep their identities. A forest without a file gets a new
    /// one, since stored games under the old one may have been played by weights.
    fn identity(self, source: &ModelSource) -> Option<&'static str> {
        match self {
            Learned::Weights => Some(FOREST),
            Learned::Forest => source.file.is_none().then_some("evolved-forest"),
        }
    }
}

fn read(
    given: &PlayerOptions,
    learned: Learned,
    orders: &WordValues<CandidateOrder, 4>,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let usual = ForestSearchOptions::default();
    let radius = given.number("radius").map(|radius| radius as usize).or(usual.radius);
    let options = ForestSearchOptions {
        style: given.choice("style", &STYLES).unwrap_or(usual.style),
        radius: radius.filter(|_| !given.is("radius", "off")),
        order: given.choice("order", orders).unwrap_or(usual.order),
        ties: given.choice("ties", &TIES).unwrap_or(usual.ties),
        threads: given.threads(),
        parallel: given.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
        table: given.size("tt").unwrap_or(usual.table),
    };
    let deepens = options.style == SearchStyle::Strong;
    let pace = if deepens { SearchKind::IterativeDeepening } else { SearchKind::FixedDepth };
    let facts = SearchProfile::new(pace, depth_and_effort(given));
    let facts = SearchProfile { tables: options.table.bytes(), ..facts };
    let book = PlayerBook::read(given);
    let model = Arc::new(LearnedModel::read(given, learned)?);
    let identity = learned.identity(&model.source);
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
        Ok((wanted, book.as_ref().map(|book| book.open(player, context)).transpose()?))
    };
    let build = move |(wanted, book), context: &PlayerContext| {
        let evaluation = model.evaluation(&context.game, &wanted)?;
        let search = ForestSearch::new(evaluation, options.clone(), context.seed);
        let search = RowGameSearch::boxed(Box::new(match &context.scheduler {
            Some(scheduler) => search.with_scheduler(scheduler.clone()),
            None => search,
        }));
        Ok(match book {
            Some(book) => BookSearch::boxed(search, book),
            None => search,
        })
    };
    let mut setup = SearchSetup::new(facts, check, build);
    setup.identity = identity;
    Ok(Box::new(setup))
}

/// Loads the forest of a player and its name for the board of a game; `None` for a player without
/// one.
pub fn voting_forest(
    player: &PlayerSpec,
    game: &Game,
) -> Option<Result<(String, Arc<ForestEvaluation>), SpecError>> {
    let load = || LearnedModel::read(player.options(), Learned::Forest)?.named_evaluation(game);
    (player.name() == FOREST).then(load)
}

/// Where the evaluation comes from.
#[derive(Debug)]
struct LearnedModel {
    learned: Learned,
    source: ModelSource,
    any_board: bool,
    /// The evaluation for the board that was used last.
    on_board: Cached<RowGrid, Arc<ForestEvaluation>>,
}

impl LearnedModel {
    fn read(options: &PlayerOptions, learned: Learned) -> Result<LearnedModel, SpecError> {
        let any_board = options.choice("board", &BOARDS).unwrap_or(false);
        let (source, on_board) = (ModelSource::read(options)?, Cached::default());
        Ok(LearnedModel { learned, source, any_board, on_board })
    }

    /// Loads the evaluation for the board of the game, with the name of the model.
    fn named_evaluation(self, game: &Game) -> Result<(String, Arc<ForestEvaluation>), SpecError> {
        let no_stones = || self.source.unusable("a game with stones");
        let wanted = game.rows().ok_or_else(no_stones)?;
        let name = match &self.source.file {
            Some(file) => {
                Path::new(file.name()).file_name().unwrap_or_default().display().to_string()
            }
            None => self.shipped(game, &wanted)?.name.to_string(),
        };
        Ok((name, self.evaluation(game, &wanted)?))
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
        let learned = match &model {
            Model::Forest(_) => Learned::Forest,
            Model::Network(_) => Learned::Weights,
        };
        if learned != self.learned {
            return Err(self.source.unusable(self.learned.expected()));
        }
        let made_for = model.game();
        if !self.any_board && rows_of(made_for) != Some(*wanted) {
            return Err(self.source.unusable(&format!(
                "a file made for '{}', not for '{made_for}'; board=any plays it anyway",
                game.name()
            )));
        }
        model.evaluation(&wanted.grid).map_err(|error| bad(&error))
    }

    /// Finds the shipped model: the one that the options name, or the first for the game.
    fn shipped(&self, game: &Game, wanted: &RowGame) -> Result<&'static ShippedModel, SpecError> {
        let named = ShippedModel::named(self.source.name.as_deref().unwrap_or_default());
        if named.is_some_and(|shipped| Learned::of(shipped) != self.learned) {
            return Err(self.source.unusable(self.learned.expected()));
        }
        let own = || SHIPPED_MODELS.iter().filter(|shipped| Learned::of(shipped) == self.learned);
        if let Some(named) = self.source.named(own(), |shipped| shipped.name)? {
            return Ok(named);
        }
        let fits = |shipped: &&ShippedModel| rows_of(shipped.game) == Some(*wanted);
        own().find(fits).ok_or_else(|| {
            let expected = format!("a file made for '{}', since no model is shipped", game.name());
            self.source.unusable(&expected)
        })
    }
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
            (
                "forest:model=gomoku-99x99",
                "invalid model 'gomoku-99x99'; expected one of tictactoe, connect4-7x7,",
            ),
            ("forest:model=gomoku-15x15-weights", "(the player 'weights' reads n-tuple networks)"),
            ("weights:model=gomoku-15x15", "(the player 'forest' reads forests)"),
            ("weights:order=forest", "one of patterns, thesis, weights, off"),
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
        for (player, game) in
            [("forest", "mnk:11x11,k=5"), ("weights", "mnk:11x11,k=5"), ("weights", "connect6")]
        {
            let none = error(player, game);
            assert!(none.contains("no model is shipped"), "{none}");
        }
        for (player, game) in
            [("forest", "mnk:15x15,k=5"), ("weights", "mnk:15x15,k=5"), ("forest", "connect6")]
        {
            assert_eq!(error(player, game), "");
        }
        let othello = error(&format!("forest:file={file}"), "othello");
        assert!(
            othello.contains("does not support 'othello', which lacks RowPosition"),
            "{othello}"
        );
    }

    #[test]
    fn a_book_is_played_before_the_search() {
        use tesuji_search::book::{Book, BookKeys};
        let folder = tempfile::tempdir().unwrap();
        let game = opened("tictactoe");
        let keys = BookKeys::new(Some(tesuji_games::State::symmetry()));
        let answers = |text: &str, moves: &str| {
            let mut player =
                crate::player(text).unwrap().build(&PlayerContext::new(&game, 1)).unwrap();
            player.new_game(3);
            let turn = tesuji_play::Turn::default();
            player.choose(&game.line(moves).unwrap(), &turn).unwrap().m
        };
        // The book is by another player: it answers the corner with an edge.
        let mut book = Book::new("tictactoe");
        let line = game.line("a1").unwrap();
        let edge = tesuji_games::Notation::parse_move(&line.end, "b1").unwrap();
        let report = tesuji_search::SearchReport {
            best: Some(edge),
            ..tesuji_search::SearchReport::empty()
        };
        book.add(&line.end, keys, &report);
        let file = folder.path().join("t.book");
        book.save(&file).unwrap();
        for name in ["forest", "weights"] {
            let player = format!("{name}:depth=4,book={}", file.display());
            assert_ne!(answers(&format!("{name}:depth=4"), "a1"), edge);
            assert_eq!(answers(&player, "a1"), edge);
            let opposite = game.line("c3").unwrap();
            let expected =
                ["c2", "b3"].map(|m| tesuji_games::Notation::parse_move(&opposite.end, m).unwrap());
            assert!(expected.contains(&answers(&player, "c3")), "the mirror image is in the book");
            assert_eq!(answers(&player, "a2"), answers(&format!("{name}:depth=4"), "a2"));
            let other = error(&player, "connect4");
            assert!(other.contains("the book is for 'tictactoe'"), "{other}");
        }
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
