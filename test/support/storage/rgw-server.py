"""Runs a Ceph cluster of one monitor, one OSD in memory and a RADOS Gateway, which speaks S3 and STS.

Usage: rgw-server.py FOLDER. Prints "ready PORT" once it serves on 127.0.0.1. Then each line of its standard input is one
command of radosgw-admin, or of rados where it begins with that,
answered with one line of JSON: {"code": 0, "out": "..."}. It ends, and all daemons with it, when
its standard input ends. The programs come from Debian's radosgw, ceph-mon and ceph-osd.
"""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
import uuid

folder = os.path.abspath(sys.argv[1])
conf = os.path.join(folder, "ceph.conf")
fsid = str(uuid.uuid4())


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


port, mon2, mon1 = free_ports(3)
for name in ("run", "log", "mon.a", "osd.0", "rgw"):
    os.makedirs(os.path.join(folder, name))
with open(conf, "w") as file:
    file.write(
        f"""[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{mon2},v1:127.0.0.1:{mon1}]
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
pid file = {folder}/run/$name.pid
log file = {folder}/log/$name.log
osd objectstore = memstore
memstore device bytes = 17179869184
osd data = {folder}/osd.0
mon data = {folder}/mon.a
[client.rgw]
rgw data = {folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:{port}
rgw sts key = abcdefghijklmnop
rgw s3 auth use sts = true
rgw enable ops log = false
rgw enable usage log = false
"""
    )
environment = dict(os.environ, CEPH_CONF=conf)
keyring = os.path.join(folder, "rgw", "keyring")
monmap = os.path.join(folder, "monmap")
log = open(os.path.join(folder, "log", "output"), "ab")


def run(*command):
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)


daemons = []


def start(*command):
    # In the foreground: a child that is still ours.
    daemons.append(subprocess.Popen((*command, "-f"), env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log))


def stop():
    # The OSD lingers without its monitor, and its memory holds nothing to lose.
    for daemon in reversed(daemons):
        daemon.kill()
        daemon.wait()


def serve():
    run("monmaptool", "--create", "--clobber", "--fsid", fsid, "--addv", "a", f"[v2:127.0.0.1:{mon2},v1:127.0.0.1:{mon1}]", monmap)
    run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap)
    start("ceph-mon", "-i", "a")
    run("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", str(uuid.uuid4()))
    start("ceph-osd", "-i", "0")
    run("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "client.rgw")
    # Without this it asks the monitor in a mode that needs authentication, for minutes.
    start("radosgw", "-n", "client.rgw", "--keyring", keyring, "--ms_mon_client_mode=crc")
    until = time.monotonic() + 120
    while True:
        if any(daemon.poll() is not None for daemon in daemons):
            raise RuntimeError("A daemon of Ceph ended at once.")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
            break
        except OSError:
            if time.monotonic() > until:
                raise RuntimeError("The RADOS Gateway does not answer.")
            time.sleep(0.1)
    print(f"ready {port}", flush=True)
    for line in sys.stdin:
        words = shlex.split(line)
        command = ("rados", *words[1:]) if words[0] == "rados" else ("radosgw-admin", "-n", "client.admin", *words)
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        print(json.dumps({"code": done.returncode, "out": done.stdout or done.stderr}), flush=True)


try:
    serve()
finally:
    stop()
