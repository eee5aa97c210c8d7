"""The languages whose syntax we know: where each grammar is found, and which of its nodes are definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tree_sitter import Language

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_CHILD: Final = ""
"""In place of a field: the name is the first named child."""


def _named(node_types: str) -> dict[str, str]:
    return dict.fromkeys(node_types.split(), "name")


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter grammar: `function` of the distribution's `module` gives it.

    `definitions` maps the node types that a reader looks for by name (classes, functions, keys of data) to the field
    that holds the name.
    """

    module: str
    definitions: Mapping[str, str]
    function: str = "language"


_JAVASCRIPT: Final = _named(
    "class_declaration function_declaration generator_function_declaration method_definition variable_declarator"
) | {"pair": "key"}
_TYPESCRIPT: Final = _JAVASCRIPT | _named(
    "abstract_class_declaration interface_declaration enum_declaration type_alias_declaration internal_module module"
)
_C: Final = _named("struct_specifier union_specifier enum_specifier") | {"function_definition": "declarator"}

GRAMMARS: Final[Mapping[str, Grammar]] = {
    "python": Grammar("tree_sitter_python", _named("class_definition function_definition")),
    "javascript": Grammar("tree_sitter_javascript", _JAVASCRIPT),
    "typescript": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "rust": Grammar(
        "tree_sitter_rust",
        _named("function_item struct_item enum_item union_item trait_item mod_item macro_definition")
        | {"impl_item": "type"},
    ),
    "go": Grammar("tree_sitter_go", _named("function_declaration method_declaration type_spec")),
    "java": Grammar(
        "tree_sitter_java",
        _named(
            "class_declaration interface_declaration enum_declaration record_declaration"
            " annotation_type_declaration method_declaration constructor_declaration"
        ),
    ),
    "c": Grammar("tree_sitter_c", _C),
    "cpp": Grammar("tree_sitter_cpp", _C | _named("class_specifier namespace_definition")),
    "c-sharp": Grammar(
        "tree_sitter_c_sharp",
        _named(
            "namespace_declaration class_declaration struct_declaration interface_declaration record_declaration"
            " enum_declaration method_declaration constructor_declaration property_declaration"
        ),
    ),
    "ruby": Grammar("tree_sitter_ruby", _named("module class method singleton_method")),
    "php": Grammar(
        "tree_sitter_php",
        _named(
            "class_declaration interface_declaration trait_declaration enum_declaration function_definition"
            " method_declaration"
        ),
        "language_php",
    ),
    "bash": Grammar("tree_sitter_bash", _named("function_definition")),
    "kotlin": Grammar("tree_sitter_kotlin", _named("class_declaration object_declaration function_declaration")),
    "swift": Grammar("tree_sitter_swift", _named("class_declaration protocol_declaration function_declaration")),
    "scala": Grammar(
        "tree_sitter_scala",
        _named("class_definition object_definition trait_definition enum_definition function_definition"),
    ),
    "lua": Grammar("tree_sitter_lua", _named("function_declaration")),
    "css": Grammar(
        "tree_sitter_css", {"rule_set": FIRST_CHILD, "media_statement": FIRST_CHILD, "keyframes_statement": FIRST_CHILD}
    ),
    "html": Grammar("tree_sitter_html", {}),
    "json": Grammar("tree_sitter_json", {"pair": "key"}),
    "yaml": Grammar("tree_sitter_yaml", {"block_mapping_pair": "key"}),
    "toml": Grammar("tree_sitter_toml", {"table": FIRST_CHILD, "table_array_element": FIRST_CHILD}),
}

WRAPPERS: Final = frozenset(
    {
        "decorated_definition",
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "template_declaration",
        "type_declaration",
    }
)
"""Nodes of any grammar whose last named child may be the definition that they are about."""

OUTERMOST: Final = frozenset({"variable_declarator"})
"""Definitions of any grammar that count only outside all others: within functions they are steps, not landmarks."""

LEADING: Final = frozenset(
    {
        "comment",
        "line_comment",
        "block_comment",
        "multiline_comment",
        "html_comment",
        "attribute_item",
        "attribute_list",
        "decorator",
        "annotation",
    }
)
"""Nodes of any grammar that belong to what follows them."""


@cache
def language_of(grammar: str) -> Language | None:
    """Return the language to parse with, or None if the distribution of its grammar is not installed."""
    entry = GRAMMARS[grammar]
    try:
        module = import_module(entry.module)
    except ImportError:
        return None
    return Language(getattr(module, entry.function)())
