//! Chess. The cozy-chess crate generates and makes moves; this file adds draws, keys, notation and
//! an evaluation.
//!
//! All draws are automatic, so that every game ends without a claim: stalemate, the third
//! occurrence of a position, a hundred plies without a capture or pawn move, and insufficient
//! material (bare kings, one additional knight or bishop, or only bishops on squares of one color).
//! Checkmate has priority over all of them.

use cozy_chess::{
    BitBoard, Board, Color, FenParseError, File, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
    util,
};

use crate::bits::nth_set_bit;
use crate::notation::{GameLine, NotationError};
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo};
use crate::state::InvalidMove;
use crate::{
    BoardMaterial, BoardStyle, Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, Outcome,
    Position, Reference, Side, Spec, SpecError, State, Tactics,
};

/// A position with the history that repetitions need.
#[derive(Clone, Debug)]
pub struct Chess {
    board: Board,
    key: u64,
    outcome: Option<Outcome>,
    /// Keys of the positions before each move that was neither a capture nor a pawn move.
    history: Vec<u64>,
    /// The number of the last keys in `history` since the last capture or pawn move.
    quiet_plies: u16,
}

/// A move. Castling is stored as in cozy-chess, as the king capturing its own rook; texts and
/// diagrams show the usual form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChessMove(u16);

const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Knight, Piece::Bishop, Piece::Rook];
/// The number of pairs of squares. Each underpromotion has another range of this size.
const SQUARE_PAIRS: usize = 64 * 64;
const PROMOTION_RANKS: u64 = 0xff00_0000_0000_00ff;

impl ChessMove {
    /// Bits 0–5 hold the target square, 6–11 the origin, 12–14 the promotion: 0 for none, or its
    /// index in `PROMOTIONS` plus 1.
    #[inline]
    fn new(from: Square, to: Square, promotion: Option<Piece>) -> Self {
        let promotion = match promotion {
            None => 0,
            Some(Piece::Queen) => 1,
            Some(Piece::Knight) => 2,
            Some(Piece::Bishop) => 3,
            Some(_) => 4,
        };
        ChessMove(promotion << 12 | (from as u16) << 6 | to as u16)
    }

    #[inline]
    fn origin(self) -> Square {
        Square::index(usize::from(self.0 >> 6 & 63))
    }

    /// The target square; for castling the square of the rook.
    #[inline]
    fn target(self) -> Square {
        Square::index(usize::from(self.0 & 63))
    }

    #[inline]
    fn promotion(self) -> Option<Piece> {
        usize::from(self.0 >> 12).checked_sub(1).map(|n| PROMOTIONS[n & 3])
    }

    #[inline]
    fn index(self) -> usize {
        let underpromotion = usize::from(self.0 >> 12).saturating_sub(1);
        underpromotion * SQUARE_PAIRS + usize::from(self.0 & 0xfff)
    }
}

impl From<ChessMove> for u64 {
    fn from(m: ChessMove) -> u64 {
        u64::from(m.0)
    }
}

impl TryFrom<u64> for ChessMove {
    type Error = InvalidMove;
    /// Promotions are numbered up to 4; larger numbers would be aliases of the same moves.
    fn try_from(number: u64) -> Result<ChessMove, InvalidMove> {
        let known = number >> 12 <= PROMOTIONS.len() as u64;
        if known { Ok(ChessMove(number as u16)) } else { Err(InvalidMove) }
    }
}

impl From<cozy_chess::Move> for ChessMove {
    #[inline]
    fn from(m: cozy_chess::Move) -> Self {
        ChessMove::new(m.from, m.to, m.promotion)
    }
}

impl From<ChessMove> for cozy_chess::Move {
    #[inline]
    fn from(m: ChessMove) -> Self {
        cozy_chess::Move { from: m.origin(), to: m.target(), promotion: m.promotion() }
    }
}

impl std::fmt::Debug for ChessMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", cozy_chess::Move::from(*self))
    }
}

/// The undo data of a move.
#[derive(Clone, Debug)]
pub struct ChessUndo {
    board: Board,
    key: u64,
    quiet_plies: u16,
}

