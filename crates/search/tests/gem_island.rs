//! Tests of the agents for Gem Island: no agent uses hidden information, the same seed gives the
//! same decision, the number of threads does not matter, and every kind of board can be played.

use std::time::Duration;

use tesuji_games::random::{below, seeded};
use tesuji_games::rules::gem_island::{
    Fidelity, GemIsland, GemRules, GemSettings, GemStatus, GemView, Mask, MaskVisitor, with_mask,
};
use tesuji_search::gem_island::{
    Agent, BeliefOptions, BeliefTracker, Decision, Evaluation, FlatAgent, GreedyAgent,
    HalvingAgent, HalvingOptions, HumanWeights, MAX_WIDTH, RandomAgent,
};
use tesuji_search::{FlatUcbOptions, Limits};

fn few_rollouts(seed: u64) -> HalvingOptions {
    HalvingOptions { rollouts: 40, seed, ..HalvingOptions::default() }
}

fn flat<M: Mask>(seed: u64, fidelity: Fidelity, value: Evaluation) -> Box<dyn Agent<M>> {
    let options = FlatUcbOptions { simulations: 40, seed, ..FlatUcbOptions::default() };
    Box::new(FlatAgent::new(options, Limits::default(), fidelity, value))
}

/// One agent of each kind.
fn agents<M: Mask>(seed: u64) -> Vec<(&'static str, Box<dyn Agent<M>>)> {
    let human = Evaluation::Human(HumanWeights::default());
    vec![
        ("random", Box::new(RandomAgent::new(seed))),
        ("greedy", Box::new(GreedyAgent::default())),
        ("greedy, closely", Box::new(GreedyAgent { width: MAX_WIDTH, ..GreedyAgent::default() })),
        ("flat, human", flat(seed, Fidelity::Exact, human)),
        ("flat, crude", flat(seed, Fidelity::Original, Evaluation::Crude)),
        ("flat, none", flat(seed, Fidelity::Exact, Evaluation::None)),
        ("belief", Box::new(HalvingAgent::new(few_rollouts(seed)))),
    ]
}

fn level(number: usize) -> GemSettings {
    GemSettings::level(number).expect("a level")
}

/// A game after some random moves, or before the move that ends it.
fn after_random_moves(settings: GemSettings, seed: u64, moves: u32) -> GemIsland {
    let mut rng = seeded(seed);
    let mut game: GemIsland = GemIsland::generate(settings, &mut rng).expect("it fits");
    for _ in 0..moves {
        let mut next = game.clone();
        next.play(game.swap_at(below(&mut rng, game.swaps().count())), &mut rng, &mut ());
        if next.status() != GemStatus::Running {
            break;
        }
        game = next;
    }
    game
}

/// Moving the hidden medals changes no decision.
#[test]
fn agents_do_not_use_hidden_information() {
    let mut moved = 0;
    for seed in 0..8 {
        let game = after_random_moves(level(1 + seed as usize % 3), seed, 2 * seed as u32);
        let view = game.view();
        let mut beliefs = BeliefTracker::new(BeliefOptions::default());
        let mut rng = seeded(seed);
        for _ in 0..3 {
            let hidden = beliefs.for_view(&view).sample(&mut rng);
            let other = view.with_medals(hidden);
            moved += u32::from(other.board().medals != game.board().medals);
            for ((name, mut first), (_, mut second)) in agents(seed).into_iter().zip(agents(seed)) {
                let decision = first.decide(&view);
                assert!(decision.is_some(), "{name}");
                assert_eq!(decision, second.decide(&other.view()), "{name}, seed {seed}");
            }
        }
    }
    assert!(moved > 12, "medals were moved {moved} times");
}

/// The greedy agent and its foresight also see the same inside of a rollout, wherever hidden medals
/// lie.
#[test]
fn rollouts_do_not_use_hidden_information() {
    let mut moved = 0;
    for seed in 0..60 {
        let game = after_random_moves(level(1 + seed as usize % 3), seed, seed as u32 % 12);
        let (view, mut rng) = (game.view(), seeded(seed));
        let mut beliefs = BeliefTracker::new(BeliefOptions::default());
        let other = view.with_medals(beliefs.for_view(&view).sample(&mut rng));
        moved += u32::from(other.board().medals != game.board().medals);
        for width in [0, 3, MAX_WIDTH] {
            let greedy = GreedyAgent { width, ..GreedyAgent::default() };
            assert_eq!(greedy.choose(&game), greedy.choose(&other));
            assert_eq!(greedy.rank_swaps(&game), greedy.rank_swaps(&other));
        }
    }
    assert!(moved > 30, "medals were moved {moved} times");
}

fn decisions(options: HalvingOptions, views: &[GemView]) -> Vec<Option<Decision>> {
    let mut agent = HalvingAgent::new(options);
    views.iter().map(|view| agent.decide(view)).collect()
}

