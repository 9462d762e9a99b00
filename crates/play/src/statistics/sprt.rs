//! The sequential probability ratio test (Wald, 1945): ends a match as soon as the result shows
//! with sufficient confidence whether the first player is `elo0` or `elo1` stronger than the
//! second.

mod forecast;
mod likelihood;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use forecast::Forecast;

use super::Pentanomial;
use super::elo::{NORMALIZED_ELO_PER_DEVIATION, score_of_elo};
use crate::InvalidInput;
use likelihood::{Constraint, log_ratio};

/// A test between two hypotheses about the Elo difference.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Sprt {
    /// Elo difference under H0 (0: not stronger).
    pub elo0: f64,
    /// Elo difference under H1.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 although H1 is true.
    pub beta: f64,
    /// The scale of `elo0` and `elo1`.
    pub model: SprtModel,
}

/// A test in a file: error rates and scale are optional.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    elo0: f64,
    elo1: f64,
    #[serde(default = "default_error_rate")]
    alpha: f64,
    #[serde(default = "default_error_rate")]
    beta: f64,
    #[serde(default)]
    model: SprtModel,
}

fn default_error_rate() -> f64 {
    Sprt::ERROR_RATE
}

impl TryFrom<Unchecked> for Sprt {
    type Error = InvalidInput;

    fn try_from(read: Unchecked) -> Result<Sprt, InvalidInput> {
        Sprt::new(read.elo0, read.elo1, read.alpha, read.beta, read.model)
    }
}

/// The Elo scale of the hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// Normalized Elo (Van den Bergh, 2020): the expected excess over ½ in standard deviations of a
    /// game, times 800 / ln 10. The length of a test is independent of the share of draws.
    #[default]
    Normalized,
    /// The usual Elo, from the expected score alone.
    Logistic,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SprtState {
    /// Log-likelihood ratio of H1 over H0.
    pub llr: f64,
    /// H0 is accepted at or below this bound.
    pub lower: f64,
    /// H1 is accepted at or above this bound.
    pub upper: f64,
    /// The decision.
    pub verdict: SprtVerdict,
}

/// The decision of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtVerdict {
    /// No decision yet: play on.
    Continue,
    /// H0 is accepted: the first player is not as strong as hoped.
    AcceptsH0,
    /// H1 is accepted: the first player is as strong as hoped.
    AcceptsH1,
}

impl Sprt {
    /// The default error rate of both kinds, 5 %.
    pub const ERROR_RATE: f64 = 0.05;

