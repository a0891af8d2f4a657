# SPDX-License-Identifier: Apache-2.0
"""names.py KUBECTL KUBECONFIG ADDRESS: the cluster's name server, at port 53 of the address. Knows the names of a StatefulSet's pods
(HOSTNAME.SERVICE.NAMESPACE.svc.cluster.local), as the specification of Kubernetes' DNS has them, by the API server's EndpointSlices."""
from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys

DOMAIN = "svc.cluster.local"
# RFC 1035, sections 3.2.2, 3.2.4 and 4.1.1: a response by the authority, with and without such a name.
A, INTERNET = 1, 1
FOUND, NO_SUCH_NAME = 0x8580, 0x8583
HEADER, SECONDS = struct.Struct("!6H"), 1


def question(query: bytes) -> tuple[str, int, bytes]:
    """The name that is asked for, the type, and the section itself."""
    labels, at = [], HEADER.size
    while length := query[at]:
        labels.append(query[at + 1:at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    kind, _ = struct.unpack_from("!2H", query, at + 1)
    return ".".join(labels).lower(), kind, query[HEADER.size:at + 5]


def answer(query: bytes, known: dict[str, str]) -> bytes:
    name, kind, section = question(query)
    addresses = [known[name]] if name in known and kind == A else []
    header = HEADER.pack(struct.unpack_from("!H", query)[0], FOUND if name in known else NO_SUCH_NAME, 1, len(addresses), 0, 0)
    # 0xc00c points to the name in the question.
    records = [struct.pack("!3HIH", 0xC00C, A, INTERNET, SECONDS, 4) + socket.inet_aton(one) for one in addresses]
    return header + section + b"".join(records)


def names(slices: dict) -> dict[str, str]:
    found = {}
    for item in slices["items"]:
        service, namespace = item["metadata"]["labels"].get("kubernetes.io/service-name"), item["metadata"]["namespace"]
        for endpoint in item.get("endpoints") or []:
            if hostname := endpoint.get("hostname"):
                found[f"{hostname}.{service}.{namespace}.{DOMAIN}"] = endpoint["addresses"][0]
    return found


def main() -> None:
    kubectl, kubeconfig, address = sys.argv[1:]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, 53))
        while True:
            query, client = server.recvfrom(4096)
            said = subprocess.run([kubectl, "--kubeconfig", kubeconfig, "get", "endpointslices", "-A", "-o", "json"], capture_output=True, text=True, check=True)
            server.sendto(answer(query, names(json.loads(said.stdout))), client)


if __name__ == "__main__":
    main()
