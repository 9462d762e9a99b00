//! Statements that insert a record or replace an older version of it. For runs and ratings the
//! later timestamp wins; for jobs, the version that has progressed further. Ties (within one
//! second) are broken by all other columns, so the same version wins everywhere and the order of
//! merges does not matter.
//!
//! The comparison is a row of values, which both databases support. Times are unsigned numbers in
//! signed columns, so "below zero" is compared first. A run that has ended wins over one that is
//! `running`.

/// Inserts a run or replaces an earlier version of it.
pub(crate) const RUN: &str = "\
INSERT INTO runs AS t (run, kind, name, config, state, started_at, updated_at) \
VALUES ($1, $2, $3, $4, $5, $6, $7) \
ON CONFLICT (run) DO UPDATE SET kind = excluded.kind, name = excluded.name, \
config = excluded.config, state = excluded.state, started_at = excluded.started_at, \
updated_at = excluded.updated_at \
WHERE (excluded.updated_at < 0, excluded.updated_at, excluded.state <> 'running', excluded.state, \
excluded.config, excluded.name, excluded.kind, excluded.started_at) \
> (t.updated_at < 0, t.updated_at, t.state <> 'running', t.state, t.config, t.name, t.kind, \
t.started_at)";

/// Inserts a job or replaces a version of it that has progressed less.
pub(crate) const JOB: &str = "\
INSERT INTO jobs AS t (key, run, stage, task, brief, first, units, done, round, attempts, losses, \
error, worker, micros, at, output) \
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
ON CONFLICT (key) DO UPDATE SET run = excluded.run, stage = excluded.stage, \
task = excluded.task, brief = excluded.brief, first = excluded.first, units = excluded.units, \
done = excluded.done, round = excluded.round, attempts = excluded.attempts, \
losses = excluded.losses, error = excluded.error, worker = excluded.worker, \
micros = excluded.micros, at = excluded.at, output = excluded.output \
WHERE (excluded.done, excluded.round, excluded.attempts, excluded.losses, excluded.at < 0, \
excluded.at, excluded.error, excluded.worker, excluded.micros, excluded.output, excluded.run, \
excluded.stage, excluded.task, excluded.brief, excluded.first, excluded.units) \
> (t.done, t.round, t.attempts, t.losses, t.at < 0, t.at, t.error, t.worker, t.micros, t.output, \
t.run, t.stage, t.task, t.brief, t.first, t.units)";

/// Inserts a rating or replaces an earlier version of it. A missing bound sorts below all others.
pub(crate) const RATING: &str = "\
INSERT INTO ratings AS t (pool, player, elo, low, high, games, points, at) \
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
ON CONFLICT (pool, player) DO UPDATE SET elo = excluded.elo, low = excluded.low, \
high = excluded.high, games = excluded.games, points = excluded.points, at = excluded.at \
WHERE (excluded.at < 0, excluded.at, excluded.games < 0, excluded.games, excluded.points, \
excluded.elo, excluded.low IS NOT NULL, coalesce(excluded.low, 0), \
excluded.high IS NOT NULL, coalesce(excluded.high, 0)) \
> (t.at < 0, t.at, t.games < 0, t.games, t.points, t.elo, t.low IS NOT NULL, coalesce(t.low, 0), \
t.high IS NOT NULL, coalesce(t.high, 0))";
