"""The settings: what a config file may say, what each wrong value is told, and what a change of roots leaves alone."""

from __future__ import annotations

import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workspace.config import ConfigError, WorkspaceConfig, add_root, prepare_workspace, remove_root
from workspace.constants import DEFAULT_IGNORE, WORKSPACE_DIRECTORIES
from workspace.types import Root, WorkspaceError

HOME = Path("/home/of/hermes")


def config_of(**sections) -> WorkspaceConfig:
    return WorkspaceConfig.from_dict(sections, home=HOME)


def write(home: Path, text: str | bytes) -> Path:
    path = home / "config.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- Values ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, "", "\n \n", "# nothing but this\n", "---\n", "model: x\n", "knowledgebase:\n"])
def test_what_is_not_set_has_its_default(home: Path, text: str | None):
    if text is not None:
        write(home, text)
    assert WorkspaceConfig.load() == WorkspaceConfig(
        home=home,
        enabled=True,
        workspace_path=home.resolve() / "workspace",
        roots=(),
        chunk_size=512,
        overlap=80,
        threshold=16000,
        max_file_mb=10.0,
        default_limit=20,
        max_content_chars=4000,
    )


def test_every_setting_is_read(home: Path, tmp_path: Path):
    write(
        home,
        f"""\
model: {{default: something-of-hermes}}
workspace:
  enabled: false
  path: {tmp_path}/w
knowledgebase:
  roots:
    - {{path: {tmp_path}/a, recursive: true}}
    - path: {tmp_path}/b
  chunking: {{chunk_size: 100, overlap: 0, threshold: 0}}
  indexing: {{max_file_mb: 0.5}}
  search: {{default_limit: 1, max_content_chars: 0}}
""",
    )
    config = WorkspaceConfig.load(home)
    assert config == WorkspaceConfig(
        home=home,
        enabled=False,
        workspace_path=tmp_path / "w",
        roots=(Root(f"{tmp_path}/a", recursive=True), Root(f"{tmp_path}/b")),
        chunk_size=100,
        overlap=0,
        threshold=0,
        max_file_mb=0.5,
        default_limit=1,
        max_content_chars=0,
    )
    assert config.max_file_bytes == 524_288
    assert config.database_path == tmp_path / "w" / ".index" / "workspace.sqlite"


def test_a_key_without_a_value_is_not_set(home: Path):
    write(
        home,
        "workspace:\n  path:\nknowledgebase:\n  roots:\n  chunking:\n    # overlap: 3\n  search:\n    default_limit:\n",
    )
    assert WorkspaceConfig.load() == WorkspaceConfig.from_dict({}, home=home)


WRONG = [
    # where, value, what the message must say besides
    ("workspace", "enabled", "yes", "true or false"),
    ("workspace", "enabled", 1, "true or false"),
    ("workspace", "path", 3, "a string"),
    ("workspace", "path", "a\0b", "a path"),
    ("knowledgebase", "roots", "/notes", "a list"),
    ("knowledgebase", "roots", {"path": "/notes"}, "a list"),
    ("knowledgebase", "chunking", [512], "a mapping"),
    ("knowledgebase", "search", 20, "a mapping"),
    *[("knowledgebase.chunking", "chunk_size", v, "an integer of at least 1") for v in (0, -1, True, 1.5, "512", [1])],
    *[("knowledgebase.chunking", "overlap", v, "an integer of at least 0") for v in (-1, False, 8.0, "80")],
    *[("knowledgebase.chunking", "overlap", v, "less than chunk_size (512)") for v in (512, 513)],
    *[("knowledgebase.chunking", "threshold", v, "an integer of at least 0") for v in (-1, True, "many", 0.5)],
    *[
        ("knowledgebase.indexing", "max_file_mb", v, "a number greater than 0")
        for v in (0, -3, True, "10", float("nan"), float("inf"), 10**400)
    ],
    *[("knowledgebase.search", "default_limit", v, "an integer of at least 1") for v in (0, -5, True, "20", 2.0)],
    *[("knowledgebase.search", "max_content_chars", v, "an integer of at least 0") for v in (-1, True, "all", 1.0)],
]


