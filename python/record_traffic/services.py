# SPDX-License-Identifier: Apache-2.0
"""The victim's services: a web server, sshd, dnsmasq, iperf3. All of their files lie in the recording's temporary folder."""
from __future__ import annotations

import dataclasses
import pathlib
import random
import socket

from namespaces import run, wait_for

from .network import Network
from .plan import Plan

USER, PASSWORD, DOMAIN = "operator", "correct-horse", "packetwarp.example"
COPIED = (2_000, 40_000, 300_000)  # bytes of the files that clients copy

NGINX = """daemon off; user root; worker_processes 1; pid {work}/nginx.pid; error_log {work}/nginx.log;
events {{ worker_connections 512; }}
http {{
  access_log off; client_max_body_size 0; keepalive_timeout 5;
  client_body_temp_path {work}/t1; proxy_temp_path {work}/t2; fastcgi_temp_path {work}/t3; uwsgi_temp_path {work}/t4; scgi_temp_path {work}/t5;
  server {{
    listen {port}; listen [::]:{port}; root {work}/pages;
    location /private/ {{ auth_basic "private"; auth_basic_user_file {work}/users; }}
    location /upload {{ return 204; }}
  }}
}}
"""

SSHD = """Port {port}
HostKey {work}/host_key
AuthorizedKeysFile {work}/client_key.pub
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication yes
UsePAM no
StrictModes no
UseDNS no
MaxStartups 100:30:200
MaxAuthTries {tries}
LogLevel ERROR
Subsystem sftp internal-sftp
"""

# Debian's package of each program.
PACKAGES = {"nmap": "nmap", "nping": "nmap", "hping3": "hping3", "hydra": "hydra", "slowhttptest": "slowhttptest", "sshd": "openssh-server",
            "ssh": "openssh-client", "scp": "openssh-client", "ssh-keygen": "openssh-client", "nginx": "nginx-light",
            "dnsmasq": "dnsmasq-base", "dig": "bind9-dnsutils", "iperf3": "iperf3", "curl": "curl", "ping": "iputils-ping",
            "nft": "nftables", "tcpdump": "tcpdump", "ip": "iproute2", "ethtool": "ethtool"}


def tools_of(plan: Plan, wanted: frozenset[str]) -> frozenset[str]:
    """The programs that these services need."""
    needs = {"web": {"nginx"} if plan.services.web_by_nginx else set(), "ssh": {"sshd", "ssh-keygen"}, "names": {"dnsmasq"},
             "transfer": {"iperf3"}}
    return frozenset().union(*(needs[name] for name in wanted))


def write_pages(plan: Plan, work: pathlib.Path) -> None:
    numbers = random.Random(f"{plan.seed} pages")
    for folder in ("pages", "pages/private"):
        (work / folder).mkdir()
    for size in plan.pages:
        (work / "pages" / f"{size}.html").write_bytes(numbers.randbytes(size))
    (work / "pages" / "private" / "index.html").write_text("private\n")


class Victim:
    """Starts the services that a scenario's clients and attackers use."""

    def __init__(self, network: Network) -> None:
        self._network, self._plan, self._work = network, network.plan, network.work
        self._space = network.of["victim"]

    def start(self, wanted: frozenset[str]) -> None:
        ports = dataclasses.asdict(self._plan.services)
        for name in sorted(wanted):
            getattr(self, f"_start_{name}")(ports[name])
        for name in sorted(wanted - {"names"}):
            wait_for(lambda port=ports[name]: self._listens(port), f"the victim's {name} service: see {self._last_words(name)}")

    def _listens(self, port: int) -> bool:
        listed = self._space.run("cat", "/proc/net/tcp", "/proc/net/tcp6").stdout
        return any(row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "0A" for row in listed.splitlines() if ":" in row.split()[0])

    def _last_words(self, name: str) -> str:
        log = self._work / f"{name}.log"
        return (log.read_text(errors="replace").strip().splitlines() or ["its program"])[-1] if log.exists() else "its program"

    def _start_web(self, port: int) -> None:
        write_pages(self._plan, self._work)
        if not self._plan.services.web_by_nginx:
            self._network.start(self._space, *self._network.script, "_web", str(self._work / "pages"), str(port), log="web.log")
            return
        (self._work / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
        (self._work / "nginx.conf").write_text(NGINX.format(work=self._work, port=port))
        self._network.start(self._space, "nginx", "-e", str(self._work / "nginx.log"), "-c", str(self._work / "nginx.conf"), log="web.log")

    def _start_ssh(self, port: int) -> None:
        for key in ("host_key", "client_key"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self._work / key))
        (self._work / "sshd.conf").write_text(SSHD.format(work=self._work, port=port, tries=self._plan.random("sshd").choice((3, 6))))
        for size in COPIED:
            (self._work / f"{size}.file").write_bytes(random.Random(size).randbytes(size))
        # sshd wants an empty folder, /run/sshd. `ip netns exec` has given this command mounts of its own, so that this /run is seen by it alone.
        self._network.start(self._space, "sh", "-c", 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec /usr/sbin/sshd -D -e -f "$0"',
                            str(self._work / "sshd.conf"), log="ssh.log")

    def _start_names(self, port: int) -> None:
        address = socket.inet_ntoa(random.Random(self._plan.seed).randbytes(4))
        self._network.start(self._space, "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root",
                            "--pid-file=", f"--port={port}", f"--address=/{DOMAIN}/{address}",
                            f"--txt-record=long.{DOMAIN},{'x' * 200}", log="names.log")

    def _start_transfer(self, port: int) -> None:
        self._network.start(self._space, "iperf3", "-s", "-p", str(port), log="transfer.log")
