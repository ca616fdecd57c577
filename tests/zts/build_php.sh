#!/usr/bin/env bash
# Builds a small thread-safe PHP, command line and embed library, from the upstream tarball in Debian 12's source
# package. A second run finds it there and does nothing; remove the folder to have it built anew.
#
#   bash tests/zts/build_php.sh FOLDER      → FOLDER/php/bin/php, FOLDER/php/bin/php-config, FOLDER/php/lib/libphp.so
set -euo pipefail

(($# == 1)) || { echo "usage: bash tests/zts/build_php.sh FOLDER" >&2 && exit 2; }
this_script=$(realpath "${BASH_SOURCE[0]}")
mkdir -p "$1"
cd "$1"
folder=$PWD

exec 8>lock
flock 8
recipe=$(sha256sum <"$this_script")
[[ ! -e built || $(<built) != "$recipe" ]] || exit 0
rm -rf built php source apt

# Debian's archive with its sources, apart from the machine's own lists. bookworm's main only: neither updates nor
# security, so that the same version comes every time.
# shellcheck source=tests/debian_archive.sh
source "$(dirname "$this_script")/../debian_archive.sh"
archive=$(debian_archive)
mkdir -p apt/lists/partial apt/archives/partial source
echo "deb-src [signed-by=$debian_keyring] $archive bookworm main" >apt/sources.list
apt_here=(
  apt-get -qq -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o APT::Sandbox::User=root
)
"${apt_here[@]}" update
cd source
"${apt_here[@]}" source --download-only php8.2
tar -xf php8.2_*.orig.tar.xz --strip-components=1

CFLAGS='-O1 -w' CXXFLAGS='-O1 -w' ./configure --quiet "--prefix=$folder/php" --enable-zts --enable-embed=shared \
  --disable-all --enable-cli --disable-cgi --disable-phpdbg \
  --enable-opcache --disable-opcache-jit --enable-pcntl --enable-pdo --enable-posix --enable-sockets --with-pdo-sqlite
make -s -j"$(nproc)"
make -s install
cd ..
rm -rf source apt
echo "$recipe" >built