/// The maximum number of move sets: sixteen pieces, and two pawns a second time for en passant.
const MAX_SETS: usize = 18;
const NO_MOVES: PieceMoves =
    PieceMoves { piece: Piece::King, from: Square::A1, to: BitBoard::EMPTY };

impl Chess {
    /// The start position.
    pub fn new() -> Self {
        Chess::from_board(Board::startpos())
    }

    /// Reads a position in Forsyth–Edwards notation (FEN); the two counters at its end are
    /// optional.
    pub fn from_fen(text: &str) -> Result<Self, NotationError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (start, rest) = read_fen(&words)?;
        match rest {
            [] => Ok(start),
            [word, ..] => Err(NotationError::malformed(word, "nothing after the FEN")),
        }
    }

    fn from_board(board: Board) -> Self {
        let key = key_of(&board);
        let (outcome, history) = (None, Vec::new());
        let mut position = Chess { board, key, outcome, history, quiet_plies: 0 };
        position.outcome = position.find_outcome();
        position
    }

    fn find_outcome(&self) -> Option<Outcome> {
        if !self.board.generate_moves(|_| true) {
            let mated = !self.board.checkers().is_empty();
            return Some(if mated { Outcome::Win(!self.to_move()) } else { Outcome::Draw });
        }
        let drawn = self.board.halfmove_clock() >= 100
            || is_mate_impossible(&self.board)
            || self.is_third_occurrence();
        drawn.then_some(Outcome::Draw)
    }

    /// The moves of each piece as a set, and the number of sets. Not generic, because the tables of
    /// cozy-chess (0.7 MB) are compiled into every crate that instantiates its move generator.
    #[inline(never)]
    fn piece_moves(&self) -> ([PieceMoves; MAX_SETS], usize) {
        let (mut sets, mut len) = ([NO_MOVES; MAX_SETS], 0);
        self.board.generate_moves(|moves| {
            sets[len] = moves;
            len += 1;
            false
        });
        (sets, len)
    }

    /// Whether the position occurred twice before. Only every second position has the same side to
    /// move, and none can recur within four plies.
    #[inline]
    fn is_third_occurrence(&self) -> bool {
        let quiet = usize::from(self.quiet_plies);
        if quiet < 8 {
            return false;
        }
        let recent = &self.history[self.history.len() - quiet..];
        let earlier = recent.iter().rev().skip(3).step_by(2);
        earlier.filter(|&&key| key == self.key).count() >= 2
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    #[inline]
    fn is_castling(&self, m: ChessMove) -> bool {
        self.board.colors(self.board.side_to_move()).has(m.target())
    }

    /// The square on which the moving piece ends.
    fn destination(&self, m: ChessMove) -> Square {
        match (self.is_castling(m), m.origin() < m.target()) {
            (false, _) => m.target(),
            (true, short) => Square::new(if short { File::G } else { File::C }, m.origin().rank()),
        }
    }

    fn is_en_passant(&self, m: ChessMove) -> bool {
        self.board.piece_on(m.origin()) == Some(Piece::Pawn)
            && m.origin().file() != m.target().file()
            && self.board.piece_on(m.target()).is_none()
    }
}

impl Default for Chess {
    fn default() -> Self {
        Self::new()
    }
}

fn side_of(color: Color) -> Side {
    match color {
        Color::White => Side::First,
        Color::Black => Side::Second,
    }
}

/// cozy-chess hashes the file of every double pawn step. By the rules the file matters only if an
/// en passant capture is legal, so this key includes it only then.
fn key_of(board: &Board) -> u64 {
    match board.en_passant() {
        Some(file) if can_take_en_passant(board, file) => board.hash(),
        _ => board.hash_without_ep(),
    }
}

fn can_take_en_passant(board: &Board, file: File) -> bool {
    let color = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(color));
    let takers = get_pawn_attacks(to, !color) & board.colored_pieces(color, Piece::Pawn);
    takers.iter().any(|from| board.is_legal(cozy_chess::Move { from, to, promotion: None }))
}