@pytest.mark.parametrize(("where", "key", "value", "constraint"), WRONG, ids=lambda v: repr(v)[:30])
def test_a_wrong_value_is_refused_by_key_value_and_constraint(where: str, key: str, value: object, constraint: str):
    data: dict = {key: value}
    for name in reversed(where.split(".")):
        data = {name: data}
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - its text is looked at below
        WorkspaceConfig.from_dict(data, home=HOME)
    message = str(refused.value)
    assert f"{where}.{key}" in message
    assert repr(value)[:40] in message
    assert constraint in message
    assert len(message) < 250


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("/notes", "knowledgebase.roots[1] must be a mapping"),
        ({}, "knowledgebase.roots[1].path must be an absolute path, not ''"),
        (None, "knowledgebase.roots[1].path must be an absolute path"),
        ({"path": 3}, "knowledgebase.roots[1].path must be a string, not 3"),
        ({"path": "notes"}, "knowledgebase.roots[1].path must be an absolute path, not 'notes'"),
        ({"path": "/a\0"}, "knowledgebase.roots[1].path must be an absolute path"),
        ({"path": "/a", "recursive": "no"}, "knowledgebase.roots[1].recursive must be true or false, not 'no'"),
    ],
)
def test_a_wrong_root_is_refused_by_its_number(entry: object, named: str):
    with pytest.raises(ConfigError) as refused:
        config_of(knowledgebase={"roots": [{"path": "/fine"}, entry]})
    assert named in str(refused.value)


def test_a_chunk_size_below_the_default_overlap_needs_an_overlap():
    with pytest.raises(ValueError, match=r"overlap must be .* less than chunk_size \(50\), not 80"):
        config_of(knowledgebase={"chunking": {"chunk_size": 50}})
    assert config_of(knowledgebase={"chunking": {"chunk_size": 50, "overlap": 49}}).overlap == 49


def test_unknown_keys_of_ours_are_warned_about_and_no_others():
    config = config_of(
        workspace={"enabled": True, "colour": "red"},
        knowledgebase={"search": {"limit": 3}, "roots": [{"path": "/a", "depth": 2}], 7: None},
        model={"anything": "goes"},
    )
    assert sorted(config.warnings) == [
        "unknown key knowledgebase.7 is ignored",
        "unknown key knowledgebase.roots[0].depth is ignored",
        "unknown key knowledgebase.search.limit is ignored",
        "unknown key workspace.colour is ignored",
    ]


# --- Paths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [("", "home/workspace"), ("w", "home/w"), ("../w", "w"), ("~/w", "user/w"), ("{tmp}/link/w", "target/w")],
)
def test_the_workspace_path_starts_at_the_home(tmp_path: Path, monkeypatch, written: str, meant: str):
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")
    written = written.format(tmp=tmp_path)
    config = WorkspaceConfig.from_dict({"workspace": {"path": written}}, home=tmp_path / "home")
    assert config.workspace_path == tmp_path / meant


