//! How many positions follow from a position: the figures of the thesis, counted.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::{
    CascadePass, GemBoard, GemGrid, GemIsland, GemSettings, GemStatus, Refill, Swap, TurnObserver,
};
use tesuji_play::quantity::grouped;
use tesuji_search::gem_island::{Agent, GreedyAgent, RandomAgent};

use crate::comparison::{ComparisonVerdict, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// Kinds of gems.
const KINDS: u64 = 6;
/// "Conservatively", according to the thesis.
const PUBLISHED_BRANCHING: f64 = 1080.0;

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let level = GemSettings::level(1)
        .ok_or_else(|| ReproduceError::Other("level 1: does not exist".to_string()))?;
    let grid = std::sync::Arc::new(GemGrid::<u128>::new(level).unwrap_or_else(|| unreachable!()));
    let sizes: &[u32] = run.pick(&[3, 4, 5, 6], &[3, 4, 5, 6, 9]);
    let counted = counted(run, level, sizes);
    let positions = positions(run, level);
    let boards = ComparisonTable::new("Boards", vec![boards(run, &grid)]);
    Ok(Findings::of_all(vec![counted, positions, boards])
        .note(
            "A successor of a swap is a board after its first pass; cascades only add more. \
               It is counted by playing the swap with every possible refill.",
        )
        .note("The 1,080 of the thesis are five swaps of 216 successors."))
}

/// A position with a swap whose first pass removes this many gems.
fn find(level: GemSettings, gems: u32, seed: u64) -> (GemIsland<u128>, Swap) {
    for number in 0.. {
        let mut rng = seeded(derived(seed, [number]));
        let Some(mut game) = GemIsland::<u128>::generate(level, &mut rng) else { continue };
        while game.status() == GemStatus::Running {
            let mut swaps = game.legal_swaps().into_iter();
            if let Some(swap) = swaps.find(|swap| game.peek(*swap).removed.count_ones() == gems) {
                return (game, swap);
            }
            game.play(game.swap_at(below(&mut rng, game.swaps().count())), &mut rng, &mut ());
        }
    }
    unreachable!("there are as many games as seeds")
}

/// Refills of the first pass in a given order, and random ones after it.
struct NumberedRefill<'a> {
    /// The refills as digits.
    number: u64,
    left: u32,
    later: &'a mut Rng,
}

impl Refill for NumberedRefill<'_> {
    fn kind(&mut self, kinds: u8) -> u8 {
        let Some(left) = self.left.checked_sub(1) else { return self.later.kind(kinds) };
        self.left = left;
        let digit = self.number % u64::from(kinds);
        self.number /= u64::from(kinds);
        digit as u8
    }

    fn number(&mut self, n: u32) -> u32 {
        below(self.later, n)
    }
}

/// Remembers the board after the first pass.
#[derive(Default)]
struct FirstPass(u64);

impl TurnObserver<u128> for FirstPass {
    const ENABLED: bool = true;

    fn pass(&mut self, pass: &CascadePass<'_, u128>) {
        if pass.number == 1 {
            let words = pass.after.kinds.map(|plane| [plane as u64, (plane >> 64) as u64]);
            self.0 = derived(0, words.concat());
        }
    }
}

/// The number of different boards after the first pass of a swap.
fn successors(game: &GemIsland<u128>, swap: Swap, gems: u32) -> u64 {
    let mut later = seeded(1);
    let mut boards = Vec::new();
    for number in 0..KINDS.pow(gems) {
        let mut refill = NumberedRefill { number, left: gems, later: &mut later };
        let mut after = FirstPass::default();
        game.clone().play(swap, &mut refill, &mut after);
        boards.push(after.0);
    }
    boards.sort_unstable();
    boards.dedup();
    boards.len() as u64
}

fn counted(run: &ReproductionRun<'_>, level: GemSettings, sizes: &[u32]) -> ComparisonTable {
    let mut rows = Vec::new();
    for (done, &gems) in sizes.iter().enumerate() {
        run.report_progress(done as u64, sizes.len() as u64, &format!("refills of {gems} gems"));
        let (game, swap) = find(level, gems, run.seed);
        let ours = successors(&game, swap, gems);
        let what = format!("successors of a swap that removes {gems} gems");
        rows.push(match gems {
            3 => ComparisonRow::count(what, 216, ours),
            9 => {
                let holds = ours >= 10_000_000;
                ComparisonRow::claim(what, "10,000,000", ReportedValue::count(ours), holds)
            }
            _ => {
                let law = KINDS.pow(gems);
                let verdict = match ours == law {
                    true => ComparisonVerdict::Agrees,
                    false => ComparisonVerdict::Differs,
                };
                let why = format!("6 to the power of {gems} is {}", grouped(law.into()));
                ComparisonRow::from_parts(what, None, ReportedValue::count(ours), verdict, why)
            }
        });
    }
    ComparisonTable::new("Successors of a swap, counted", rows)
}

