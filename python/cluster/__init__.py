# SPDX-License-Identifier: Apache-2.0
"""The hosts and sessions of many replicas, of which one fails."""