#[inline]
fn is_mate_impossible(board: &Board) -> bool {
    let pieces = |piece| board.pieces(piece);
    if !(pieces(Piece::Pawn) | pieces(Piece::Rook) | pieces(Piece::Queen)).is_empty() {
        return false;
    }
    const DARK_SQUARES: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);
    let (knights, bishops) = (pieces(Piece::Knight), pieces(Piece::Bishop));
    let one_color = bishops.is_subset(DARK_SQUARES) || bishops.is_disjoint(DARK_SQUARES);
    (knights | bishops).len() <= 1 || knights.is_empty() && one_color
}

impl Position for Chess {
    type Move = ChessMove;
    type Undo = ChessUndo;

    const MAY_REPEAT: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        side_of(self.board.side_to_move())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The key of pieces, side to move, castling rights and possible en passant captures; it
    /// includes neither repetitions nor the fifty-move counter.
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(ChessMove)) {
        if self.outcome.is_none() {
            let (sets, len) = self.piece_moves();
            sets[..len].iter().for_each(|set| set.into_iter().for_each(|m| each(m.into())));
        }
    }

    fn is_legal(&self, m: ChessMove) -> bool {
        self.outcome.is_none() && self.board.is_legal(m.into())
    }

    fn play(&mut self, m: ChessMove) -> ChessUndo {
        let before =
            ChessUndo { board: self.board.clone(), key: self.key, quiet_plies: self.quiet_plies };
        self.board.play_unchecked(m.into());
        self.key = key_of(&self.board);
        if self.board.halfmove_clock() > 0 {
            self.history.push(before.key);
            self.quiet_plies += 1;
        } else {
            self.quiet_plies = 0;
        }
        self.outcome = self.find_outcome();
        before
    }

    #[inline]
    fn undo(&mut self, _: ChessMove, before: ChessUndo) {
        if self.quiet_plies > 0 {
            self.history.pop();
        }
        (self.board, self.key, self.quiet_plies) = (before.board, before.key, before.quiet_plies);
        self.outcome = None;
    }

    #[inline]
    fn move_index(&self, m: ChessMove) -> usize {
        m.index()
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        4 * SQUARE_PAIRS
    }

    fn move_count(&self) -> usize {
        let mut count = 0;
        if self.outcome.is_none() {
            self.board.generate_moves(|moves| {
                count += moves.len();
                false
            });
        }
        count
    }

    /// Generates once and keeps each piece's moves as a set.
    fn random_move(&self, rng: &mut Rng) -> ChessMove {
        let (mut sets, mut len, mut total) = ([NO_MOVES; MAX_SETS], 0, 0);
        self.board.generate_moves(|moves| {
            sets[len] = moves;
            len += 1;
            total += moves.len() as u32;
            false
        });
        let mut wanted = below(rng, total);
        for moves in &sets[..len] {
            match nth_move(moves, wanted) {
                Ok(m) => return m,
                Err(count) => wanted -= count,
            }
        }
        unreachable!("random_move needs a position with legal moves")
    }
}

/// The `n`-th move of a piece, or the number of its moves if there are fewer.
#[inline]
fn nth_move(moves: &PieceMoves, n: u32) -> Result<ChessMove, u32> {
    let to = moves.to.0;
    let promotes = moves.piece == Piece::Pawn && to & PROMOTION_RANKS != 0;
    let each = if promotes { PROMOTIONS.len() as u32 } else { 1 };
    let count = to.count_ones() * each;
    if n >= count {
        return Err(count);
    }
    let promotion = promotes.then(|| PROMOTIONS[(n % each) as usize]);
    let to = nth_set_bit(to, n / each).trailing_zeros() as usize;
    Ok(ChessMove::new(moves.from, Square::index(to), promotion))
}

/// A value for the middlegame and one for the endgame.
#[derive(Clone, Copy)]
struct Tapered {
    middle: i32,
    end: i32,
}