def test_a_root_is_one_root_however_it_is_written(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to("notes")
    (tmp_path / "circle").symlink_to("circle")
    written = ["~/notes", f"{tmp_path}/link", f"{tmp_path}/x/../notes/", f"{tmp_path}/circle", str(HOME / "workspace")]
    roots = [{"path": path, "recursive": path == f"{tmp_path}/link"} for path in written]
    config = config_of(knowledgebase={"roots": roots})
    workspace = Root(str(HOME / "workspace"), recursive=True)
    assert config.roots == (Root(f"{tmp_path}/notes", recursive=True), Root(f"{tmp_path}/circle"), Root(workspace.path))
    assert config.all_roots == (workspace, *config.roots[:2])


# --- Files that cannot be read ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        ("a: 1\nb:\n\tc: 2\n", "line 3, column 1", "'\\t'"),
        ("a: [1, 2\n", "line 2, column 1", "flow sequence"),
        ("a: b: c\n", "line 1, column 5", "mapping values are not allowed"),
        ("a: 'b\n", "line 2, column 1", "quoted scalar"),
        ("a: *nothing\n", "line 1, column 4", "undefined alias"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1", "single document"),
        ("knowledgebase:\n  search: {}\n  search: {}\n", "line 3, column 3", "duplicate key"),
        ("workspace: {}\nx: 1\nworkspace: {}\n", "line 3, column 1", "a second section workspace"),
        ("knowledgebase:\n  roots: !mine []\n", "line 2, column 10", "!mine"),
        ("a: 1\r\nb: \x01\r\n", "line 2, column 4", "does not allow"),
        ("\ufeffa: 1\nb: \0\n", "line 2, column 4", "does not allow"),
        ("a: 1\rb: \x01\r", "line 2, column 4", "does not allow"),
        (b"a: 1\nb: caf\xe9\n", "line 2, column 7", "not UTF-8"),
    ],
)
def test_what_is_no_yaml_is_reported_with_file_line_and_column(home: Path, content: str | bytes, where: str, what: str):
    path = write(home, content)
    with pytest.raises(ConfigError) as refused:
        WorkspaceConfig.load()
    message = str(refused.value)
    assert message.startswith(f"{path}, {where}: ")
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["- a\n", "just text\n", "[1]\n", "3\n"])
def test_a_file_that_is_no_mapping_is_refused(home: Path, text: str):
    path = write(home, text)
    with pytest.raises(ConfigError, match=f"{path} must hold a mapping"):
        WorkspaceConfig.load()


@pytest.mark.parametrize("text", ["knowledgebase: !!int abc\n", "knowledgebase: " + "[" * 500 + "]" * 500 + "\n"])
def test_values_that_break_the_parser_are_refused(home: Path, text: str):
    path = write(home, text)
    with pytest.raises(ConfigError, match=str(path)):
        WorkspaceConfig.load()


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n",
        "a: !secret x\nb: {<<: [1]}\n",
        "a: &x 1\nb: &x 2\nc: *x\n",
        "deep: &d [*d]\n",
        "date: 2024-13-45\n",
        "%YAML 1.1\n---\na: 1\n",
        "a:    1   # c\r\n",
        "a: " + "x" * 5000 + "\n",
    ],
)
def test_oddities_in_sections_of_others_are_no_business_of_ours(home: Path, text: str):
    write(home, text)
    assert WorkspaceConfig.load() == WorkspaceConfig.from_dict({}, home=home)
    assert add_root(home, "/").path == "/"
    assert (home / "config.yaml").read_bytes().startswith(text.encode())


def test_anchors_and_merge_keys_work_in_our_sections(home: Path):
    write(
        home,
        "x: &c {chunk_size: 99}\nknowledgebase:\n  chunking: {<<: *c, overlap: 9}\n  search: &s {default_limit: 0x10}",
    )
    config = WorkspaceConfig.load()
    assert (config.chunk_size, config.overlap, config.default_limit) == (99, 9, 16)


def test_a_wrong_value_in_a_file_names_the_file(home: Path):
    path = write(home, "knowledgebase: {search: {default_limit: none}}\n")
    with pytest.raises(ConfigError, match=f"{path}: knowledgebase.search.default_limit must be .*, not 'none'"):
        WorkspaceConfig.load()


def test_what_is_no_file_is_refused_and_never_waited_for(home: Path):
    os.mkfifo(home / "config.yaml")
    with pytest.raises(ConfigError, match="not a regular file"):
        WorkspaceConfig.load()
    (home / "config.yaml").unlink()
    (home / "config.yaml").mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        WorkspaceConfig.load()
    with pytest.raises(ConfigError, match="cannot be read"):
        WorkspaceConfig.load(write(home / "config.yaml", ""))


