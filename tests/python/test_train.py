# SPDX-License-Identifier: Apache-2.0
"""Training of models, as far as it needs neither the built program nor scikit-learn: parts, weights, thresholds, the network, options."""
from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy", reason="the package numpy is not installed")
pytest.importorskip("yaml", reason="the package PyYAML is not installed")

from train import TrainError, device_rows, device_types, measure, network, nsl_kdd  # noqa: E402
from train import train as command  # noqa: E402
from train.rows import Rows  # noqa: E402
from train.blur import blurred  # noqa: E402
from train.split import folds, parts_of_groups, split  # noqa: E402


# --- options ---------------------------------------------------------------------------------------------------------------

WRONG_NUMBERS = [*((option, wrong) for option in ("--epochs", "--trees", "--depth", "--rows") for wrong in ("0", "-1", "1.5", "x", "9" * 5000)),
                 ("--trees", "4097"), ("--depth", "17"), ("--folds", "0"), ("--folds", "1"), ("--seed", "-1"), ("--seed", "4294967296"),
                 ("--blur", "-1"), ("--blur", "nan"), ("--blur", "inf"), ("--blur", "x"),
                 ("--looks", "-0.1"), ("--looks", "1.1"), ("--looks", "x"), ("--looks", "nan"), ("--beginnings", "2"), ("--features", "0"), ("--features", "65"),
                 ("--features", "length,length"), ("--hidden", "0"), ("--false-alarms", "nan"), ("--false-alarms", "1")]


def refusal_of(main, words: list[str], monkeypatch, capsys) -> str:
    """The one line by which the command line is refused."""
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as refusal:
        main()
    said = capsys.readouterr()
    assert (refusal.value.code, said.out, said.err.count("\n")) == (2, "", 1), said
    return said.err


@pytest.mark.parametrize(("option", "wrong"), WRONG_NUMBERS)
def test_a_number_beyond_its_bounds_is_refused_before_anything_is_read(tmp_path, monkeypatch, capsys, option, wrong):
    words = ["train.py", str(tmp_path / "none.yaml"), "--output", str(tmp_path / "m.onnx"), f"{option}={wrong}"]
    assert refusal_of(command.main, words, monkeypatch, capsys).startswith(f"train: error: argument {option}: ")
    assert not list(tmp_path.iterdir())


def test_the_bounds_of_false_alarms_are_told_as_they_are(monkeypatch, capsys):
    words = ["train.py", "a.yaml", "--output", "m.onnx", "--false-alarms", "1"]
    said = refusal_of(command.main, words, monkeypatch, capsys)
    assert said == "train: error: argument --false-alarms: 1: give a share from 0 to below 1, such as 0.001\n"


def test_without_a_reader_of_its_lines_a_training_goes_on_in_silence(tmp_path):
    """A reader that has gone, as after `| head -1`: the command ends as usual, after its other work."""
    script = ("import sys; from train import console; from train.train import say; sys.stdin.read()\n"
              "for n in range(3): say('line'); console.write('| table |')\n"
              f"open({str(tmp_path / 'model')!r}, 'w').close()\n")
    pipe, folder = subprocess.PIPE, pathlib.Path(command.__file__).parents[1]
    with subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        running.stdout.close()
        running.stdin.close()
        assert (running.stderr.read(), running.wait(60)) == (b"", 0)
    assert (tmp_path / "model").exists()


def test_numbers_at_their_bounds_are_taken(monkeypatch):
    monkeypatch.setattr("sys.argv", ["train.py", "a.yaml", "--output", "m.onnx", "--epochs", "1", "--trees", "4096", "--depth", "16", "--rows", "1", "--folds", "2",
                                     "--blur", "0", "--looks", "1", "--beginnings", "0", "--seed", "0", "--features", "64"])
    taken = command.parse_options()
    assert (taken.epochs, taken.trees, taken.depth, taken.rows, taken.folds, taken.blur, taken.looks, taken.beginnings, taken.seed, taken.features) == (
        1, 4096, 16, 1, 2, 0, 1, 0, 0, "64")