const MATERIAL: [Tapered; Piece::NUM] = [
    Tapered { middle: 85, end: 110 },
    Tapered { middle: 320, end: 300 },
    Tapered { middle: 330, end: 320 },
    Tapered { middle: 480, end: 530 },
    Tapered { middle: 950, end: 960 },
    Tapered { middle: 0, end: 0 },
];
const BISHOP_PAIR: i32 = 30;
/// The contribution of each piece to the game phase, and the sum at the start.
const PHASE: [i32; Piece::NUM] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

/// The piece-square value of a white piece, computed from a few rules instead of 768 numbers: minor
/// pieces and the queen belong in the center, minor pieces off the first rank, rooks on the seventh
/// rank and on central files; pawns should advance, most of all in the center and in the endgame;
/// the king stays on a wing until the endgame, and then goes to the center.
const fn placement(piece: Piece, square: usize) -> Tapered {
    let (file, rank) = ((square % 8) as i32, (square / 8) as i32);
    let inner_file = if file < 4 { file } else { 7 - file };
    let inner_rank = if rank < 4 { rank } else { 7 - rank };
    let center = inner_file + inner_rank - 3;
    let home = if rank == 0 { 1 } else { 0 };
    let seventh = if rank == 6 { 1 } else { 0 };
    let (middle, end) = match piece {
        Piece::Pawn => ((rank - 1) * (2 + inner_file * 2) + inner_file, (rank - 1) * 10),
        Piece::Knight => (8 * center - 8 * home, 6 * center),
        Piece::Bishop => (5 * center - 10 * home, 4 * center),
        Piece::Rook => (15 * seventh + 3 * inner_file, 12 * seventh),
        Piece::Queen => (2 * center - 4 * home, 5 * center),
        Piece::King => (-12 * inner_file - 20 * rank + 30 * home, 10 * center),
    };
    Tapered { middle, end }
}

/// Material and piece-square value of each white piece on each square.
static PIECE_VALUES: [[Tapered; Square::NUM]; Piece::NUM] = {
    let mut values = [[Tapered { middle: 0, end: 0 }; Square::NUM]; Piece::NUM];
    let mut n = 0;
    while n < Piece::NUM * Square::NUM {
        let (piece, square) = (n / Square::NUM, n % Square::NUM);
        let place = placement(Piece::index_const(piece), square);
        values[piece][square].middle = MATERIAL[piece].middle + place.middle;
        values[piece][square].end = MATERIAL[piece].end + place.end;
        n += 1;
    }
    values
};

#[inline]
fn piece_value(piece: Piece, color: Color, square: Square) -> Tapered {
    let flip = if color == Color::White { 0 } else { 56 };
    PIECE_VALUES[piece as usize][square as usize ^ flip]
}

/// Material and piece-square values, interpolated between middlegame and endgame by the remaining
/// pieces, and a bonus for the pair of bishops.
impl Heuristic for Chess {
    const NEARLY_EQUAL: i32 = 18;