    /// Creates a test; refuses invalid parameters.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: SprtModel,
    ) -> Result<Sprt, InvalidInput> {
        let refused = |why: String| Err(InvalidInput(format!("SPRT: {why}")));
        for elo in [elo0, elo1] {
            let most = model.max_elo();
            if elo.is_nan() || elo.abs() > most {
                return refused(format!(
                    "{elo} {model} Elo is out of range; expected -{most} to {most}"
                ));
            }
        }
        if elo0 >= elo1 {
            return refused(format!("ELO0 is {elo0} and ELO1 is {elo1}; expected ELO0 below ELO1"));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return refused(format!("{name} is {value}; expected above 0 and below 0.5"));
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The same test on another scale.
    pub fn with_model(self, model: SprtModel) -> Result<Sprt, InvalidInput> {
        Sprt::new(self.elo0, self.elo1, self.alpha, self.beta, model)
    }

    /// The lower and upper bound of the log-likelihood ratio (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Evaluates the test after these pairs. Call it after every pair, and stop at the first
    /// decision.
    pub fn judge(&self, pairs: &Pentanomial) -> SprtState {
        let (lower, upper) = self.bounds();
        let [low, high] = [self.elo0, self.elo1].map(|elo| self.model.constraint(elo));
        let llr = if pairs.pairs() == 0 { 0.0 } else { log_ratio(pairs, low, high) };
        let verdict = if llr >= upper {
            SprtVerdict::AcceptsH1
        } else if llr <= lower {
            SprtVerdict::AcceptsH0
        } else {
            SprtVerdict::Continue
        };
        SprtState { llr, lower, upper, verdict }
    }
}

impl SprtModel {
    /// The largest Elo difference of a hypothesis. Beyond it a player takes more than 98 % of the
    /// points, and a handful of games decides without a test.
    fn max_elo(self) -> f64 {
        match self {
            SprtModel::Normalized => 500.0,
            SprtModel::Logistic => 700.0,
        }
    }

    /// The constraint that a strength on this scale sets on the distribution of pairs. The
    /// deviation of a pair's share is 1/√2 of a game's.
    fn constraint(self, elo: f64) -> Constraint {
        match self {
            SprtModel::Normalized => {
                Constraint::Excess(elo / NORMALIZED_ELO_PER_DEVIATION * std::f64::consts::SQRT_2)
            }
            SprtModel::Logistic => Constraint::Mean(score_of_elo(elo)),
        }
    }
}

/// Parses `ELO0,ELO1`, or with error rates `ELO0,ELO1,ALPHA,BETA`; normalized Elo.
impl FromStr for Sprt {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Sprt, InvalidInput> {
        let syntax = || {
            let text: String = text.chars().take(60).collect();
            InvalidInput(format!(
                "SPRT '{text}': not a test; expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,5 or \
                 0,10,0.05,0.05"
            ))
        };
        let numbers: Vec<f64> = text
            .split(',')
            .map(|part| part.trim().parse::<f64>().ok().filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or_else(syntax)?;
        let (elo0, elo1, alpha, beta) = match numbers[..] {
            [elo0, elo1] => (elo0, elo1, Sprt::ERROR_RATE, Sprt::ERROR_RATE),
            [elo0, elo1, alpha, beta] => (elo0, elo1, alpha, beta),
            _ => return Err(syntax()),
        };
        Sprt::new(elo0, elo1, alpha, beta, SprtModel::Normalized)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.elo0, self.elo1, self.alpha, self.beta)
    }
}

impl FromStr for SprtModel {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<SprtModel, InvalidInput> {
        let models = [SprtModel::Normalized, SprtModel::Logistic];
        models.into_iter().find(|model| model.to_string() == text).ok_or_else(|| {
            let text: String = text.chars().take(60).collect();
            InvalidInput(format!("SPRT model '{text}': unknown; expected normalized or logistic"))
        })
    }
}

impl fmt::Display for SprtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SprtModel::Normalized => "normalized",
            SprtModel::Logistic => "logistic",
        })
    }
}

/// `LLR +1.15 (-2.94 to 2.94): continue`.
impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLR {:+.2} ({:.2} to {:.2}): {}", self.llr, self.lower, self.upper, self.verdict)
    }
}

