"""Code is cut between definitions, and each piece knows which definition it starts in."""

from __future__ import annotations

import random
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workspace.constants import LANGUAGE_BY_INTERPRETER, LANGUAGE_BY_NAME, LANGUAGE_BY_SUFFIX
from workspace.pipeline.chunking import grammars, segments
from workspace.pipeline.chunking.code import CodeChunker
from workspace.pipeline.chunking.grammars import GRAMMARS, language_of
from workspace.pipeline.chunking.parsing import EndlessParseError, parse
from workspace.text.words import TokenGrid, count_words

SAMPLES = {
    "python": (
        '''\
import os

# Deploys.
@final
class Deployer:
    """Deploys things."""

    # Goes back.
    @retry
    async def rollback(self, target):
        step = target
        for x in range(10):
            print(x, target)

    def other(self):
        return 1 + 2 + 3 + 4 + 5 + 6 + 7
''',
        ["class Deployer > async def rollback", "class Deployer > def other"],
    ),
    "javascript": (
        """\
// Deploys.
export class Deployer {
  // Goes back.
  static async rollback(target) {
    const step = target + 1;
    for (let i = 0; i < 10; i++) { print(i); }
  }
}
export const helper = (a, b) => {
  const d = a + b;
  const e = d * 2;
  return [d, e, a, b];
};
""",
        ["class Deployer", "class Deployer > static async rollback", "helper"],
    ),
    "typescript": (
        """\
namespace Ops {
  export abstract class Deployer<T> implements Thing {
    private rollback(target: string): Promise<void> {
      const step = target + 1; const b = 2;
      await this.go(step, b, c, d, e, f, g, h);
    }
  }
  interface Plan { name: string; steps: number; other: string; more: boolean; }
}
""",
        ["namespace Ops > abstract class Deployer > rollback", "namespace Ops > interface Plan"],
    ),
    "tsx": (
        """\
export function App(props: Props) {
  const [a, setA] = useState(0);
  return <div>
    <p>Hello there my friend</p>
    <b>bold text here</b>
    <i>it is</i>
  </div>;
}
""",
        ["function App"],
    ),
    "rust": (
        """\
/// A thing.
/// More of it.
#[derive(Debug)]
pub struct Foo { a: u8, b: u8 }

impl<T> Display for Foo<T> {
    /// Bars it.
    #[inline]
    pub(crate) async fn bar(&self, x: u8) -> u8 {
        let a = x + 1;
        let b = a + 2;
        a + b
    }
}
""",
        ["struct Foo", "impl<T> Display for Foo<T> > fn bar"],
    ),
    "go": (
        """\
package main

// Server serves.
type Server struct {
\ta int
\tb int
\tc string
\td string
\te int
}

// Start starts.
func (s *Server) Start(x int) error {
\ty := x + 1
\tif y > 3 { return fmt.Errorf("bad") }
\treturn nil
}
""",
        ["func (s *Server) Start"],
    ),
    "java": (
        """\
package a.b;
/** Deploys. */
@Component
public final class Deployer extends Base {
  /** Goes back. */
  @Override
  public void rollback(String target) throws Exception {
    int step = target.length() + 1;
    int b = 2;
    go(step, b, c);
  }
}
""",
        ["class Deployer > rollback"],
    ),
    "c": (
        """\
#include <a.h>
/* the thing */
struct thing { int a; int b; int c; int d; int e; int f; int g; };
static inline const char *
roll_back(struct thing *t, int x)
{
\tint step = t->a + x;\t/* careful */
\tfor (int i = 0; i < 10; i++) { step += i; }
\treturn step;
}
""",
        ["struct thing", "roll_back"],
    ),
    "cpp": (
        """\
namespace ops {
template <typename T>
class Deployer : public Base {
 public:
  void rollback(int target) const {
    int a = target + 1;
    int b = a + 2;
    go(a, b);
  }
};
void Deployer::other(int x) {
  int a = x + 1;
  int b = a + 2;
  int c = b + 3;
  go(a, b, c);
}
}
""",
        ["namespace ops > class Deployer > rollback", "namespace ops > Deployer::other"],
    ),
    "c-sharp": (
        """\
namespace Ops.Inner
{
    [Serializable]
    public class Deployer : Base
    {
        public async Task Rollback(string target)
        {
            int step = target.Length + 1;
            int b = 2;
            await Go(step, b, c);
        }
    }
}
""",
        ["namespace Ops.Inner > class Deployer > Rollback"],
    ),
    "ruby": (
        """\
module Ops
  # Deploys.
  class Deployer < Base
    # Goes back.
    def rollback(target)
      step = target + 1
      other = step * 2
      go(step, other, 1, 2)
    end
    def self.build(a) new(a, 1, 2, 3, 4, 5, 6, 7, 8) end
  end
end
""",
        ["module Ops > class Deployer > def rollback", "module Ops > class Deployer > def self.build"],
    ),
    "php": (
        """\
<?php
namespace Ops;
/** Deploys. */
final class Deployer extends Base {
    /** Goes back. */
    public static function rollback(string $target): void {
        $step = $target + 1;
        $b = 2;
        go($step, $b, $c);
    }
}
""",
        ["class Deployer > function rollback"],
    ),
    "bash": (
        """\
#!/bin/bash
# Goes back.
rollback() {
  local target=$1
  for x in 1 2 3; do
    echo "$x $target"
  done
}
function other { echo one two three four five six seven eight nine ten; }
""",
        ["function other"],
    ),
    "kotlin": (
        """\
package ops
/** Deploys. */
@Component
data class Deployer(val a: Int) : Base() {
    // Goes back.
    override suspend fun rollback(target: String): Int {
        val step = target.length + 1
        go(step, b)
        return step
    }
}
object Single { val a = 1; val b = 2; val c = 3; val d = 4 }
""",
        ["class Deployer > fun rollback", "object Single"],
    ),
    "swift": (
        """\
import Foundation
/// Deploys.
@objc public final class Deployer: Base {
    /// Goes back.
    private func rollback(target: String) throws -> Int {
        let step = target.count + 1
        try go(step, b)
        return step
    }
}
extension Foo: Bar { var a: Int { return 1 + 2 + 3 + 4 } }
""",
        ["class Deployer > func rollback", "extension Foo"],
    ),
    "scala": (
        """\
package ops
/** Deploys. */
case class Deployer(a: Int) extends Base {
  // Goes back.
  override def rollback(target: String): Int = {
    val step = target.length + 1
    val b = 2
    go(step, b)
  }
}
object Main { val a = 1; val b = 2; val c = 3; val d = 4 }
""",
        ["case class Deployer > def rollback", "object Main"],
    ),
    "lua": (
        """\
-- Goes back.
local function rollback(target)
  local step = target + 1
  for i = 1, 10 do print(i, step) end
  return step
end
function M.deploy(a, b) local c = a + b; print(a, b, c, 1, 2) end
""",
        ["local function rollback", "function M.deploy"],
    ),
    "css": (
        """\
/* All. */
.a, .b > p { color: red; margin: 0 1px 2px; padding: 0; border: 1px solid; }
@media (max-width: 9px) { .c { color: blue; margin: 0; padding: 0; } .d { color: red; margin: 1px; } }
""",
        [".a, .b > p", "@media (max-width: 9px) > .d"],
    ),
    "json": (
        """\
{"name": "x", "scripts": {"build": "make all of it", "test": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]},
 "last": 1}
""",
        ['"scripts" > "test"'],
    ),
    "yaml": (
        """\
name: x
jobs:
  build:
    runs-on: linux
    steps:
      - run: make all of it now
      - run: make test of it now
      - run: more
  other: y
""",
        ["jobs > build > steps"],
    ),
    "toml": (
        """\
[project]
name = "x"
deps = ["a", "b", "c", "d", "e", "f", "g"]
[[tool.thing]]
a = 1
b = 2
c = 3
d = 4
""",
        ["project", "tool.thing"],
    ),
    "html": (
        """\
<!doctype html>
<html><head><title>A title of it</title></head>
<body><h1>Head</h1>
<p>Some text in here that is long enough to be cut</p>
<ul> <li>one</li> <li>two</li></ul></body></html>
""",
        [],
    ),
}