def test_without_a_config_file_no_yaml_is_imported(home: Path):
    code = (
        "import sys; from workspace import WorkspaceConfig; WorkspaceConfig.load();"
        "print([m for m in ('ruamel.yaml', 'filelock', 'rich', 'tqdm', 'chonkie') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
    assert list(home.iterdir()) == []


# --- The workspace's directories --------------------------------------------------------------------------------


def test_first_use_makes_the_workspace(home: Path):
    old = os.umask(0)
    try:
        prepare_workspace(WorkspaceConfig.load())
    finally:
        os.umask(old)
    workspace = home / "workspace"
    assert {p.name for p in workspace.iterdir()} == {*WORKSPACE_DIRECTORIES, ".index", ".hermesignore"}
    assert stat.S_IMODE((workspace / ".index").stat().st_mode) == 0o700
    assert (workspace / ".hermesignore").read_text() == DEFAULT_IGNORE


def test_an_ignore_file_is_never_overwritten_nor_brought_back(home: Path):
    ignore = home / "workspace" / ".hermesignore"
    ignore.parent.mkdir()
    ignore.write_text("mine\n")
    prepare_workspace(WorkspaceConfig.load())
    assert ignore.read_text() == "mine\n"
    ignore.unlink()
    (home / "workspace" / "media").rmdir()
    prepare_workspace(WorkspaceConfig.load())
    assert not ignore.exists()
    assert not (home / "workspace" / "media").exists()


def test_an_index_that_others_could_read_is_closed():
    config = WorkspaceConfig.load()
    prepare_workspace(config)
    config.index_directory.chmod(0o755)
    prepare_workspace(config)
    assert stat.S_IMODE(config.index_directory.stat().st_mode) == 0o700


def test_a_workspace_that_cannot_be_made_is_a_clear_error(home: Path):
    (home / "workspace").write_text("a file")
    with pytest.raises(WorkspaceError, match=f"{home}/workspace cannot be made"):
        prepare_workspace(WorkspaceConfig.load())


def test_a_disabled_workspace_is_not_made(home: Path):
    write(home, "workspace: {enabled: false}\n")
    with pytest.raises(WorkspaceError, match="the workspace is disabled"):
        prepare_workspace(WorkspaceConfig.load())
    assert not (home / "workspace").exists()


# --- Changing roots: literal files ------------------------------------------------------------------------------

CHANGES = {
    "no file": (None, "knowledgebase:\n  roots:\n    - path: /new\n      recursive: true\n"),
    "only comments": ("# hello\n", "# hello\nknowledgebase:\n  roots:\n    - path: /new\n      recursive: true\n"),
    "no section, no newline": (
        "model:   'x'  # best",
        "model:   'x'  # best\nknowledgebase:\n  roots:\n    - path: /new\n      recursive: true\n",
    ),
    "indented top level, end of document": (
        "  a: 1\n...\n# after\n",
        "  a: 1\n  knowledgebase:\n    roots:\n      - path: /new\n        recursive: true\n...\n# after\n",
    ),
    "section without a value": (
        "knowledgebase:  # ours\nb: 1\n",
        "knowledgebase:  # ours\n  roots:\n    - path: /new\n      recursive: true\nb: 1\n",
    ),
    "section of nothing": (
        "knowledgebase: {}  # ours\nb: 1\n",
        "knowledgebase:  # ours\n  roots:\n    - path: /new\n      recursive: true\nb: 1\n",
    ),
    "section with other keys": (
        "knowledgebase:\n    # sizes\n    chunking: {chunk_size:   9, overlap: 1}\n",
        """\
knowledgebase:
    roots:
      - path: /new
        recursive: true
    # sizes
    chunking: {chunk_size:   9, overlap: 1}
""",
    ),
    "empty list": (
        "knowledgebase:\n  roots: []   # none yet\n  search: {}\n",
        "knowledgebase:\n  roots:   # none yet\n    - path: /new\n      recursive: true\n  search: {}\n",
    ),
    "null": (
        "knowledgebase:\n  search: {}\n  roots:   # none yet\n\nz: 1\n",
        "knowledgebase:\n  search: {}\n  roots:   # none yet\n    - path: /new\n      recursive: true\n\nz: 1\n",
    ),
    "list, dashes at the key": (
        "knowledgebase:\n  roots:\n  # one\n  - path: /one # 1\n\n  # end\nz: 1\n",
        "knowledgebase:\n  roots:\n  # one\n  - path: /one # 1\n  - path: /new\n    recursive: true\n\n  # end\nz: 1\n",
    ),
    "list, dashes far in": (
        "knowledgebase:\n    roots:\n          -   recursive: false\n              path: '/one'\n    search:\n",
        """\
knowledgebase:
    roots:
          -   recursive: false
              path: '/one'
          - path: /new
            recursive: true
    search:
""",
    ),
    "list that ends in a key without a value": (
        "knowledgebase:\n  roots:\n  - path: /one\n    recursive:\n\n  # end\n",
        "knowledgebase:\n  roots:\n  - path: /one\n    recursive:\n  - path: /new\n    recursive: true\n\n  # end\n",
    ),
    "list of flow mappings": (
        "knowledgebase:\n  roots:\n    - {path: /one}  # 1\n",
        "knowledgebase:\n  roots:\n    - {path: /one}  # 1\n    - path: /new\n      recursive: true\n",
    ),
    "flow list": (
        "knowledgebase: {roots: [{path: /one}], search: {}}\n",
        "knowledgebase: {roots: [{path: /one}, {path: /new, recursive: true}], search: {}}\n",
    ),
    "empty flow list": (
        "knowledgebase: {roots: [], search: {}}\n",
        "knowledgebase: {roots: [{path: /new, recursive: true}], search: {}}\n",
    ),
    "json": (
        '{"a": 1, "knowledgebase": {"search": {}}}',
        '{"a": 1, "knowledgebase": {roots: [{path: /new, recursive: true}], "search": {}}}',
    ),
    "json without a section": (
        '{"a": 1}\n',
        '{knowledgebase: {roots: [{path: /new, recursive: true}]}, "a": 1}\n',
    ),
    "carriage returns": (
        "a: 1\r\nknowledgebase:\r\n  roots:\r\n  - path: /one\r\nb: 2\r\n",
        "a: 1\r\nknowledgebase:\r\n  roots:\r\n  - path: /one\r\n  - path: /new\r\n    recursive: true\r\nb: 2\r\n",
    ),
    "byte order mark": (
        "\ufeffa: 1\n",
        "\ufeffa: 1\nknowledgebase:\n  roots:\n    - path: /new\n      recursive: true\n",
    ),
    "anchored list": (
        "knowledgebase:\n  roots: &r\n  - path: /one\n",
        "knowledgebase:\n  roots: &r\n  - path: /one\n  - path: /new\n    recursive: true\n",
    ),
}


@pytest.fixture
def anything_is_a_directory(monkeypatch):
    monkeypatch.setattr(Path, "is_dir", lambda _: True)


@pytest.mark.parametrize("case", CHANGES)
@pytest.mark.usefixtures("anything_is_a_directory")
def test_adding_a_root_writes_that_root_and_nothing_else(home: Path, case: str):
    before, after = CHANGES[case]
    if before is not None:
        write(home, before)
    assert add_root(home, "/new", recursive=True) == Root("/new", recursive=True)
    assert (home / "config.yaml").read_bytes().decode() == after


@pytest.mark.parametrize("case", [case for case, (before, _) in CHANGES.items() if "/one" in (before or "")])
def test_removing_the_root_again_gives_the_old_file_back(home: Path, case: str):
    before, after = CHANGES[case]
    write(home, after)
    assert remove_root(home, "/new") == Root("/new", recursive=True)
    assert (home / "config.yaml").read_bytes().decode() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- path: /new\n", "- path: /new\n    recursive: true\n"),
        ("- path: /new  # n\n    recursive: false # f\n", "- path: /new  # n\n    recursive: true # f\n"),
        ("- recursive: False\n    path: '/new'\n", "- recursive: true\n    path: '/new'\n"),
        ("- path: /new\n    recursive:\n", "- path: /new\n    recursive: true\n"),
        ("- {path: /new}\n  - path: /z\n", "- {path: /new, recursive: true}\n  - path: /z\n"),
        ("- path: /new\n    recursive: true\n", "- path: /new\n    recursive: true\n"),
        (
            "- path: /new/.\n  - path: /new\n",
            "- path: /new/.\n    recursive: true\n  - path: /new\n    recursive: true\n",
        ),
    ],
)
@pytest.mark.usefixtures("anything_is_a_directory")
def test_adding_a_root_again_sets_its_flag(home: Path, before: str, after: str):
    head = "knowledgebase:\n  roots:\n  "
    write(home, head + before)
    add_root(home, "/new", recursive=True)
    assert (home / "config.yaml").read_text() == head + after
    add_root(home, "/new", recursive=False)
    assert WorkspaceConfig.load().roots[0] == Root("/new", recursive=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n  # all\n  - path: /old # o\n    recursive: true\n  # end\n", " []\n  # all\n  # end\n"),
        ("\n  - path: /a\n  # about old\n  - path: /old\n  # about b\n  - path: /b\n", None),
        (" [{path: /old}, {path: /b}]\n", " [{path: /b}]\n"),
        (" [{path: /a}, {path: /old}]\n", " [{path: /a}]\n"),
        (" [{path: /old},]\n", " []\n"),
        ("\n  - path: /old\n  - path: /b\n  - path: /old/\n", "\n  - path: /b\n"),
    ],
)
def test_removing_a_root_cuts_its_entries_out(home: Path, before: str, after: str | None):
    after = "\n  - path: /a\n  # about old\n  # about b\n  - path: /b\n" if after is None else after
    write(home, "knowledgebase:\n  roots:" + before + "z: 1\n")
    assert remove_root(home, "/old").path == "/old"
    assert (home / "config.yaml").read_text() == "knowledgebase:\n  roots:" + after + "z: 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "x: &r\n- path: /one\nknowledgebase:\n  roots: *r\n",
        "x: &e {path: /one}\nknowledgebase:\n  roots: [*e]\n",
        "x: &k {roots: [{path: /one}]}\nknowledgebase: *k\n",
    ],
)
@pytest.mark.usefixtures("anything_is_a_directory")
def test_a_list_that_is_shared_with_other_keys_is_left_to_its_owner(home: Path, text: str):
    path = write(home, text)
    for change in (lambda: add_root(home, "/one", recursive=True), lambda: remove_root(home, "/one")):
        with pytest.raises(WorkspaceError, match="edit it by hand"):
            change()
    assert path.read_text() == text


