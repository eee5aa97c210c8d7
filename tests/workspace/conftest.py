"""What every test gets: a home of its own, and an alarm on the real one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REAL_HOME = os.path.join(os.path.realpath(Path.home()), ".hermes")  # noqa: PTH118 - compared with raw strings

settings.register_profile(
    "workspace",
    deadline=None,  # machines differ; speed is the benchmarks' business
    derandomize=True,  # the suite says the same thing every time it runs
    print_blob=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("workspace")

_trespasses: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Note every path under the real home that anything in this process opens, lists or makes."""
    if event not in {"open", "os.scandir", "os.listdir", "os.mkdir", "os.rename", "os.remove", "sqlite3.connect"}:
        return
    path = arguments[0]
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(REAL_HOME):
        _trespasses.append(f"{event} {path}")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary HERMES_HOME; the test fails if it touches the real one all the same."""
    path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HERMES_HOME", str(path))
    return path


@pytest.fixture(autouse=True)
def _real_home_is_untouched():
    _trespasses.clear()
    yield
    assert not _trespasses, f"the real home was touched: {_trespasses}"


@pytest.fixture(autouse=True, scope="session")
def _network_is_closed():
    """No test reaches a network: only local sockets, which process pools use, may be opened."""
    import socket

    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        if self.family != getattr(socket, "AF_UNIX", None):
            pytest.fail(f"a test tried to reach {address}")
        real(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()
