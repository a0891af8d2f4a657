# SPDX-License-Identifier: Apache-2.0
"""The check of the documentation finds each kind of thing that is not there, and nothing else."""
from __future__ import annotations

import pathlib

import check_docs
import pytest

HELP = """usage: packetwarp fly [EAL options] -- [options]

  -b, --burst N            packets that travel together
  --rx-ports, --tx-ports LIST
                           which ports
  --portmap "(0,1)(2,3)"   with peers, see --burst
  --through "OPTIONS"      of l2fwd

  -g, -m device and -w kernel|graph are recognised; this version refuses them.
"""


@pytest.fixture
def project(tmp_path: pathlib.Path) -> check_docs.Project:
    files = {
        "Makefile": "## make lint   text\nlint:\n\t@ci/lint.sh\n",
        "src/cli/fly/help.txt": HELP,
        "src/cli/swim/help.txt": "",
        "src/cli/l2fwd/help.txt": "  -w, --workload none|cpu  who\n",
        "src/module/wing/client/glide.txt": "packetwarp glide: a command of a module's\n\n  --far  how far\n",
        "src/module/wing/client/in_fly_options.txt": "  --flap N  how often\n",
        "docs/other.md": "# A heading, with `code` and a [link](../Makefile)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return check_docs.Project.read(tmp_path)


def complaints(project: check_docs.Project, text: str, name: str = "README.md") -> list[str]:
    page = project.root / name
    page.write_text(text)
    return check_docs.check(project, page)


def test_options_of_a_help_page():
    assert check_docs.options_of_page(HELP) == {"-b", "--burst", "--rx-ports", "--tx-ports", "--portmap", "--through", "-g", "-m", "-w"}


RIGHT = [
    "[other](docs/other.md), [its heading](docs/other.md#a-heading-with-code-and-a-link), [here](#top)\n# Top",
    "[elsewhere](https://example.org/no/such/page.md)",
    "`[not](a-link.md)`",
    "```\n[not](a-link.md)\n```",
    "`src/cli/fly/help.txt`, `src/<name>/<name>.h`, `docs/functions/*.md`, `either/or`",
    "`make lint`, and they make do",
    "`packetwarp fly --help`",
    "```\nip netns exec left build/packetwarp fly -l 0 --no-pci -- -b 8 --portmap \"(0,0)\"\n```",
    "```\npacketwarp fly -l 0 \\\n    -- --burst 8\n```",
    '`packetwarp fly -l 0 -- -b 8 --through "-w cpu"`',
    "`packetwarp glide -- --far` and `packetwarp fly -- --flap 3`",
    "```\npacketwarp 0.1.0 fly: executor cpu\npacketwarp: error: no\n```",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_there_is_no_complaint(project, text):
    assert complaints(project, text) == []


WRONG = [
    ("[gone](docs/gone.md)", "README.md:1: link to docs/gone.md: no such file"),
    ("\n[gone](docs/other.md#gone)", "README.md:2: link to docs/other.md#gone: no such heading"),
    ("[out](../../etc/passwd)", "README.md:1: link to ../../etc/passwd: no such file"),
    ("`src/cli/fly/gone.h`", "README.md:1: src/cli/fly/gone.h: no such file"),
    ("```\nci/gone.sh --fix\n```", "README.md:2: ci/gone.sh: no such file"),
    ("`make gone`", "README.md:1: make gone: no such target"),
    ("`packetwarp run`", "README.md:1: packetwarp run: no such command"),
    ("`packetwarp swim`", "README.md:1: packetwarp swim: no such command"),
    ("`packetwarp fly -l 0 -- -b 8 --gone`", "README.md:1: packetwarp fly --gone: no such option"),
    ('`packetwarp fly -- --through "-w cpu --gone"`', "README.md:1: packetwarp l2fwd --gone: no such option"),
    ("```\npacketwarp fly -l 0 -- \\\n  -x 8\n```", "README.md:2: packetwarp fly -x: no such option"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_not_there_is_said_with_its_line(project, text, said):
    assert complaints(project, text) == [said]


def page_of_fly(*options: str) -> str:
    return "\n".join(f"`{option}`" for option in options)


ALL = ("-b", "--burst", "--rx-ports", "--tx-ports", "--portmap", "--through", "-g", "-m", "-w", "--workload", "--vdev", "--flap")


def test_a_commands_page_has_its_options_and_no_others(project):
    assert complaints(project, page_of_fly(*ALL), "docs/fly.md") == []
    assert complaints(project, page_of_fly(*ALL, "--gone"), "docs/fly.md") == [
        "docs/fly.md:13: --gone: neither an option of packetwarp nor of the EAL"]
    assert complaints(project, page_of_fly(*ALL[1:]), "docs/fly.md") == ["docs/fly.md: -b of packetwarp fly is not described"]


def test_the_documentation_itself():
    project = check_docs.Project.read(check_docs.ROOT)
    pages = check_docs.documents(check_docs.ROOT)
    assert {page.name for page in pages} >= {"README.md", "CONTRIBUTING.md", "design.md", "l2fwd.md"}
    assert [complaint for page in pages for complaint in check_docs.check(project, page)] == []
