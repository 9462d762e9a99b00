//! Exercises beside games: positions that the program finds in games of its own, with answers that a short exact
//! search has proved. No human knowledge goes in. The thesis proposes them as future work: defend, attack, force,
//! win in three, against random, against another program.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tesuji_games::random::{Rng, unit};
use tesuji_games::{Line, Outcome, Playable, Score, Side, Stones};
use tesuji_search::{Engine, EngineOptions, Limits, Scheduler, Search, TableSize, Zero};

use crate::forest::{Evaluation, LineOrder, heuristic_move};

use super::chance::{Chance, Purpose};
use super::games::Table;
use super::settings::{ScenarioSettings, Settings};

/// Another player, for games within the exercises.
pub trait Rival<P: Playable>: Send {
    /// Begins a game; the seed is for what it leaves to chance.
    fn new_game(&mut self, seed: u64);
    /// Chooses a move in an unfinished game, or says why it cannot.
    fn choose(&mut self, game: &Line<P>) -> Result<P::Move, String>;
}

/// Makes such a player, one for each thread that needs it.
pub type RivalMaker<P> = Box<dyn Fn() -> Result<Box<dyn Rival<P>>, String> + Send + Sync>;

/// A kind of position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The side to move wins at once.
    Attack,
    /// One move only does not lose at once.
    Defend,
    /// Some moves threaten to win, so that most answers lose.
    Force,
    /// The side to move wins with its third stone, and not sooner.
    WinInThree,
    /// The side to move loses within four plies; some moves hold out longer.
    Survive,
}

impl Kind {
    const ALL: [Kind; 5] =
        [Kind::Attack, Kind::Defend, Kind::Force, Kind::WinInThree, Kind::Survive];

    fn weight(self, settings: &ScenarioSettings) -> f64 {
        match self {
            Kind::Attack => settings.attack,
            Kind::Defend => settings.defend,
            Kind::Force => settings.force,
            Kind::WinInThree => settings.win_in_three,
            Kind::Survive => settings.survive,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Attack => "attack",
            Kind::Defend => "defend",
            Kind::Force => "force",
            Kind::WinInThree => "win in three",
            Kind::Survive => "survive",
        }
    }
}

/// A position and the moves that solve it.
#[derive(Clone, Debug)]
pub struct Scenario<P: Playable> {
    /// The position.
    pub position: P,
    /// What would be right.
    pub answers: Vec<P::Move>,
}

/// Positions of one kind.
struct Chapter<P: Playable> {
    kind: Kind,
    weight: f64,
    scenarios: Vec<Scenario<P>>,
}

/// All exercises of a run.
pub struct Exercises<P: Playable> {
    chapters: Vec<Chapter<P>>,
    settings: ScenarioSettings,
    start: P,
}

/// Games that are looked through for each kind, at most. A kind that a game does not have is left out.
const GAMES: u64 = 300;
/// How often a player of these games moves at random, so that there are mistakes to be punished.
const CARELESS: f64 = 0.25;
/// What the proof of one position may cost, in nodes.
const NODES: u64 = 50_000;
/// What all proofs of a kind may cost. Counted in nodes, so that the same positions are found on any machine.
const ALL_NODES: u64 = 5_000_000;

