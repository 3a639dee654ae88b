"""Games of python-chess, written as nobody should write them."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import chess
import chess.pgn

STARTS = (
    None,
    None,
    None,
    "4k3/P6P/8/8/8/8/p6p/4K2R b K - 3 40",
    "r3k2r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/R3K2R w KQkq e6 0 12",
    "1n2k3/P1P5/8/3pP3/8/8/8/R3K2R w KQ d6 0 0",
)
FIGURINES = dict(zip("KQRBN", "♔♕♖♗♘", strict=True))
JUNK = (
    *(
        "hello",
        "N",
        "Nf",
        "e",
        "xd5",
        "e9",
        "i4",
        "Nf3-",
        "O-O-O-O",
        "[x]",
        "<x>",
        "é",
        "e4,",
        "4e5",
    ),
    *(
        "nf3",
        "Sf3",
        "P@e4",
        "e4e5e6",
        "--e4",
        "1-2",
        "[%clk",
        "...e",
        "\0",
        "Nf3Nc6",
        "OO",
        "0-0-1",
    ),
)
NULL_MOVES = ("--", "Z0", "0000", "@@@@", "Z0+")
COMMENTS = (
    "good",
    "a (b",
    "x ) y",
    "1. e4 *",
    "a\nb",
    "% no",
    "; no",
    "1-0",
    "Nf3 { e4",
    "[%clk 0:01]",
)

REFUSED = {"not a move", "null move", "unreadable text", "illegal move"}


@dataclass
class Mangled:
    """A game as text, and what must come of it."""

    text: str
    moves: list[chess.Move]
    """The moves that were played."""
    reasons: frozenset[str] | None = None
    """Why it must be refused; None where it need not be."""
    kept: bool = True
    """Whether it must be kept, with all its moves."""
    kind: str = ""


@dataclass
class Played:
    """A random game."""

    start: str | None
    moves: list[chess.Move] = field(default_factory=list)

    def board(self) -> chess.Board:
        return chess.Board(self.start) if self.start else chess.Board()


def played(draw: random.Random) -> Played:
    game = Played(draw.choice(STARTS))
    board = game.board()
    for _ in range(draw.randint(2, 24)):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        # Rare moves are drawn more often, so that all notations are seen.
        rare = [m for m in legal if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        if not legal:
            break
        move = draw.choice(rare if rare and draw.random() < 0.5 else legal)
        game.moves.append(move)
        board.push(move)
    return game


# --- notation ---


def word(board: chess.Board, move: chess.Move, style: str, draw: random.Random) -> str:
    """A move in one of the notations that are read."""
    san = board.san(move)
    bare = san.rstrip("+#")
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    promotion = bare[-1] if move.promotion else ""
    if style == "uci":
        return move.uci()
    if style == "long" and not board.is_castling(move):
        piece = board.piece_type_at(move.from_square)
        letter = "" if piece == chess.PAWN else chess.piece_symbol(piece).upper()
        sign = draw.choice(("x" if board.is_capture(move) else "-", ""))
        return (
            letter + origin + sign + target + draw.choice(("=", "")) * bool(promotion) + promotion
        )
    if style == "zeros":
        bare = bare.replace("O", "0")
    if style == "bare":
        bare = bare.replace("=", "").replace("x", "" if draw.random() < 0.5 else "x")
    if style == "small" and promotion:
        bare = bare[:-1].rstrip("=") + promotion.lower()
    if style == "figurine":
        bare = "".join(FIGURINES.get(letter, letter) for letter in bare)
    signs = ("", "+", "++", "#", "+#", "!", "?!", "+!?", "!!!", "+-", "=", " $4", "$18 $3", "! +")
    return san if style == "san" else bare + draw.choice(signs)


STYLES = ("san", "uci", "long", "zeros", "bare", "small", "figurine", "signs", "mixed")
ASCII = tuple(style for style in STYLES if style not in ("figurine", "mixed"))


def words(game: Played, style: str, draw: random.Random) -> list[str]:
    board, found = game.board(), []
    for move in game.moves:
        each = draw.choice(STYLES[:-1]) if style == "mixed" else style
        found.append(word(board, move, each, draw))
        board.push(move)
    return found


def numbered(game: Played, moves: list[str], how: str, draw: random.Random) -> list[str]:
    """Words with their numbers: one text for every move."""
    board, texts = game.board(), []
    for index, (move, text) in enumerate(zip(game.moves, moves, strict=True)):
        number, white = board.fullmove_number, board.turn
        front = ""
        if how == "usual" and (white or index == 0):
            front = f"{number}. " if white else f"{number}... "
        elif how == "glued":
            front = f"{number}." if white else ""
        elif how == "both":
            front = f"{number}." if white else f"{number}..."
        elif how == "bare" and white:
            front = f"{number} "
        elif how == "some" and draw.random() < 0.3:
            front = f"{number}{'.' if white else ' ...'} "
        texts.append(front + text)
        board.push(move)
    return texts


NUMBERS = ("usual", "glued", "both", "bare", "some", "none")


def variation(game: Played, index: int, draw: random.Random, depth: int = 0) -> str:
    """Other moves in place of a game's move, with comments and variations of their own."""
    board = game.board()
    for move in game.moves[:index]:
        board.push(move)
    texts = []
    for _ in range(draw.randint(1, 3)):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        move = draw.choice(legal)
        texts.append(board.san(move))
        board.push(move)
        if draw.random() < 0.2:
            texts.append("{" + draw.choice(COMMENTS) + "}")
        if depth < 2 and draw.random() < 0.3:
            texts.append(variation(game, index, draw, depth + 1))
    return "(" + " ".join(texts) + ")"


