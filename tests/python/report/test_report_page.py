# SPDX-License-Identifier: Apache-2.0
"""The page and pictures that python/report.py makes of results whose figures are known."""
from __future__ import annotations

import base64
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys

import PIL.Image
import pytest

import bench_results as made
from reporting import page, peers
from reporting.gathering import gather, results_at
from reporting.sections import Section, sections

ROOT = pathlib.Path(__file__).resolve().parents[3]
PICTURES = {"throughput_by_burst", "throughput_by_size", "latency_by_burst", "winners", "throughput_by_work", "scaling"}
NO_END = {"meta", "img", "source", "br", "link"}


class Reader(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects everything that the page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.seen: set[str] = set()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        if tag not in NO_END:
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "srcset", "href") and not value.startswith("#")]
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append(dict(attributes).get("data-value", ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def made_page(tmp_path: pathlib.Path, document: made.Json) -> tuple[str, list[Section]]:
    """The page's text without its pictures, which take time to draw, and its sections."""
    data = gather(results_at([made.write(document, tmp_path / "r.json")]))
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", data.machine).with_testpmd(data.beside)
    parts = sections(data, known)
    return page.page(data, known, parts, {}), parts


def section(parts: list[Section], name: str) -> Section:
    return next(part for part in parts if part.name == name)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("report")
    done = subprocess.run([sys.executable, ROOT / "python/report.py", made.write(made.everything(), folder / "r.json"),
                           "--output", folder / "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(folder / "out" / "report.html") in done.stdout
    return folder / "out"


def test_the_page_is_whole_and_fetches_nothing(written):
    reader = Reader()
    reader.feed((written / "report.html").read_text())
    assert reader.open == [] and "script" not in reader.seen
    assert len(reader.fetched) == 2 * len(PICTURES)
    for address in reader.fetched:
        kind, _, data = address.partition(",")
        assert kind == "data:image/png;base64"
        PIL.Image.open(io.BytesIO(base64.b64decode(data, validate=True))).verify()


def test_every_picture_is_a_file_too_for_light_and_for_dark_ground(written):
    assert {path.stem for path in written.glob("*.png")} == PICTURES | {f"{name}-dark" for name in PICTURES}
    text = (written / "report.html").read_text()
    for path in written.glob("*.png"):
        with PIL.Image.open(path) as image:
            corner = image.convert("RGB").getpixel((0, 0))
        assert (max(corner) < 64) == path.stem.endswith("-dark")
        assert base64.b64encode(path.read_bytes()).decode() in text


def test_the_same_results_make_the_same_files(written, tmp_path):
    data = gather(results_at([made.write(made.everything(), tmp_path / "r.json")]))
    known = peers.read(ROOT / "benchmarks" / "peers.yaml", data.machine).with_testpmd(data.beside)
    for path in page.write(data, known, sections(data, known), tmp_path / "out"):
        assert path.read_bytes() == (written / path.name).read_bytes()


def test_every_figure_of_the_burst_table_is_the_datas_median(tmp_path):
    document = made.everything()
    medians = {(c["executor"], c["burst"]): c for c in document["cases"]
               if (c["packet_time_ns"], c["offered_mpps"], c["placement"], c["frame_bytes"], c["pipelines"]) == (0, None, "host", 64, 8)}
    (_, table), *_ = section(made_page(tmp_path, document)[1], "throughput_by_burst").tables
    shown = {(executor, int(row.head), row.label): cell.value for row in table.rows for executor, cell in zip(table.columns, row.cells)}
    assert len(medians) == 6
    for (executor, burst), case in medians.items():
        assert shown[executor, burst, "packetwarp, Mpps"] == case["mpps"]["median"]
    assert not any(label == "Gb/s" for _, _, label in shown), "the ports have no wire"
    assert shown["none", 16, "testpmd io, 8 lcores, Mpps"] == 330.0
    assert shown["persistent", 16, "l2fwd-nv on H200 †, 8 lcores, Mpps"] == 6.5


def test_the_tables_of_the_page_hold_the_same_figures_as_the_sections(tmp_path):
    text, parts = made_page(tmp_path, made.everything())
    reader = Reader()
    reader.feed(text)
    expected = [[repr(cell.value) if cell.value is not None else "" for cell in row.cells]
                for part in parts for _, table in part.tables for row in table.rows]
    assert [row for row in reader.rows if row] == expected


def test_sizes_stand_beside_placements(tmp_path):
    tables = dict(section(made_page(tmp_path, made.everything())[1], "throughput_by_size").tables)
    (heading,) = [heading for heading in tables if heading.startswith("persistent")]
    rows = {row.head: [cell.value for cell in row.cells] for row in tables[heading].rows if row.label == "packetwarp, Mpps"}
    assert tables[heading].columns == ("host memory", "device memory")
    assert rows == {"64 B": [260.0, 250.0], "1024 B": [250.0, 250.0]}


def test_what_is_missing_is_named_with_its_reason(tmp_path):
    cases = [made.case("cpu", 16, 1.0), made.case("cpu", 32, 2.0), made.case("cpu", 64, 3.0), made.case("kernel", 16, 1.0),
             made.without_figure("unsupported", "no GPU <here>", "kernel", 32)]
    text, parts = made_page(tmp_path, made.result(cases))
    shown = section(parts, "throughput_by_burst")
    assert shown.gaps == ("kernel at bursts of 32: unsupported: no GPU <here>", "kernel at bursts of 64: not measured")
    assert "no GPU &lt;here&gt;" in text
    assert [[cell.value for cell in row.cells] for row in shown.tables[0][1].rows if row.label == "packetwarp, Mpps"] == [
        [1.0, 1.0], [2.0, None], [3.0, None]]
    assert "persistent at" not in json.dumps(shown.gaps)


def test_an_executor_without_any_figure_is_absent_and_the_page_says_why(tmp_path):
    cases = [made.case("cpu", 16, 1.0), made.case("cpu", 32, 2.0),
             *(made.without_figure("unsupported", "no GPU", "graph", burst) for burst in (16, 32))]
    text, parts = made_page(tmp_path, made.result(cases))
    assert "<li>no figure of graph: 2 cases unsupported: no GPU</li>" in text
    assert section(parts, "throughput_by_burst").tables[0][1].columns == ("cpu",)
    assert all(part.gaps == () for part in parts)


def test_a_section_without_data_says_so_and_has_no_picture(tmp_path):
    _, parts = made_page(tmp_path, made.result([made.case("cpu", 64, 1.0)]))
    assert {part.name for part in parts} == PICTURES
    assert all(part.draw is None and part.shows.startswith("Not shown: ") for part in parts)


def test_settings_without_a_picture_are_counted(tmp_path):
    cases = [made.case("cpu", burst, 1.0, frame_bytes=size) for burst in (16, 32) for size in (64, 128, 512)]
    shown = section(made_page(tmp_path, made.result(cases))[1], "throughput_by_burst")
    assert shown.setting.startswith("forward, host memory, 64 B") and shown.others == 2 and len(shown.tables) == 3


def test_every_picture_says_where_it_comes_from(tmp_path):
    _, parts = made_page(tmp_path, made.everything())
    for part in parts:
        assert part.provenance == ("A Processor, 16 CPUs, A GPU",
                                   "packetwarp 0.1.0 at 0123456789ab, 2026-11-21, 3 runs of 2 s: packetwarp bench -- --bursts 16,64")


def test_figures_of_another_machine_are_marked(tmp_path):
    text, _ = made_page(tmp_path, made.everything())
    assert re.search(r"<li>† l2fwd-nv, .*Machine: .*H200.* Source: l2fwd-nv, run beside", text)
    here = {**made.everything(), "host": {**made.HOST, "cpu_model": "INTEL(R) XEON(R)", "gpus": [{"name": "NVIDIA H200"}]}}
    text, parts = made_page(tmp_path, here)
    assert "<li>l2fwd-nv, forward" in text and "† l2fwd-nv, forward" not in text
    assert "l2fwd-nv, 8 lcores, Mpps" in section(parts, "throughput_by_burst").tables[0][1].markdown()