impl<P: Playable + Stones> Exercises<P> {
    /// Finds positions by the seed of the run: the same every time.
    pub fn make(settings: &Settings, start: &P) -> Exercises<P> {
        let wanted = &settings.evolution.scenarios;
        let chance = Chance::new(settings.seed);
        let mut finder = Finder::new(start);
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.weight(wanted) > 0.0);
        let chapter = |kind: Kind| Chapter {
            kind,
            weight: kind.weight(wanted),
            scenarios: finder.collect(kind, wanted.count, &chance),
        };
        let chapters = kinds.map(chapter).filter(|chapter| !chapter.scenarios.is_empty()).collect();
        Exercises { chapters, settings: wanted.clone(), start: start.clone() }
    }

    /// How many of each kind there are.
    pub fn described(&self) -> String {
        let part =
            |chapter: &Chapter<P>| format!("{} {}", chapter.scenarios.len(), chapter.kind.name());
        format!("exercises: {}", self.chapters.iter().map(part).collect::<Vec<_>>().join(", "))
    }

    /// The weighted share of exercises that a forest solves; `None` when it was told to stop.
    pub fn share_solved(
        &self,
        table: &Table<'_, P>,
        player: &Arc<Evaluation>,
        rivals: &[RivalMaker<P>],
        iteration: u64,
        place: usize,
    ) -> Result<Option<f64>, String> {
        let alone = Scheduler::new(1);
        let mut search = table.thinker(player.clone(), 0, &alone);
        let limits = Limits {
            depth: Some(table.search.depth),
            stop: Some(table.stop.clone()),
            ..Limits::default()
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        for chapter in &self.chapters {
            let solved = |scenario: &&Scenario<P>| {
                search.forget();
                let best = search.run(&scenario.position, &limits).best;
                best.is_some_and(|m| scenario.answers.contains(&m))
            };
            let count = chapter.scenarios.iter().filter(solved).count();
            sum += chapter.weight * count as f64 / chapter.scenarios.len() as f64;
            weights += chapter.weight;
        }
        let mut against = |rival: &mut dyn Rival<P>, number: usize, weight: f64| {
            let seed = |game: usize| {
                let numbers = [iteration, place as u64, number as u64, game as u64];
                table.chance.seed(Purpose::RivalGame, &numbers)
            };
            let points = (0..self.settings.games).try_fold(0.0, |points, game| {
                search.forget();
                let own = Side::ALL[game % 2];
                rival.new_game(seed(game));
                Ok::<f64, String>(points + self.game(own, &mut search, &limits, rival)?)
            })?;
            sum += weight * points / self.settings.games as f64;
            weights += weight;
            Ok::<(), String>(())
        };
        if self.settings.random > 0.0 {
            against(
                &mut RandomRival { rng: table.chance.rng(Purpose::RivalGame, &[]) },
                0,
                self.settings.random,
            )?;
        }
        for (number, maker) in rivals.iter().enumerate().filter(|_| self.settings.rival > 0.0) {
            let weight = self.settings.rival / rivals.len() as f64;
            against(&mut *maker()?, number + 1, weight)?;
        }
        let share = if weights > 0.0 { sum / weights } else { 0.0 };
        Ok((!table.stop.load(Ordering::Relaxed)).then_some(share))
    }

    /// What a game against somebody else brings: 1 for a win, ½ for a draw. A rival that fails ends the run: to
    /// win against a broken program teaches nothing.
    fn game(
        &self,
        own: Side,
        search: &mut dyn Search<P>,
        limits: &Limits,
        rival: &mut dyn Rival<P>,
    ) -> Result<f64, String> {
        let mut line = Line::new(self.start.clone());
        loop {
            match line.end.outcome() {
                Some(outcome) => return Ok(worth(outcome, own)),
                None if line.end.to_move() == own => {
                    let best = search.run(&line.end, limits).best;
                    let Some(m) = best else { return Ok(0.0) };
                    line.play(m).map_err(|error| error.to_string())?;
                }
                None => {
                    let m = rival.choose(&line)?;
                    line.play(m).map_err(|error| format!("a rival's move was refused: {error}"))?;
                }
            }
        }
    }
}

fn worth(outcome: Outcome, own: Side) -> f64 {
    match outcome.winner() {
        None => 0.5,
        Some(winner) if winner == own => 1.0,
        Some(_) => 0.0,
    }
}

/// Any legal move.
struct RandomRival {
    rng: Rng,
}

impl<P: Playable> Rival<P> for RandomRival {
    fn new_game(&mut self, seed: u64) {
        self.rng = tesuji_games::random::seeded(seed);
    }

    fn choose(&mut self, game: &Line<P>) -> Result<P::Move, String> {
        Ok(game.end.random_move(&mut self.rng))
    }
}

/// Looks for positions of a kind.
struct Finder<P: Playable> {
    start: P,
    order: LineOrder,
    prover: Engine<P, Zero>,
    /// Stones a turn.
    turn: u32,
    /// What proofs have cost so far.
    spent: u64,
}

impl<P: Playable + Stones> Finder<P> {
    fn new(start: &P) -> Finder<P> {
        let options =
            EngineOptions { table: Some(TableSize::megabytes(4)), ..EngineOptions::exact() };
        Finder {
            start: start.clone(),
            order: LineOrder::new(&start.grid()),
            prover: Engine::new(Zero, options),
            turn: stones_a_turn(start),
            spent: 0,
        }
    }

    /// The first so many positions of a kind, one from each game at most.
    fn collect(&mut self, kind: Kind, count: usize, chance: &Chance) -> Vec<Scenario<P>> {
        let mut found = Vec::new();
        self.spent = 0;
        for game in 0..GAMES {
            if found.len() >= count || self.spent > ALL_NODES {
                break;
            }
            let mut rng = chance.rng(Purpose::Scenario, &[kind as u64, game]);
            found.extend(self.in_one_game(kind, &mut rng));
        }
        found
    }

