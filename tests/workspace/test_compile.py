"""Any text is a query that FTS5 accepts, and nothing in it is an operator."""

from __future__ import annotations

import re
import unicodedata

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workspace.query.compile import MAX_TERMS, compile_query
from workspace.query.search import stemmer
from workspace.query.tree import And, Or, Phrase, Term, leaves

VOCABULARY = ["alpha", "beta", "gamma", "and", "or", "not", "near", "content", "headings", "rowid", "rank", "x"]
ROWS = {
    number: " ".join(word for bit, word in enumerate(VOCABULARY) if number >> bit & 1)
    for number in range(1, 1 << len(VOCABULARY), 7)
}


def table(rows: dict[int, str]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(content, headings, tokenize='porter unicode61 remove_diacritics 2')"
    ).fetchall()
    connection.executemany("INSERT INTO t(rowid, content) VALUES(?, ?)", rows.items())
    return connection


def found(connection: apsw.Connection, text: str, *, stem: bool = False) -> set[int]:
    match = compile_query(text, stem=stemmer(connection) if stem else None).match
    if not match:
        return set()
    return {row for (row,) in connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (match,))}


@pytest.fixture(scope="module")
def sample() -> apsw.Connection:
    return table(ROWS)


# --- what a text means -------------------------------------------------------------------------------------


OPERATORS_AS_WORDS = (
    '"say" OR "to" OR "go" OR "AND" OR "not" OR "content" OR "this" OR "NEAR"'
    ' OR "say to go AND not content this NEAR a b 2"'
)
LONG = " ".join(f"w{number:02}" for number in range(13))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("deploy", '"deploy"'),
        ("deploy agent", '"deploy" OR "agent" OR "deploy agent"'),
        ("hermes-agent", '("hermes agent" OR ("hermes" AND "agent"))'),
        ("HERMES_HOME", '("HERMES HOME" OR ("HERMES" AND "HOME"))'),
        ("deploy hermes-agent", '"deploy" OR ("hermes agent" OR ("hermes" AND "agent")) OR "deploy hermes agent"'),
        ("foo.bar-baz", '("foo bar baz" OR ("foo" AND "bar" AND "baz"))'),
        ("foo-foo", '("foo foo" OR "foo")'),
        ("foo.bar", '"foo" OR "bar" OR "foo bar"'),
        ("foo - bar", '"foo" OR "bar" OR "foo bar"'),
        ("-foo bar-", '"foo" OR "bar" OR "foo bar"'),
        ("x-ray", '"ray" OR "x ray"'),
        ("x\u030cy word", '"x\u030cy" OR "word" OR "x\u030cy word"'),
        ("C", '"C"'),
        ("C or R", '"or" OR "C or R"'),
        ("C R", '"C" OR "R" OR "C R"'),
        ("a-b", '("a b" OR ("a" AND "b"))'),
        ("say say", '"say" OR "say say"'),
        ('say "to go" AND -not content:this* NEAR(a b, 2)', OPERATORS_AS_WORDS),
        ("nul\0zero\u200bwidth\u202e\ud800gate", '"nul" OR "zero" OR "width" OR "gate" OR "nul zero width gate"'),
        ("ar\u200bmes-agent", '"ar" OR ("mes agent" OR ("mes" AND "agent")) OR "ar mes agent"'),
        (LONG, " OR ".join(f'"{word}"' for word in LONG.split())),
        (LONG[4:], " OR ".join(f'"{word}"' for word in LONG[4:].split()) + f' OR "{LONG[4:]}"'),
        ("", ""),
        (" \t\n", ""),
        ('*:^"()-+_', ""),
        ("😀", ""),
    ],
)  # fmt: skip
def test_a_text_compiles_to(text: str, match: str):
    assert compile_query(text).match == match


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how does the writer commit batches", ["writer", "commit", "batches"]),
        ("How Does The Writer Commit", ["Writer", "Commit"]),
        ("deploy the agent", ["deploy", "agent"]),
        ("while loop", ["while", "loop"]),
        ("if not in", ["if", "not", "in"]),
        ("why while loop", ["loop"]),
        ("the who", ["the", "who"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("what is a what-if", ["what", "if"]),
    ],
)
def test_a_question_is_asked_without_the_words_of_a_question(text: str, words: list[str]):
    """But only a question is, and never nothing."""
    compiled = compile_query(text)
    assert [term.text for term in compiled.terms] == words
    assert compiled.whole == Phrase(tuple(map(Term, re.findall(r"\w+", text))))


