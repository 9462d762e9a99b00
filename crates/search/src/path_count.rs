//! Paths of a given length in a graph, counted by dynamic programming: for each length, the number of
//! ways to each node. Any game is such a graph through [`GameGraph`]; the [`GridGraph`] of the lattice path
//! problem is another.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use tesuji_games::Position;

/// A directed graph, given by where one can go from a node.
pub trait Graph {
    /// A place in the graph.
    type Node: Clone + Eq + Hash;

    /// Calls `each` with every node one step away; with a node twice if two edges lead there.
    fn for_each_neighbor(&self, node: &Self::Node, each: impl FnMut(Self::Node));
}

/// Why there is no count.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathCountError {
    /// The number of paths is too large.
    #[error(
        "the number of paths of length {length} does not fit 128 bits; ask for a shorter length"
    )]
    Overflow {
        /// The length at which it happened.
        length: u32,
    },
    /// There are too many nodes within reach.
    #[error("more than {max_nodes} nodes lie at distance {length}; allow more of them")]
    TooLarge {
        /// The limit.
        max_nodes: usize,
        /// The length at which it happened.
        length: u32,
    },
    /// A place lies outside.
    #[error("{column},{row} lies outside the {width}x{height} grid, whose last place is {},{}",
        width - 1, height - 1)]
    Outside {
        /// The place.
        column: u32,
        /// The place.
        row: u32,
        /// The grid.
        width: u32,
        /// The grid.
        height: u32,
    },
    /// A grid must have at least one place.
    #[error("a grid of {width}x{height} has no places; both must be at least 1")]
    Empty {
        /// The grid.
        width: u32,
        /// The grid.
        height: u32,
    },
}

/// The most nodes that [`path_counts_from`] keeps at once.
const MOST_NODES: usize = 20_000_000;

/// Every node that a path of exactly `length` steps from `from` ends at, with the number of such paths.
pub fn path_counts_from<G: Graph>(
    graph: &G,
    from: &G::Node,
    length: u32,
) -> Result<HashMap<G::Node, u128>, PathCountError> {
    let mut ways = HashMap::from([(from.clone(), 1)]);
    for step in 1..=length {
        ways = one_step_on(graph, &ways, step)?;
    }
    Ok(ways)
}

fn one_step_on<G: Graph>(
    graph: &G,
    ways: &HashMap<G::Node, u128>,
    length: u32,
) -> Result<HashMap<G::Node, u128>, PathCountError> {
    let mut next = HashMap::with_capacity(ways.len());
    let mut fits = true;
    for (node, &paths) in ways {
        graph.for_each_neighbor(node, |neighbour| {
            let sum: &mut u128 = next.entry(neighbour).or_insert(0);
            match sum.checked_add(paths) {
                Some(larger) => *sum = larger,
                None => fits = false,
            }
        });
        if !fits {
            return Err(PathCountError::Overflow { length });
        }
        if next.len() > MOST_NODES {
            return Err(PathCountError::TooLarge { max_nodes: MOST_NODES, length });
        }
    }
    Ok(next)
}

/// The number of paths of exactly `length` steps between two nodes.
pub fn count_paths<G: Graph>(
    graph: &G,
    from: &G::Node,
    to: &G::Node,
    length: u32,
) -> Result<u128, PathCountError> {
    Ok(path_counts_from(graph, from, length)?.get(to).copied().unwrap_or(0))
}

/// The number of paths of exactly `length` steps from a node to anywhere.
pub fn count_all_paths<G: Graph>(
    graph: &G,
    from: &G::Node,
    length: u32,
) -> Result<u128, PathCountError> {
    let ways = path_counts_from(graph, from, length)?;
    let total = ways.values().try_fold(0u128, |sum, &paths| sum.checked_add(paths));
    total.ok_or(PathCountError::Overflow { length })
}

/// The lattice path problem: a rectangle of points, each joined to the up to four next to it. A path may
/// come back to a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridGraph {
    width: u32,
    height: u32,
}

/// A point of a [`GridGraph`]: column and row, from 0.
pub type GridPoint = (u32, u32);

impl GridGraph {
    /// A grid of `width` × `height` points.
    pub fn new(width: u32, height: u32) -> Result<Self, PathCountError> {
        if width == 0 || height == 0 {
            return Err(PathCountError::Empty { width, height });
        }
        Ok(GridGraph { width, height })
    }

    /// The number of paths of exactly `length` steps between two points.
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

/// A game as a graph: positions are joined by moves. Counting all paths of a length is
/// [`perft`](crate::perft::perft) by another way.
#[derive(Clone, Copy, Debug)]
pub struct GameGraph<P>(PhantomData<P>);

impl<P: Position> GameGraph<P> {
    /// The graph of all positions of a game.
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

/// A position that is told apart by its key.
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