    fn in_one_game(&mut self, kind: Kind, rng: &mut Rng) -> Option<Scenario<P>> {
        let mut position = self.start.clone();
        while position.outcome().is_none() {
            if let Some(answers) = self.answers(kind, &position) {
                return Some(Scenario { position, answers });
            }
            let careless = unit(rng) < CARELESS;
            let m = if careless {
                position.random_move(rng)
            } else {
                heuristic_move(&position, &self.order, rng)
            };
            position.play(m);
        }
        None
    }

    /// The moves that solve a position, if it is one of the kind. A position that every move solves is none.
    fn answers(&mut self, kind: Kind, position: &P) -> Option<Vec<P::Move>> {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        let answers = match kind {
            Kind::Attack => self.attacks(position, &moves),
            Kind::Defend => self.defences(position, &moves),
            Kind::Force => self.threats(position, &moves),
            Kind::WinInThree => self.wins_in_three(position, &moves),
            Kind::Survive => self.longest(position, &moves),
        };
        (!answers.is_empty() && answers.len() < moves.len()).then_some(answers)
    }

    fn attacks(&self, position: &P, moves: &[P::Move]) -> Vec<P::Move> {
        moves.iter().copied().filter(|&m| wins_by(position, m)).collect()
    }

    /// Only where exactly one move leaves the other side without a win in its next turn.
    fn defences(&self, position: &P, moves: &[P::Move]) -> Vec<P::Move> {
        if self.turn != 1 || can_win_at_once(position) {
            return Vec::new();
        }
        let safe: Vec<P::Move> = moves.iter().copied().filter(|&m| is_safe(position, m)).collect();
        if safe.len() == 1 { safe } else { Vec::new() }
    }

    /// Only in positions in which nobody wins at once, and where threats are rare.
    fn threats(&self, position: &P, moves: &[P::Move]) -> Vec<P::Move> {
        let quiet = || moves.iter().all(|&m| is_safe(position, m));
        if self.turn != 1 || can_win_at_once(position) || !quiet() {
            return Vec::new();
        }
        let found: Vec<P::Move> = moves.iter().copied().filter(|&m| forces(position, m)).collect();
        if 3 * found.len() <= moves.len() { found } else { Vec::new() }
    }

    /// Only where some move forces: most wins in three begin so, and to prove the others costs far more.
    fn wins_in_three(&mut self, position: &P, moves: &[P::Move]) -> Vec<P::Move> {
        let worth_a_proof = self.turn == 1
            && !can_win_at_once(position)
            && moves.iter().any(|&m| forces(position, m));
        if !worth_a_proof || self.value(position, 5) != Some(Score::win_in(5)) {
            return Vec::new();
        }
        let wins = |m: &P::Move| self.value(&after(position, *m), 4) == Some(Score::loss_in(4));
        moves.iter().copied().filter(wins).collect()
    }

    /// Only where most moves lose at once, and the best ones a little later.
    fn longest(&mut self, position: &P, moves: &[P::Move]) -> Vec<P::Move> {
        let unsafe_moves = moves.iter().filter(|&&m| !is_safe(position, m)).count();
        let pressed = self.turn == 1
            && !can_win_at_once(position)
            && 2 * unsafe_moves > moves.len()
            && unsafe_moves < moves.len();
        if !pressed || self.value(position, 4) != Some(Score::loss_in(4)) {
            return Vec::new();
        }
        let is_last = |m: &P::Move| self.value(&after(position, *m), 3) == Some(Score::win_in(3));
        moves.iter().copied().filter(is_last).collect()
    }

    /// The value of an unfinished position as far as wins and losses within `depth` plies go; `None` when that
    /// costs too much.
    fn value(&mut self, position: &P, depth: u32) -> Option<Score> {
        if position.outcome().is_some() {
            return None;
        }
        self.prover.forget();
        let limits = Limits { nodes: Some(NODES), ..Limits::depth(depth) };
        let report = self.prover.run(position, &limits);
        self.spent += report.nodes;
        (report.depth == depth || report.score.is_decided()).then_some(report.score)
    }
}

fn after<P: Playable>(position: &P, m: P::Move) -> P {
    let mut next = position.clone();
    next.play(m);
    next
}

fn wins_by<P: Playable>(position: &P, m: P::Move) -> bool {
    let winner = after(position, m).outcome().and_then(|outcome| outcome.winner());
    winner == Some(position.to_move())
}

/// Whether the other side cannot win at once after this move.
fn is_safe<P: Playable>(position: &P, m: P::Move) -> bool {
    !can_win_at_once(&after(position, m))
}