@pytest.mark.usefixtures("anything_is_a_directory")
def test_roots_that_come_from_a_merge_key_are_not_lost(home: Path):
    text = "x: &k {roots: [{path: /one}]}\nknowledgebase:\n  <<: *k\n"
    write(home, text)
    with pytest.raises(WorkspaceError, match="edit it by hand"):
        add_root(home, "/two")
    assert (home / "config.yaml").read_text() == text


# --- Changing roots: any file -----------------------------------------------------------------------------------

SCALARS = st.sampled_from(
    ["1", "x y", "'quoted  '", '"d\\tq"', "", "[a,b,   c]", "{k: v}", "!tag t", "2024-01-01", "é"]
)
COMMENTS = st.sampled_from(["", "", "  # note", "      # far: away - []"])
FILLERS = st.sampled_from(["", "", "\n", "# comment: - x\n", "      # deep\n"])


@st.composite
def entries(draw, indent: str) -> str:
    path = draw(st.sampled_from(["/p1", "'/p2'", '"/p3"', "/p 4", "/p5#x"]))
    comment = draw(COMMENTS)
    match draw(st.integers(0, 3)):
        case 0:
            return f"{indent}- path: {path}{comment}\n"
        case 1:
            return f"{indent}- {{path: {path}, recursive: true}}{comment}\n"
        case 2:
            return f"{indent}-   recursive:   false{comment}\n{indent}    path: {path}\n"
        case _:
            return f"{indent}- path:   {path}\n{indent}  recursive: true\n"