#[test]
fn same_seed_same_decision_with_any_number_of_threads() {
    let views: Vec<GemView> =
        (0..6).map(|n| after_random_moves(level(1 + n % 3), n as u64, 2).view()).collect();
    let one_thread = decisions(few_rollouts(7), &views);
    for threads in [1, 2, 3, 8] {
        assert_eq!(one_thread, decisions(HalvingOptions { threads, ..few_rollouts(7) }, &views));
    }
    // Earlier views have no influence.
    let mut backwards: Vec<GemView> = views.clone();
    backwards.reverse();
    let mut again = decisions(few_rollouts(7), &backwards);
    again.reverse();
    assert_eq!(one_thread, again);
    assert_ne!(
        one_thread,
        decisions(few_rollouts(8), &views),
        "another seed gives other decisions"
    );
}

#[test]
fn budgets_are_kept() {
    let view = after_random_moves(level(1), 3, 3).view();
    for rollouts in [1, 10, 100, 300] {
        let decision =
            HalvingAgent::new(HalvingOptions { rollouts, ..few_rollouts(1) }).decide(&view);
        let decision = decision.expect("a decision");
        let minimum = 5 + 3 + 2;
        assert!(decision.rollouts <= rollouts.max(minimum), "{} of {rollouts}", decision.rollouts);
        assert_eq!(decision.rollouts, decision.swaps.iter().map(|swap| swap.visits).sum::<u64>());
        assert_eq!(decision.swap, decision.swaps[0].swap);
    }
    let time = Some(Duration::from_millis(5));
    let decision = HalvingAgent::new(HalvingOptions { time, ..few_rollouts(1) }).decide(&view);
    assert!(decision.is_some_and(|decision| decision.rollouts > 0));
}

/// With one legal swap there is no search; when the game is over there is no decision.
#[test]
fn a_single_swap_needs_no_rollouts() {
    let settings = GemSettings { rows: 4, columns: 4, ice_rows: 3, medals: 1, ..level(1) };
    let one_swap_game = (0..2000)
        .map(|seed| after_random_moves(settings, seed, 1))
        .find(|game| game.status() == GemStatus::Running && game.swaps().count() == 1)
        .expect("one position has a single legal swap");
    let decision =
        HalvingAgent::new(few_rollouts(1)).decide(&one_swap_game.view()).expect("a decision");
    assert_eq!((decision.swap, decision.rollouts), (one_swap_game.swap_at(0), 0));
    let mut finished = after_random_moves(GemSettings { moves: 1, ..level(1) }, 1, 0);
    finished.play(finished.swap_at(0), &mut seeded(1), &mut ());
    assert!(HalvingAgent::new(few_rollouts(1)).decide(&finished.view()).is_none());
}

struct PlaysToTheEnd(GemSettings);

impl MaskVisitor for PlaysToTheEnd {
    type Output = ();

    fn visit<M: Mask>(self) {
        for (name, mut agent) in agents::<M>(3) {
            let mut rng = seeded(11);
            let mut game = GemIsland::<M>::generate(self.0, &mut rng).expect("it fits");
            while game.status() == GemStatus::Running {
                let decision = agent.decide(&game.view()).unwrap_or_else(|| panic!("{name}"));
                let Decision { swap, .. } = decision;
                assert_eq!(game.oriented(swap.first, swap.second), Some(swap), "{name}");
                game.play(swap, &mut rng, &mut ());
            }
        }
    }
}

/// Narrow, wide and large boards with many kinds, several layers and both rule sets.
#[test]
fn every_board_can_be_played() {
    let of = |(rows, columns, kinds, ice_rows, ice_layers, medals), rules| GemSettings {
        rows,
        columns,
        kinds,
        ice_rows,
        ice_layers,
        medals,
        moves: 3,
        rules,
    };
    let boards = [
        (4, 5, 4, 3, 1, 1),
        (9, 9, 8, 9, 3, 5),
        (3, 12, 5, 3, 1, 2),
        (12, 4, 7, 6, 2, 2),
        (14, 15, 6, 14, 1, 12),
    ];
    for board in boards {
        for rules in [GemRules::Fixed, GemRules::Original] {
            let settings = of(board, rules);
            settings.check().expect("possible");
            with_mask(&settings, PlaysToTheEnd(settings));
        }
    }
}

/// With far fewer rollouts than usual, it still hardly ever loses.
#[test]
fn belief_wins() {
    for number in 1..=3 {
        let mut agent = HalvingAgent::new(few_rollouts(1));
        let mut wins = 0;
        for seed in 0..8 {
            let mut rng = seeded(seed);
            let mut game: GemIsland =
                GemIsland::generate(level(number), &mut rng).expect("it fits");
            while let Some(decision) = agent.decide(&game.view()) {
                game.play(decision.swap, &mut rng, &mut ());
            }
            wins += u32::from(game.status() == GemStatus::Won);
        }
        assert!(wins >= 7, "{wins} of 8 at level {number}");
    }
}
