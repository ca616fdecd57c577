# shellcheck shell=bash
# The Debian 12 packages that oxpool needs, in one place, and their installation. Sourced, never run:
#
#   source deploy/packages.sh
#   install_packages "${packages_build[@]}" "${packages_php[@]}"

# shellcheck disable=SC2034  # the sets are read by whoever sources this file
{
  # To compile the daemon and the extension.
  packages_build=(
    g++ make cmake ninja-build pkg-config
    libboost1.81-dev libcli11-dev libfmt-dev libspdlog-dev libsystemd-dev libtomlplusplus-dev prometheus-cpp-dev
    libgrpc++-dev libprotobuf-dev libssl-dev protobuf-compiler protobuf-compiler-grpc
    php8.2-dev
  )
  # Compiled by default beside them: the unit tests and the benchmark.
  packages_build_tests=(libbenchmark-dev libgmock-dev libgtest-dev)
  # For the plots of the live page: those that are not here from elsewhere, with which Debian's would conflict.
  packages_ui=()
  command -v node >/dev/null || packages_ui+=(nodejs)
  command -v npm >/dev/null || packages_ui+=(npm)
  # To run the quickstart, against SQLite and against PostgreSQL.
  packages_php=(php8.2-cli php8.2-sqlite3 util-linux)
  packages_postgres=(postgresql-15 php8.2-pgsql)
  # To run every test.
  packages_test=(
    nginx-light php8.2-fpm prometheus wrk
    bash fish zsh git procps python3-pytest python3-grpcio python3-protobuf openssl curl strace valgrind
    clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev shellcheck
    spin
  )
  # To measure php-fpm in front of a database: what others do there.
  packages_bench=(pgbouncer)
  # To click through the live page.
  packages_browser=(chromium chromium-driver fonts-dejavu-core python3-selenium)
  # The servers and clients of the reset recipes.
  packages_recipes=(mariadb-server php8.2-mysql php8.2-redis redis-server)
  # To build a thread-safe PHP for the tests.
  packages_zts=(ca-certificates debian-archive-keyring libsqlite3-dev pkg-config xz-utils)
  # To make a Debian 13 with its PHP 8.4 for the tests.
  packages_php84=(ca-certificates debian-archive-keyring debootstrap util-linux)
}

# Prints those of the named packages that are not installed, one a line.
missing_packages() {
  local name status
  for name in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) || status=none
    [[ $status == installed ]] || printf '%s\n' "$name"
  done
}

# Installs those of the named packages that are missing; does not call apt at all when there are none.
# Returns 1 with a sentence on stderr when it can not.
install_packages() {
  local -a missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  if ! command -v apt-get >/dev/null; then
    echo "oxpool: these Debian 12 packages are needed and there is no apt-get here to install them: ${missing[*]}" >&2
    return 1
  fi
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "oxpool: packages are missing; as root, run: apt-get install --no-install-recommends ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi

  echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  without_starting_services apt_install "${missing[@]}" >"$log" 2>&1 || true
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]})); then
    tail -n 30 "$log" >&2
    echo "oxpool: apt-get could not install ${missing[*]}; all that it said is in $log" >&2
    return 1
  fi
  rm -f "$log"
}

apt_install() {
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  # A third-party list that can not be fetched is no reason to stop: Debian's own may well have been.
  "${apt[@]}" update </dev/null || true
  "${apt[@]}" install -y --no-install-recommends "$@" </dev/null
}

# Runs a command while Debian's policy hook forbids that packages start, restart or stop services. The hook that was
# there before is put back, also after a signal; and one that was left behind by a kill lets everything through once this
# shell is gone.
without_starting_services() (
  local hook=/usr/sbin/policy-rc.d before=/usr/sbin/policy-rc.d.before-oxpool this_shell=$BASHPID

  [[ ! -e $before ]] || "${as_root[@]}" mv -f "$before" "$hook" # an earlier installation was killed

  if [[ -x $hook ]]; then
    local answer=0
    "$hook" oxpool start >/dev/null 2>&1 || answer=$?
    if ((answer == 101)); then # it forbids already
      "$@"
      return
    fi
  fi

  # shellcheck disable=SC2317  # called by the trap
  put_back() {
    if [[ -e $before ]]; then
      "${as_root[@]}" mv -f "$before" "$hook"
    else
      "${as_root[@]}" rm -f "$hook"
    fi
  }
  trap put_back EXIT
  trap 'exit 130' INT TERM HUP

  [[ ! -e $hook ]] || "${as_root[@]}" mv "$hook" "$before"
  "${as_root[@]}" tee "$hook" >/dev/null <<HOOK
#!/bin/sh
# Here only while oxpool's packages are being installed: they must not start services of their own.
[ -d /proc/$this_shell ] && exit 101
[ -x $before ] && exec $before "\$@"
exit 0
HOOK
  "${as_root[@]}" chmod 755 "$hook"
  "$@"
)
