//! Exercises beside games: positions that the program finds in games of its own, with answers that a short exact
//! search has proved. No human knowledge goes in. The thesis proposes them as future work: defend, attack, force,
//! win in three, against random, against another program.

mod finder;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tesuji_games::{Line, Outcome, Playable, Rng, Side, Stones};
use tesuji_search::{Limits, Scheduler, Search};

use crate::forest::Evaluation;

use super::chance::{Chance, Purpose};
use super::games::Table;
use super::settings::{ScenarioSettings, Settings};
use finder::Finder;

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

#[cfg(test)]
mod tests {
    use super::finder::after;
    use super::*;
    use tesuji_games::rules::connect4::Connect4;
    use tesuji_games::{Score, Visitor, registry};
    use tesuji_search::{Minimax, Zero};

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
