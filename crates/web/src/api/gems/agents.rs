//! Agents that guests may ask: none that reads files, none that thinks for long.

use tesuji_games::rules::gem_island::View;
use tesuji_players::gem_island::AgentSpec;
use tesuji_search::gem_island::Decision;

use crate::errors::ApiError;

/// Who is asked unless another is named: the strong one.
pub(super) const DEFAULT_AGENT: &str = "belief";
/// No agent's text is longer.
const MAX_TEXT_BYTES: usize = 100;
/// Games played out for a decision: a tenth of a second for the strong agent.
const MAX_ROLLOUTS: u64 = 3_000;

/// Reads an agent's text, if a guest may have that agent.
pub(super) fn admit(text: &str) -> Result<AgentSpec, ApiError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ApiError::bad(format!(
            "no agent's name is longer than {MAX_TEXT_BYTES} letters"
        )));
    }
    let agent: AgentSpec = text.parse()?;
    let slow = ["threads", "time"].into_iter().find(|key| agent.options.gives(key));
    if let Some(key) = agent.options.files().next().map(|file| file.key()).or(slow) {
        return Err(ApiError::bad(format!("agent: {key} is not for guests; expected none")));
    }
    for key in ["rollouts", "sims"] {
        if let Some(rollouts) =
            agent.options.amount(key).filter(|rollouts| *rollouts > MAX_ROLLOUTS)
        {
            return Err(ApiError::bad(format!(
                "agent: {key} {rollouts} is too much; expected a whole number from 1 to {MAX_ROLLOUTS}"
            )));
        }
    }
    Ok(agent)
}

/// What the agent would do.
pub(super) fn decide(agent: &AgentSpec, view: &View, seed: u64) -> Result<Decision, ApiError> {
    let mut agent = agent.build(&view.known.grid().settings, seed)?;
    agent.decide(view).ok_or_else(|| ApiError::conflict("no swap is legal; the game is over"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_may_not_read_files_or_think_for_long() {
        for text in [
            "flat-ucb:eval=nn-outcome,file=/etc/passwd",
            "belief:threads=64",
            "belief:time=1h",
            "belief:rollouts=1000000",
            "flat-ucb:sims=1000000",
            "nobody",
            "",
            &"x".repeat(200),
        ] {
            assert!(admit(text).is_err(), "{text}");
        }
        for text in [DEFAULT_AGENT, "random", "greedy:width=5", "flat-ucb:eval=nn-utility,sims=50"]
        {
            assert!(admit(text).is_ok(), "{text}");
        }
    }
}