@pytest.mark.parametrize("word", ("--epochs=0", "--seed=-1"))
def test_numbers_of_the_comparisons_have_bounds_too(monkeypatch, capsys, word):
    words = ["nsl_kdd.py", "none", "none", word]
    assert refusal_of(nsl_kdd.main, words, monkeypatch, capsys).startswith(f"nsl_kdd: error: argument {word.split('=')[0]}: ")


# --- parts and weights -----------------------------------------------------------------------------------------------------


def rows_of(captures: list[tuple[str, str, int]], parts: list[str] | None = None) -> Rows:
    """Captures as (group, label, rows); the feature says which capture a row is of."""
    labels = ["normal", *sorted({label for _, label, _ in captures} - {"normal"})]
    number = np.repeat(np.arange(len(captures)), [count for _, _, count in captures])
    label = np.array([labels.index(captures[n][1]) for n in number])
    return Rows(["feature"], labels, [group for group, _, _ in captures], [pathlib.Path(f"{n}.pcap") for n in range(len(captures))],
                parts or [""] * len(captures), number[:, None].astype(np.int8), label, number, len(number))


MANY = [*((f"day{n // 2}", "normal", 50) for n in range(20)), *((f"nmap{n}", "scan", 50) for n in range(5)),
        *((f"flood{n}", "flood", 50) for n in range(3)), ("hydra", "guess", 50)]


@pytest.mark.parametrize("seed", range(5))
def test_no_group_is_in_two_parts_and_each_row_is_in_one(seed):
    rows = rows_of(MANY)
    parts = split(rows, seed)
    groups = [{rows.groups[capture] for capture in part.capture} for part in parts.values()]
    assert sum(map(len, groups)) == len(set().union(*groups)) == len(set(rows.groups))
    assert sum(len(part.label) for part in parts.values()) == len(rows.label)
    assert rows.labels.index("guess") in parts["train"].label  # a label with one group is trained on
    for label in ("normal", "scan", "flood"):
        assert all(rows.labels.index(label) in part.label for part in parts.values())


@pytest.mark.parametrize("seed", range(5))
def test_a_group_is_in_one_fold_and_each_label_in_as_many_as_it_can(seed):
    rows = rows_of(MANY)
    fold = folds(rows, 3, seed)
    for group in set(rows.groups):
        assert len(set(fold[[rows.groups[capture] == group for capture in rows.capture]])) == 1
    for label, least in (("normal", 3), ("scan", 3), ("flood", 3), ("guess", 1)):
        assert len(set(fold[rows.label == rows.labels.index(label)])) == least
    with pytest.raises(TrainError, match="do not suffice for 2 folds"):
        folds(rows_of([("a", "normal", 9), ("b", "scan", 9)]), 2, seed)


@pytest.mark.parametrize(("label", "lacking"), [("normal", "attacks"), ("scan", "normal traffic")])
def test_captures_that_do_not_suffice_are_refused_by_what_is_lacking(label, lacking):
    other = "scan" if label == "normal" else "normal"
    few = [("a", label, 9), ("b", label, 9), ("c", label, 9), ("d", other, 9)]
    with pytest.raises(TrainError, match=f"the part test has no {lacking}: list at least three captures"):
        split(rows_of(few), 1)
    enough = rows_of([*few, ("e", other, 9), ("f", other, 9)])
    assert len(set(folds(split(enough, 1)["train"], 3, 1))) > 1


def test_the_lists_own_parts_come_first():
    listed = ["test" if group in ("day0", "nmap0") else "" for group, _, _ in MANY]
    parts = parts_of_groups(rows_of(MANY, listed), 1)
    assert parts["day0"] == parts["nmap0"] == "test"
    listed[1] = "train"  # day0 has two captures
    with pytest.raises(TrainError, match="into test and into train"):
        parts_of_groups(rows_of(MANY, listed), 1)


