"""Statements without their secrets. Rather one literal too many than one too few: what a person asked for stays readable.

A statement that names a secret (a password, a token, a key: as a word, an option or a column) loses all its text literals,
wherever they stand; so do CREATE SECRET and ATTACH. And whatever looks like a secret itself goes, in any statement, in comments
and in names. Texts are judged as Spark will read them: escapes decoded, adjacent literals joined, wide letters made plain.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

HIDDEN = "***"
LONGEST_SQL = 16_384
# What lies behind is not shown, so it is only searched for names of secrets: a megabyte of tokens would take seconds.
LONGEST_READ = 2 * LONGEST_SQL


@dataclass(frozen=True)
class Redacted:
    """`sha256` is of the whole redacted text: a hash of the original would let everybody try passwords against it."""

    text: str
    sha256: str
    cut: bool


def redacted(sql: str) -> Redacted:
    text = _redacted(sql[:LONGEST_READ], suspicious=bool(_SECRET_WORD.search(sql, LONGEST_READ)))
    digest = hashlib.sha256((text + sql[LONGEST_READ:]).encode("utf-8", "surrogatepass")).hexdigest()
    cut = len(text) > LONGEST_SQL or len(sql) > LONGEST_READ
    return Redacted(text[:LONGEST_SQL] + "…" if cut else text, digest, cut)


class _Token(NamedTuple):
    kind: str
    text: str

    def content(self) -> str:
        """What a literal, a quoted name or a word says."""
        match self.kind:
            case "raw":
                return self.text[2:].removesuffix(self.text[1])
            case "single" | "double":
                return _decoded(self.text[1:].removesuffix(self.text[0]))
            case "name":
                return self.text[1:].removesuffix("`").replace("``", "`")
            case _:
                return self.text


# As Spark's own lexer cuts. A hint's inside is code; other comments nest.
_TOKENS = re.compile(
    r"""
      (?P<comment> --(?:\\\n|[^\r\n])* | /\*(?!\+) )
    | (?P<raw>     [rR](?: '[^']*'? | "[^"]*"? ) )
    | (?P<single>  '(?:[^'\\]|\\.|'')*+'? )
    | (?P<double>  "(?:[^"\\]|\\.|"")*+"? )
    | (?P<name>    `(?:[^`]|``)*+`? )
    | (?P<word>    \w[\w$.]*(?:-[\w$.]+)* )
    | (?P<space>   \s+ )
    | (?P<other>   => | == | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))|''|\"\"", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "0": "\0", "b": "\b", "r": "\r", "Z": "\x1a"}

# In what is left of a name without case, accents and punctuation.
_SECRET_NAME = re.compile(
    r"secret|passw|passphrase|passcode|token|credential|apikey|accesskey|accountkey|sharedkey|privatekey|masterkey|signingkey|"
    r"encryptionkey|authkey|storagekey|accesssignature|bearer|authorization|cookie|^(?:pwd|pass|pw|sas|hmac|jwt|otp|pin)$"
)
_SECRET_WORD = re.compile(r"secret|passw|token|credential|\bpwd\b|(?:api|access|account|private)[._-]?key", re.IGNORECASE)
_PARTS = re.compile(r"[^a-z0-9]+")

_SECRET_VALUE = re.compile(
    r"""
      eyJ[A-Za-z0-9_-]{15,}+(?:\.[A-Za-z0-9_-]*+)*+                              # a JWT, whole or cut
    | (?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9._-]*+
    | \b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA|AGPA|ANPA|ANVA|APKA)[A-Z0-9]{12,}        # ids of AWS keys and roles
    | \b(?i:bearer|basic)\s++(?=[^\s'"]*[0-9._~+/=-])[A-Za-z0-9._~+/=-]{6,}       # headers
    | -----BEGIN[ A-Z]*PRIVATE\ KEY.*                                            # PEM
    | \b(?:gh[opsu]_|github_pat_|glpat-|xox[abprs]-|sk-|hf_|sqe_|dapi)[A-Za-z0-9_-]{12,}
    | ://[^/\s:@'"]*:[^/\s@'"]+@                                                 # user and password in an address
    | [?&;](?i:sig|signature|X-Amz-[A-Za-z-]+|token|access_token|key|password|secret)=[^&\s'"]+
    | \$argon2[a-z]*\$\S+ | \$2[aby]\$\d\d\$\S+                                  # hashes of passwords
    """,
    re.VERBOSE | re.DOTALL,
)
# The secret of an AWS key has 40 such characters, an Azure account key 88.
_SECRET_KEY = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])(?:[A-Za-z0-9/+=]{40}|[A-Za-z0-9/+]{86}==)")


def _redacted(sql: str, *, suspicious: bool) -> str:
    tokens = list(_cut(sql))
    if not (suspicious or _names_a_secret(tokens) or _holds_a_secret_in_pieces(tokens)):
        return "".join(map(_without_values, tokens))
    if "\\" in sql:
        # Whether a backslash escapes depends on the dialect; where a literal ends must not.
        return _outside_of_quotes(sql)
    return "".join(_without_literals(tokens))


def _cut(sql: str) -> Iterator[_Token]:
    place = 0
    while place < len(sql):
        found = _TOKENS.match(sql, place)
        assert found is not None
        end = _end_of_comment(sql, place) if found[0] == "/*" else found.end()
        yield _Token(found.lastgroup or "other", sql[place:end])
        place = end


def _end_of_comment(sql: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, start):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(sql)


def _names_a_secret(tokens: Sequence[_Token]) -> bool:
    if _first_word(tokens) == "ATTACH":
        return True
    said = {token.content() for token in tokens if token.kind not in ("space", "other", "comment")}
    joined = "".join(token.content() for token in tokens if token.kind in ("single", "raw"))
    return any(map(_is_secret_name, said)) or _is_secret_name(joined)


def _holds_a_secret_in_pieces(tokens: Sequence[_Token]) -> bool:
    """`'AKIA' || '…'`: only together they make one."""
    literals = [token.content() for token in tokens if token.kind in ("single", "raw", "double")]
    if len(literals) < 2:
        return False
    return len(_SECRET_VALUE.findall("".join(literals))) > sum(bool(_SECRET_VALUE.search(each)) for each in literals)


def _is_secret_name(text: str) -> bool:
    lower = _lower(text)
    return bool(_SECRET_NAME.search(_PARTS.sub("", lower))) or any(map(_SECRET_NAME.search, _PARTS.split(lower)))


def _lower(text: str) -> str:
    """Wide letters, accents and invisible characters do not make another word of it."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if unicodedata.category(char) not in ("Mn", "Cf"))


def _without_literals(tokens: Sequence[_Token]) -> Iterator[str]:
    setting = _first_word(tokens) == "SET"
    options = _start_of_options(tokens)
    for index, token in enumerate(tokens):
        if setting and token.text == "=":
            yield f"= {HIDDEN}"  # SET takes its value unquoted, to the end of the statement
            return
        if token.kind in ("single", "raw"):
            yield token.text if _is_name_of_option(tokens, index) else f"'{HIDDEN}'"
        elif token.kind == "double" and _is_value_of_secret(tokens, index):
            yield f'"{HIDDEN}"'
        elif (
            token.kind == "word"
            and _is_value_of_secret(tokens, index)
            and (token.text[0].isdigit() or index > options or _neighbour(tokens, index, -1) == "=>")
        ):
            yield HIDDEN  # a bare value; a column that is compared with another one stays
        elif token.kind == "comment":
            yield _hidden_comment(token)
        else:
            yield _without_values(token)


def _first_word(tokens: Sequence[_Token]) -> str:
    return next((token.text.upper() for token in tokens if token.kind == "word"), "")


def _is_name_of_option(tokens: Sequence[_Token], index: int) -> bool:
    """`'s3.secret-access-key' =` in a list of options: worth reading, and no secret."""
    text = tokens[index].text
    listed = _neighbour(tokens, index, -1) in ("(", ",") and _neighbour(tokens, index, 1) in ("=", "=>")
    return listed and bool(re.fullmatch(r"'[a-z0-9]+([._-][a-z0-9]+)+'", text)) and not _SECRET_VALUE.search(text)


def _is_value_of_secret(tokens: Sequence[_Token], index: int) -> bool:
    place = index - 1
    while place >= 0 and (tokens[place].kind in ("space", "comment") or tokens[place].text in ("=", "=>", "==", ":")):
        place -= 1
    return place >= 0 and tokens[place].kind != "other" and _is_secret_name(tokens[place].content())


def _start_of_options(tokens: Sequence[_Token]) -> int:
    """Of CREATE SECRET and ATTACH, where a value may stand bare behind its name: `(TOKEN abc)`."""
    told = False
    for index, token in enumerate(tokens):
        told = told or (token.kind == "word" and token.text.upper() in ("SECRET", "ATTACH"))
        if token.text == "(":
            return index if told else len(tokens)
    return len(tokens)


def _neighbour(tokens: Sequence[_Token], index: int, step: int) -> str:
    place = index + step
    while 0 <= place < len(tokens) and tokens[place].kind in ("space", "comment"):
        place += step
    return tokens[place].text if 0 <= place < len(tokens) else ""


def _outside_of_quotes(sql: str) -> str:
    quotes = [place for place, char in enumerate(sql) if char in "'\"`"]
    if not quotes:
        return "".join(_without_literals(list(_cut(sql))))
    before, after = sql[: quotes[0]], sql[quotes[-1] + 1 :]
    return f"{_SECRET_VALUE.sub(HIDDEN, before)}'{HIDDEN}'{_SECRET_VALUE.sub(HIDDEN, after)}"


def _hidden_comment(token: _Token) -> str:
    """Beside a secret a comment may hold another one: people keep what they tried."""
    return f"-- {HIDDEN}" if token.text.startswith("--") else f"/* {HIDDEN} */"


def _without_values(token: _Token) -> str:
    if token.kind in ("single", "raw", "double", "name"):
        said = token.content()
        if _SECRET_VALUE.search(said) or (len(said) in (40, 88) and _SECRET_KEY.fullmatch(said)):
            quote = token.text[1] if token.kind == "raw" else token.text[0]
            return f"{quote}{HIDDEN}{quote}"
        return token.text
    if token.kind in ("space", "other"):
        return token.text
    if token.kind == "comment" and any(map(_is_secret_name, re.findall(r"[\w.-]+", token.text))):
        return _hidden_comment(token)
    return _SECRET_VALUE.sub(HIDDEN, token.text)


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_one_decoded, text) if "\\" in text or "''" in text or '""' in text else text


def _one_decoded(found: re.Match[str]) -> str:
    by_code, by_long_code, octal, other = found.groups()
    if code := by_code or by_long_code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else ""
    if octal:
        return chr(int(octal, 8))
    return _ESCAPED.get(other, other) if other else found[0][0]
