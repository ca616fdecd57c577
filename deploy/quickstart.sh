#!/usr/bin/env bash
# Shows what oxpool is for, on this machine: installs what is missing (Debian 12), builds, starts a daemon in a
# directory of its own, lets 24 PHP workers share 8 database connections, kills a worker that holds some, and cleans up.
#
#   bash deploy/quickstart.sh              against SQLite
#   bash deploy/quickstart.sh --postgres   against a PostgreSQL of its own, with fewer connections than there are workers
#
# Options: --seconds N (how long the workers run, 10). A second run takes seconds: everything is built already.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
workers=24
seconds=10
database=sqlite

usage() {
  echo "usage: bash deploy/quickstart.sh [--postgres] [--seconds N]" >&2
  exit 2
}
while (($#)); do
  case $1 in
    --postgres) database=postgres ;;
    --seconds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage
      seconds=$2
      shift
      ;;
    *) usage ;;
  esac
  shift
done

source deploy/packages.sh
build=${OXPOOL_BUILD_DIR:-$PWD/build}
postgres_binaries=/usr/lib/postgresql/15/bin

# --- cleaning up: whatever was started is ended by its pid -----------------------------------------------------------

pids=()
postgres_pid=
directories=()
clean_up() {
  local pid
  for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  [[ ! $postgres_pid ]] || kill -INT "$postgres_pid" 2>/dev/null || true # it need not wait for its clients
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  ((!${#directories[@]})) || rm -rf "${directories[@]}"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# Ends with the script, even if the script is killed.
in_background() {
  setpriv --pdeathsig TERM "$@" &
  pids+=($!)
}

step() {
  printf '\n%s\n' "$*" | fold -s -w 110
}

fail() {
  echo "quickstart: $*" >&2
  exit 1
}

# --- packages and build ----------------------------------------------------------------------------------------------

needed=("${packages_build[@]}" "${packages_build_tests[@]}" "${packages_php[@]}")
[[ $database == sqlite ]] || needed+=("${packages_postgres[@]}")
install_packages "${needed[@]}"

mkdir -p "$build"
build_log=$build/quickstart-build.log
[[ -x $build/bin/oxpoold && -e $build/php/oxpool.so ]] || echo "Building oxpool; the first time takes a few minutes ..."
if ! { cmake -S . -B "$build" -G Ninja && cmake --build "$build" --target oxpoold oxpool_php; } >"$build_log" 2>&1; then
  tail -n 40 "$build_log" >&2
  fail "the build failed; all of its output is in $build_log"
fi

# --- the daemon ------------------------------------------------------------------------------------------------------

directory=$(mktemp -d /dev/shm/oxpool-quickstart.XXXXXX)
directories+=("$directory")
runtime_dir=$directory/run
export QUICKSTART_DIRECTORY=$directory/work
mkdir "$runtime_dir" "$QUICKSTART_DIRECTORY"

php=(php8.2 -n -d extension=pdo -d "extension=pdo_${database/postgres/pgsql}"
  -d "extension=$build/php/oxpool.so" -d "oxpool.runtime_dir=$runtime_dir")

in_background "$build/bin/oxpoold" --runtime-dir "$runtime_dir" --http off --log-level warning 2>"$directory/oxpoold.log"
daemon=${pids[-1]}

await() { # WHAT PID LOG COMMAND...: until the command succeeds; fails when the process ends before, or after 60 s
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    if "${@:4}" >/dev/null 2>&1; then return 0; fi
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$3" >&2
  fail "waited in vain for $1"
}

# shellcheck disable=SC2016  # the variables are PHP's
await "oxpoold to be ready" "$daemon" "$directory/oxpoold.log" \
  php8.2 -n -r 'exit(@stream_socket_client("unix://$argv[1]") ? 0 : 1);' "$runtime_dir/client.sock"
step "oxpoold runs (pid $daemon) and keeps its shared memory in $runtime_dir. In real life it is one service a host."

# --- the database ----------------------------------------------------------------------------------------------------

start_postgres() {
  local as_owner=() data
  data=$(mktemp -d /tmp/oxpool-quickstart.XXXXXX)
  directories+=("$data")
  if ((EUID == 0)); then # PostgreSQL refuses to run as root
    chown postgres: "$data"
    as_owner=(--reuid postgres --regid postgres --init-groups)
  fi
  setpriv "${as_owner[@]}" "$postgres_binaries/initdb" -D "$data/db" -U keeper -A trust --no-sync \
    >"$directory/initdb.log" 2>&1 || fail "initdb failed: $(tail -n 3 "$directory/initdb.log")"
  in_background "${as_owner[@]}" "$postgres_binaries/postgres" -D "$data/db" -c listen_addresses= -c fsync=off \
    -c "unix_socket_directories=$data" -c "max_connections=$1" >"$directory/postgres.log" 2>&1
  postgres_pid=${pids[-1]}
  await "PostgreSQL to be ready" "$postgres_pid" "$directory/postgres.log" "$postgres_binaries/pg_isready" -q -h "$data"
  keeper_dsn="pgsql:host=$data;user=keeper;dbname=postgres"
  "$postgres_binaries/psql" -q -X -h "$data" -U keeper -d postgres -c 'CREATE ROLE worker LOGIN' \
    -c 'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO worker'
  export QUICKSTART_DSN="pgsql:host=$data;user=worker;dbname=postgres"
}

if [[ $database == postgres ]]; then
  most=12
  start_postgres $most
  name=PostgreSQL
  step "PostgreSQL runs too (pid $postgres_pid) and takes $most connections, 3 of them kept for administrators."
else
  name=SQLite
  keeper_dsn=sqlite:$QUICKSTART_DIRECTORY/shop.sqlite
  export QUICKSTART_DSN=$keeper_dsn
fi
"${php[@]}" deploy/quickstart/prepare.php "$keeper_dsn"

# --- the job ---------------------------------------------------------------------------------------------------------

run_workers() { # pool|direct
  local mode=$1 number counter=
  local -a started=()
  rm -f "$QUICKSTART_DIRECTORY"/{ready,result,place}.* "$QUICKSTART_DIRECTORY"/{go,peak,server_counts}
  if [[ $database == postgres ]]; then
    in_background "${php[@]}" deploy/quickstart/count_connections.php "$keeper_dsn"
    counter=${pids[-1]}
  fi
  for ((number = 1; number <= workers; number++)); do
    in_background "${php[@]}" deploy/quickstart/worker.php "$number" "$seconds" "$mode"
    started+=("${pids[-1]}")
  done
  if [[ $mode == pool ]]; then
    in_background "${php[@]}" deploy/quickstart/watch.php "$seconds"
    started+=("${pids[-1]}")
  fi
  await "the workers to attach" "${started[0]}" /dev/null all_ready
  touch "$QUICKSTART_DIRECTORY/go"
  wait "${started[@]}"
  [[ ! $counter ]] || kill "$counter"
  "${php[@]}" deploy/quickstart/summary.php "$workers" "$seconds" "$mode"
}

all_ready() {
  local -a ready=("$QUICKSTART_DIRECTORY"/ready.*)
  ((${#ready[@]} == workers))
}

if [[ $database == postgres ]]; then
  step "First without the pool: $workers PHP workers, each opening a connection for every use, for $seconds seconds." \
    "There are more workers than connections, so PostgreSQL has to turn some of them away:"
  run_workers direct
  step "Now with the pool. The same workers say: new OxPHP\\Shared\\Pool(factory: ..., maxSize: 8)."
fi
step "$workers PHP workers use $name through one pool of 8 connections for $seconds seconds, each as fast as it can." \
  "A worker that finds all 8 in use waits its turn and uses no CPU meanwhile:"
run_workers pool

step "What if a worker is killed while it holds connections? Nobody has to clean up after it:"
"${php[@]}" deploy/quickstart/kill_holder.php "${php[@]}"

step "Done. The daemon and everything else that was started here ends now."