def test_each_capture_counts_alike_and_both_kinds_too():
    rows = rows_of([("a", "normal", 1000), ("b", "normal", 200), ("c", "scan", 100), ("d", "scan", 10)])
    sums = np.bincount(rows.capture, rows.weights())
    assert sums[0] == pytest.approx(sums[1], rel=1e-4)
    assert sums[:2].sum() == pytest.approx(sums[2:].sum(), rel=1e-4)
    assert sums[3] == pytest.approx(sums[2] / 10, rel=1e-4)  # ten packets are too few for a capture's whole weight


def test_blurred_rows_differ_in_speed_size_and_version_alone():
    names = ["length", "tcp", "source_port", "source_packets", "source_ports", "destination_packets", "ipv6"]
    rows = rows_of([("a", "normal", 200), ("b", "scan", 200)])
    values = np.tile(np.array([40, 64, 32, 60, 8, 0, 0], np.int8), (400, 1))
    rows = Rows(names, rows.labels, rows.groups, rows.captures, rows.parts, values, rows.label, rows.capture, 400)
    twice = blurred(rows, 4, 1)
    assert (twice.values[:400] == values).all() and (twice.label == np.tile(rows.label, 2)).all()
    changed = twice.values[400:].astype(int)
    assert (changed[:, [1, 2, 4, 5]] == values[:, [1, 2, 4, 5]]).all()
    assert 3 < changed[:, 3].std() < 6 and 1 < changed[:, 0].std() < 3
    assert set(changed[:, 6]) == {0, 64} and 100 < (changed[:, 6] == 64).sum() < 300
    assert blurred(rows, 0, 1) is rows


# --- thresholds and figures --------------------------------------------------------------------------------------------------


def test_a_threshold_has_at_most_the_asked_share_above_it():
    random = np.random.default_rng(1)
    for scores in (random.normal(size=5000), random.integers(0, 4, 5000).astype(float), np.zeros(5000)):
        for rate in (0, 0.001, 0.01, 0.3):
            threshold = measure.threshold_for(scores, rate)
            assert (scores > threshold).mean() <= rate
            assert threshold not in scores
    assert (random.normal(size=5000) > measure.threshold_for(np.arange(1000.0), 0.01)).sum() == 0
    assert (np.arange(1000.0) > measure.threshold_for(np.arange(1000.0), 0.01)).sum() == 10


def test_figures_count_what_is_above_the_threshold():
    rows = rows_of([("a", "normal", 3), ("b", "normal", 1), ("c", "scan", 2), ("d", "flood", 2)])
    found = measure.figures(rows, np.array([0, 0, 9, 0, 9, 9, 9, 0.0]), 5)
    assert (found.false_alarms, found.recall, found.balanced) == (1 / 4, 3 / 4, 3 / 4)
    assert found.f1 == pytest.approx(2 * 3 / (2 * 3 + 1 + 1))
    shares = {label.name: (label.share, label.mean, label.worst) for label in found.labels}
    assert shares["normal"] == (1 / 4, pytest.approx(1 / 6), ("0.pcap", pytest.approx(1 / 3)))
    assert shares["flood"] == (1 / 2, 1 / 2, ("3.pcap", 1 / 2))
    pairs = [(a, n) for a in (9, 9, 9, 0) for n in (0, 0, 9, 0)]
    assert found.area == pytest.approx(sum(1.0 if a > n else 0.5 if a == n else 0 for a, n in pairs) / len(pairs))


# --- the network ---------------------------------------------------------------------------------------------------------------


def test_a_network_learns_a_rule_that_no_single_feature_tells():
    random = np.random.default_rng(3)
    rows = random.integers(0, 128, (6000, 5)).astype(np.int8)
    attack = (rows[:, 0].astype(int) > 64) != (rows[:, 3].astype(int) > 64)
    trained = network.train(rows[:5000], attack[:5000], np.ones(5000, np.float32), [16, 8], 400, 1)
    assert ((trained.scores(rows[5000:]) > 0) == attack[5000:]).mean() > 0.93
    assert all(layer.weights.dtype == np.int8 and layer.bias.dtype == np.int32 for layer in trained.layers)


