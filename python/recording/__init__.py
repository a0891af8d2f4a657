# SPDX-License-Identifier: Apache-2.0
"""The parts of python/record_capture.py: the place of the recording, and its traffic."""
