"""Rows are found by the words of their path and by the names that they define."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workspace.text.terms import MAX_SYMBOLS, path_terms, symbols_in

# --- Paths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "root", "terms"),
    [
        ("/a/b/src/storageWriter/read_file.test.py", "/a/b", "src storageWriter storage Writer read file test"),
        ("/a/b/HTTPServer.py", "/a/b", "HTTPServer HTTP Server"),
        ("/a/b/README", "/a/b", "README"),
        ("/a/b/.bashrc", "/a/b", "bashrc"),
        ("/a/b/docs/docs/docs-index.md", "/a/b", "docs index"),
        ("/a/b/v1.2/notes 2024-01.md", "/a/b", "v1 2 notes 2024 01"),
        ("/a/b/überblick/größe.md", "/a/b", "überblick größe"),
        ("/notes.md", "/", "notes"),
    ],
)
def test_path_terms_are_the_words_below_the_root(path: str, root: str, terms: str):
    assert path_terms(path, root) == terms


# --- Symbols -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def read_file(x):\n    class Reader:\n        async def go(self): ...\n", "read_file Reader go"),
        ("export default async function* loadAll() {\n", "loadAll load all"),
        ("class A extends B {\n  get size() {\n  static of(x) {\n    if (x) {\n    else if (y) {\n", "A size of"),
        ("const PORT = 80;\n  const local = 1;\nconst fs = require('fs');\n", "PORT"),
        ("const add = (a, b) => a + b;\n  let twice = async x => x;\n  done: function (e) {\n", "add twice done"),
        ("app.get = function (req) {\n", "app.get"),
        ("it('does', function () {\n  foo(bar, () => {\n  return (function () {\n", ""),
        ("interface Shape {\ntype Id = string;\nexport declare enum Hue {\nnamespace a.b {\n", "Shape Id Hue a.b"),
        ("func (s *Server) ListenAll(a string) error {\ntype Duration int64\n", "ListenAll listen all Duration"),
        ("pub(crate) fn new<T>(x: T) -> Self {\nimpl<T> Drop for Guard<T> {\n", "new Drop"),
        ("macro_rules! vec {\npub const MAX: u8 = 1;\nfn from(x: u8) {\n", "vec MAX from"),
        ("#define MAX(a, b) a\n#  define EOF (-1)\n", "MAX EOF"),
        ("static int\nmain (int argc, char **argv)\n{\n  while (x) {\n  return f (x);\n", "main"),
        ("void *alloc(size_t n,\n            int flags)\n{\n", "alloc"),
        ("void Foo::bar(int x) const {\nstruct point {\nstruct point p;\n", "Foo::bar point"),
        ("final class Main {\n  public static void run(int[] a) throws E {\n    for (;;) {\n", "Main run"),
        ("case class Point(x: Int)\n  override def show(): String = {\nobject Go extends App {\n", "Point show Go"),
        ("fun <T> List.second(): T {\ndata class User(val id: Int)\n", "List.second User"),
        ("module A::B\n  def self.find!(x)\n  def empty?\n", "A::B self.find! empty?"),
        ("local function M.open(x)\nfunction M:close()\n", "M.open M:close"),
        ('deploy() {\nfunction roll_back {\n  if [ -n "$x" ]; then\n', "deploy roll_back"),
        ("CREATE TABLE IF NOT EXISTS chunks (\ncreate unique index by_path on chunks (\n", "chunks by_path"),
    ],
)  # fmt: skip
def test_symbols_are_the_names_defined(code: str, names: str):
    assert symbols_in(code) == names


def test_each_symbol_is_named_once_in_order_of_appearance():
    assert symbols_in("def b():\ndef a():\ndef b():\n") == "b a"


def test_a_table_of_definitions_does_not_list_them_all():
    lines = [f"#define name{number} {number}" for number in range(2 * MAX_SYMBOLS)]
    assert symbols_in("\n".join(lines)).split() == [f"name{number}" for number in range(MAX_SYMBOLS)]


def test_prose_defines_next_to_nothing():
    prose = """The class of objects that this module provides is small.
function words such as the and of
a type of value
module for reading
Use the function open(path) to read.
"""
    assert symbols_in(prose) == ""


def test_what_no_person_wrote_is_no_name():
    assert symbols_in("class " + "x" * 5_000 + ":\n") == ""


@pytest.mark.parametrize(
    "piece", ["static ", "(", "a(", "f(a)(", "<", "impl<", "\n\t", "a.", "x = ", 'extern "', "const "]
)
def test_hostile_code_takes_no_time(piece: str):
    """Patterns that backtrack would not come back from this."""
    symbols_in(piece * 50_000)


@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from("def clasfunctio(){}=>;:*&<>\n\t ABé_.#")) | st.text())
def test_every_symbol_stands_in_the_text(text: str):
    for word in symbols_in(text).split():
        assert word.lower() in text.lower()


@given(st.from_regex(re.compile(r"[a-z][a-zA-Z0-9_]{0,20}", re.ASCII), fullmatch=True))
def test_a_python_function_is_always_found(name: str):
    assert symbols_in(f"def {name}(x):\n    pass\n").split()[0] == name