def test_the_scores_are_those_of_integers():
    """The trained network's scores, from its integers alone, in numbers that do not round."""
    random = np.random.default_rng(4)
    rows = random.integers(-128, 128, (300, 6)).astype(np.int8)
    trained = network.train(rows, rows[:, 0] > 0, np.ones(300, np.float32), [8, 4], 5, 1)
    value, scale = rows.astype(np.int64), 1.0
    for layer in trained.layers:
        sums = value @ layer.weights.astype(np.int64) + layer.bias
        scores = sums * (layer.scales.astype(float) * scale)
        if layer.result:
            value, scale = np.clip(np.rint(scores / float(layer.result)), 0, 255).astype(np.int64), float(layer.result)
    near = np.abs(trained.scores(rows) - scores[:, 0])
    assert np.quantile(near, 0.98) < 1e-4  # floats of 32 bits round a half here and there to the other side


def test_a_roc_curve_rises_from_the_first_false_alarm_to_everything():
    scores, attack = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False, True])
    assert np.array(measure.curve(scores, attack)) == pytest.approx(np.array([(0.0, 1 / 3), (0.5, 2 / 3), (1.0, 1.0)]))


# --- NSL-KDD ---------------------------------------------------------------------------------------------------------------

CONNECTION = ["0", "tcp", "http", "SF", "491", *["0"] * 36, "normal", "20"]


def test_connections_of_nsl_kdd_are_rows_of_levels_shares_and_words(tmp_path):
    other = [*CONNECTION[:4], "0", *CONNECTION[5:24], "0.5", *CONNECTION[25:41], "neptune", "21"]
    (tmp_path / "kdd.txt").write_text("\n".join([",".join(CONNECTION), ",".join(other)]) + "\n")
    found = nsl_kdd.read(tmp_path / "kdd.txt")
    assert found.attack.tolist() == [False, True] and found.values.shape == (2, 64)
    assert found.values[0, nsl_kdd.NUMBERS.index(4)] == 36 and found.values[1, nsl_kdd.NUMBERS.index(24)] == 32  # 4 log2(492); a half
    assert found.values[0, -26:].tolist() == [64, 0, 0, 64, *[0] * 10, 64, *[0] * 11]


def test_the_scale_of_a_column_is_the_training_files(tmp_path):
    """A share that is 1 in one file is no count there, and a count stays one in a file in which it is small."""
    (tmp_path / "kdd.txt").write_text(",".join([*CONNECTION[:4], "1", *CONNECTION[5:]]) + "\n")
    assert nsl_kdd.read(tmp_path / "kdd.txt").values[0, nsl_kdd.NUMBERS.index(4)] == 4


def test_a_file_that_is_not_of_nsl_kdd_gets_one_line(tmp_path):
    (tmp_path / "kdd.txt").write_text("1,2,3\n")
    with pytest.raises(TrainError, match="each line has 43 columns"):
        nsl_kdd.read(tmp_path / "kdd.txt")


# --- types of devices ------------------------------------------------------------------------------------------------------

NAMES = [*device_rows.COMBINATIONS[-1], "flow_packets", device_rows.FIRST_OF_HOSTS]


def packets_of(*lengths: int) -> np.ndarray:
    """Packets that differ in length alone; the rate of the host, the last column, must not matter."""
    packets = np.zeros((len(lengths), len(NAMES)), np.int8)
    packets[:, 0], packets[:, -1] = lengths, np.arange(len(lengths))
    return packets


def test_a_row_of_a_capture_counts_its_values_and_combinations():
    counts = device_rows.counts_of(NAMES, packets_of(25, 25, 42))
    assert counts[("length",), 25] == 2 and counts[("length",), 42] == 1 and counts[("flow_packets",), 0] == 3
    for features in device_rows.COMBINATIONS:
        assert counts[(features, 25, *[0] * (len(features) - 1))] == 2
    assert not any(device_rows.FIRST_OF_HOSTS in features for features, *_ in counts)
    devices = device_rows.Devices(NAMES, ["cam", "plug"], np.array([0, 1]), [packets_of(25, 25, 42), packets_of(42, 7)])
    whole, first = device_rows.table_of(devices, 0), device_rows.table_of(devices, 1)
    other = device_rows.counts_of(NAMES, packets_of(42, 7))
    words = sorted(set(counts) | set(other), key=repr)
    assert whole == pytest.approx(np.log1p([[count[word] for word in words] for count in (counts, other)]))
    assert first.max() == pytest.approx(np.log(2)) and first.shape[1] < whole.shape[1]  # one packet of each: 25 and 42 without 7
    assert device_rows.known(np.array([[1.0, 0, 2], [1, 3, 0], [0, 0, 1]])).tolist() == [True, False, True]


