"""The shape of the code is a promise too: directions of imports, sizes of functions and files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "workspace"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = {
    "constants": 0,
    "types": 1,
    "text": 1,
    "config": 2,
    "storage": 3,
    "pipeline": 4,
    "query": 4,
    "api": 5,
    "cli": 6,
    "__main__": 7,
}
"""A module may import from lower layers and from its own; pipeline and query share a layer and not a line."""

HOUSES = {
    "pathspec": {"pipeline/ignore.py"},
    "charset_normalizer": {"pipeline/decode.py"},
    "chonkie": {"pipeline/chunking/"},
    "tree_sitter": {"pipeline/chunking/"},
    "pebble": {"pipeline/pool.py"},
    "ruamel": {"config/"},
    "click": {"cli.py", "cli/"},
    "rich": {"cli.py", "cli/"},
    "tqdm": {"cli.py", "cli/"},
    "apsw": {"storage/", "query/"},
}
"""The only places that may import a library."""


def imports(module: Path, *, with_types: bool = True) -> set[str]:
    found = set()
    tree: ast.AST = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree if with_types else _WithoutTypes().visit(tree)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


class _WithoutTypes(ast.NodeTransformer):
    """Drops what stands under ``if TYPE_CHECKING``: naming a type ties a module to nothing at run time."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else self.generic_visit(node)


def layer_of(dotted: str) -> str | None:
    parts = dotted.split(".")
    return parts[1] if parts[0] == "workspace" and len(parts) > 1 and parts[1] in LAYERS else None


def own_layer(module: Path) -> str | None:
    first = module.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return first if first in LAYERS else None


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_imports_point_one_way(module: Path):
    own = own_layer(module)
    if own is None:
        return  # workspace/__init__.py re-exports the API
    for other in filter(None, map(layer_of, imports(module))):
        assert other == own or LAYERS[other] < LAYERS[own], f"{own} imports {other}"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_each_library_has_one_house(module: Path):
    where = module.relative_to(PACKAGE).as_posix()
    for name in imports(module, with_types=False):
        house = HOUSES.get(name.split(".")[0])
        assert house is None or any(where.startswith(place) for place in house), f"{where} imports {name}"


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def functions() -> list[tuple[str, int]]:
    return [
        (f"{module.relative_to(PACKAGE)}:{node.lineno} {node.name}", body_lines(node))
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_function_bodies_fit_the_eye():
    """At most 50 lines each, and nine of ten at most 20."""
    sizes = functions()
    assert [entry for entry in sizes if entry[1] > 50] == []
    long = sorted((entry for entry in sizes if entry[1] > 20), key=lambda entry: -entry[1])
    assert len(long) <= len(sizes) / 10, long


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_files_stay_small(module: Path):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400
