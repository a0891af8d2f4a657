# SPDX-License-Identifier: Apache-2.0
"""A profile's file, and its tunables, to streams."""
from __future__ import annotations

import argparse
import contextlib
import importlib.util
import inspect
import io
import pathlib
import shlex
import sys
import traceback
from typing import Any

from . import api
from .packets import STLPktBuilder
from .problems import ProfileError, ProfileHelp
from .program import compile_program
from .scapy_of_trex import scapy_of_trex
from .stand_in import trex_packages
from .streams import STLProfile, STLStream


def _value(text: str) -> Any:
    """Like TRex's console: a number if it is one, quotes for text that looks like one."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    for kind in (lambda t: int(t, 16) if t.lower().startswith("0x") else int(t), float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_tunables(text: str) -> tuple[dict[str, Any], list[str]]:
    """Both ways that profiles have taken them: "size=64,vm=random" as keywords, and as the words of a command line,
    which may be given as they are: "--size 64"."""
    if text.strip().startswith("-"):
        return {}, shlex.split(text)
    keywords: dict[str, Any] = {}
    words: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.isidentifier():
            raise ProfileError(f"-t '{text}': '{part}' is no tunable; give key=value, apart by commas")
        keywords[key] = _value(value)
        words += [f"--{key}", str(keywords[key])]
    return keywords, words


def _where(error: BaseException, path: pathlib.Path) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"line {lines[-1]}: " if lines else ""


def _describe(error: BaseException, path: pathlib.Path) -> str:
    where = _where(error, path)
    if isinstance(error, ProfileError):
        return f"{where}{error}"
    if isinstance(error, NameError) and error.name and error.name.startswith(("STL", "CTRex")):
        known = sorted(key for key in vars(api) if key.startswith("STL"))
        return f"{where}{error.name} is not supported; there are {', '.join(known)}"
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] in ("trex", "trex_stl_lib"):
        return (f"{where}{error.name} is not supported; of TRex's packages there is trex_stl_lib.api, also as trex.stl.api: "
                "write the streams of HLT (STLHltStream) as STLStream")
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    return f"{where}{type(error).__name__}: {' '.join(str(error).split())}"


def _accepted(function: Any, wanted: dict[str, Any], tunables: dict[str, Any]) -> dict[str, Any]:
    """The values that TRex passes and the profile takes. A tunable that it does not know is an error."""
    parameters = inspect.signature(function).parameters
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    for key in tunables:
        if not takes_all and key not in parameters and "tunables" not in parameters:
            named = ", ".join(one for one in parameters if one not in wanted) or "none"
            raise ProfileError(f"-t: the profile has no tunable '{key}'; it has {named}")
    both = tunables | wanted
    return both if takes_all else {key: value for key, value in both.items() if key in parameters}


def _streams_of(path: pathlib.Path, wanted: dict[str, Any], tunables: dict[str, Any]) -> list[STLStream]:
    spec = importlib.util.spec_from_file_location("packetwarp_stl_profile", path)
    if spec is None or spec.loader is None:
        raise ProfileError("a profile is a Python file, as UDP_L3_P0.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    register = getattr(module, "register", None)
    if register is None:
        raise ProfileError("it has no register(), which gives TRex the profile's object")
    get_streams = register().get_streams
    streams = get_streams(**_accepted(get_streams, wanted, tunables))
    if isinstance(streams, STLProfile):
        streams = streams.get_streams()
    streams = [streams] if isinstance(streams, STLStream) else streams
    if not isinstance(streams, (list, tuple)) or not all(isinstance(one, STLStream) for one in streams):
        raise ProfileError(f"get_streams() gives {type(streams).__name__}; it has to give a list of STLStream")
    return list(streams)


def _is_help(error: SystemExit) -> bool:
    """Whether argparse ended the program without an error: after --help or the like."""
    return not error.code and any(frame.filename == argparse.__file__ for frame in traceback.extract_tb(error.__traceback__))


def read_profile(file: str, *, port: int = 0, direction: int | None = None, tunables: str = "") -> dict[str, Any]:
    """The traffic program of a profile on one port. Throws ProfileError with one line that names file and line, and
    ProfileHelp."""
    path = pathlib.Path(file).resolve()
    if not path.is_file():
        raise ProfileError(f"{file}: no such file")
    keywords, words = parse_tunables(tunables)
    wanted = {"direction": port % 2 if direction is None else direction, "port_id": port, "tunables": words}
    sys.path.insert(0, str(path.parent))
    STLPktBuilder.folder = path.parent
    said, shown = io.StringIO(), io.StringIO()  # argparse prints an error, or a help, and ends the program
    try:
        with trex_packages(), scapy_of_trex(), contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
            program = compile_program(_streams_of(path, wanted, keywords))
    except SystemExit as error:
        if _is_help(error):
            text = shown.getvalue()
            shown.truncate(0)
            raise ProfileHelp(text) from None
        _, is_of_argparse, words = said.getvalue().strip().rpartition("\n")[2].rpartition(": error: ")
        if is_of_argparse:
            raise ProfileError(f"{file}: -t '{tunables}': {words}") from None
        raise ProfileError(f"{file}: {_where(error, path)}it ends the program: exit({error.code!r})") from None
    except Exception as error:  # any exception of a profile's code is one line for the person who wrote it
        raise ProfileError(f"{file}: {_describe(error, path)}") from None
    finally:
        sys.path.remove(str(path.parent))
        sys.stdout.write(shown.getvalue())
    return {"profile": path.name, **program}
