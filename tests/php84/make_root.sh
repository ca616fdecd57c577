#!/usr/bin/env bash
# Makes a small Debian 13 with its PHP 8.4 and a compiler, to be entered with chroot. A second run finds it there and
# does nothing; remove the folder to have it made anew. Needs root.
#
#   bash tests/php84/make_root.sh FOLDER      → FOLDER/root
set -euo pipefail

(($# == 1)) || { echo "usage: bash tests/php84/make_root.sh FOLDER" >&2 && exit 2; }
this_script=$(realpath "${BASH_SOURCE[0]}")
if ((EUID != 0)); then
  echo "a Debian 13 for PHP 8.4 can only be made and entered by root" >&2
  exit 1
fi
mkdir -p "$1"
cd "$1"

exec 8>lock
flock 8
recipe=$(sha256sum <"$this_script")
[[ ! -e built || $(<built) != "$recipe" ]] || exit 0
rm -rf built root

# shellcheck source=tests/debian_archive.sh
source "$(dirname "$this_script")/../debian_archive.sh"
archive=$(debian_archive)
# In a mount namespace of its own, so that debootstrap's mounts go with it however it ends.
if ! unshare --mount debootstrap --variant=minbase "--keyring=$debian_keyring" \
  --include=g++,make,php8.4-cli,php8.4-dev,php8.4-opcache,php8.4-sqlite3 trixie root "$archive" >log 2>&1; then
  tail -n 30 log >&2
  echo "a Debian 13 could not be made with debootstrap; all that it said is in $PWD/log" >&2
  exit 1
fi
rm -rf root/var/cache/apt/archives/*.deb root/var/lib/apt/lists/*
echo "$recipe" >built
