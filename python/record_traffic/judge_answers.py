#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The answers in a result of `packetwarp generate`, judged: judge_answers.py RESULT. Exit status 1 if a packet was not answered, if fewer
than half of the attacks' packets are called anomalous, or more than one in twenty normal packets: features depend on times, and on a busy
machine packets come later than they were recorded, and several at once. Needs only Python."""
from __future__ import annotations

import json
import pathlib
import sys

LEAST_FOUND, MOST_FALSE = 0.5, 0.05


def main(result: str) -> int:
    answers = json.loads(pathlib.Path(result).read_text())["answers"]
    normal, attacks = answers["normal"], answers["anomalous"]
    found, false, missing = attacks["called_anomalous"], normal["called_anomalous"], answers["missing"]
    is_good = missing == 0 and found >= LEAST_FOUND * attacks["sent"] and false <= MOST_FALSE * normal["sent"]
    print(f"judge_answers: {'PASS' if is_good else 'FAIL'}: {found} of {attacks['sent']} packets of attacks found, "
          f"{false} of {normal['sent']} normal packets called anomalous, {missing} not answered")
    return 0 if is_good else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