def sections_of(grammar: str, text: str, size: int = 14) -> list[str | None]:
    return [chunk.context for chunk in CodeChunker(grammar=grammar, chunk_size=size).chunk(text)]


def test_every_grammar_that_a_file_can_name_is_known_and_sampled():
    named = {*LANGUAGE_BY_SUFFIX.values(), *LANGUAGE_BY_NAME.values(), *LANGUAGE_BY_INTERPRETER.values()}
    assert named == set(GRAMMARS) == set(SAMPLES)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_the_definitions_of_the_table_exist_in_the_grammar(grammar: str):
    language = language_of(grammar)
    assert language is not None
    for node_type, field in GRAMMARS[grammar].definitions.items():
        assert language.id_for_node_kind(node_type, True) is not None, node_type
        assert not field or language.field_id_for_name(field) is not None, field


@pytest.mark.parametrize("grammar", SAMPLES)
def test_pieces_tile_the_text_and_keep_to_the_size(grammar: str):
    text, _ = SAMPLES[grammar]
    for size in (1, 2, 5, 14, 1000):
        chunks = CodeChunker(grammar=grammar, chunk_size=size).chunk(text)
        assert "".join(chunk.text for chunk in chunks) == text
        assert [chunk.text for chunk in chunks] == [text[chunk.start_index : chunk.end_index] for chunk in chunks]
        assert all(chunk.token_count == count_words(chunk.text) <= size for chunk in chunks)