def test_the_tree_says_what_the_expression_says():
    hermes, agent, deploy = Term("hermes"), Term("agent"), Term("deploy", 2)
    compound = Or((Phrase((hermes, agent)), And((hermes, agent))))
    whole = Phrase((Term("deploy"), Term("hermes"), Term("agent"), Term("Deploy")))
    compiled = compile_query("deploy hermes-agent Deploy")
    assert compiled.tree == Or((deploy, compound, whole))
    assert compiled.terms == (deploy, hermes, agent)
    assert compiled.pairs == ((deploy, hermes), (hermes, agent), (agent, deploy))
    assert compiled.whole == whole


def test_the_leaves_of_a_tree_are_numbered_as_fts5_does():
    connection = table({1: "hay deploy stack hermes agent"})
    numbers = []
    connection.register_fts5_function("phrases", lambda api: numbers.append(api.phrases))
    for text in (
        "deploy hermes-agent stack",
        "Việt-Nam hay " + unicodedata.normalize("NFD", "한국어"),
        "x-ray hay-fever",
    ):
        tree = compile_query(text, stem=stemmer(connection)).tree
        assert tree is not None
        connection.execute("SELECT phrases(t) FROM t WHERE t MATCH ?", (str(tree) + ' OR "hay"',)).fetchall()
        tokens = [" ".join(phrase) for phrase in numbers.pop()]
        stem = stemmer(connection)
        assert tokens == [*(stem(str(leaf)) for leaf in leaves(tree)), "hai"]


def test_repeated_terms_are_sent_once_and_counted():
    compiled = compile_query("agent agents Agent hermes-agent hermes_agent")
    assert compiled.match.startswith(
        '"agent" OR "agents" OR ("hermes agent" OR ("hermes" AND "agent")) OR "agent agents'
    )
    agent, agents, hermes = Term("agent", 4), Term("agents", 1), Term("hermes", 2)
    assert compiled.terms == (agent, agents, hermes)
    assert compiled.pairs == ((agent, agents), (agents, agent), (agent, hermes), (hermes, agent))


def test_terms_with_one_stem_are_one_term(sample: apsw.Connection):
    compiled = compile_query("deploying Deploy café cafe\u0301 hermes-agents hermes-agent", stem=stemmer(sample))
    assert compiled.match.startswith('"deploying" OR "café" OR ("hermes agents" OR ("hermes" AND "agents")) OR "dep')
    assert compiled.terms == (Term("deploying", 2), Term("café", 2), Term("hermes", 2), Term("agents", 2))


def test_what_prints_itself_quotes_itself():
    assert str(Term('say "AND"')) == '"say ""AND"""'


# --- writing systems -----------------------------------------------------------------------------------------


def test_composed_and_decomposed_words_find_each_other():
    words = ["Việt", "한국어", "ガイド", "naïve", "Ångström"]
    rows = {}
    for number, word in enumerate(words):
        rows[2 * number] = unicodedata.normalize("NFC", word)
        rows[2 * number + 1] = unicodedata.normalize("NFD", word)
    connection = table(rows)
    for number, word in enumerate(words):
        for form in ("NFC", "NFD"):
            for stem in (False, True):
                assert found(connection, unicodedata.normalize(form, word), stem=stem) == {2 * number, 2 * number + 1}


def test_decomposed_compounds_find_composed_ones():
    connection = table({1: "한국-서울", 2: unicodedata.normalize("NFD", "한국-서울"), 3: "한국"})
    assert found(connection, unicodedata.normalize("NFD", "한국-서울"), stem=True) == {1, 2}


def test_a_letter_with_marks_is_a_lone_character():
    assert compile_query("x\u0304 word").terms == (Term("word"),)


def test_every_character_finds_itself_and_nothing_else():
    """Whatever FTS5 makes of a character, be it nothing, the expression is accepted and finds what has that."""
    codes = [*range(0x80), *range(0x80, 0x10000, 3), *range(0x10000, 0x32000, 11), *range(0x32000, 0x110000, 997)]
    doubled = {code: chr(code) * 2 for code in codes if not 0xD800 <= code < 0xE000}
    connection = table(doubled)
    stem = stemmer(connection)
    kept: dict[str, set[int]] = {}  # by what the index keeps of them: É finds e
    for code, text in doubled.items():
        kept.setdefault(stem(text), set()).add(code)
    kept.pop("")
    normal = [text for text in doubled.values() if unicodedata.is_normalized("NFC", text)]
    for start in range(0, len(normal), 50):
        part = normal[start : start + 50]
        forms = {unicodedata.normalize(form, text) for text in part if text.isalnum() for form in ("NFC", "NFD")}
        expected = set().union(*(kept.get(stem(form), set()) for form in forms))
        assert found(connection, " ".join(part)) == expected
        assert found(connection, " ".join(part), stem=True) == expected