impl fmt::Display for SprtVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SprtVerdict::Continue => "continue",
            SprtVerdict::AcceptsH0 => "accepts H0",
            SprtVerdict::AcceptsH1 => "accepts H1",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (pairs, elo0, elo1, normalized, logistic) as the fishtest server's `LLRcalc.py` computes
    /// them.
    const PEER: [([u64; 5], f64, f64, f64, f64); 13] = [
        ([10, 200, 500, 230, 20], 0.0, 5.0, 1.149090566, 1.827515307),
        ([10, 200, 500, 230, 20], 0.0, 50.0, -6.430078415, -41.259479846),
        ([10, 200, 500, 230, 20], -3.0, 1.0, 1.141508844, 2.240530059),
        ([10, 200, 500, 230, 20], 0.0, 200.0, -246.026252362, -534.465873943),
        ([0, 3, 40, 9, 1], 0.0, 5.0, 0.287652652, 0.745132244),
        ([0, 3, 40, 9, 1], -10.0, 10.0, 1.186141460, 2.918622549),
        ([0, 0, 0, 0, 12], 0.0, 5.0, 0.241733944, 0.171479650),
        ([0, 0, 0, 0, 12], 0.0, 50.0, 2.182229547, 1.603348579),
        ([5, 25, 60, 40, 15], 0.0, 50.0, 4.211810009, 4.202635705),
        ([5, 25, 60, 40, 15], -3.0, 1.0, 0.580359861, 0.826312524),
        ([20, 0, 61, 0, 37], 0.0, 50.0, 2.570126430, 2.573887202),
        ([100, 2000, 5000, 2300, 150], -10.0, 10.0, 43.729596333, 82.659880323),
        ([1, 0, 0, 0, 0], 0.0, 50.0, -0.222601581, -0.154559310),
    ];

    #[test]
    fn ratios_agree_with_fishtest() {
        for (counts, elo0, elo1, normalized, logistic) in PEER {
            let pairs = Pentanomial { counts };
            for (model, peer) in
                [(SprtModel::Normalized, normalized), (SprtModel::Logistic, logistic)]
            {
                let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
                let ours = sprt.judge(&pairs).llr;
                let slack = 1e-5 * (1.0 + peer.abs());
                assert!(
                    (ours - peer).abs() < slack,
                    "{counts:?} {sprt} {model}: {ours}, not {peer}"
                );
            }
        }
    }

    #[test]
    fn the_bounds_decide() {
        let sprt: Sprt = "0,5".parse().unwrap();
        let (lower, upper) = sprt.bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
        let verdict = |counts| sprt.judge(&Pentanomial { counts }).verdict;
        assert_eq!(verdict([0; 5]), SprtVerdict::Continue);
        assert_eq!(verdict([10, 200, 500, 230, 20]), SprtVerdict::Continue);
        assert_eq!(verdict([100, 2000, 5000, 2300, 150]), SprtVerdict::AcceptsH1);
        assert_eq!(verdict([150, 2300, 5000, 2000, 100]), SprtVerdict::AcceptsH0);
    }

    #[test]
    fn swapping_players_and_hypotheses_negates_the_ratio() {
        let pairs = Pentanomial { counts: [3, 11, 20, 15, 9] };
        let reversed = Pentanomial { counts: [9, 15, 20, 11, 3] };
        for model in [SprtModel::Normalized, SprtModel::Logistic] {
            let there = Sprt::new(-5.0, 20.0, 0.05, 0.05, model).unwrap();
            let back = Sprt::new(-20.0, 5.0, 0.05, 0.05, model).unwrap();
            let sum = there.judge(&pairs).llr + back.judge(&reversed).llr;
            assert!(sum.abs() < 1e-6, "{model}: {sum}");
        }
    }

    #[test]
    fn tests_are_read_from_text() {
        let sprt: Sprt = "0, 10, 0.01, 0.1".parse().unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta), (0.0, 10.0, 0.01, 0.1));
        assert_eq!(sprt.to_string().parse::<Sprt>().unwrap(), sprt);
        let state = sprt.judge(&Pentanomial { counts: [10, 200, 500, 230, 20] });
        assert_eq!(state.to_string(), "LLR +1.90 (-2.29 to 4.50): continue");
        let read: Sprt = serde_json::from_str(r#"{"elo0": 0, "elo1": 5}"#).unwrap();
        assert_eq!(read, "0,5".parse().unwrap());
        assert!(serde_json::from_str::<Sprt>(r#"{"elo0": 5, "elo1": 0}"#).is_err());
        assert_eq!("logistic".parse::<SprtModel>().unwrap(), SprtModel::Logistic);
        assert_eq!(sprt.with_model(SprtModel::Logistic).unwrap().model, SprtModel::Logistic);
    }

    #[test]
    fn invalid_tests_are_refused_in_one_line() {
        let errors = [
            (
                "5",
                "SPRT '5': not a test; expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,5 or \
                 0,10,0.05,0.05",
            ),
            ("5,0", "SPRT: ELO0 is 5 and ELO1 is 0; expected ELO0 below ELO1"),
            ("5,5", "SPRT: ELO0 is 5 and ELO1 is 5; expected ELO0 below ELO1"),
            ("0,9000", "SPRT: 9000 normalized Elo is out of range; expected -500 to 500"),
            ("0,5,0.05,0.7", "SPRT: beta is 0.7; expected above 0 and below 0.5"),
        ];
        for (text, message) in errors {
            assert_eq!(text.parse::<Sprt>().unwrap_err().to_string(), message);
        }
        for text in ["", ",", "0,nan", "0,inf", "a,b", "0,5,0.05", "0,5,,", "1,2,3,4,5"] {
            let error = text.parse::<Sprt>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("SPRT '{text}': not a test; expected ELO0,ELO1")),
                "{error}"
            );
        }
        assert!("bayesian".parse::<SprtModel>().unwrap_err().to_string().contains("logistic"));
        assert!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05, SprtModel::Normalized).is_err());
    }
}
