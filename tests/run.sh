#!/usr/bin/env bash
# Installs what is missing (Debian 12), builds, runs every test; the last line says: N passed, N failed, N skipped.
#
#   bash tests/run.sh           everything
#   bash tests/run.sh --quick   the inner loop: no sanitizers, no phpize build, no slow black-box tests
#   bash tests/run.sh --part P  one part alone, uncounted, after a build: format, shellcheck, build, unit, crash, phpt,
#                               e2e, phpize, address, thread
#
# What a part prints is in build/test-logs/PART.log, and is shown when it fails.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD
build=$repository/build
logs=$build/test-logs

export OXPOOL_BUILD_DIR=$build OXPOOL_BIN=$build/bin/oxpoold OXPOOL_SO=$build/php/oxpool.so

# --- the parts; each is run by run_part below, as a script of its own, so that its first error ends it ----------------

# Files of the project by pattern, committed or about to be; generated ones are left out by .gitignore.
project_files() {
  git -c safe.directory='*' ls-files -z --cached --others --exclude-standard -- "$@" |
    while IFS= read -r -d '' file; do [[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"; done
}

part_build() {
  cmake -S . -B "$build" -G Ninja
  cmake --build "$build"
}

part_format() {
  local -a files
  mapfile -d '' files < <(project_files '*.h' '*.cc' ':!*_arginfo.h')
  ((${#files[@]})) || { echo "no C++ file found" && return 1; }
  clang-format-14 --dry-run -Werror "${files[@]}"
}

part_shellcheck() {
  local -a files
  mapfile -d '' files < <(project_files '*.sh' .ci/run)
  shellcheck -x "${files[@]}"
}

part_unit() {
  run_ctest unit "$build"
}

# The sanitizers want the address space that they were laid out for: no randomization, while listing the tests too.
part_address() {
  sanitize address
}
part_thread() {
  sanitize thread
}
sanitize() {
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  local -a fixed=(setarch "$(uname -m)" --addr-no-randomize)
  # Without the extension: Debian's PHP could not load it.
  "${fixed[@]}" cmake -S . -B "$build/$1" -G Ninja "-DOXPOOL_SANITIZER=$1" -DOXPOOL_PHP_CONFIG=OFF
  "${fixed[@]}" cmake --build "$build/$1"
  run_ctest "$1" "$build/$1" "${fixed[@]}"
}

run_ctest() { # PART FOLDER [COMMAND PREFIX...]
  "${@:3}" ctest --test-dir "$2" --output-on-failure --no-tests=error --parallel 2 --timeout 300 \
    --output-junit "$logs/$1.xml"
}

# A worker killed at every instruction of every operation; prints its table.
part_crash() {
  "$build/bin/crash_test"
}

part_phpt() {
  # In a copy: run-tests.php leaves its traces beside the tests.
  local copy=$build/phpt
  rm -rf "$copy"
  mkdir -p "$copy"
  project_files php-client | tar --null -T - -cf - | tar -xf - -C "$copy"

  local runtime_dir daemon
  runtime_dir=$(mktemp -d /dev/shm/oxpool-phpt.XXXXXX)
  setpriv --pdeathsig TERM "$OXPOOL_BIN" --runtime-dir "$runtime_dir" --http off &
  daemon=$!
  # shellcheck disable=SC2064  # the values of now
  trap "kill $daemon 2>/dev/null || true; wait $daemon 2>/dev/null || true; rm -rf '$runtime_dir'" EXIT
  trap 'exit 143' TERM INT
  await_daemon "$daemon" "$runtime_dir"

  local extension
  local -a settings=()
  for extension in pdo pdo_pgsql pdo_sqlite posix sockets "$OXPOOL_SO"; do
    settings+=(-d "extension=$extension")
  done
  NO_INTERACTION=1 TEST_PHP_JUNIT=$logs/phpt.xml TEST_PHP_EXECUTABLE=$(command -v php8.2) \
    php8.2 -n /usr/lib/php/20220829/build/run-tests.php -n "${settings[@]}" -d "oxpool.runtime_dir=$runtime_dir" \
    -q -j2 --no-color --no-progress --show-diff --set-timeout 120 "$copy/php-client/tests"
}

await_daemon() { # PID RUNTIME_DIR
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    # shellcheck disable=SC2016  # the variables are PHP's
    if php8.2 -n -r 'exit(@stream_socket_client("unix://$argv[1]") ? 0 : 1);' "$2/client.sock"; then return 0; fi
    if ! kill -0 "$1"; then break; fi
    sleep 0.1
  done
  echo "oxpoold did not get ready in $2"
  return 1
}

part_e2e() {
  local -a selection=()
  [[ ! ${OXPOOL_QUICK-} ]] || selection=(-m "not slow")
  timeout --foreground --kill-after=60 2400 \
    /usr/bin/python3 -m pytest -p no:cacheprovider "--junitxml=$logs/e2e.xml" "${selection[@]}" tests/e2e
}

# As somebody builds it who takes the extension alone.
part_phpize() {
  local copy=$build/phpize
  rm -rf "$copy"
  mkdir -p "$copy"
  project_files | tar --null -T - -cf - | tar -xf - -C "$copy"
  cd "$copy/php-client"
  phpize8.2
  ./configure --with-php-config="$(command -v php-config8.2)"
  make -j2
  php8.2 -n -d extension=pdo.so -d "extension=$PWD/modules/oxpool.so" --ri oxpool
}

quick=false
case ${1-} in
  '') ;;
  --quick)
    quick=true
    export OXPOOL_QUICK=1
    ;;
  --part)
    mkdir -p "$logs"
    "part_$2"
    exit
    ;;
  *)
    echo "usage: bash tests/run.sh [--quick | --part NAME]" >&2
    exit 2
    ;;
esac

# --- running them -----------------------------------------------------------------------------------------------------

# Runs part_NAME, counts its tests, prints one line, and what it said if it failed. With `counted`, its JUnit file
# tells the number of tests; with `one`, the whole part is one test.
run_part() { # NAME counted|one
  local name=$1 log=$logs/$1.log began=$SECONDS status=0 passed=0 failed=0 skipped=0 note=
  bash tests/run.sh --part "$name" >"$log" 2>&1 </dev/null || status=$?

  if [[ $2 == one ]]; then
    if ((status)); then failed=1; else passed=1; fi
  else
    read -r passed failed skipped < <(/usr/bin/python3 tests/count_junit.py "$logs/$name.xml" 2>>"$log" || echo 0 0 0)
    if ((status != 0 && failed == 0)); then
      failed=1 note=" (ended with exit code $status)"
    elif ((passed + failed == 0)); then
      failed=1 note=" (ran no test)"
    fi
  fi
  echo "$passed $failed $skipped" >"$logs/$name.counts"

  {
    flock 9
    if ((failed)); then
      printf '\n--- %s: the last lines of %s\n' "$name" "$log"
      # Without what went well: ninja's steps, and the passed tests of ctest.
      grep -avE '^\[[0-9]+/[0-9]+\] (Building|Linking)|^ *Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test .* Passed ' "$log" |
        tail -n 200 || true
      printf -- '---\n\n'
    fi
    printf '%-10s %4d passed, %d failed, %d skipped in %d s%s\n' \
      "$name" "$passed" "$failed" "$skipped" $((SECONDS - began)) "$note"
  } 9>"$logs/printing"
  ((failed == 0))
}

lanes=()
start_lane() { # COMMAND...
  set -m # a process group of its own, so that it can be ended whole
  "$@" &
  lanes+=($!)
  set +m
}

# Gives what the lanes started time to end what it started itself.
end_lanes() {
  local lane tries
  for lane in "${lanes[@]}"; do kill -TERM -- "-$lane" 2>/dev/null || true; done
  for lane in "${lanes[@]}"; do
    for ((tries = 0; tries < 300; tries++)); do
      kill -0 -- "-$lane" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$lane" 2>/dev/null || true
  done
}
trap end_lanes EXIT
trap 'exit 130' INT TERM HUP

# Two cores: what waits most of the time runs beside what compiles. The compilers give way to the tests.
lane_tests() {
  run_part unit counted || true
  run_part phpt counted || true
  run_part e2e counted || true
  $quick || run_part crash one || true
}
lane_compilers() {
  renice -n 10 -p $BASHPID >/dev/null
  run_part phpize one || true
  run_part address counted || true
  run_part thread counted || true
}
lane_build() {
  run_part format one || true
  run_part shellcheck one || true
  run_part build one
}

wait_for_lanes() {
  local lane status=0
  for lane in "${lanes[@]}"; do wait "$lane" || status=$?; done
  lanes=()
  return "$status"
}

source deploy/packages.sh
install_packages "${packages_build[@]}" "${packages_build_tests[@]}" "${packages_php[@]}" "${packages_postgres[@]}" \
  "${packages_test[@]}"
mkdir -p "$logs"
rm -f "$logs"/*.xml "$logs"/*.counts "$logs"/*.log

start_lane lane_build
if wait_for_lanes; then
  start_lane lane_tests
  $quick || start_lane lane_compilers
  wait_for_lanes || true
fi

passed=0 failed=0 skipped=0
for counts in "$logs"/*.counts; do
  read -r one_passed one_failed one_skipped <"$counts"
  passed=$((passed + one_passed)) failed=$((failed + one_failed)) skipped=$((skipped + one_skipped))
done
printf 'all parts: %d s\n' "$SECONDS"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
