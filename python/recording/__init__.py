# SPDX-License-Identifier: Apache-2.0
"""The parts of python/record_capture.py: where the recording takes place, and what is said there."""