    fn evaluate(&self) -> i32 {
        let (mut middle, mut end, mut phase) = (0, 0, 0);
        for color in Color::ALL {
            let sign = if color == self.board.side_to_move() { 1 } else { -1 };
            for piece in Piece::ALL {
                let squares = self.board.colored_pieces(color, piece);
                phase += PHASE[piece as usize] * squares.len() as i32;
                for square in squares {
                    let value = piece_value(piece, color, square);
                    middle += sign * value.middle;
                    end += sign * value.end;
                }
            }
            let pair = self.board.colored_pieces(color, Piece::Bishop).len() >= 2;
            middle += sign * BISHOP_PAIR * i32::from(pair);
            end += sign * BISHOP_PAIR * i32::from(pair);
        }
        let phase = phase.min(FULL_PHASE);
        (middle * phase + end * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

/// Captures and promotions first, the most valuable victim before the least valuable attacker
/// (MVV-LVA); then the moves with the largest gain in piece-square value.
impl MoveOrder for Chess {
    #[inline]
    fn move_score(&self, m: ChessMove) -> i32 {
        const AHEAD: i32 = 10_000;
        let value = |piece: Piece| MATERIAL[piece as usize].middle;
        let Some(piece) = self.board.piece_on(m.origin()) else { return 0 };
        let victim = match self.board.piece_on(m.target()) {
            Some(victim) if !self.is_castling(m) => Some(victim),
            _ => self.is_en_passant(m).then_some(Piece::Pawn),
        };
        match (victim, m.promotion()) {
            (None, None) => {
                let color = self.board.side_to_move();
                let place = |square| piece_value(piece, color, square).middle;
                place(self.destination(m)) - place(m.origin())
            }
            (victim, promotion) => {
                let gain = victim.map_or(0, value) + promotion.map_or(0, value);
                AHEAD + 10 * gain - piece as i32
            }
        }
    }
}

/// Captures and promotions; in check all evasions, without standing pat. A check is not forcing by
/// itself: only captures, promotions and evasions are searched, and the repetition rule ends the
/// rare sequences of evasions that answer check with check.
impl Tactics for Chess {
    fn push_forcing_moves(&self, buffer: &mut Vec<ChessMove>) {
        if self.in_check() {
            self.push_moves(buffer);
        } else if self.outcome.is_none() {
            let (sets, len) = self.piece_moves();
            for mut moves in sets.into_iter().take(len) {
                moves.to &= self.forcing_targets(moves.piece);
                buffer.extend(moves.into_iter().map(ChessMove::from));
            }
        }
    }

    fn may_stand_pat(&self) -> bool {
        !self.in_check()
    }
}

impl Chess {
    /// The squares on which a piece captures or promotes.
    fn forcing_targets(&self, piece: Piece) -> BitBoard {
        let color = self.board.side_to_move();
        let victims = self.board.colors(!color);
        if piece != Piece::Pawn {
            return victims;
        }
        let en_passant =
            self.board.en_passant().map(|file| Square::new(file, Rank::Sixth.relative_to(color)));
        let en_passant = en_passant.map_or(BitBoard::EMPTY, Square::bitboard);
        victims | en_passant | BitBoard(PROMOTION_RANKS)
    }
}

/// Moves are written as in the Universal Chess Interface (UCI): `e2e4`, `e7e8q`, `e1g1`. They are
/// read in that form or in standard algebraic notation, with or without move numbers. A line may
/// begin with `startpos` or a FEN, optionally followed by the word `moves`.
impl Notation for Chess {
    const SEPARATOR: &'static str = " ";

    fn move_text(&self, m: ChessMove) -> String {
        let shown = cozy_chess::Move { to: self.destination(m), ..m.into() };
        shown.to_string()
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(ChessMove, &'t str), NotationError> {
        let end = text.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        match self.read_uci(word).or_else(|| self.read_san(word)) {
            Some(m) => Ok((m, rest)),
            None => Err(NotationError::malformed(
                word,
                "a legal move such as e2e4, e7e8q, Nf3, exd5 or O-O",
            )),
        }
    }

    fn parse_line(&self, text: &str) -> Result<GameLine<Self>, NotationError> {
        let words: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()).collect();
        let (start, rest) = match words[..] {
            ["startpos", ref rest @ ..] => (Chess::new(), rest),
            [board, ..] if board.contains('/') => read_fen(&words)?,
            _ => (self.clone(), &words[..]),
        };
        let moves = rest.strip_prefix(&["moves"]).unwrap_or(rest);
        let mut line = GameLine::new(start);
        for word in moves {
            line.extend(without_move_number(word))?;
        }
        Ok(line)
    }

    fn position_text(&self) -> Option<String> {
        Some(self.board.to_string())
    }
}

impl Chess {
    /// Writes a legal move in standard algebraic notation: `Nbd2`, `exd6`, `e8=Q+`, `O-O`, `Qxf7#`.
    /// Other moves are written as by [`move_text`](Notation::move_text).
    pub fn san(&self, m: ChessMove) -> String {
        if self.is_legal(m) {
            util::display_san_move(&self.board, m.into()).to_string()
        } else {
            self.move_text(m)
        }
    }

    fn read_uci(&self, word: &str) -> Option<ChessMove> {
        let from: Square = word.get(..2)?.parse().ok()?;
        let to: Square = word.get(2..4)?.parse().ok()?;
        let promotion = match &word[4..] {
            "" => None,
            "n" => Some(Piece::Knight),
            "b" => Some(Piece::Bishop),
            "r" => Some(Piece::Rook),
            "q" => Some(Piece::Queen),
            _ => return None,
        };
        Some(ChessMove::new(from, self.castling_rook(from, to).unwrap_or(to), promotion))
    }

    /// The rook's square if the king's move from `from` to `to` is castling.
    fn castling_rook(&self, from: Square, to: Square) -> Option<Square> {
        let color = self.board.side_to_move();
        let rights = self.board.castle_rights(color);
        let file = match to.file() {
            File::G => rights.short?,
            File::C => rights.long?,
            _ => return None,
        };
        let from_home = from == self.board.king(color) && from.rank() == to.rank();
        from_home.then(|| Square::new(file, from.rank()))
    }

    /// The legal move that the text describes.
    fn read_san(&self, word: &str) -> Option<ChessMove> {
        let bare = word.trim_end_matches(['!', '?']);
        let letters =
            if bare.starts_with("0-0") { bare.replace('0', "O") } else { bare.to_string() };
        let m = util::parse_san_move(&self.board, &letters).ok().map(ChessMove::from)?;
        // In cozy-chess, castling captures the own rook, but "Kh1" does not mean castling.
        (letters.starts_with('O') || !self.is_castling(m)).then_some(m)
    }
}

/// Removes a move number: `e4` from `1.e4`, nothing from `1.`.
fn without_move_number(word: &str) -> &str {
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if after_digits.starts_with('.') { after_digits.trim_start_matches('.') } else { word }
}

/// Reads a FEN of four to six fields; returns the position and the words after it.
fn read_fen<'w, 't>(words: &'w [&'t str]) -> Result<(Chess, &'w [&'t str]), NotationError> {
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let counters = words.iter().skip(4).take(2).take_while(|word| is_number(word)).count();
    let (fields, rest) = words.split_at(words.len().min(4 + counters));
    let defaults = if fields.len() < 4 { &[] } else { &["0", "1"][counters..] };
    let text = [fields, defaults].concat().join(" ");
    let wrong = |why: &str| {
        let expected = "a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        NotationError::malformed(&text, format!("{expected} ({why})"))
    };
    if fields.first().is_none_or(|board| board.matches('/').count() != 7) {
        return Err(wrong("the board has eight ranks"));
    }
    let board = Board::from_fen(&text, false).map_err(|error| wrong(fault(error)))?;
    if !is_standard_castling(&board) {
        return Err(wrong(fault(FenParseError::InvalidCastlingRights)));
    }
    Ok((Chess::from_board(board), rest))
}

fn fault(error: FenParseError) -> &'static str {
    match error {
        FenParseError::InvalidBoard => "the board is not possible",
        FenParseError::InvalidSideToMove => "the side to move is w or b",
        FenParseError::InvalidCastlingRights => {
            "castling rights are - or some of KQkq that kings and rooks allow"
        }
        FenParseError::InvalidEnPassant => {
            "the en passant square is - or behind a pawn that moved two ranks"
        }
        FenParseError::InvalidHalfMoveClock => "the halfmove clock is at most 100",
        FenParseError::InvalidFullmoveNumber => "the move number is 1 to 65535",
        FenParseError::MissingField => "there are four to six fields",
        FenParseError::TooManyFields => "there are at most six fields",
    }
}

