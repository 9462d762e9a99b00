// @ts-check
// What the gallery says of each game, and where its small board begins, so that the page does not open on
// empty boards. A position that the rules do not know is not shown.

/** @type {Record<string, {line: string, opening: string, play?: string}>} `play`: with which options, where not the usual ones */
export const GALLERY = {
  gomoku: { line: 'Five in a row on a wide board. Easy to learn, hard to stop.', opening: 'h8i9g9h10i8h9h7g8' },
  connect4: { line: 'Drop discs, connect four. The computer knows how every game ends.', opening: '4454533' },
  othello: { line: 'Flank discs to turn them. Whoever has most at the end wins.', opening: 'f5d6c3d3c4' },
  chess: {
    line: 'The usual rules, every draw included. Carry the pieces or click them.',
    opening: 'e2e4 e7e5 g1f3 b8c6 f1b5 a7a6',
  },
  tictactoe: { line: 'Three in a row. Can you at least draw?', opening: 'b2a1c3' },
  checkers: { line: 'English draughts: jump when you can.', opening: '11-15 22-18 15x22 25x18 8-11' },
  renju: { line: 'Five in a row, with moves that black may not make.', opening: 'h8h9i7g9i9i8' },
  connect6: { line: 'Six in a row, two stones a turn.', opening: 'j10k11i10j12k10h9' },
  caro: { line: 'Exactly five in a row, and not closed in at both ends.', opening: 'h8h9i9g7g9i7' },
  qubic: { line: 'Four in a row through a cube of four boards.', opening: 'b2bc3ca1ad4d' },
  tictactoe3d: { line: 'Three in a row through a cube.', opening: 'b2ba1ac3c' },
  tictactoe4d: { line: 'Three in a row in four dimensions. Really.', opening: 'b2b2a1a1c3c3' },
  mnk: { line: 'A board of your own: any size up to 20×20, any number in a row.', opening: 'd4e5d5d3c4', play: 'mnk:7x7,k=4' },
};
