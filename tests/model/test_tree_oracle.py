# SPDX-License-Identifier: Apache-2.0
"""Scores of trees that scikit-learn, LightGBM and XGBoost trained, compared with ONNX Runtime's or their own."""
from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

from model_command import Command, names, random_rows  # noqa: E402

WIDTH = 12


@pytest.fixture
def command(binary, tmp_path) -> Command:
    return Command(binary, tmp_path)


def data(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    rows = random_rows(random, 400, WIDTH)
    wide = rows.astype(np.int64)
    truth = wide[:, 0] * 2 + wide[:, 1] - (wide[:, 2] > 10) * 90 + random.integers(-40, 40, len(rows))
    return rows, np.digitize(truth, np.quantile(truth, np.linspace(0, 1, classes + 1)[1:-1])) if classes else truth


def outputs_of(command: Command, rows: np.ndarray, name: str) -> np.ndarray:
    session = ort.InferenceSession(str(command.model), providers=["CPUExecutionProvider"])
    return session.run([name], {session.get_inputs()[0].name: rows.astype(np.float32)})[0]


def of_sklearn(command: Command, model) -> None:
    skl2onnx = pytest.importorskip("skl2onnx", reason="the package skl2onnx is not installed")
    made = skl2onnx.convert_sklearn(model, initial_types=[("x", skl2onnx.common.data_types.FloatTensorType([None, WIDTH]))],
                                    options={id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None,
                                    target_opset={"": 17, "ai.onnx.ml": 3})
    command.write(made, names(WIDTH))


@pytest.mark.parametrize("kind", ("RandomForestClassifier", "DecisionTreeClassifier", "ExtraTreesClassifier"))
@pytest.mark.parametrize("classes", (2, 4))
def test_forests_of_classes(command, kind, classes):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    tree = pytest.importorskip("sklearn.tree")
    rows, truth = data(classes, classes)
    options = {"random_state": 1, "max_depth": 6} | ({} if kind.startswith("Decision") else {"n_estimators": 20})
    of_sklearn(command, getattr(ensemble, kind, None)(**options).fit(rows, truth) if hasattr(ensemble, kind)
               else getattr(tree, kind)(**options).fit(rows, truth))
    scores = command.scores(rows) * command.unit()
    # A file of two classes has the weights of the second one alone.
    np.testing.assert_allclose(scores, outputs_of(command, rows, "probabilities")[:, -scores.shape[1]:], atol=1e-5)


@pytest.mark.parametrize("classes", (2, 3))
def test_boosted_trees_of_classes(command, classes):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rows, truth = data(classes, classes)
    of_sklearn(command, ensemble.GradientBoostingClassifier(n_estimators=20, random_state=1).fit(rows, truth))
    scores, theirs = command.scores(rows) * command.unit(), outputs_of(command, rows, "probabilities")
    if classes == 2:
        np.testing.assert_allclose(1 / (1 + np.exp(-scores[:, 0])), theirs[:, 1], atol=1e-5)
    else:
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), theirs, atol=1e-5)


@pytest.mark.parametrize("kind", ("RandomForestRegressor", "GradientBoostingRegressor"))
def test_regressors(command, kind):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rows, truth = data(1, 0)
    of_sklearn(command, getattr(ensemble, kind)(n_estimators=20, random_state=1, max_depth=5).fit(rows, truth))
    theirs = outputs_of(command, rows, "variable")
    np.testing.assert_allclose(command.scores(rows) * command.unit(), theirs, atol=1e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("classes", (2, 3, 0))
def test_lightgbm(command, classes):
    lightgbm = pytest.importorskip("lightgbm", reason="the package lightgbm is not installed")
    onnxmltools = pytest.importorskip("onnxmltools", reason="the package onnxmltools is not installed")
    from onnxmltools.convert.common.data_types import FloatTensorType

    rows, truth = data(classes, classes)
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    model = kind(n_estimators=20, num_leaves=15, verbose=-1, n_jobs=1, min_child_samples=5).fit(rows.astype(np.float32), truth)
    options = {"zipmap": False} if classes else {}
    command.write(onnxmltools.convert_lightgbm(model, initial_types=[("x", FloatTensorType([None, WIDTH]))], target_opset=15, **options), names(WIDTH))
    scores = command.scores(rows) * command.unit()
    raw = model.predict(rows.astype(np.float32), raw_score=True).reshape(len(rows), -1)
    np.testing.assert_allclose(scores, raw, atol=1e-5 * np.abs(raw).max())


@pytest.mark.parametrize("classes", (2, 3, 0))
def test_xgboost(command, classes):
    xgboost = pytest.importorskip("xgboost", reason="the package xgboost is not installed")
    onnxmltools = pytest.importorskip("onnxmltools", reason="the package onnxmltools is not installed")
    from onnxmltools.convert.common.data_types import FloatTensorType

    rows, truth = data(classes, classes)
    kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    model = kind(n_estimators=20, max_depth=4, n_jobs=1).fit(rows.astype(np.float32), truth)
    command.write(onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, WIDTH]))], target_opset=15), names(WIDTH))
    scores = command.scores(rows) * command.unit()
    raw = model.predict(rows.astype(np.float32), output_margin=True).reshape(len(rows), -1)
    np.testing.assert_allclose(scores, raw, atol=1e-5 * np.abs(raw).max())


def test_a_pipeline_with_a_scaler_is_refused_by_its_name(command):
    pipeline = pytest.importorskip("sklearn.pipeline", reason="scikit-learn is not installed")
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rows, truth = data(2, 2)
    of_sklearn(command, pipeline.make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3)).fit(rows, truth))
    assert "(Scaler): is not supported: rows are int8; scale the features before training" in command.refusal()
