//! Counts paths of a given length in a graph by dynamic programming: for each length, the number of
//! paths to each node. [`GameGraph`] turns any game into such a graph; [`GridGraph`] is the lattice
//! path problem.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use tesuji_games::Position;

/// A directed graph, given by the neighbors of a node.
pub trait Graph {
    /// A node of the graph.
    type Node: Clone + Eq + Hash;

    /// Calls `each` with every neighbor, once per edge.
    fn for_each_neighbor(&self, node: &Self::Node, each: impl FnMut(Self::Node));
}

/// The error of a path count.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathCountError {
    /// The number of paths exceeds 128 bits.
    #[error("length {length}: the number of paths exceeds 128 bits; expected a shorter length")]
    Overflow {
        /// The length at which it overflowed.
        length: u32,
    },
    /// Too many nodes are within reach.
    #[error("length {length}: more than {max_nodes} nodes; expected a shorter length")]
    TooLarge {
        /// The limit.
        max_nodes: usize,
        /// The length at which the limit was exceeded.
        length: u32,
    },
    /// A point is outside of the grid.
    #[error("point {column},{row}: outside of the {width}x{height} grid; expected at most {},{}",
        width - 1, height - 1)]
    Outside {
        /// The column of the point.
        column: u32,
        /// The row of the point.
        row: u32,
        /// The width of the grid.
        width: u32,
        /// The height of the grid.
        height: u32,
    },
    /// The grid has no points.
    #[error("grid {width}x{height}: no points; expected at least 1x1")]
    Empty {
        /// The width of the grid.
        width: u32,
        /// The height of the grid.
        height: u32,
    },
}

/// The maximum number of nodes that [`path_counts_from`] keeps.
const MAX_NODES: usize = 20_000_000;

/// Returns every node that a path of exactly `length` steps from `from` ends at, with the number of
/// such paths.
pub fn path_counts_from<G: Graph>(
    graph: &G,
    from: &G::Node,
    length: u32,
) -> Result<HashMap<G::Node, u128>, PathCountError> {
    let mut counts = HashMap::from([(from.clone(), 1)]);
    for step in 1..=length {
        counts = next_counts(graph, &counts, step)?;
    }
    Ok(counts)
}

fn next_counts<G: Graph>(
    graph: &G,
    counts: &HashMap<G::Node, u128>,
    length: u32,
) -> Result<HashMap<G::Node, u128>, PathCountError> {
    let mut next = HashMap::with_capacity(counts.len());
    let mut fits = true;
    for (node, &paths) in counts {
        graph.for_each_neighbor(node, |neighbor| {
            let sum: &mut u128 = next.entry(neighbor).or_insert(0);
            match sum.checked_add(paths) {
                Some(larger) => *sum = larger,
                None => fits = false,
            }
        });
        if !fits {
            return Err(PathCountError::Overflow { length });
        }
        if next.len() > MAX_NODES {
            return Err(PathCountError::TooLarge { max_nodes: MAX_NODES, length });
        }
    }
    Ok(next)
}

/// Counts the paths of exactly `length` steps between two nodes.
pub fn count_paths<G: Graph>(
    graph: &G,
    from: &G::Node,
    to: &G::Node,
    length: u32,
) -> Result<u128, PathCountError> {
    Ok(path_counts_from(graph, from, length)?.get(to).copied().unwrap_or(0))
}

/// Counts the paths of exactly `length` steps from a node to any node.
pub fn count_all_paths<G: Graph>(
    graph: &G,
    from: &G::Node,
    length: u32,
) -> Result<u128, PathCountError> {
    let counts = path_counts_from(graph, from, length)?;
    let total = counts.values().try_fold(0u128, |sum, &paths| sum.checked_add(paths));
    total.ok_or(PathCountError::Overflow { length })
}

/// The lattice path problem: a rectangle of points, each connected to its up to four neighbors. A
/// path may revisit a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridGraph {
    width: u32,
    height: u32,
}

/// A point of a [`GridGraph`]: column and row, from 0.
pub type GridPoint = (u32, u32);

impl GridGraph {
    /// Creates a grid of `width` × `height` points.
    pub fn new(width: u32, height: u32) -> Result<Self, PathCountError> {
        if width == 0 || height == 0 {
            return Err(PathCountError::Empty { width, height });
        }
        Ok(GridGraph { width, height })
    }

    /// Counts the paths of exactly `length` steps between two points.
    pub fn count(
        self,
        from: GridPoint,
        to: GridPoint,
        length: u32,
    ) -> Result<u128, PathCountError> {
        self.check(from)?;
        self.check(to)?;
        count_paths(&self, &from, &to, length)
    }

    fn check(self, (column, row): GridPoint) -> Result<(), PathCountError> {
        let GridGraph { width, height } = self;
        if column < width && row < height {
            Ok(())
        } else {
            Err(PathCountError::Outside { column, row, width, height })
        }
    }
}

impl Graph for GridGraph {
    type Node = GridPoint;

    fn for_each_neighbor(&self, &(column, row): &GridPoint, mut each: impl FnMut(GridPoint)) {
        if column > 0 {
            each((column - 1, row));
        }
        if column + 1 < self.width {
            each((column + 1, row));
        }
        if row > 0 {
            each((column, row - 1));
        }
        if row + 1 < self.height {
            each((column, row + 1));
        }
    }
}

/// A game as a graph: moves connect positions. The number of all paths of a length is
/// [`perft`](crate::perft::perft).
#[derive(Clone, Copy, Debug)]
pub struct GameGraph<P>(PhantomData<P>);

impl<P: Position> GameGraph<P> {
    /// Creates the graph of all positions of a game.
    pub fn new() -> Self {
        GameGraph(PhantomData)
    }
}

impl<P: Position> Default for GameGraph<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Position> Graph for GameGraph<P> {
    type Node = PositionNode<P>;

    fn for_each_neighbor(
        &self,
        PositionNode(position): &PositionNode<P>,
        mut each: impl FnMut(PositionNode<P>),
    ) {
        position.for_each_move(|m| {
            let mut child = position.clone();
            child.play(m);
            each(PositionNode(child));
        });
    }
}

/// A position identified by its key.
#[derive(Clone, Copy, Debug)]
pub struct PositionNode<P>(pub P);

impl<P: Position> PartialEq for PositionNode<P> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl<P: Position> Eq for PositionNode<P> {}

impl<P: Position> Hash for PositionNode<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key().hash(state);
    }
}
