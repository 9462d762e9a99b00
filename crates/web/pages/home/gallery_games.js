// @ts-check
// The description of each game and the first position of its small board. Invalid positions are
// replaced by the start.

/** @type {Record<string, {line: string, opening: string, play?: string}>} `play`: the game with options, if it has some */
export const GALLERY = {
  gomoku: { line: 'Five in a row on a 15×15 board.', opening: 'h8i9g9h10i8h9h7g8' },
  connect4: { line: 'Drop discs, connect four. The computer plays perfectly.', opening: '4454533' },
  othello: { line: 'Flank discs to flip them. Most discs win.', opening: 'f5d6c3d3c4' },
  chess: {
    line: 'FIDE rules with all draws. Drag pieces or click them.',
    opening: 'e2e4 e7e5 g1f3 b8c6 f1b5 a7a6',
  },
  tictactoe: { line: 'Three in a row.', opening: 'b2a1c3' },
  checkers: { line: 'English draughts; jumps are mandatory.', opening: '11-15 22-18 15x22 25x18 8-11' },
  renju: { line: 'Five in a row, with forbidden moves for black.', opening: 'h8h9i7g9i9i8' },
  connect6: { line: 'Six in a row, two stones per turn.', opening: 'j10k11i10j12k10h9' },
  caro: { line: 'Exactly five in a row, not blocked at both ends.', opening: 'h8h9i9g7g9i7' },
  qubic: { line: 'Four in a row in a 4×4×4 cube.', opening: 'b2bc3ca1ad4d' },
  tictactoe3d: { line: 'Three in a row in a 3×3×3 cube.', opening: 'b2ba1ac3c' },
  tictactoe4d: { line: 'Three in a row in four dimensions.', opening: 'b2b2a1a1c3c3' },
  mnk: { line: 'Any board up to 20×20, any number in a row.', opening: 'd4e5d5d3c4', play: 'mnk:7x7,k=4' },
};
