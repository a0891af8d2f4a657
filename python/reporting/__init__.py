# SPDX-License-Identifier: Apache-2.0
"""The parts of python/report.py: results -> slices of them -> tables, pictures, findings -> one page."""
