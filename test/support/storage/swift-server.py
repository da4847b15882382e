"""Runs OpenStack Swift with its S3 API in one process: proxy, account, container and object server.

Usage: swift-server.py FOLDER. Prints "ready PORT" once it serves on 127.0.0.1, and ends with its standard input.
The access key is test:tester, the secret testing. Swift and eventlet come from Debian's python3-swift.
"""

import array
import os
import sys

import eventlet
import eventlet.tpool
import eventlet.wsgi

eventlet.monkey_patch()

from swift.common import utils  # noqa: E402

folder = os.path.abspath(sys.argv[1])
swift_conf = os.path.join(folder, "swift.conf")
with open(swift_conf, "w") as file:
    file.write("[swift-hash]\nswift_hash_path_suffix = longshore\n[swift-constraints]\n")
utils.SWIFT_CONF_FILE = swift_conf
utils.validate_hash_conf()

from swift.account.server import AccountController  # noqa: E402
from swift.common import storage_policy  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402
from swift.container.server import ContainerController  # noqa: E402
from swift.obj.server import ObjectController  # noqa: E402

storage_policy.reload_storage_policies()
devices = os.path.join(folder, "devices")
os.makedirs(os.path.join(devices, "one", "tmp"))


class Cache:
    """What Swift otherwise asks of memcached; nothing here lives long enough to expire."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_args, **_kwargs):
        return self.values.get(key)

    def set(self, key, value, *_args, **_kwargs):
        self.values[key] = value

    def incr(self, key, delta=1, *_args, **_kwargs):
        self.values[key] = int(self.values.get(key) or 0) + delta
        return self.values[key]

    def delete(self, key, *_args, **_kwargs):
        self.values.pop(key, None)


def cached(app, cache):
    def call(environ, start_response):
        environ["swift.cache"] = cache
        return app(environ, start_response)

    return call


class Silence:
    def write(self, _text):
        pass


def serve(listener, app):
    eventlet.spawn(eventlet.wsgi.server, listener, app, Silence(), protocol=SwiftHttpProtocol, log_output=False)


def listen():
    return eventlet.listen(("127.0.0.1", 0))


settings = {
    "devices": devices,
    "mount_check": "false",
    "swift_dir": folder,
    "log_level": "ERROR",
    "allowed_headers": "content-disposition, content-encoding, x-delete-at, x-object-manifest, x-static-large-object, "
    "cache-control, content-language, expires, x-robots-tag",
}
listeners = {}
for kind in ("account", "container", "object"):
    listeners[kind] = listen()
    device = {"id": 0, "zone": 0, "region": 1, "weight": 1, "device": "one", "ip": "127.0.0.1", "port": listeners[kind].getsockname()[1]}
    ring_data = RingData([array.array("H", [0, 0, 0, 0])], [dict(device, replication_ip=device["ip"], replication_port=device["port"])], 30)
    ring_data.save(os.path.join(folder, kind + ".ring.gz"))
serve(listeners["account"], AccountController(settings))
serve(listeners["container"], ContainerController(settings))
serve(listeners["object"], ObjectController(settings))

proxy_conf = os.path.join(folder, "proxy-server.conf")
with open(proxy_conf, "w") as file:
    file.write(
        f"""[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""
    )
proxy = listen()
serve(proxy, cached(loadapp(proxy_conf), Cache()))
print(f"ready {proxy.getsockname()[1]}", flush=True)
# A real thread, since reading would hold up the servers.
eventlet.tpool.execute(os.read, 0, 1)
os._exit(0)
