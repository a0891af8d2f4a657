# SPDX-License-Identifier: Apache-2.0
"""Makes the models of this folder by the tools that are installed, and beside each the outputs of ONNX Runtime for some rows:
python3 export.py FOLDER. README.md has the versions that made the committed files."""
from __future__ import annotations

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort

WIDTH, ROWS = 16, 40


def data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of features from 0 to 127, and two classes of them."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 128, (600, WIDTH))
    return rows.astype(np.float32), (rows[:, 0] + rows[:, 3] > rows[:, 5] + 64).astype(int)


def write(folder: pathlib.Path, name: str, model: onnx.ModelProto, output: str) -> None:
    onnx.helper.set_model_props(model, {"features": ",".join(f"f{i}" for i in range(WIDTH))})
    # PyTorch writes where its code lies on this machine.
    for part in (model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output, *model.graph.initializer):
        part.doc_string = ""
        del part.metadata_props[:]
    onnx.save(model, folder / f"{name}.onnx")
    rows = data(9)[0][:ROWS]
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    theirs = np.asarray(session.run([output], {session.get_inputs()[0].name: rows})[0]).reshape(ROWS, -1)
    head = ",".join([*(f"f{i}" for i in range(WIDTH)), *(f"output_{i}" for i in range(theirs.shape[1]))])
    lines = [",".join([*map(str, row.astype(int)), *(f"{value:.7g}" for value in values)]) for row, values in zip(rows, theirs)]
    (folder / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")


def scikit_learn(folder: pathlib.Path) -> None:
    import skl2onnx
    from sklearn import ensemble

    for name, kind in (("sklearn_forest", ensemble.RandomForestClassifier), ("sklearn_boosted", ensemble.GradientBoostingClassifier)):
        model = kind(n_estimators=8, max_depth=4, random_state=1).fit(*data(1))
        made = skl2onnx.convert_sklearn(model, initial_types=[("x", skl2onnx.common.data_types.FloatTensorType([None, WIDTH]))],
                                        options={id(model): {"zipmap": False, "raw_scores": True} if "boosted" in name else {"zipmap": False}},
                                        target_opset={"": 17, "ai.onnx.ml": 3})
        write(folder, name, made, "probabilities")


def boosted(folder: pathlib.Path) -> None:
    """As regressors: a score is then the sum of the leaves."""
    import lightgbm
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    types = [("x", FloatTensorType([None, WIDTH]))]
    forest = xgboost.XGBRegressor(n_estimators=8, max_depth=4, n_jobs=1).fit(*data(1))
    write(folder, "xgboost", onnxmltools.convert_xgboost(forest, initial_types=types, target_opset=15), "variable")
    forest = lightgbm.LGBMRegressor(n_estimators=8, num_leaves=12, verbose=-1, n_jobs=1).fit(*data(1))
    write(folder, "lightgbm", onnxmltools.convert_lightgbm(forest, initial_types=types, target_opset=15), "variable")


class Reader:
    def __init__(self, rows: np.ndarray) -> None:
        self.rows = iter([{"x": row[None]} for row in rows])

    def get_next(self):
        return next(self.rows, None)


def pytorch(folder: pathlib.Path) -> None:
    """A dense network, and convolutions along two channels of eight positions, by both of PyTorch's exporters; then quantised."""
    import torch
    from onnxruntime import quantization

    class Dense(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(WIDTH, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

        def forward(self, x):
            return self.layers(x)

    class Sequence(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Conv1d(2, 6, 3, padding=1), torch.nn.Conv1d(6, 8, 3)
            self.pool, self.mean, self.last = torch.nn.MaxPool1d(2), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Linear(8, 2)

        def forward(self, x):
            x = self.pool(torch.relu(self.first(x.view(-1, 2, WIDTH // 2))))
            return self.last(torch.flatten(self.mean(torch.relu(self.second(x))), 1))

    rows, truth = data(1)
    for kind, network in (("dense", Dense()), ("sequence", Sequence())):
        torch.manual_seed(1)
        optimizer = torch.optim.Adam(network.parameters(), 0.003)
        for _ in range(200):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(torch.tensor(rows)), torch.tensor(truth)).backward()
            optimizer.step()
        for exporter in ("script", "dynamo"):
            source, quantised = folder / "float.onnx", folder / "quantised.onnx"
            names = {"input_names": ["x"], "output_names": ["y"]}
            if exporter == "script":
                torch.onnx.export(network.eval(), (torch.tensor(rows[:4]),), str(source), dynamo=False, dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, **names)
            else:
                torch.onnx.export(network.eval(), (torch.tensor(rows[:4]),), str(source), dynamo=True, external_data=False,
                                  dynamic_shapes=({0: "n"},), **names)
            quantization.quantize_static(str(source), str(quantised), Reader(rows[:200]), activation_type=quantization.QuantType.QInt8,
                                         weight_type=quantization.QuantType.QInt8, per_channel=True)
            write(folder, f"pytorch_{kind}_{exporter}", onnx.load(quantised), "y")
            source.unlink(), quantised.unlink()


if __name__ == "__main__":
    for make in (scikit_learn, boosted, pytorch):
        try:
            make(pathlib.Path(sys.argv[1]))
        except ModuleNotFoundError as lacks:
            print(f"{make.__name__} is left out: {lacks.name} is not installed")