@st.composite
def roots_keys(draw, indent: str) -> str:
    head = f"{indent}roots:"
    if draw(st.integers(0, 3)) == 0:
        return (
            head + draw(st.sampled_from(["", " []", " ~", " null", " [ ]", " [{path: /p1}]"])) + draw(COMMENTS) + "\n"
        )
    inner = indent + draw(st.sampled_from(["", "  ", "    "]))
    listed = draw(st.lists(st.tuples(entries(inner), FILLERS), min_size=1, max_size=3))
    return head + draw(COMMENTS) + "\n" + "".join(entry + filler for entry, filler in listed)


@st.composite
def sections(draw) -> str:
    indent = draw(st.sampled_from(["  ", "    "]))
    parts = [
        f"{indent}search: {{default_limit:   5}}{draw(COMMENTS)}\n",
        f"{indent}chunking:\n{indent}  overlap: 8{draw(COMMENTS)}\n",
        draw(roots_keys(indent)),
    ]
    chosen = draw(st.lists(st.sampled_from(parts), unique=True, max_size=3))
    return f"knowledgebase:{draw(COMMENTS)}\n" + "".join(part + draw(FILLERS) for part in chosen)


@st.composite
def config_texts(draw) -> str:
    keys = draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=3))
    parts = [f"{key}: {draw(SCALARS)}{draw(COMMENTS)}\n{draw(FILLERS)}" for key in keys]
    parts += [f"list:\n-   {draw(SCALARS)}\n", "block: |\n  text\n   - more\n"][: draw(st.integers(0, 2))]
    if draw(st.booleans()):
        parts.append(draw(sections()))
    text = "".join(draw(st.permutations(parts)))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", newline)


