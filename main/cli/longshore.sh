#!/bin/sh
# The program of archives and Debian packages: Longshore with the Node that came with it (main/release/).
self=$(readlink -f "$0")
home=${self%/bin/*}
# Less memory, and shorter pauses in the service: main/start/children.ts says why.
flags=
case ${1-} in
  service)
    flags=--max-semi-space-size=8
    ;;
  agent)
    flags='--max-semi-space-size=4 --heap-growing-percent=40'
    export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX-1}" MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_-524288}"
    ;;
esac
# The flags are words of their own.
exec "$home/node/node" $flags "$home/app/main/cli/longshore.js" "$@"