/// cozy-chess also supports Chess960, where the castling king may be on another file.
fn is_standard_castling(board: &Board) -> bool {
    Color::ALL.into_iter().all(|color| {
        let rights = board.castle_rights(color);
        let has_right = rights.short.is_some() || rights.long.is_some();
        !has_right || board.king(color).file() == File::E
    })
}

/// White pieces are uppercase letters, black pieces lowercase letters.
impl Draw for Chess {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(8, 8, |column, row| {
            let square = Square::index(8 * row + column);
            let piece = self.board.piece_on(square).zip(self.board.color_on(square));
            piece.map_or(DiagramCell::Empty, |(piece, color)| {
                let letter = char::from(piece);
                let white = color == Color::White;
                let symbol = if white { letter.to_ascii_uppercase() } else { letter };
                DiagramCell::Piece { side: side_of(color), symbol }
            })
        })
    }

    fn cells_of(&self, m: ChessMove) -> Vec<usize> {
        let (from, to) = (m.origin(), self.destination(m));
        let mut squares = vec![from];
        if self.is_castling(m) {
            let rook_file = if to.file() == File::G { File::F } else { File::D };
            squares.extend([m.target(), Square::new(rook_file, from.rank())]);
        } else if self.is_en_passant(m) {
            squares.push(Square::new(to.file(), from.rank()));
        }
        squares.push(to);
        let cell = |square: Square| Diagram::index(8, 8, square as usize % 8, square as usize / 8);
        squares.into_iter().map(cell).collect()
    }

    fn style(&self) -> BoardStyle {
        BoardStyle {
            material: BoardMaterial::Squares,
            sides: ["white", "black"],
            bottom: Some(Side::First),
        }
    }

    fn cell_in_check(&self) -> Option<usize> {
        let king = self.board.king(self.board.side_to_move()) as usize;
        self.in_check().then(|| Diagram::index(8, 8, king % 8, king / 8))
    }
}