/// Whether most answers to this move lose at once: a threat that must be met.
fn forces<P: Playable>(position: &P, m: P::Move) -> bool {
    let next = after(position, m);
    let (mut answers, mut losing) = (0, 0);
    next.for_each_move(|answer| {
        answers += 1;
        losing += u32::from(can_win_at_once(&after(&next, answer)));
    });
    2 * losing > answers
}

/// Whether the side to move has a move that wins.
fn can_win_at_once<P: Playable>(position: &P) -> bool {
    if position.outcome().is_some() {
        return false;
    }
    if P::WIN_DETECTION {
        return position.winning_move().is_some();
    }
    let mut wins = false;
    position.for_each_move(|m| wins = wins || wins_by(position, m));
    wins
}

/// How many stones a side places in its turn, the very first turn aside.
fn stones_a_turn<P: Playable>(start: &P) -> u32 {
    let mut position = start.clone();
    let mut stones = 0;
    for _ in 0..2 {
        let side = position.to_move();
        stones = 0;
        while position.outcome().is_none() && position.to_move() == side {
            let mut first = None;
            position.for_each_move(|m| first = first.or(Some(m)));
            let Some(m) = first else { break };
            position.play(m);
            stones += 1;
        }
    }
    stones
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::rules::connect4::Connect4;
    use tesuji_games::{Visitor, registry};
    use tesuji_search::Minimax;

    fn exercises<P: Playable + Stones>(start: &P, seed: u64) -> Exercises<P> {
        let mut settings = Settings { seed, ..Settings::default() };
        settings.evolution.scenarios.count = 4;
        Exercises::make(&settings, start)
    }

    /// The value of every move by plain minimax, which knows nothing of how the exercise was found.
    fn values<P: Playable + Stones>(position: &P, depth: u32) -> Vec<(P::Move, Score)> {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        let value = |m: P::Move| {
            let next = after(position, m);
            match next.outcome() {
                Some(outcome) if outcome.winner().is_some() => Score::win_in(1),
                Some(_) => Score::DRAW,
                None => {
                    let report = Minimax::new(Zero).run(&next, &Limits::depth(depth - 1));
                    (-report.score).further(1)
                }
            }
        };
        moves.into_iter().map(|m| (m, value(m))).collect()
    }

    fn check<P: Playable + Stones>(kind: Kind, scenario: &Scenario<P>) {
        let depth = match kind {
            Kind::Attack => 1,
            Kind::Defend => 2,
            Kind::Force => 3,
            Kind::WinInThree => 5,
            Kind::Survive => 4,
        };
        for (m, value) in values(&scenario.position, depth) {
            let right = match kind {
                Kind::Attack => value == Score::win_in(1),
                Kind::Defend => value != Score::loss_in(2),
                Kind::Force => continue,
                Kind::WinInThree => value == Score::win_in(5),
                Kind::Survive => value == Score::loss_in(4),
            };
            assert_eq!(scenario.answers.contains(&m), right, "{kind:?} {m:?} {value:?}");
        }
    }

    #[test]
    fn answers_are_those_of_plain_minimax() {
        let all = exercises(&Connect4::new(), 3);
        assert_eq!(all.chapters.len(), 5, "{}", all.described());
        for chapter in &all.chapters {
            assert!(!chapter.scenarios.is_empty());
            chapter.scenarios.iter().for_each(|scenario| check(chapter.kind, scenario));
        }
    }

    struct Described(u64);

    impl Visitor for Described {
        type Output = String;
        fn visit<P: Playable>(self, start: P) -> String {
            P::with_stones(WithStones { start, seed: self.0 }).unwrap()
        }
    }

    struct WithStones<P> {
        start: P,
        seed: u64,
    }

    impl<P: Playable> tesuji_games::StonesVisitor<P> for WithStones<P> {
        type Output = String;
        fn visit(self) -> String
        where
            P: Stones,
        {
            exercises(&self.start, self.seed).described()
        }
    }

    #[test]
    fn large_boards_have_exercises_too_and_several_stones_a_turn_only_attacks() {
        let gomoku = registry::open("mnk:9x9,k=5", Described(1)).unwrap();
        for kind in ["4 attack", "4 defend", "4 force", "win in three"] {
            assert!(gomoku.contains(kind), "{gomoku}");
        }
        let connect6 = registry::open("mnk:8x8,k=6,p=2,q=1", Described(1)).unwrap();
        assert_eq!(connect6, "exercises: 4 attack");
    }
}
