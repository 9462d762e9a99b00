//! The checkpoint of a run: the specs of the survivors. Their trees are regrown from the samples in
//! the store, and a digest of the lookup tables detects changes.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::bits::mix;
use tesuji_train::TrainError;

use crate::forest::Dataset;

use super::fitness::IndividualResult;
use super::operators::{Gene, GeneSpec, GeneticOperators, Individual, TreeId, distinct_genes};

/// The state of a run after an iteration. It contains no times, so equal runs have equal
/// checkpoints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionCheckpoint {
    /// The number of completed iterations.
    pub iteration: u64,
    /// The number of training samples.
    pub samples: usize,
    /// The number of iterations since a child became the best.
    pub stagnant: u64,
    /// The digest of the tables of all trees.
    pub digest: String,
    /// The survivors, best first.
    pub survivors: Vec<SavedIndividual>,
    /// The distinct trees of the survivors.
    pub trees: Vec<GeneSpec>,
    /// Earlier best forests, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub champions: Vec<SavedChampion>,
}

/// An earlier best forest. Its trees are as they were then, so it does not share them with
/// survivors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedChampion {
    /// The iteration of its birth.
    pub born: u64,
    /// Its index in the population of that iteration.
    pub number: u64,
    /// Its trees.
    pub trees: Vec<GeneSpec>,
}

/// A survivor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedIndividual {
    /// The iteration of its birth.
    pub born: u64,
    /// Its index in the population of that iteration.
    pub number: u64,
    /// Its result; zeros before the first iteration.
    #[serde(rename = "standing")]
    pub result: IndividualResult,
    /// Its trees, as indices into the list of all trees.
    pub trees: Vec<usize>,
}

impl EvolutionCheckpoint {
    /// Captures the state of a run.
    pub fn of(
        iteration: u64,
        samples: usize,
        stagnant: u64,
        survivors: &[Individual],
        results: &[IndividualResult],
        champions: &[Individual],
    ) -> EvolutionCheckpoint {
        let genes = distinct_genes(survivors);
        let indices: HashMap<TreeId, usize> =
            genes.iter().enumerate().map(|(index, gene)| (gene.id(), index)).collect();
        let saved = |(individual, result): (&Individual, &IndividualResult)| SavedIndividual {
            born: individual.born,
            number: individual.number,
            result: *result,
            trees: individual.genes.iter().map(|gene| indices[&gene.id()]).collect(),
        };
        EvolutionCheckpoint {
            iteration,
            samples,
            stagnant,
            digest: digest(&genes),
            survivors: survivors.iter().zip(results).map(saved).collect(),
            trees: genes.iter().map(|gene| gene.spec.clone()).collect(),
            champions: champions
                .iter()
                .map(|champion| SavedChampion {
                    born: champion.born,
                    number: champion.number,
                    trees: champion.genes.iter().map(|gene| gene.spec.clone()).collect(),
                })
                .collect(),
        }
    }

    /// Regrows the champions.
    pub fn champions(
        &self,
        operators: &GeneticOperators,
        data: &Dataset,
    ) -> Result<Vec<Individual>, TrainError> {
        let champion = |saved: &SavedChampion| {
            check_trees(&saved.trees, data)?;
            let genes = operators.grow_trees(data, &saved.trees);
            Ok(Individual { born: saved.born, number: saved.number, genes })
        };
        self.champions.iter().map(champion).collect()
    }

    /// Regrows the survivors.
    pub fn survivors(
        &self,
        operators: &GeneticOperators,
        data: &Dataset,
    ) -> Result<(Vec<Individual>, Vec<IndividualResult>), TrainError> {
        check_trees(&self.trees, data)?;
        let genes = operators.grow_trees(data, &self.trees);
        let (wanted, found) = (&self.digest, digest(&genes));
        if found != *wanted {
            return Err(TrainError::checkpoint(format!(
                "the regrown trees have digest {found}; expected {wanted} (the samples in the \
                 store have changed)"
            )));
        }
        let gene = |&tree: &usize| {
            let count = genes.len();
            let what = || format!("there is no tree {tree}; expected less than {count}");
            genes.get(tree).cloned().ok_or_else(|| TrainError::checkpoint(what()))
        };
        let individual = |saved: &SavedIndividual| {
            let genes = saved.trees.iter().map(gene).collect::<Result<_, TrainError>>()?;
            Ok(Individual { born: saved.born, number: saved.number, genes })
        };
        let individuals =
            self.survivors.iter().map(individual).collect::<Result<_, TrainError>>()?;
        Ok((individuals, self.survivors.iter().map(|saved| saved.result).collect()))
    }
}

fn check_trees(trees: &[GeneSpec], data: &Dataset) -> Result<(), TrainError> {
    let fits = |spec: &GeneSpec| {
        spec.tree.pattern.window() == data.window() && spec.tree.samples <= data.len()
    };
    match trees.iter().all(fits) {
        true => Ok(()),
        false => Err(TrainError::checkpoint(
            "a tree does not fit this run's window or samples; expected a checkpoint of this run",
        )),
    }
}

fn digest(genes: &[Arc<Gene>]) -> String {
    let mut state = mix(genes.len() as u64);
    for gene in genes {
        state = mix(state ^ u64::from(gene.tree.weight));
        for chunk in gene.tree.table.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ u64::from_le_bytes(bytes));
        }
    }
    format!("{state:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_change() {
        let text = r#"{"iteration":3,"samples":2,"stagnant":1,"digest":"d","survivors":[{"born":1,
            "number":4,"standing":{"fitness":0.5,"points":1.0,"won":1,"drawn":0,"lost":0,
            "solved":null},"trees":[0]}],"trees":[{"birth":[1,4,0],"recipe":{"pattern":{"window":3,
            "cells":[4]},"seed":9,"samples":2},"weight":1}]}"#;
        let text: String = text.split_whitespace().collect();
        let checkpoint: EvolutionCheckpoint = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&checkpoint).unwrap(), text);
    }
}
