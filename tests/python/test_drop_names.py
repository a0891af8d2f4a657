# SPDX-License-Identifier: Apache-2.0
"""docs/drops.md has a row for each name of a drop and of a punt in src/, and for no other."""
from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "drops.md"

# Section of the page, file of the names, and the words before them.
NAMES = (
    ("In the data path", "src/burst/verdict.h", "data_path_drop_name(drop_reason reason)"),
    ("l2fwd", "src/function/forward/forward.h", "drop_names{"),
    ("router", "src/routing/ip_packet.h", "fault_names{"),
    ("nat44", "src/function/nat44/fault.h", "fault_names{"),
    ("rules", "src/function/rules/rules.h", "drop_names{"),
    ("detect", "src/function/detect/detect_hooks.h", "drop_names{"),
    ("inspect", "src/function/inspection/inspection.h", "drop_names{"),
    ("Control plane", "src/control/action.h", "control_drop_names{"),
    ("Punt reasons", "src/burst/verdict.h", "punt_reasons> names{"),
)
# Names that the control plane and kernel interfaces share with others.
ALSO = {"Control plane": {"no_kernel_interface", "rule_drop", "kernel_full", "no_room", "shutdown", "tx_full"}}
# Arrays of names that are no function's own: their places are above.
REST = {"src/function/swap_payload/swap_payload.h", "src/function/router/router.h", "src/function/nat44/nat44.h",
        "src/function/switched.h", "src/function/chain.h", "src/function/general.h"}


def names_in(file: str, after: str) -> set[str]:
    text = (ROOT / file).read_text()
    begin = text.index(after)
    end = text.index("default:" if "(" in after else "};", begin)
    return set(re.findall(r'"([a-z0-9_]+)"', text[begin:end]))


def rows_of(section: str) -> set[str]:
    """The names in the first cells of a section's rows."""
    text = PAGE.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return {name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split(" | ")[0])}


def test_each_name_has_a_row_and_each_row_a_name():
    for section, file, after in NAMES:
        names = names_in(file, after) | ALSO.get(section, set())
        assert names and rows_of(section) == names, f"{section}: {file}"


def test_no_function_with_names_of_its_own_is_left_out():
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "src/function").rglob("*.h")
             if re.search(r"static constexpr (auto|std::array<std::string_view, \d+>) drop_names\b", path.read_text())}
    assert found <= {file for _, file, _ in NAMES} | REST, found


def test_rows_of_kernel_interfaces_are_those_of_reports():
    report = (ROOT / "src/telemetry/run_report.h").read_text()
    arrays = re.findall(r"constexpr std::array<[^>]*> (?:in|out)_names\{([^}]*)\}", report)
    names = {name for array in arrays for name in re.findall(r'"(\w+)"', array)}
    text = PAGE.read_text().partition("\n## Kernel interfaces\n")[2].partition("\n## ")[0]
    assert names and names <= set(re.findall(r"`(\w+)`", text))


def test_a_missing_row_is_noticed(monkeypatch, tmp_path):
    text = PAGE.read_text()
    monkeypatch.setitem(globals(), "PAGE", tmp_path / "drops.md")
    (tmp_path / "drops.md").write_text(text.replace("| `not_for_us` |", "| `not_for_them` |"))
    assert rows_of("router") - names_in("src/routing/ip_packet.h", "fault_names{") == {"not_for_them"}
