# SPDX-License-Identifier: Apache-2.0
"""A self-contained HTML page, and the same pictures as PNG files beside it."""
from __future__ import annotations

import base64
import io
import pathlib
from html import escape

import matplotlib.pyplot as plt

from . import words
from .gathering import Gathered
from .peers import Known, Limit
from .sections import Section
from .style import DARK, LIGHT, Theme, themed

ELSEWHERE = "† was measured on another machine than these results, and is no measure of it."
CSS = pathlib.Path(__file__).resolve().parent / "page.css"


def png_of(section: Section, theme: Theme) -> bytes:
    with themed(theme):
        figure = section.draw(theme)
        try:
            made = io.BytesIO()
            # Without the date and version that it would write, the same data give the same file.
            figure.savefig(made, format="png", metadata={"Software": None})
            return made.getvalue()
        finally:
            plt.close(figure)


def picture(light: bytes, dark: bytes, alt: str) -> str:
    """The browser takes the one that suits the page's ground."""
    as_url = [f"data:image/png;base64,{base64.b64encode(png).decode()}" for png in (dark, light)]
    return (f'<picture><source media="(prefers-color-scheme: dark)" srcset="{as_url[0]}">'
            f'<img src="{as_url[1]}" alt="{escape(alt)}"></picture>')


def bullets(lines: tuple[str, ...] | list[str], css_class: str = "") -> str:
    name = f' class="{css_class}"' if css_class else ""
    return f"<ul{name}>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>" if lines else ""


def table_html(heading: str, table_text: str, open_at_first: str) -> str:
    return (f"<details{open_at_first}><summary>{escape(heading)}</summary>"
            f'<div class="wide">{table_text}</div></details>')


def section_html(section: Section, pictures: dict[str, tuple[bytes, bytes]]) -> str:
    parts = [f'<section id="{section.name}"><h2>{escape(section.title)}</h2>', f"<p>{escape(section.shows)}</p>"]
    if section.name in pictures:
        others = words.value_of("other settings", section.others)
        more = f" {others} measured too, without a picture." if section.others else ""
        caption = f"{escape(section.setting)}. Medians; whiskers from the lowest to the highest run.{more}" if section.setting else ""
        alt = f"{section.title}: {section.setting}" if section.setting else section.title
        parts.append(f"<figure>{picture(*pictures[section.name], alt)}<figcaption>{caption}</figcaption></figure>")
    if section.findings:
        parts.append("<h3>What follows</h3>" + bullets(section.findings))
    # The first is open, the others are there to be opened.
    parts += [table_html(heading, table.html(), " open" if number == 0 else "")
              for number, (heading, table) in enumerate(section.tables)]
    if section.gaps:
        parts.append("<h3>Not measured</h3>" + bullets(section.gaps, "gaps"))
    parts.append(bullets(section.provenance, "provenance"))
    return "\n".join([*parts, "</section>"])


# --- around the sections ------------------------------------------------------------------------------------------------


def measured_on(data: Gathered) -> str:
    lines = []
    for result in data.results:
        ok = sum(case.status == "ok" for case in result.cases)
        lines.append(f"{result.name}: packetwarp {result.version} at {result.commit}, {result.started}, {result.software}; "
                     f"{ok} of {len(result.cases)} cases measured, {words.value_of('runs', result.repeats)} of "
                     f"{result.seconds:g} s each: {words.without_folders(result.command)}")
    notices = [f"{result.name}: {notice}" for result in data.results for notice in result.notices]
    notices += data.absent
    if data.replaced:
        notices.append(f"{data.replaced} cases are in several files: the newest figure of each is shown")
    parts = [f"<p>Measured on <strong>{escape(str(data.machine))}</strong>.</p>", bullets(lines, "provenance")]
    return "\n".join(parts + (["<h3>Mind</h3>" + bullets(notices)] if notices else []))


def limit_text(limit: Limit) -> str:
    if isinstance(limit.value, dict):
        return f"{', '.join(f'{rate:g}' for rate in limit.value.values())} Mpps at bursts of {', '.join(map(str, limit.value))}"
    values = limit.value if isinstance(limit.value, list) else [limit.value]
    return f"{' to '.join(f'{value:g}' for value in values)} {limit.unit}"


def peers_and_limits(known: Known) -> str:
    lines = []
    for peer in known.peers:
        dagger = "" if known.is_here(peer.machine) else "† "
        frame = f"{peer.frame_bytes} B" if peer.frame_bytes else f"bursts of {peer.burst}"
        rates = [f"{peer.rate:g}"] if peer.rate is not None else [
            f"{executor} " + ", ".join(f"{rate:g} at {x}" for x, rate in by.items()) for executor, by in peer.rates.items()]
        lines.append(f"{dagger}{peer.name}, {peer.function}, {frame}, {peer.placement} memory, "
                     f"{words.value_of('lcores', peer.lcores)}, {peer.unit}: {'; '.join(rates)}. "
                     f"Machine: {peer.machine.words}. Source: {peer.source}.")
    for limit in known.limits:
        dagger = "" if known.is_here(limit.machine) else "† "
        machine = f" Machine: {limit.machine.words}." if limit.machine else ""
        lines.append(f"{dagger}Limit: {limit.name}, {limit_text(limit)}.{machine} Source: {limit.source}.")
    return f'<section id="peers"><h2>Peers and limits</h2><p>{escape(ELSEWHERE)}</p>{bullets(lines, "peers")}</section>'


def page(data: Gathered, known: Known, sections: list[Section], pictures: dict[str, tuple[bytes, bytes]]) -> str:
    title = f"packetwarp on {data.machine}"
    links = " &middot; ".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections)
    body = "\n".join(section_html(section, pictures) for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{CSS.read_text()}</style>
</head>
<body>
<main>
<h1>packetwarp: results</h1>
{measured_on(data)}
<nav>{links} &middot; <a href="#peers">Peers and limits</a></nav>
{body}
{peers_and_limits(known)}
</main>
</body>
</html>
"""


def tables_markdown(sections: list[Section]) -> str:
    """For a README or a pull request."""
    parts = [f"### {section.title}\n\n{heading}\n\n{table.markdown()}\n" for section in sections
             for heading, table in section.tables]
    return "\n".join(parts)


def write(data: Gathered, known: Known, sections: list[Section], folder: pathlib.Path) -> list[pathlib.Path]:
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {section.name: (png_of(section, LIGHT), png_of(section, DARK)) for section in sections if section.draw}
    written = {"report.html": page(data, known, sections, pictures).encode(), "tables.md": tables_markdown(sections).encode()}
    for name, (light, dark) in pictures.items():
        written |= {f"{name}.png": light, f"{name}-dark.png": dark}
    for name, content in written.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in written]