/// Computes outcome and key from the position's FEN and the whole history.
impl Reference for Chess {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let board = rebuilt(&self.board);
        let mut moves = 0;
        board.generate_moves(|piece| {
            moves += piece.into_iter().count();
            false
        });
        if moves == 0 {
            let mated = !board.checkers().is_empty();
            return Some(if mated { Outcome::Win(!self.to_move()) } else { Outcome::Draw });
        }
        let key = self.key_by_scan();
        let occurrences = 1 + self.history.iter().filter(|&&earlier| earlier == key).count();
        let drawn = occurrences >= 3
            || board.halfmove_clock() == 100
            || has_too_little_material(&self.diagram());
        drawn.then_some(Outcome::Draw)
    }

    fn key_by_scan(&self) -> u64 {
        let board = rebuilt(&self.board);
        let mut takes_en_passant = false;
        board.generate_moves(|moves| {
            for m in moves {
                let is_pawn = board.piece_on(m.from) == Some(Piece::Pawn);
                let aslant = m.from.file() != m.to.file();
                takes_en_passant |= is_pawn && aslant && board.piece_on(m.to).is_none();
            }
            false
        });
        if takes_en_passant { board.hash() } else { board.hash_without_ep() }
    }
}

fn rebuilt(board: &Board) -> Board {
    board.to_string().parse().expect("cozy-chess reads what it has written")
}

/// Whether the pieces in the diagram cannot mate: at most one minor piece, or only bishops on
/// squares of one color.
fn has_too_little_material(diagram: &Diagram) -> bool {
    let mut pieces = Vec::new();
    for (index, cell) in diagram.cells.iter().enumerate() {
        if let DiagramCell::Piece { symbol, .. } = cell {
            pieces.push((symbol.to_ascii_lowercase(), (index / 8 + index % 8) % 2));
        }
    }
    pieces.retain(|&(kind, _)| kind != 'k');
    let minor = |&(kind, _): &(char, usize)| kind == 'n' || kind == 'b';
    let like_first = |piece: &(char, usize)| piece.0 == 'b' && piece == &pieces[0];
    pieces.len() <= 1 && pieces.iter().all(minor) || pieces.iter().all(like_first)
}

crate::capabilities!(Chess: Heuristic, MoveOrder, Tactics, Reference);

/// The registry entry of chess.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "chess",
        title: "Chess",
        summary: "Chess with all draw rules; FEN, UCI and SAN",
        rules: "The usual rules, with castling, en passant, promotion, and draws by repetition, \
            fifty moves and insufficient material. Attack the king so that it cannot escape.",
        options: &[],
        presets: &[],
    },
    open,
};

fn open(spec: Spec) -> Result<State, SpecError> {
    spec.finish()?;
    Ok(State::new(Chess::new()))
}
