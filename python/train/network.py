# SPDX-License-Identifier: Apache-2.0
"""A dense network with one score, trained for 8-bit weights and activations: NumPy alone, no framework.

The first epochs train floats. Then the forward pass rounds weights and activations as the integer network will, and gradients pass
the rounding unchanged, so that the weights learn to be right after rounding."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

INPUT_UNIT = np.float32(1 / 64)  # the network is trained on features times this, so that they are about 1
BATCH, RATE = 1024, 2e-3
DECAY = 0.3  # of the weights, per step and rate: with less, networks are too sure of captures that they have not seen
FLOAT_SHARE = 0.6  # of the epochs


@dataclass(frozen=True)
class Layer:
    weights: np.ndarray  # int8, inputs x outputs
    scales: np.ndarray  # float32, of the weights of each output
    bias: np.ndarray  # int32, in units of the products
    result: np.float32  # the scale of the result, an uint8; the last layer has none: 0


@dataclass(frozen=True)
class Network:
    layers: list[Layer]

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """In the units of the score before a sigmoid, from the same integers as in the data path."""
        value, scale = rows.astype(np.float32), np.float32(1)
        for layer in self.layers:
            sums = value @ layer.weights.astype(np.float32) + layer.bias.astype(np.float32)
            real = sums * (layer.scales * scale)
            if layer.result == 0:
                return real[:, 0]
            value, scale = np.clip(np.rint(real / layer.result), 0, 255), layer.result
        raise AssertionError("the last layer has no result scale")


def rounded(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest multiples of a scale per output, as floats, and the scales."""
    scales = (np.maximum(np.abs(weights).max(axis=0), 1e-6) / 127).astype(np.float32)
    return np.rint(weights / scales), scales


class Trainee:
    """The floats that the integers are rounded from, with their gradients' moments (Adam)."""

    def __init__(self, sizes: list[int], random: np.random.Generator) -> None:
        self.random = random
        self.values = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            self.values += [random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32), np.zeros(outputs, np.float32)]
        self.means = [np.zeros_like(value) for value in self.values]
        self.squares = [np.zeros_like(value) for value in self.values]
        self.steps = 0
        self.units: list[np.float32] = []  # of the activations; empty while training floats

    def layers(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return zip(self.values[::2], self.values[1::2])

    def forward(self, inputs: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
        """The input of each layer and the score; the weights that counted; which activations are within their bounds."""
        values, used, within = [inputs], [], []
        last = len(self.values) // 2 - 1
        for n, (weights, bias) in enumerate(self.layers()):
            if self.units:
                whole, scales = rounded(weights)
                weights = whole * scales
            used.append(weights)
            value = values[-1] @ weights + bias
            if n < last:
                top = 255 * self.units[n] if self.units else np.float32(np.inf)
                within.append((value > 0) & (value < top))
                value = np.clip(value, 0, top)
                if self.units:
                    value = np.rint(value / self.units[n]) * self.units[n]
            values.append(value)
        return values, used, within

    def step(self, inputs: np.ndarray, attack: np.ndarray, weight: np.ndarray, rate: float) -> None:
        values, used, within = self.forward(inputs)
        chance = 1 / (1 + np.exp(-np.clip(values[-1], -30, 30)))
        gradient = (chance - attack[:, None]) * weight[:, None] / np.float32(len(inputs))
        gradients: list[np.ndarray] = []
        for n in reversed(range(len(used))):
            gradients = [values[n].T @ gradient, gradient.sum(axis=0), *gradients]
            if n > 0:
                gradient = (gradient @ used[n].T) * within[n - 1]
        self.steps += 1
        rate *= np.sqrt(1 - 0.999 ** self.steps) / (1 - 0.9 ** self.steps)
        for value, mean, square, change in zip(self.values, self.means, self.squares, gradients):
            mean += np.float32(0.1) * (change - mean)
            square += np.float32(0.001) * (change * change - square)
            value -= np.float32(rate) * (mean / (np.sqrt(square) + np.float32(1e-8)) + np.float32(DECAY) * value)

    def begin_rounding(self, inputs: np.ndarray) -> None:
        """Fixes the units of activations: almost all of them are within the bounds of 8 bits."""
        values, _, _ = self.forward(inputs)
        self.units = [np.float32(max(np.quantile(value, 0.9995), 1e-3) * 1.1 / 255) for value in values[1:-1]]

    def network(self) -> Network:
        layers, scale = [], INPUT_UNIT
        for n, (weights, bias) in enumerate(self.layers()):
            whole, scales = rounded(weights)
            result = self.units[n] if n < len(self.units) else np.float32(0)
            # The first layer takes features as they are, so its weights have the input's unit in their scales.
            own = (scales * INPUT_UNIT if n == 0 else scales).astype(np.float32)
            layers.append(Layer(whole.astype(np.int8), own, np.rint(bias / (scales * scale)).astype(np.int32), result))
            scale = result
        return Network(layers)


def train(rows: np.ndarray, attack: np.ndarray, weights: np.ndarray, hidden: list[int], epochs: int, seed: int) -> Network:
    random = np.random.default_rng(seed)
    trainee = Trainee([rows.shape[1], *hidden, 1], random)
    inputs, wanted = rows.astype(np.float32) * INPUT_UNIT, attack.astype(np.float32)
    for epoch in range(epochs):
        if epoch == max(1, round(epochs * FLOAT_SHARE)) - 1 or (epoch == 0 and epochs == 1):
            trainee.begin_rounding(inputs[random.permutation(len(inputs))[:20_000]])
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / epochs)) + RATE / 100
        order = random.permutation(len(inputs))
        for begin in range(0, len(order), BATCH):
            some = order[begin:begin + BATCH]
            trainee.step(inputs[some], wanted[some], weights[some], rate)
    return trainee.network()