@pytest.mark.parametrize("grammar", SAMPLES)
def test_a_piece_that_starts_in_a_definition_says_so(grammar: str):
    text, sections = SAMPLES[grammar]
    found = sections_of(grammar, text)
    assert [section for section in sections if section not in found] == []


@pytest.mark.parametrize("grammar", SAMPLES)
@pytest.mark.parametrize("change", [("\n", "\r\n"), ("o", "𝔬"), ("e", "é")], ids=["crlf", "astral", "accents"])
def test_other_line_ends_and_wider_characters_move_no_cut(grammar: str, change: tuple[str, str]):
    """Comments, strings and names are rewritten where that keeps the syntax; words stay where they are."""
    text, _ = SAMPLES[grammar]
    if change[0] != "\n":
        old, new = change
        comment = {"python": "#", "bash": "#", "ruby": "#", "yaml": "#", "toml": "#", "lua": "--", "html": "<!--"}
        mark = comment.get(grammar, "/*")
        end = {"/*": " */", "<!--": " -->"}.get(mark, "")
        lead = "<?php " if grammar == "php" else ""
        plain = f"{lead}{mark} {old * 5}{end}\n{text.removeprefix('<?php')}"
        wide = f"{lead}{mark} {new * 5}{end}\n{text.removeprefix('<?php')}"
        if grammar == "json":
            plain, wide = text.replace("make", old * 4), text.replace("make", new * 4)
    else:
        plain, wide = text, text.replace(*change)
    chunker = CodeChunker(grammar=grammar, chunk_size=14)
    assert [c.token_count for c in chunker.chunk(wide)] == [c.token_count for c in chunker.chunk(plain)]
    assert [c.context for c in chunker.chunk(wide)] == [c.context for c in chunker.chunk(plain)]


