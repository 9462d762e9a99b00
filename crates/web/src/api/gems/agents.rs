//! Admission of agents. Guests may not use agents that read files or run long searches.

use tesuji_games::rules::gem_island::GemView;
use tesuji_players::gem_island::AgentSpec;
use tesuji_search::gem_island::Decision;

use crate::errors::ApiError;

/// The default agent, which is the strongest.
pub(super) const DEFAULT_AGENT: &str = "belief";
/// The longest text of an agent.
const MAX_TEXT_BYTES: usize = 100;
/// The most rollouts of a decision; the strongest agent needs 0.1 s for them.
const MAX_ROLLOUTS: u64 = 3_000;

/// Parses the text of an agent and checks that a guest may use it.
pub(super) fn admit(text: &str) -> Result<AgentSpec, ApiError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ApiError::bad(format!(
            "agent: too long; expected at most {MAX_TEXT_BYTES} bytes"
        )));
    }
    let agent: AgentSpec = text.parse()?;
    if agent.starts_program() {
        return Err(ApiError::bad("agent: programs are not allowed for guests"));
    }
    let slow = ["threads", "time"].into_iter().find(|key| agent.options.gives(key));
    if let Some(key) = agent.options.files().next().map(|file| file.key()).or(slow) {
        return Err(ApiError::bad(format!("agent: option '{key}' is not allowed for guests")));
    }
    for key in ["rollouts", "sims"] {
        if let Some(rollouts) =
            agent.options.amount(key).filter(|rollouts| *rollouts > MAX_ROLLOUTS)
        {
            return Err(ApiError::bad(format!(
                "agent: {key}={rollouts} is too large; expected 1 to {MAX_ROLLOUTS}"
            )));
        }
    }
    Ok(agent)
}

/// Returns the decision of an agent.
pub(super) fn decide(agent: &AgentSpec, view: &GemView, seed: u64) -> Result<Decision, ApiError> {
    let mut agent = agent.build(&view.known.grid().settings, seed)?;
    agent.decide(view).ok_or_else(|| ApiError::conflict("the game is over: no legal swap"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_may_not_read_files_or_think_for_long() {
        for text in [
            "flat-ucb:eval=nn-outcome,file=/etc/passwd",
            "policy:file=/etc/passwd",
            "external:cmd=cat",
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
