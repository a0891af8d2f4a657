# SPDX-License-Identifier: Apache-2.0
"""The parts of python/record_traffic/record.py: plans, network, services, clients, attacks, labels."""