@settings(max_examples=60)
@given(text=config_texts(), data=st.data())
def test_a_change_of_roots_leaves_every_other_line_as_it_was(tmp_path_factory, text: str, data):
    home = tmp_path_factory.mktemp("h")
    write(home, text)
    before = WorkspaceConfig.load(home)
    target, recursive = data.draw(st.sampled_from(["/", *(r.path for r in before.roots)])), data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "is_dir", lambda _: True)
        if text.endswith("more") and "knowledgebase" not in text:  # the missing line break has a meaning there
            with pytest.raises(WorkspaceError, match="edit it by hand"):
                add_root(home, target)
            assert (home / "config.yaml").read_bytes().decode() == text
            return
        add_root(home, target, recursive=recursive)
    added = (home / "config.yaml").read_bytes().decode()
    after = WorkspaceConfig.load(home)
    expected = dict.fromkeys(r.path for r in before.roots) | {target: None}
    assert [r.path for r in after.roots] == list(expected)
    assert Root(target, recursive) in after.roots
    assert _foreign(added) == _foreign(text)

    remove_root(home, target)
    removed = (home / "config.yaml").read_bytes().decode()
    assert WorkspaceConfig.load(home).roots == tuple(r for r in before.roots if r.path != target)
    assert _foreign(removed) == _foreign(text)


def _foreign(text: str) -> list[str]:
    """The lines of a config that are no part of a root, whose key may change between ``roots: []`` and ``roots:``."""
    bom, body = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff").removesuffix("\n").removesuffix("\r")
    lines = body.split("\n") if body else []
    ours = ("- path:", "- {path:", "path:", "recursive:", "-   recursive:", "knowledgebase:", "roots:")
    return [bom, *(line.removesuffix("\r") for line in lines if not line.strip().startswith(ours))]