def comment(draw: random.Random) -> str:
    if draw.random() < 0.3:
        return "; " + draw.choice(("so", "{ e4", "( x", "1-0")) + "\n"
    if draw.random() < 0.2:
        return "\n% " + draw.choice(("so", "{ e4", "e4 e5")) + "\n"
    return "{" + draw.choice(COMMENTS) + "}"


def decorated(game: Played, texts: list[str], draw: random.Random) -> list[str]:
    """The same with comments and variations after some of the moves."""
    found = []
    for index, text in enumerate(texts):
        found.append(text)
        if draw.random() < 0.15:
            found.append(comment(draw))
        if draw.random() < 0.1:
            found.append(variation(game, index, draw))
    return found


def broken(draw: random.Random, parts: list[str]) -> str:
    """The parts with white space of all kinds between them, but no empty line."""
    text = ""
    for part in parts:
        text += part + draw.choice((" ", " ", " ", "\n", "\r\n", "\t", "  "))
    while "\n\n" in text or "\n\r\n" in text:
        text = text.replace("\n\n", "\n").replace("\n\r\n", "\n")
    # A line that begins with a bracket or a percent sign would be something else.
    return text.replace("\n[", " [")


# --- mangling ---


def harmless(game: Played, draw: random.Random) -> tuple[list[str], str]:
    style = draw.choice(STYLES)
    texts = numbered(game, words(game, style, draw), draw.choice(NUMBERS), draw)
    return decorated(game, texts, draw), style


def plain(game: Played, draw: random.Random) -> list[str]:
    """Words that python-chess reads too."""
    moves = words(game, draw.choice(ASCII), draw)
    return numbered(game, moves, draw.choice(NUMBERS), draw)


def inserted(draw: random.Random, parts: list[str], part: str) -> list[str]:
    at = draw.randint(0, len(parts))
    return [*parts[:at], part, *parts[at:]]


def as_written(game: Played, draw: random.Random) -> Mangled:
    parts, style = harmless(game, draw)
    return Mangled(broken(draw, parts), game.moves, kind=f"written {style}")


def refusing(part: Callable[[random.Random], str], *reasons: str) -> Callable[..., Mangled]:
    def mangle(game: Played, draw: random.Random) -> Mangled:
        parts = inserted(draw, harmless(game, draw)[0], part(draw))
        return Mangled(broken(draw, parts), game.moves, frozenset(reasons), kept=False)

    return mangle


def without(letter: str, wrapped: Callable[..., str]) -> Callable[..., Mangled]:
    """A note that lacks a bracket, where no later note has one."""

    def mangle(game: Played, draw: random.Random) -> Mangled:
        parts = plain(game, draw)
        at = draw.randrange(len(parts))
        note = wrapped(game, at, draw).replace(letter, "", 1)
        parts = [*parts[: at + 1], note, *parts[at + 1 :]]
        return Mangled(broken(draw, parts), game.moves, frozenset(REFUSED), kept=False)

    return mangle


def truncated(game: Played, draw: random.Random) -> Mangled:
    """A word that lost its last letters: what is left may be another move, never nothing."""
    moves = words(game, draw.choice(ASCII), draw)
    at = draw.randrange(len(moves))
    moves[at] = moves[at][: draw.randint(1, len(moves[at]))]
    parts = numbered(game, moves, "usual", draw)
    return Mangled(broken(draw, parts), game.moves, kept=False)


def shuffled(game: Played, draw: random.Random) -> Mangled:
    """A move that is missing, stands twice or has changed places."""
    parts = plain(game, draw)
    at, other = draw.randrange(len(parts)), draw.randrange(len(parts))
    how = draw.randrange(3)
    if how == 0:
        del parts[at]
    elif how == 1:
        parts.insert(other, parts[at])
    else:
        parts[at], parts[other] = parts[other], parts[at]
    return Mangled(broken(draw, parts), game.moves, kept=False)


LETTERS = "abcdefgh12345678NBRQKOx+#=!?.-(){};$%*0 \n"


def scratched(game: Played, draw: random.Random) -> Mangled:
    """A few letters that are lost, added or changed."""
    parts = decorated(game, plain(game, draw), draw)
    text = list(broken(draw, parts))
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        text[at : at + draw.randint(0, 1)] = draw.choice(("", draw.choice(LETTERS)))
    # python-chess ends a game at an empty line, we do not.
    whole = "".join(text).replace("\r", "")
    while "\n\n" in whole or "\n \n" in whole:
        whole = whole.replace("\n \n", "\n").replace("\n\n", "\n")
    return Mangled(whole.replace("\n[", " [").strip("\n"), game.moves, kept=False)


KINDS: dict[str, tuple[int, Callable[..., Mangled]]] = {
    "written": (8, as_written),
    "junk": (2, refusing(lambda draw: draw.choice(JUNK), "not a move", "illegal move")),
    "null move": (1, refusing(lambda draw: draw.choice(NULL_MOVES), "null move")),
    "a closing bracket too many": (1, refusing(lambda draw: draw.choice(")}"), "unreadable text")),
    "an open variation": (1, without(")", lambda game, at, draw: "(d4 {x} d5)")),
    "a variation without beginning": (1, without("(", variation)),
    "an open comment": (1, without("}", lambda game, at, draw: "{ never closed }")),
    "a comment without beginning": (1, without("{", lambda game, at, draw: "{so }")),
    "truncated": (3, truncated),
    "shuffled": (2, shuffled),
    "scratched": (6, scratched),
}


def mangled(draw: random.Random) -> tuple[Played, Mangled]:
    """A game, and what became of it."""
    game = played(draw)
    weights = [weight for weight, _ in KINDS.values()]
    kind = draw.choices(list(KINDS), weights)[0]
    found = KINDS[kind][1](game, draw)
    found.kind = found.kind or kind
    return game, found
