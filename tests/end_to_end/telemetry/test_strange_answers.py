# SPDX-License-Identifier: Apache-2.0
"""Commands that ask a running packetwarp, where another program listens: one line, and no library's words."""
from __future__ import annotations

import contextlib
import pathlib
import socket
import tempfile
import threading
from collections.abc import Iterator

import pytest
from harness import FAILED, WRONG_USAGE

NOTHING = '{"status":0,"result":null}'
TEXT = '{"status":0,"result":"x"}'
OTHER_KINDS = ('{"status":0,"result":{"rules":"x","routes":7,"drops":5,"interfaces":{},"text":7,"workers":3,"memory":[1,2],"reset":"x",'
               '"missing":4,"sessions":"x"}}')
OTHER_NUMBERS = ('{"status":0,"result":{"version":1,"changing":false,"total":1,"rules":[{"interface":"a","port":-1,"rule":1e300,"line":null,'
                 '"group":"g","priority":null,"on":5,"hits":null,"bytes":null,"text":null}]}}')


@contextlib.contextmanager
def answering(line: str) -> Iterator[pathlib.Path]:
    """A control socket whose program answers so, whatever it is asked."""
    with tempfile.TemporaryDirectory(prefix="pw") as folder, socket.socket(socket.AF_UNIX) as listening:
        path = pathlib.Path(folder) / "s"
        listening.bind(str(path))
        listening.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    with client, client.makefile("r") as asked:
                        if asked.readline():  # else a client that checks whether a program listens
                            client.sendall(line.encode() + b"\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.mark.parametrize("line", (NOTHING, TEXT, OTHER_KINDS, OTHER_NUMBERS, "hello", "[]", "{}"))
def test_an_answer_that_is_not_packetwarp_s_is_one_line(packetwarp, line):
    commands = [("show", "interfaces"), ("show", "drops"), ("show", "memory"), ("show", "rules"), ("show", "routes"), ("workers",),
                ("workers", "reset"), ("flow", "list", "0"), ("nat", "stats"), ("nat", "sessions"), ("reload",), ("drain",), ("top", "--once")]
    with answering(line) as control:
        for words in commands:
            done = packetwarp.run(words[0], [*words[1:], "--control", str(control)])
            assert done.status == FAILED and done.stdout == "" and len(done.errors) == 1, done
            assert "the program that listens there does not answer like packetwarp" in done.errors[0], done


@pytest.mark.parametrize("twice", (["--control", "/a", "list", "0", "--control", "/b"], ["list", "0", "--control=/a", "--control=/b"]))
def test_a_control_socket_is_named_once(packetwarp, twice):
    done = packetwarp.run("flow", twice)
    assert done.status == WRONG_USAGE and "--control is given twice; give it once" in done.errors[0], done