@settings(max_examples=25)
@given(name=st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_any_name_survives_the_file(tmp_path_factory, name: str):
    assume(name not in {".", ".."})
    tree = tmp_path_factory.mktemp("t")
    try:
        (tree / name).mkdir()
    except OSError:
        assume(False)  # the file system has no such name
    for start in ("", "knowledgebase: {roots: []}\n"):
        home = tmp_path_factory.mktemp("h")
        write(home, start)
        added = add_root(home, tree / name)
        assert WorkspaceConfig.load(home).roots == (added,)
        assert added.path == str((tree / name).resolve())
        assert remove_root(home, str(tree / name)) == added


# --- Changing roots: the file itself ------------------------------------------------------------------------------


def test_a_root_is_resolved_when_it_is_added(home: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("link", "~/link", "./real/../link", tmp_path / "real"):
        assert add_root(home, path) == Root(str(tmp_path / "real"))
    assert WorkspaceConfig.load().roots == (Root(str(tmp_path / "real")),)
    (tmp_path / "link").unlink()
    (tmp_path / "real").rmdir()
    assert remove_root(home, "real") == Root(str(tmp_path / "real"))


@pytest.mark.parametrize("path", ["", "nowhere", "file", "a\0b", "~nobody-of-that-name/x"])
def test_what_is_no_directory_is_not_added(home: Path, tmp_path: Path, monkeypatch, path: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="is not a directory"):
        add_root(home, path)
    assert list(home.iterdir()) == []


def test_a_name_that_no_yaml_can_hold_is_refused(home: Path, tmp_path: Path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    Path(name).mkdir()
    with pytest.raises(WorkspaceError, match="not valid UTF-8"):
        add_root(home, name)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("path", ["/", "", "a\0b", "/nowhere"])
def test_what_is_no_root_is_not_removed(home: Path, path: str):
    text = "knowledgebase: {roots: [{path: /one}]}\n"
    write(home, text)
    with pytest.raises(WorkspaceError, match="is not a configured root"):
        remove_root(home, path)
    assert (home / "config.yaml").read_text() == text


@pytest.mark.parametrize("text", ["knowledgebase: [\n", "knowledgebase: {search: 3}\n", "- x\n"])
def test_an_invalid_file_is_never_overwritten(home: Path, text: str):
    path = write(home, text)
    with pytest.raises(ConfigError):
        add_root(home, "/")
    with pytest.raises(ConfigError):
        remove_root(home, "/")
    assert path.read_text() == text


def test_the_file_keeps_its_mode(home: Path):
    path = write(home, "a: 1\n")
    path.chmod(0o640)
    add_root(home, "/")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_is_its_owners_alone(home: Path):
    add_root(home / "not" / "yet", "/")
    assert stat.S_IMODE((home / "not" / "yet" / "config.yaml").stat().st_mode) == 0o600


def test_a_symlinked_file_stays_a_symlink(home: Path, tmp_path: Path):
    target = write(tmp_path, "# in my dotfiles\n")
    (home / "config.yaml").symlink_to(target)
    add_root(home, "/")
    assert (home / "config.yaml").readlink() == target
    assert target.read_text().startswith("# in my dotfiles\nknowledgebase:")


def test_a_failed_write_leaves_the_old_file_and_no_other(home: Path, monkeypatch):
    path = write(home, "a: 1\n")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkspaceError, match="cannot be written: No space left on device"):
        add_root(home, "/")
    assert path.read_text() == "a: 1\n"
    assert {p.name for p in home.iterdir()} <= {"config.yaml", ".config.yaml.lock"}


def test_a_home_that_cannot_be_written_is_a_clear_error(home: Path):
    (home / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be"):
        add_root(home / "file", "/")


def test_roots_added_at_the_same_time_all_survive(home: Path, tmp_path: Path):
    write(home, "# keep me\nknowledgebase:\n  roots: []\n")
    directories = [tmp_path / f"d{n}" for n in range(8)]
    for directory in directories:
        directory.mkdir()
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(4)
    workers = [context.Process(target=_add_all, args=(start, home, directories[n::4])) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert {root.path for root in WorkspaceConfig.load().roots} == {str(d) for d in directories}
    assert (home / "config.yaml").read_text().startswith("# keep me\n")


def _add_all(start, home: Path, directories: list[Path]) -> None:
    start.wait()
    for directory in directories:
        add_root(home, directory)