# --- no text has power over the expression -------------------------------------------------------------------

OPERATORS = [
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "NEAR/2",
    "content:",
    "-headings :",
    '"',
    "'",
    "*",
    "^",
    ":",
    "(",
    ")",
    "{",
    "}",
    "+",
]
SIGNS = [" ", " ", " ", "-", "_", ",", ".", ";", "\\", "%", "?", "\0", "\n", "\u200b"]
PIECES = st.sampled_from(VOCABULARY + OPERATORS + SIGNS)
SEPARATORS = re.compile(r"[\s\0\u200b]+")


def model(text: str) -> set[int]:
    """The rows that hold any word, or all parts of any compound, of a text in lower-case ASCII."""
    words = [(word, re.findall(r"[a-z0-9]+", word)) for word in SEPARATORS.split(text.lower())]
    if any(len(token) > 1 for _, tokens in words for token in tokens):
        words = [(word, [token for token in tokens if len(token) > 1]) for word, tokens in words]
    rows = set()
    for word, tokens in words:
        groups = [tokens] if re.search("[-_]", word) else [[token] for token in tokens]
        rows |= {n for n, row in ROWS.items() if any(group and set(group) <= set(row.split()) for group in groups)}
    return rows


@given(st.lists(PIECES, max_size=12).map("".join))
@example("content: alpha")
@example("alpha NOT beta")
@example("alpha AND")
@example("alp*")
@example("NEAR(alpha beta, 1)")
@example('"alpha')
@example("^alpha + beta")
@example("{content headings} : alpha")
@example("- content : alpha")
@example("rank : alpha")
@example("near-content x")
def test_only_the_words_of_a_query_count(sample: apsw.Connection, text: str):
    assert found(sample, text) == found(sample, text, stem=True) == model(text)


@given(st.text())
@example("\ud800")
@example("\0")
@example('"')
@example("²ª½")
@example("क़ख़ a\u0345\u0345")
def test_any_text_is_accepted(sample: apsw.Connection, text: str):
    """FTS5 raises on an expression it does not accept; the result is empty or a set of rows."""
    assert found(sample, text) <= set(ROWS)
    assert found(sample, text, stem=True) <= set(ROWS)


# --- size ----------------------------------------------------------------------------------------------------


def test_terms_over_the_limit_are_dropped_with_a_note():
    text = " ".join(f"word{number}" for number in range(MAX_TERMS + 1))
    compiled = compile_query(text + " word0")
    assert len(compiled.terms) == MAX_TERMS
    assert compiled.terms[0] == Term("word0", 2)
    assert f'"word{MAX_TERMS - 1}"' in compiled.match
    assert f'"word{MAX_TERMS}"' not in compiled.match
    assert len(compiled.notes) == 1
    assert compile_query(text.rsplit(" ", 1)[0]).notes == ()


def test_compounds_that_the_limit_makes_equal_are_sent_once():
    text = " ".join(f"word{number}" for number in range(MAX_TERMS - 2))
    compiled = compile_query(f"{text} alpha-beta-one alpha-beta-two alpha-beta-three")
    assert compiled.match.count('"alpha beta"') == 1


LARGE = {
    "one word": "x" * 1_000_000,
    "many words": " ".join(f"wörd{number}" for number in range(10_000)),
    "one compound": "-".join(f"part{number}" for number in range(100_000)),
    "many compounds": " ".join(f"a{number % 60}-b{number % 59}" for number in range(20_000)),
    "one compound of few terms": "-".join(["ab", "cd"] * 100_000),
    "marks out of order": "a" + "\u0323\u0301" * 300_000,
    "Hangul": "각" * 300_000,
    "quotes": '"' * 1_000_000,
    "parentheses": "(" * 1_000_000,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_large_texts_give_small_expressions(sample: apsw.Connection, text: str):
    """Flat ones too: SQLite's parser overflows between 80 and 100 levels. (Slow ones would not end the test.)"""
    compiled = compile_query(text, stem=stemmer(sample))
    assert len(compiled.terms) <= MAX_TERMS
    assert compiled.match.count('"') <= 4 * 2 * 256
    assert found(sample, text) == set()
    assert depth(compiled.match) <= 3


def depth(expression: str) -> int:
    level = deepest = 0
    for character in expression:
        level += (character == "(") - (character == ")")
        deepest = max(deepest, level)
    return deepest
