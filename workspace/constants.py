"""Defaults, file-type tables and well-known places. Imports nothing of ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final, Literal

Kind = Literal["markdown", "code", "text"]
"""What a row was chunked as: decided by the file's name, or by its ``#!`` line."""

PIPELINE_VERSION: Final = 2
"""Part of every file's configuration signature. Raise it whenever decoding, chunking, sections or derived
terms change what is stored for the same bytes: every file is then indexed anew on the next run."""

TOKENIZER_NAME: Final = "word256"
"""Name of the one tokenizer (``text.words``), part of the configuration signature."""

# --- Defaults of config.yaml -------------------------------------------------------------------------------

DEFAULT_CHUNK_SIZE: Final = 512
"""Words in a chunk, overlap included."""

DEFAULT_OVERLAP: Final = 80
"""Words that a chunk repeats from the end of the chunk before it."""

DEFAULT_THRESHOLD: Final = 16_000
"""Words up to which a file is stored as one row."""

DEFAULT_MAX_FILE_MB: Final = 10.0
"""Size of the largest file indexed, in units of ``BYTES_PER_MB``; the boundary itself is allowed."""

DEFAULT_LIMIT: Final = 20
"""Hits of a search that names no limit."""

DEFAULT_MAX_CONTENT_CHARS: Final = 4_000
"""Characters of ``content`` in one hit; 0 means no cap."""

DEFAULT_PER_FILE: Final = 3
"""Hits of one file in the answer to a search, so that one long document cannot fill it."""

BYTES_PER_MB: Final = 1_048_576

# --- Places -------------------------------------------------------------------------------------------------

INDEX_DIRECTORY: Final = ".index"
DATABASE_NAME: Final = "workspace.sqlite"
LOCK_NAME: Final = "workspace.lock"
DOUBT_NAME: Final = "workspace.doubtful"
"""An empty file that a reader leaves beside a database that it found damaged: the next index run looks closer."""
CONFIG_NAME: Final = "config.yaml"
WORKSPACE_DIRECTORIES: Final = ("docs", "notes", "data", "code", "uploads", "media")
"""Created in a new workspace, for the user to fill."""


def hermes_home() -> Path:
    """Return the home that is in force: ``HERMES_HOME``, else the platform's default. It may not exist."""
    configured = os.environ.get("HERMES_HOME")
    if configured:
        return Path(configured).expanduser().absolute()
    local = os.environ.get("LOCALAPPDATA")
    if sys.platform == "win32" and local:
        return Path(local) / "hermes"
    return Path.home() / ".hermes"


# --- Ignore rules -------------------------------------------------------------------------------------------

HERMESIGNORE: Final = ".hermesignore"
GITIGNORE: Final = ".gitignore"
IGNORE_FILES: Final = (HERMESIGNORE, GITIGNORE)
"""In order of precedence: the first that a directory has is the one that counts there."""

NEVER_ENTERED: Final = frozenset({".git", ".hg", ".svn", INDEX_DIRECTORY})
"""Directories that no rule can open: version control stores, and indexes such as our own."""

SECRET_PATTERNS: Final = (".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa*", "id_ed25519*", ".netrc")
"""Lie below every rule set, as git's ``info/exclude`` lies below ``.gitignore``; ``!`` re-includes them."""

DEFAULT_IGNORE: Final = """\
# What hermes-workspace leaves out, in gitignore syntax. Edit freely: this file is never overwritten,
# and an edit takes effect on the next run. A leading ! re-includes.

# Version control
.git/
.svn/
.hg/

# Operating systems
.DS_Store
Thumbs.db
Desktop.ini

# Editors
.idea/
.vscode/
*.swp
*.swo
*~

# Python
__pycache__/
*.pyc
*.pyo
.tox/
.venv/
venv/
.env/
*.egg-info/
.eggs/
dist/
build/

# Node
node_modules/
bower_components/
.npm/
.yarn/

# Build outputs
target/
out/
_build/

# Hermes internals
.index/
"""
"""The built-in rules, used where a root has neither ignore file, and seeded into a new workspace."""

# --- File types ---------------------------------------------------------------------------------------------

BINARY_SUFFIXES: Final = frozenset(
    "." + suffix
    for group in (
        "png jpg jpeg jpe gif bmp tif tiff webp ico icns heic heif avif jxl psd ai eps cr2 nef dng xcf svg svgz",
        "mp3 wav flac ogg oga opus m4a aac wma aiff aif mid midi amr ape",
        "mp4 m4v mkv avi mov wmv webm flv mpg mpeg 3gp ogv vob",
        "zip tar gz tgz bz2 tbz xz txz zst lz lz4 lzma 7z rar cab iso dmg img jar war ear apk aab ipa",
        "deb rpm whl egg crx xpi",
        "exe dll so dylib a o obj lib bin msi sys ko elf class dex pyc pyo pyd wasm node nib swf",
        "ttf otf woff woff2 eot fon pfb pfm",
        "doc docx docm dotx xls xlsx xlsm xlsb ppt pptx pptm pps ppsx odt ods odp odg pages numbers",
        "epub mobi azw azw3 djvu pdf ps vsd vsdx",
        "db sqlite sqlite3 db3 mdb accdb dbf ibd myd myi ldf mdf parquet feather arrow avro h5 hdf5",
        "npy npz mat pkl pickle rdata rds pt pth onnx safetensors gguf ckpt tflite joblib",
        "lock",
    )
    for suffix in group.split()
)
"""Never opened: by lower-cased last suffix. ``.svg`` and ``.lock`` are text that nobody searches."""

MARKDOWN_SUFFIXES: Final = frozenset({".md", ".mdx", ".markdown"})

LANGUAGE_BY_SUFFIX: Final = {
    ".py": "python", ".pyi": "python", ".pyw": "python",
    ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".rs": "rust", ".go": "go", ".java": "java",
    ".c": "c", ".h": "c",
    ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".c++": "cpp",
    ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp", ".h++": "cpp",
    ".cs": "c-sharp", ".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".php": "php",
    ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".ksh": "bash",
    ".kt": "kotlin", ".kts": "kotlin", ".swift": "swift", ".scala": "scala", ".sc": "scala", ".lua": "lua",
    ".css": "css", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
}  # fmt: skip
"""Grammar by lower-cased suffix."""

LANGUAGE_BY_NAME: Final = {
    "gemfile": "ruby", "rakefile": "ruby", "vagrantfile": "ruby",
    ".bashrc": "bash", ".bash_profile": "bash", ".profile": "bash", ".zshrc": "bash", "pkgbuild": "bash",
    "pipfile": "toml", "sconstruct": "python", "sconscript": "python",
}  # fmt: skip
"""Grammar by lower-cased file name, looked up before the suffix."""

LANGUAGE_BY_INTERPRETER: Final = {
    "python": "python", "pypy": "python", "node": "javascript", "deno": "typescript", "ruby": "ruby", "php": "php",
    "sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "dash": "bash", "lua": "lua", "scala": "scala",
    "kotlin": "kotlin", "swift": "swift",
}  # fmt: skip
"""Grammar by the interpreter of a ``#!`` line, version digits removed; only for files without a known suffix."""
