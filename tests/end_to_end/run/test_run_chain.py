# SPDX-License-Identifier: Apache-2.0
"""The key `chain` of a run's file: the stages that packets pass, or one line that names the chains that are compiled."""
from __future__ import annotations

import re

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run

PORTS = (*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1")
INTERFACES = """\
interfaces:
  - {name: left, port: net_null0, addresses: [192.0.2.1/24]}
  - {name: right, port: net_null1, addresses: [198.51.100.1/24]}
"""
SECTIONS = {
    "rules": "rules: {file: flows.txt}\n",
    "nat44": "nat44: {inside: left, outside: right, pool: [198.51.100.9]}\n",
    "routes": "routes: [{to: 203.0.113.0/24, via: 198.51.100.2}]\n",
}
COMPILED = ("[rules], [router], [rules, router], [nat44, router], [rules, nat44, router], [detect, router], [inspect, router], "
            "and parts of [rules, nat44, router], and parts of [rules, detect, nat44, router], and parts of [rules, inspect, nat44, router]")


def run_with(packetwarp: Program, sections: str, chain: str | None, more: str = "") -> Run:
    """A run of a file with these sections, and with this chain on its last line."""
    (packetwarp.folder / "flows.txt").write_text("flow create 0 ingress pattern eth / udp / end actions drop / end\n")
    path = packetwarp.folder / "network.yaml"
    path.write_text(INTERFACES + "".join(SECTIONS[name] for name in sections.split()) + (f"chain: {chain}\n" if chain else "") + more)
    return packetwarp.run("run", PORTS, ["-c", str(path), "--duration", "50ms"], cwd=packetwarp.folder)


def planned_function(packetwarp: Program) -> str:
    """The name of the chain that the last file asks for, as the plan draws it."""
    done = packetwarp.run("plan", PORTS, ["-c", str(packetwarp.folder / "network.yaml")], cwd=packetwarp.folder)
    assert done.status == DONE, done
    drawn = re.search(r"([a-z0-9]+(?:, [a-z0-9]+)*) \(cpu", done.stdout)
    assert drawn, done
    return drawn[1]


# The file's sections, chains that they go with, and the chain's name in reports.
RIGHT = [
    ("", ("[router]", "router"), "router"),
    ("routes", ("[router]",), "router"),
    ("rules", ("[rules]", "rules"), "rules"),
    ("rules routes", ("[rules, router]",), "rules, router"),
    ("nat44", ("[nat44]", "[nat44, router]"), "nat44"),
    ("nat44 routes", ("[nat44, router]",), "nat44"),
    ("rules nat44", ("[rules, nat44]", "[rules, nat44, router]"), "rules, nat44"),
]
CASES = [(sections, chain, name) for sections, chains, name in RIGHT for chain in (None, *chains)]


@pytest.mark.parametrize(("sections", "chain", "name"), [*CASES, ("rules", "[rules, router]", "rules, router")])
def test_a_chain_that_is_compiled_runs(packetwarp, sections, chain, name):
    """The same one whether the key says it or the sections do."""
    done = run_with(packetwarp, sections, chain)
    assert done.status == DONE, done
    assert planned_function(packetwarp) == name


# The file's sections, the stages of their chain, and which of the general chain's are off.
PARTS = [
    ("", "router", "rules, nat44 switched off"),
    ("rules routes", "rules, router", "nat44 switched off"),
    ("nat44", "nat44, router", "rules switched off"),
    ("rules nat44", "rules, nat44, router", "all stages switched on"),
]


@pytest.mark.parametrize(("sections", "stages", "switches"), PARTS)
def test_the_general_chain_runs_what_a_file_asks_it_for(packetwarp, sections, stages, switches):
    """It has the special chain's name, and a note of the result says that it ran."""
    names = set()
    for way in ("special", "general"):
        done = run_with(packetwarp, sections, None, f"chain_as: {way}\n")
        assert done.status == DONE, done
        note = f"chain [{stages}]: the general chain [rules, nat44, router] runs it, with {switches}"
        assert (note in done.stdout) == (way == "general"), done
        names.add(planned_function(packetwarp))
    assert len(names) == 1


# The file's sections, a chain, the line that is told if not the chain's, and what is said.
WRONG = [
    ("rules nat44", "[nat44, rules]", None, f"chain: no chain [nat44, rules] is compiled; there are {COMPILED}"),
    ("nat44", "[nat44, nat44]", None, f"chain: no chain [nat44, nat44] is compiled; there are {COMPILED}"),
    ("nat44", "[router, nat44]", None, f"there are {COMPILED}"),
    ("nat44", "[nat44, judge]", None, f"chain[1]: 'judge' is no stage of a network; compiled chains are {COMPILED}"),
    ("", "[forward]", None, "chain[0]: 'forward' is no stage of a network"),
    ("", "[]", None, f"chain: no stage; compiled chains are {COMPILED}"),
    ("", "{router: yes}", None, "chain: has to be a list"),
    ("", "[[router]]", None, "chain[0]: has to be a single value"),
    ("", "[nat44]", None, "chain: the stage 'nat44' needs the section 'nat44', which is missing"),
    ("nat44", "[rules, nat44]", None, "chain: the stage 'rules' needs the section 'rules', which is missing"),
    ("nat44", "[router]", 4, "nat44: the chain has no stage 'nat44'; name it in 'chain', or take 'nat44' out"),
    ("rules nat44", "[nat44]", 4, "rules: the chain has no stage 'rules'; name it in 'chain', or take 'rules' out"),
    ("rules routes", "[rules]", 5, "routes: the chain has no stage 'router'; name it in 'chain', or take 'routes' out"),
]


@pytest.mark.parametrize(("sections", "chain", "line", "said"), WRONG, ids=[f"{s}-{c}" for s, c, _, _ in WRONG])
def test_a_chain_that_is_none_is_told_by_its_place(packetwarp, sections, chain, line, said):
    done = run_with(packetwarp, sections, chain)
    assert done.status == WRONG_USAGE and done.stdout == "", done
    assert len(done.errors) == 1 and done.stderr.splitlines()[-1] == done.errors[0], done
    place = f"{packetwarp.folder / 'network.yaml'}:{line or 4 + len(sections.split())}: "
    assert done.errors[0].startswith(f"packetwarp: error: {place}") and said in done.errors[0], done
