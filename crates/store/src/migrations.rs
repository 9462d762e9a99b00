//! The schema, as numbered migrations. A migration is never edited after its release: a change is a
//! new migration, and a store of an earlier version runs the ones that it lacks.

/// A migration, for each database.
pub(crate) struct Step {
    /// The schema version after it.
    pub(crate) version: u32,
    /// For SQLite.
    #[cfg_attr(not(feature = "sqlite"), allow(dead_code))]
    pub(crate) sqlite: &'static str,
    /// For PostgreSQL.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code))]
    pub(crate) postgres: &'static str,
}

/// All migrations, in order.
pub(crate) const STEPS: &[Step] = &[
    Step { version: 1, sqlite: SQLITE_1, postgres: POSTGRES_1 },
    Step { version: 2, sqlite: SQLITE_2, postgres: POSTGRES_2 },
    Step { version: 3, sqlite: SQLITE_3, postgres: POSTGRES_3 },
];

/// The schema version that this program reads and writes.
pub(crate) const CURRENT: u32 = STEPS[STEPS.len() - 1].version;

/// The migrations that tables of this version lack.
pub(crate) fn after(version: u32) -> impl Iterator<Item = &'static Step> {
    STEPS.iter().filter(move |step| step.version > version)
}

/// The error text for tables that are too new.
pub(crate) fn too_new(version: u32) -> String {
    format!("schema version {version} is too new; expected at most {CURRENT}, or a newer tesuji")
}

/// Games with their players, samples, runs with their metrics, ratings.
const SQLITE_1: &str = "
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    UNIQUE (name, spec)
) STRICT;
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL,
    game TEXT NOT NULL,
    first_player INTEGER NOT NULL REFERENCES players (id),
    second_player INTEGER NOT NULL REFERENCES players (id),
    seed TEXT NOT NULL,
    moves TEXT NOT NULL,
    opening_plies INTEGER NOT NULL,
    result TEXT NOT NULL CHECK (result IN ('first', 'second', 'draw')),
    ending TEXT NOT NULL,
    ending_detail TEXT NOT NULL,
    thoughts TEXT,
    played_at INTEGER NOT NULL
) STRICT;
CREATE INDEX games_of_event ON games (event);
CREATE INDEX games_of_game ON games (game);
CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    run TEXT NOT NULL,
    game TEXT NOT NULL,
    position TEXT NOT NULL,
    value REAL NOT NULL,
    weight REAL NOT NULL,
    detail TEXT
) STRICT;
CREATE INDEX samples_of_run ON samples (run);
CREATE INDEX samples_of_game ON samples (game);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    config TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE metrics (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    name TEXT NOT NULL,
    step INTEGER NOT NULL,
    value REAL NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (run, name, step)
) STRICT;
CREATE TABLE ratings (
    id INTEGER PRIMARY KEY,
    pool TEXT NOT NULL,
    player INTEGER NOT NULL REFERENCES players (id),
    elo REAL NOT NULL,
    low REAL,
    high REAL,
    games INTEGER NOT NULL,
    points REAL NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (pool, player)
) STRICT;
";

/// Color-swapped pairs, games from given positions, the scores of people.
const SQLITE_2: &str = "
ALTER TABLE games ADD COLUMN pair INTEGER;
ALTER TABLE games ADD COLUMN start TEXT;
CREATE TABLE human_scores (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    board TEXT NOT NULL,
    name TEXT NOT NULL,
    score INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX human_scores_of_board ON human_scores (board, score);
";

/// The jobs of runs. The output is the last column: reading the others does not read it.
const SQLITE_3: &str = "
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    run TEXT NOT NULL,
    stage TEXT NOT NULL,
    task TEXT NOT NULL,
    brief TEXT NOT NULL,
    first INTEGER NOT NULL,
    units INTEGER NOT NULL,
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    round INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    error TEXT NOT NULL,
    worker TEXT NOT NULL,
    micros INTEGER NOT NULL,
    at INTEGER NOT NULL,
    output TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_of_run ON jobs (run);
CREATE INDEX jobs_of_stage ON jobs (run, stage);
";

/// As [`SQLITE_1`]. A spec may exceed an index entry, so the index contains its digest.
/// Versions of a run are compared byte by byte, as SQLite does, in any locale of the database.
const POSTGRES_1: &str = r#"
CREATE TABLE players (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    spec text NOT NULL
);
CREATE UNIQUE INDEX players_name_spec ON players (name, md5(spec));
CREATE TABLE games (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    event text NOT NULL,
    game text NOT NULL,
    first_player bigint NOT NULL REFERENCES players (id),
    second_player bigint NOT NULL REFERENCES players (id),
    seed text NOT NULL,
    moves text NOT NULL,
    opening_plies bigint NOT NULL,
    result text NOT NULL CHECK (result IN ('first', 'second', 'draw')),
    ending text NOT NULL,
    ending_detail text NOT NULL,
    thoughts text,
    played_at bigint NOT NULL
);
CREATE INDEX games_of_event ON games (event, id);
CREATE INDEX games_of_game ON games (game, id);
CREATE TABLE samples (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    run text NOT NULL,
    game text NOT NULL,
    position text NOT NULL,
    value double precision NOT NULL,
    weight double precision NOT NULL,
    detail text
);
CREATE INDEX samples_of_run ON samples (run, id);
CREATE INDEX samples_of_game ON samples (game, id);
CREATE TABLE runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL UNIQUE,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    config text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE metrics (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL,
    name text NOT NULL,
    step bigint NOT NULL,
    value double precision NOT NULL,
    at bigint NOT NULL,
    UNIQUE (run, name, step)
);
CREATE TABLE ratings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool text NOT NULL,
    player bigint NOT NULL REFERENCES players (id),
    elo double precision NOT NULL,
    low double precision,
    high double precision,
    games bigint NOT NULL,
    points double precision NOT NULL,
    at bigint NOT NULL,
    UNIQUE (pool, player)
);
"#;

/// As [`SQLITE_2`].
const POSTGRES_2: &str = "
ALTER TABLE games ADD COLUMN pair bigint, ADD COLUMN start text;
CREATE TABLE human_scores (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    board text NOT NULL,
    name text NOT NULL,
    score bigint NOT NULL,
    moves bigint NOT NULL,
    won boolean NOT NULL,
    at bigint NOT NULL
);
CREATE INDEX human_scores_of_board ON human_scores (board, score);
";

/// As [`SQLITE_3`]. Versions of a job are compared byte by byte, as those of a run.
const POSTGRES_3: &str = r#"
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    run text COLLATE "C" NOT NULL,
    stage text COLLATE "C" NOT NULL,
    task text COLLATE "C" NOT NULL,
    brief text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    units bigint NOT NULL,
    done boolean NOT NULL,
    round bigint NOT NULL,
    attempts bigint NOT NULL,
    losses bigint NOT NULL,
    error text COLLATE "C" NOT NULL,
    worker text COLLATE "C" NOT NULL,
    micros bigint NOT NULL,
    at bigint NOT NULL,
    output text COLLATE "C" NOT NULL
);
CREATE INDEX jobs_of_run ON jobs (run, id);
CREATE INDEX jobs_of_stage ON jobs (run, stage, id);
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_count_up_from_one() {
        let versions: Vec<u32> = STEPS.iter().map(|step| step.version).collect();
        assert_eq!(versions, (1..=CURRENT).collect::<Vec<_>>());
        assert_eq!(after(0).count(), STEPS.len());
        assert_eq!(after(CURRENT).count(), 0);
    }
}
