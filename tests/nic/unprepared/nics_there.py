# SPDX-License-Identifier: Apache-2.0
"""The NICs of the unprepared guest."""

# The purpose of each, in the order of the slots. Only the first is up.
USED, IDLE, WITHOUT_DRIVER, WITH_ANOTHER = "used", "idle", "without driver", "with another"
MODELS = {USED: "igb", IDLE: "igb", WITHOUT_DRIVER: "e1000e", WITH_ANOTHER: "virtio-net-pci"}
