# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Speed up the many test processes: cache compiled code, collect garbage seldom, and never wait for the disk.

Ansible's collection loader compiles each file of a collection in each process, and so does a module process with the
files of its archive. Python itself would cache the result beside the file. Each Ansible process also reads the same 376
kB of YAML about moved plugins, and 91 kB about its settings, which takes a tenth of its start. It compiles a thousand
methods of dataclasses and three hundred regular expressions, which takes a fifth. It collects garbage hundreds of times
among the many objects that stay after a start, which takes an eighth of the start, and three more times at its end,
which takes a fifth. It waits for the disk at each line of a journal, although no test cuts the power,
and the files of a killed process persist anyway. The path file of the environment imports this module into each Python.
It does nothing unless ``KEPT_CODE`` names a directory, which the tests set. The benchmarks don't set it, because they
measure what users have.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import dataclasses
import gc
import hashlib
import io
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

VARIABLE = "KEPT_CODE"
"""The environment variable that names the directory."""

LARGE = 80_000
"""Minimum bytes of a large YAML text."""

NEW_OBJECTS = 50_000
"""Number of new objects after which Python collects garbage, in place of 700."""

_compile = builtins.compile


def keep_in(directory: Path) -> None:
    """Make Python search a directory for the compiled code of a file before it compiles the file."""
    directory.mkdir(parents=True, exist_ok=True)

    def compile_or_find(source: Any, filename: Any, mode: str, *options: Any, **named: Any) -> Any:
        is_whole = isinstance(source, bytes) and mode == "exec" and not options
        if not is_whole or {**named, "flags": named.get("flags", 0)} != {"flags": 0, "dont_inherit": True}:
            return _compile(source, filename, mode, *options, **named)
        path = directory / f"{hashlib.sha256(source).hexdigest()}.{sys.implementation.cache_tag}"
        with contextlib.suppress(OSError):
            return _placed(marshal.loads(path.read_bytes()), os.fsdecode(filename))
        code = _compile(source, filename, mode, dont_inherit=True)
        _write(path, code)
        return code

    builtins.compile = compile_or_find


class Bundle:
    """A file with the values that one program makes from small texts at each start.

    :param directory: the existing directory of the file.
    :ivar kept: text to the marshalled value. :ivar is_changed: True if the file does not have all of them.
    """

    def __init__(self, directory: Path) -> None:
        program = Path(sys.orig_argv[1] if len(sys.orig_argv) > 1 else "python").stem
        self.path = directory / f"{program}.{sys.implementation.cache_tag}"
        self.is_changed = False
        self.kept: dict[object, bytes] = {}
        with contextlib.suppress(OSError):
            self.kept = marshal.loads(self.path.read_bytes())

    def find(self, text: object, make: Callable[[], Any]) -> Any:
        """Return the value of a text, which is made if the file does not have it.

        :param text: identifies the value. :param make: returns it; it must be a value that can be marshalled.
        """
        if text not in self.kept:
            self.kept[text] = marshal.dumps(make())
            self.is_changed = True
        return marshal.loads(self.kept[text])

    def write(self) -> None:
        """Write the file if a value was made.

        If two processes end at the same time, the values of one of them are lost, and are made again.
        """
        if self.is_changed:
            _write(self.path, self.kept)

    def keep_methods(self) -> None:
        """Make ``dataclasses`` find the compiled code of the methods that it generates."""

        def execute(source: str, *scopes: dict[str, Any]) -> None:
            exec(self.find(source, lambda: _compile(source, "<string>", "exec", dont_inherit=True)), *scopes)

        vars(dataclasses)["exec"] = execute

    def keep_patterns(self) -> None:
        """Make ``re`` find the code of regular expressions."""
        modules: list[Any] = [import_module(name) for name in ("re._compiler", "re._parser", "_sre")]
        compiler, parser, engine = modules

        def compile_or_find(pattern: str | bytes, flags: int = 0) -> Any:
            def translate() -> tuple[Any, ...]:
                # As the replaced function does it.
                parsed = parser.parse(pattern, flags)
                names = {number: name for name, number in parsed.state.groupdict.items()}
                groups = tuple(names.get(number) for number in range(parsed.state.groups))
                code = list(map(int, compiler._code(parsed, flags)))
                return int(flags | parsed.state.flags), code, parsed.state.groups - 1, parsed.state.groupdict, groups

            return engine.compile(pattern, *self.find((int(flags), pattern), translate))

        compiler.compile = compile_or_find


def wait_for_no_disk() -> None:
    """Make ``os.fsync`` return at once."""

    def return_at_once(*_given: object, **_named: object) -> None:
        return None

    os.fsync = return_at_once


def _write(path: Path, value: Any) -> None:
    # Another user's process may not write here, and dates can't be marshalled.
    with contextlib.suppress(OSError, ValueError):
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_bytes(marshal.dumps(value))
        beside.replace(path)


class YamlFinder:
    """Find the module ``yaml`` like Python, and make it cache large texts of plain data in a directory.

    :param directory: the existing directory of the cache.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == "yaml" else None
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_and_change(module: ModuleType) -> None:
                execute(module)
                self.change(module)

            spec.loader.exec_module = execute_and_change  # type: ignore[method-assign]
        return spec

    def change(self, module: Any) -> None:
        """Replace the function ``load`` of the module."""
        load = module.load
        loaders = [getattr(module, name) for name in ("CBaseLoader", "CSafeLoader") if hasattr(module, name)]

        def load_or_find(stream: Any, Loader: Any) -> Any:
            text = _large_text(stream) if Loader in loaders else b""
            if not text:
                return load(stream, Loader)
            path = self.directory / f"{hashlib.sha256(text).hexdigest()}.{Loader.__name__}"
            with contextlib.suppress(OSError):
                return marshal.loads(path.read_bytes())
            value = load(text, Loader)
            _write(path, value)
            return value

        module.load = load_or_find


def _large_text(stream: Any) -> bytes:
    """Return the text that ``yaml.load`` will read, or nothing if it is not large. A file keeps its position."""
    text = stream
    if isinstance(stream, io.BufferedReader) and stream.seekable():
        begin = stream.tell()
        text = stream.read()
        stream.seek(begin)
    return text if isinstance(text, bytes) and len(text) >= LARGE else b""


def _placed(code: CodeType, filename: str) -> CodeType:
    """Return code as if it had been compiled from a file with this name."""
    if code.co_filename == filename:
        return code
    constants = (
        _placed(constant, filename) if isinstance(constant, CodeType) else constant for constant in code.co_consts
    )
    return code.replace(co_filename=filename, co_consts=tuple(constants))


if os.environ.get(VARIABLE):
    keep_in(Path(os.environ[VARIABLE]))
    _BUNDLE = Bundle(Path(os.environ[VARIABLE]))
    _BUNDLE.keep_methods()
    _BUNDLE.keep_patterns()
    atexit.register(_BUNDLE.write)
    sys.meta_path.insert(0, YamlFinder(Path(os.environ[VARIABLE])))
    wait_for_no_disk()
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)