@pytest.mark.parametrize("seed", range(3))
def test_captures_of_a_type_are_dealt_out_to_all_folds(seed):
    kinds = np.repeat(np.arange(4), [10, 7, 5, 2])
    fold = device_rows.folds_of(kinds, 5, seed)
    for kind in range(4):
        dealt = np.bincount(fold[kinds == kind], minlength=5)
        assert dealt.max() - dealt.min() <= 1
    assert np.ptp(np.bincount(fold)) <= 1
    assert (fold != device_rows.folds_of(kinds, 5, seed + 10)).any()


def test_figures_of_types_count_captures_and_types_alike_and_twins_as_one():
    truth, found = np.array([0, 0, 0, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    assert device_rows.accuracy(truth, found) == pytest.approx(4 / 6)
    assert device_rows.macro_f1(truth, found) == pytest.approx((6 / 7 + 2 / 4 + 0) / 3)
    number = device_rows.joined(["cam", "plug1", "plug2"], [["plug1", "plug2"]])
    assert device_rows.accuracy(number[truth], number[found]) == pytest.approx(5 / 6)
    with pytest.raises(TrainError, match="plug3 is no type; the types are cam, plug1, plug2"):
        device_rows.joined(["cam", "plug1", "plug2"], [["plug1", "plug3"]])


def test_a_folder_that_has_no_types_gets_one_line(tmp_path, monkeypatch, capsys):
    with pytest.raises(TrainError, match="none: no such folder"):
        device_rows.captures_of(tmp_path / "none")
    for name in ("cam/a.pcap", "cam/b.pcapng", "cam/mac.txt", "plug/a.pcap", "empty/mac.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(TrainError, match="plug: a type needs two captures"):
        device_rows.captures_of(tmp_path)
    (tmp_path / "plug/b.pcap").touch()
    assert {name: len(paths) for name, paths in device_rows.captures_of(tmp_path).items()} == {"cam": 2, "plug": 2}
    with pytest.raises(TrainError, match="two or more types"):
        device_rows.captures_of(tmp_path / "cam")
    monkeypatch.setattr("sys.argv", ["device_types.py", str(tmp_path), "--methods", "magic"])
    with pytest.raises(SystemExit) as refusal:
        device_types.main()
    assert refusal.value.code == 2 and "magic is no method" in capsys.readouterr().err


def test_captures_held_out_are_told_apart_by_what_their_type_sends():
    pytest.importorskip("sklearn", reason="the package scikit-learn is not installed")
    from train.device_judge import Judge  # pylint: disable=import-outside-toplevel
    random = np.random.default_rng(1)
    lengths = [[20, *[sign] * 6, *random.integers(60, 90, 4)] for sign in (25, 31) for _ in range(10)]
    kinds = np.repeat([0, 1], 10)
    judge = Judge(device_rows.Devices(NAMES, ["cam", "plug"], kinds, [packets_of(*one) for one in lengths]), 0, 20)
    everyone = np.arange(20)
    for method in ("extra_trees", "random_forest", "logistic", "votes", "packets"):
        assert device_rows.accuracy(kinds, judge.found(method, everyone, 5, 1)) >= 0.9, method
    found, taken = judge.chosen(["logistic", "extra_trees"], 2, 1)
    assert device_rows.accuracy(kinds, found) >= 0.9 and len(taken) == 2
    judge.kinds = random.permutation(kinds)  # types by lot: nothing tells them
    assert device_rows.accuracy(judge.kinds, judge.found("extra_trees", everyone, 5, 1)) < 0.9