/// The positions of games by one agent.
#[derive(Default)]
struct Positions {
    swaps: Vec<f64>,
    successors: Vec<f64>,
    gems: Vec<u32>,
}

impl Positions {
    fn of(agent: &mut dyn Agent<u128>, level: GemSettings, games: u64, seed: u64) -> Positions {
        let mut all = Positions::default();
        for number in 0..games {
            let mut rng = seeded(derived(seed, [7, number]));
            let Some(mut game) = GemIsland::<u128>::generate(level, &mut rng) else { continue };
            while game.status() == GemStatus::Running {
                let swaps = game.legal_swaps();
                let gems = swaps.iter().map(|swap| game.peek(*swap).removed.count_ones());
                let before = all.gems.len();
                all.gems.extend(gems);
                let powers = all.gems[before..].iter().map(|gems| 6f64.powi(*gems as i32));
                all.successors.push(powers.sum());
                all.swaps.push(swaps.len() as f64);
                let Some(decision) = agent.decide(&game.view()) else { break };
                game.play(decision.swap, &mut rng, &mut ());
            }
        }
        all.successors.sort_by(f64::total_cmp);
        all
    }

    fn row(&self, agent: &str) -> ComparisonRow {
        let all = self.successors.len().max(1) as f64;
        let enough = self.successors.iter().filter(|count| **count >= PUBLISHED_BRANCHING).count();
        let share = 100.0 * enough as f64 / all;
        let median = self.successors.get(self.successors.len() / 2).copied().unwrap_or_default();
        let swaps = Estimate::mean(&self.swaps).value;
        let three = self.gems.iter().filter(|gems| **gems == 3).count() as f64;
        let three = 100.0 * three / self.gems.len().max(1) as f64;
        let least = self.gems.iter().min().copied().unwrap_or_default();
        let ours =
            format!("{}, in {share:.1} % of positions 1,080 or more", grouped(median as u128));
        let note = format!(
            "{swaps:.1} swaps on average; {three:.0} % of them remove three gems, none fewer than {least}; \
             the value is the median"
        );
        ComparisonRow::claim(
            format!("successors of a position, games of {agent}"),
            "conservatively 1080",
            ReportedValue::words(ours),
            share >= 99.0 && least == 3,
        )
        .with_note(&note)
    }
}

fn positions(run: &ReproductionRun<'_>, level: GemSettings) -> ComparisonTable {
    let games = run.pick(200, 5_000);
    let random = Positions::of(&mut RandomAgent::new(run.seed), level, games, run.seed);
    let greedy = Positions::of(&mut GreedyAgent::default(), level, games, run.seed);
    let rows = vec![random.row("random"), greedy.row("greedy")];
    ComparisonTable::new("Successors of a position", rows)
}

/// The number of boards, which the thesis gives as the largest branching.
fn boards(run: &ReproductionRun<'_>, grid: &std::sync::Arc<GemGrid<u128>>) -> ComparisonRow {
    let mut rng = seeded(derived(run.seed, [8]));
    let tried = run.pick(20_000u64, 400_000);
    let mut stable = 0u64;
    for _ in 0..tried {
        let mut board = GemBoard::default();
        for cell in grid.row_major() {
            let kind = below(&mut rng, KINDS as u32) as u8;
            let gem = tesuji_games::rules::gem_island::Gem { kind, bonus: None };
            board.set_gem(grid.index(cell), gem);
        }
        stable += u64::from(!GemIsland::new(grid.clone(), board, 1, 1).has_runs());
    }
    let share = stable as f64 / tried as f64;
    let digits = 81.0 * 6f64.log10() + share.log10();
    let ours = format!("10^{digits:.1}");
    ComparisonRow::claim(
        "boards without a run",
        "approximately 10^60",
        ReportedValue::words(ours),
        (digits - 60.0).abs() < 1.0,
    )
    .explain_difference("81 gems of six kinds are 10^63 boards")
    .with_note(&format!(
        "{:.2} % of {} random boards have none",
        100.0 * share,
        grouped(tried.into())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refill_of_three_and_four_gems_gives_another_board() {
        let level = GemSettings::level(1).unwrap();
        for gems in [3, 4] {
            let (game, swap) = find(level, gems, 5);
            assert_eq!(game.peek(swap).removed.count_ones(), gems);
            assert_eq!(successors(&game, swap, gems), KINDS.pow(gems));
        }
    }
}
