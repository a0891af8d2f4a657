#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the plain manifests of each profile from the chart, as kubectl apply -k takes them.

    deploy/manifests/generate.py [--helm HELM] [--check]

--check writes nothing, names each file that differs, and then ends with exit status 1."""
from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE.parent / "helm/packetwarp"
RELEASE = "packetwarp"
HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Written by deploy/manifests/generate.py from {values}; edit that, or the chart.\n"
KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [packetwarp.yaml]
"""
# Labels that say that helm installed an object.
OF_HELM = re.compile(r"^ +(helm\.sh/chart|app\.kubernetes\.io/managed-by): .*\n", re.M)


def profiles() -> list[str]:
    return sorted(folder.name for folder in HERE.iterdir() if (folder / "values.yaml").is_file())


def rendered(helm: str, profile: str) -> str:
    done = subprocess.run([helm, "template", RELEASE, str(CHART), "--no-hooks", "--values", str(HERE / profile / "values.yaml")],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"generate: error: helm template of {profile}: {done.stderr.strip()}")
    return OF_HELM.sub("", done.stdout)


def files(helm: str) -> dict[pathlib.Path, str]:
    written = {}
    for profile in profiles():
        head = HEAD.format(values=f"{profile}/values.yaml")
        written[HERE / profile / "packetwarp.yaml"] = head + rendered(helm, profile)
        written[HERE / profile / "kustomization.yaml"] = head + KUSTOMIZATION
    return written


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--helm", default="helm", help="the program (default: helm)")
    options.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = options.parse_args()
    wanted = files(given.helm)
    differing = [path for path, text in wanted.items() if not path.is_file() or path.read_text() != text]
    for path in differing:
        if given.check:
            print(f"generate: {path.relative_to(HERE.parent.parent)} is not what the chart gives: run deploy/manifests/generate.py", file=sys.stderr)
        else:
            path.write_text(wanted[path])
    return 1 if differing and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
