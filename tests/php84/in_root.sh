#!/usr/bin/env bash
# Runs a command in the root made by make_root.sh, with /proc and the host's /dev/shm in it. Its mounts are made in a
# mount namespace of their own: they are gone once the command has ended, however that was.
#
#   bash tests/php84/in_root.sh FOLDER COMMAND [ARGUMENT...]
set -euo pipefail

root=$1/root
shift
# shellcheck disable=SC2016  # expanded by that shell
exec unshare --mount --propagation private bash -ec '
  mount -t proc proc "$1/proc"
  mount --bind /dev/shm "$1/dev/shm"
  exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C.UTF-8 "${@:2}"
' bash "$root" "$@"
