// Types for the checker only; no page loads this file.
import type { Diagram, GameInfo, Score, Side, Snapshot, Step } from '../lib/api.js';
import type { Board } from '../board/board.js';
import type { Mark } from '../board/overlay.js';

export type { Board, Diagram, Mark, Score, Side, Snapshot, Step };
export type SessionState = { game: string; position: string; snapshot: Snapshot; info: GameInfo };
export type Context = { board: Board; state: () => SessionState };
export type Picture = { refresh: () => void; close: () => void };
export type DrawFunction = (host: HTMLElement, context: Context) => Picture;
export type PictureModule = { title: string; draw: DrawFunction };
export type Extra = Record<string, string | number | boolean>;
export type Handlers = Record<string, (data: any) => void>;

/** Scores are for the first side; `entered` and `left` are ticks of one clock. */
export type TreeNode = {
  id: number;
  parent: number | null;
  step: Step | null;
  alpha: Score | null;
  beta: Score | null;
  value: Score | null;
  entered: number;
  left: number;
  /** Whether alpha reached beta here. */
  cut: boolean;
  /** Moves skipped by the cutoff. */
  skipped: number;
  /** Searched moves that the response leaves out. */
  undrawn: number;
};
export type NodeCount = { algorithm: 'minimax' | 'alphabeta' | 'ordered' | 'table'; nodes: number | null };
export type Tree = { depth: number; to_move: Side; nodes: TreeNode[]; best: number[]; complete: boolean; counts: NodeCount[] };

/** A node with its children; `column` is its depth, `below` the number of its descendants. */
export type Branch = TreeNode & { children: Branch[]; above: Branch | null; column: number; below: number };
export type Shape = { root: Branch; best: Set<number>; end: number };
/** A drawn item: a node, its other children, or its skipped moves. `from` is the row of the parent. */
export type Place = {
  key: string;
  branch: Branch;
  kind: 'node' | 'more' | 'skipped';
  count: number;
  column: number;
  row: number;
  from: number;
  open: boolean;
};

export type Deepening = { depth: number; score: Score; line: Step[]; nodes: number; seconds: number };

export type TriedMove = { move: string; cells: number[]; visits: number; share: number; win_rate: number; proven?: boolean };
export type Visits = { simulations: number; moves: TriedMove[] };

export type Vote = 'win' | 'draw' | 'loss';
export type Votes = Record<Vote, number>;
/** `seen` has `X` for a stone of the side to move, `O` for a stone of the other side; `after` is the vote after the best move. */
export type Placement = { tree: number; cells: number[]; seen: string; vote: Vote | null; after: Vote | null; counts: Votes; rule: string };
export type Forest = {
  model: string;
  value: Score;
  to_move: Side;
  votes: Votes;
  cells: Votes[];
  /** The number of voting placements; `placements` is a selection. */
  voting: number;
  placements: Placement[];
  moves: { move: string; cells: number[]; value: Score; votes: Votes }[];
  deciding: number[];
};

export type Input = { name: string; side: Side; value: number };
/** Moves that are not `considered` are ruled out by threats. */
export type CriticMove = { move: string; cells: number[]; value: number; considered: boolean; changed: { input: number; from: number; to: number }[] };
export type Critic = { inputs: Input[]; value: number; moves: CriticMove[] };

/** If not `sure`, the search was incomplete. */
export type Forced = { found: boolean; kind: 'fours' | 'threats' | null; line: Step[]; sure: boolean };
export type Threats = Forced & { side: Side; against: Forced };

export type SolvedMove = { move: string; cells: number[]; score: Score; line: Step[] };
export type Solution = { score: Score; moves: SolvedMove[]; line: Step[]; known_from: 'book' | 'search' };