@st.composite
def modules(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A Python module of functions, some with comments and decorators, each of which has at most 30 words."""
    definitions = []
    for number in range(draw(st.integers(min_value=1, max_value=12))):
        comment = draw(st.sampled_from(["", "# Why.\n", "# One.\n# Two words.\n"]))
        decorator = draw(st.sampled_from(["", "@cached\n", "@route('/x', y=1)\n@other\n"]))
        body = "".join(f"    x = {word}\n" for word in range(draw(st.integers(min_value=1, max_value=6))))
        definitions.append(f"{comment}{decorator}def f{number}(x):\n{body}")
    return "import os\n\n\n" + "\n\n".join(definitions), definitions


@given(modules(), st.integers(min_value=30, max_value=80))
def test_a_definition_that_fits_is_never_divided(module: tuple[str, list[str]], size: int):
    text, definitions = module
    chunks = [chunk.text for chunk in CodeChunker(grammar="python", chunk_size=size).chunk(text)]
    assert [d for d in definitions if not any(d in chunk for chunk in chunks)] == []


@given(modules(), st.integers(min_value=30, max_value=80))
def test_pieces_are_as_full_as_whole_definitions_allow(module: tuple[str, list[str]], size: int):
    text, definitions = module
    chunks = [chunk.text for chunk in CodeChunker(grammar="python", chunk_size=size).chunk(text)]
    for chunk, after in pairwise(chunks):
        first = next(d for d in definitions if after.startswith(d))
        assert count_words(chunk) + count_words(first) > size


def test_the_head_of_a_definition_is_not_left_behind():
    body = "".join(f"    step{i} = {i} + {i}\n" for i in range(20))
    text = f"a = 1\n\n# Why.\ndef long(x):\n{body}"
    chunks = CodeChunker(grammar="python", chunk_size=12).chunk(text)
    assert chunks[0].text.endswith("# Why.\ndef long(x):\n    step0 = 0 + 0\n")
    assert {chunk.context for chunk in chunks[1:]} == {"def long"}


def test_a_body_that_fits_without_its_head_only_is_divided():
    body = "".join(f"    step{i} = {i}\n" for i in range(4))
    text = f"a = 1\nb = 2\n\ndef long(x):\n{body}"
    chunks = CodeChunker(grammar="python", chunk_size=13).chunk(text)
    assert [chunk.token_count for chunk in chunks] == [11, 9]
    assert chunks[0].text.endswith("def long(x):\n    step0 = 0\n")


def test_lines_of_a_documentation_comment_stay_together_and_with_what_they_document():
    """The grammar of Rust ends each of them after its line end."""
    function = "/// One.\n/// Two.\nfn f() -> u8 { 1 }\n"
    chunks = CodeChunker(grammar="rust", chunk_size=16).chunk("fn e() -> u8 { 0 }\n" + function)
    assert [chunk.text for chunk in chunks] == ["fn e() -> u8 { 0 }\n", function]


def test_variables_count_as_definitions_only_outside_functions():
    text = "const top = () => {\n" + "".join(f"  const inner{i} = {i} + {i};\n" for i in range(6)) + "};\n"
    assert set(sections_of("javascript", text)) == {"top"}


def test_a_comment_at_the_end_of_a_line_stays_on_it():
    text = "a = 1\nb = 2  # two\nc = 3\n"
    assert [chunk.text for chunk in CodeChunker(grammar="python", chunk_size=5).chunk(text)] == [
        "a = 1\n",
        "b = 2  # two\n",
        "c = 3\n",
    ]


def test_pieces_begin_with_the_indentation_of_their_first_line():
    text = "class A:\n    def b(self):\n        return 1\n\n    def c(self):\n        return 2\n"
    chunks = CodeChunker(grammar="python", chunk_size=6).chunk(text)
    assert [chunk.text for chunk in chunks][1] == "    def c(self):\n        return 2\n"


def test_what_no_parser_divides_is_divided_like_prose():
    sentences = "This is one sentence of eight whole words. " * 50
    for grammar, text in (("python", f'x = """{sentences}"""\n'), ("c", f"/* {sentences} */\nint x;\n")):
        chunks = CodeChunker(grammar=grammar, chunk_size=40).chunk(text)
        assert "".join(chunk.text for chunk in chunks) == text
        assert all(chunk.text.rstrip().endswith(".") for chunk in chunks[1:-1])


def test_very_deep_nesting_is_no_trouble():
    for grammar in ("json", "python", "javascript", "c"):
        text = "[ " * 10_000 + "] " * 10_000
        chunks = CodeChunker(grammar=grammar, chunk_size=500).chunk(text)
        assert "".join(chunk.text for chunk in chunks) == text
    deep = '{"a": ' * 3_000 + "1" + "}" * 3_000
    assert max(section.count(" > ") for section in sections_of("json", deep, 5) if section) < 8


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_what_is_no_code_is_cut_all_the_same(grammar: str):
    dice = random.Random(grammar)  # noqa: S311 - junk, not secrets
    alphabet = [*map(chr, range(1, 127)), *"\r\n é中😀\u2028\ufeff"]
    for text in ("", " \n", "\ufeff", "x", "\r\n\r\nx y", "}}}} ))) ]]]", "".join(dice.choices(alphabet, k=3_000))):
        chunks = CodeChunker(grammar=grammar, chunk_size=7).chunk(text)
        assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
        assert all(0 < chunk.token_count <= 7 for chunk in chunks)


@settings(max_examples=30)
@given(st.sampled_from(sorted(GRAMMARS)), st.data())
def test_damaged_code_is_cut_all_the_same(grammar: str, data: st.DataObject):
    text, _ = SAMPLES[grammar]
    start = data.draw(st.integers(min_value=0, max_value=len(text)))
    end = data.draw(st.integers(min_value=start, max_value=len(text)))
    damaged = text[:start] + data.draw(st.text(max_size=5)) + text[end:]
    chunks = CodeChunker(grammar=grammar, chunk_size=6).chunk(damaged)
    assert "".join(chunk.text for chunk in chunks) == (damaged if damaged.strip() else "")


def test_a_parse_that_never_ends_is_an_error():
    """On these 23 characters, found among noise, the error recovery of this grammar runs in circles."""
    with pytest.raises(EndlessParseError, match="23 bytes"):
        parse(b"[T^{^7Y/H[:45d42/Jm}Y{]", language_of("tsx"))


@given(st.text(alphabet="ab(} \t\n\r\u2028é", max_size=300), st.integers(min_value=2, max_value=40))
def test_segments_tile_the_text_and_begin_at_words(text: str, size: int):
    grid = TokenGrid(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT_CHARS", size)
        found = list(segments.segments_of(text, grid))
    assert "".join(text[start:end] for start, end in found) == text
    for start, _ in found[1:]:
        assert start in grid.starts or text[start].isspace() or text[start - 1] == "\n"


def test_segments_meet_between_definitions():
    function = "def f():\n    a = 1\n\n    return a\n\n\n"
    text = function * (3 * segments.SEGMENT_CHARS // len(function))
    found = list(segments.segments_of(text, TokenGrid(text)))
    assert len(found) > 2
    assert all(text[start:].startswith("def ") and end - start <= segments.SEGMENT_CHARS for start, end in found)


@pytest.mark.parametrize("line", ["word " * 60_000, "{" * 300_000, "\n" * 300_000, "x = 1\n" * 60_000])
def test_code_larger_than_a_segment_is_cut_like_any_other(line: str):
    text = f"int first() {{}}\n{line}\nint last() {{}}\n"
    chunks = CodeChunker(grammar="c", chunk_size=500).chunk(text)
    assert "".join(chunk.text for chunk in chunks) == text
    assert chunks[0].text.startswith("int first")
    assert chunks[-1].text.endswith("int last() {}\n")


def test_no_text_is_kept_once_it_is_parsed():
    """A worker parses thousands of files, and would hold on to each."""
    data = b"def f(): pass\n" * 1000
    before = sys.getrefcount(data)
    parse(data, language_of("python"))
    assert sys.getrefcount(data) == before


def test_a_grammar_that_is_not_installed_is_no_language(monkeypatch: pytest.MonkeyPatch):
    def absent(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    language_of.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(grammars, "import_module", absent)
        assert language_of("go") is None
        with pytest.raises(LookupError, match="no grammar for go is installed"):
            CodeChunker(grammar="go", chunk_size=10)
    language_of.cache_clear()
