#!/usr/bin/env bash
# Installs what is missing (Debian 12), builds, runs every test; the last line says: N passed, N failed, N skipped.
#
#   bash tests/run.sh           everything but the long parts
#   bash tests/run.sh --full    those, too, as CI does: hostile clients, fuzzers, large models
#   bash tests/run.sh --quick   the inner loop: no sanitizers, no other PHP than Debian 12's, no slow black-box tests
#   bash tests/run.sh --php84   the phpt with the PHP 8.4 of Debian 13, after a build; needs root
#   bash tests/run.sh --part P  one part alone, uncounted, after a build: format, shellcheck, recovery, build, unit,
#                               crash, model, phpt, page, e2e, phpize, address, crash_address, thread,
#                               php_address, hostile, fuzz, zts, php84
#
# With OXPOOL_FULL set, the part `model` searches large models, too, for six minutes. Parts hostile and
# crash_address come after address.
#
# What is made once and kept for the next run: OXPOOL_ZTS_DIR (build/zts unless set) has a thread-safe PHP,
# OXPOOL_PHP84_DIR (build/php84) a small Debian 13.
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

# That shm/RECOVERY.md names the test that proves each line of it.
part_recovery() {
  /usr/bin/python3 tests/recovery_page.py . "$logs/recovery.xml"
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

# Some deaths at each operation, with everything sanitized: the victim, and who buries and repairs after it.
part_crash_address() {
  export ASAN_OPTIONS=strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  OXPOOL_CRASH_KILLS=${OXPOOL_CRASH_KILLS:-10} OXPOOL_JUNIT=$logs/crash_address.xml \
    setarch "$(uname -m)" --addr-no-randomize "$build/address/bin/crash_test"
}

# A sanitized daemon against clients that scribble on their segments and send nonsense, and, run by root, against another
# uid; about three minutes. After part address, which builds it. Prints what was seen, and the seed.
part_hostile() {
  setarch "$(uname -m)" --addr-no-randomize "$build/address/bin/hostile_test" | tee "$logs/hostile.tables"
}

# Each libFuzzer target for OXPOOL_FUZZ_SECONDS (60), two at a time.
part_fuzz() {
  local folder=$build/fuzz
  cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
    -DCMAKE_BUILD_TYPE=Debug -DOXPOOL_BUILD_FUZZERS=ON
  cmake --build "$folder"
  /usr/bin/python3 tests/fuzz/run_targets.py "$folder" "${OXPOOL_FUZZ_SECONDS:-60}" "$logs/fuzz.xml"
}

# However a request ends, and mutexes, with a sanitized extension in Debian's PHP, which calls malloc for each block of
# its own (and has no memory limit then). Leaks are left to valgrind, which can tell PHP's own apart.
part_php_address() {
  local -a fixed=(setarch "$(uname -m)" --addr-no-randomize)
  local preload folder=$build/php_address
  "${fixed[@]}" cmake -S . -B "$folder" -G Ninja -DOXPOOL_SANITIZER=address -DOXPOOL_BUILD_DAEMON=OFF \
    -DOXPOOL_BUILD_TESTS=OFF
  "${fixed[@]}" cmake --build "$folder" --target oxpool_php
  g++ -shared -fPIC -O1 -o "$folder/without_deepbind.so" tests/sanitizer/without_deepbind.cc
  preload=$folder/without_deepbind.so:$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libubsan.so)

  OXPOOL_SO=$folder/php/oxpool.so OXPOOL_PHP_PREFIX="env USE_ZEND_ALLOC=0 LD_PRELOAD=$preload \
    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1" \
    timeout --foreground --kill-after=60 1200 "${fixed[@]}" /usr/bin/python3 -m pytest -p no:cacheprovider \
    "--junitxml=$logs/php_address.xml" -m 'not slow' \
    -k 'not memory and not end_of_the_child and not never_one' tests/e2e/test_ends_of_requests.py \
    tests/e2e/test_persistent.py tests/e2e/test_persistent_lives.py tests/e2e/test_mutex.py
}

run_ctest() { # PART FOLDER [COMMAND PREFIX...]
  "${@:3}" ctest --test-dir "$2" --output-on-failure --no-tests=error --parallel 2 --timeout 300 \
    --output-junit "$logs/$1.xml"
}

# A worker killed at every instruction of every operation, and of one in a library that is broken on purpose, which must
# be found; prints its tables.
part_crash() {
  {
    local status=0
    OXPOOL_JUNIT=$logs/crash.xml "$build/bin/crash_test" || status=$?
    echo
    OXPOOL_JUNIT=$logs/crash-reordered.xml "$build/bin/crash_reordered_test" hand-over || status=$?
    ((status == 0))
  } | tee "$logs/crash.tables"
}

# The protocol, searched through as models; prints its table.
part_model() {
  OXPOOL_JUNIT=$logs/model.xml bash tests/model/run.sh ${OXPOOL_FULL:+--full} | tee "$logs/model.tables"
}

part_phpt() {
  local extension
  local -a settings=()
  for extension in pdo pdo_sqlite posix sockets "$OXPOOL_SO"; do settings+=(-d "extension=$extension"); done
  start_daemon
  run_phpt phpt php8.2 /usr/lib/php/20220829/build/run-tests.php "${settings[@]}"
}

# Threads of one PHP, and every phpt again, with a thread-safe PHP.
part_zts() {
  local folder=${OXPOOL_ZTS_DIR:-$build/zts}
  bash tests/zts/build_php.sh "$folder"
  folder=$(realpath "$folder")
  export OXPOOL_SO=$build/zts-oxpool/php/oxpool.so
  cmake -S . -B "$build/zts-oxpool" -G Ninja "-DOXPOOL_PHP_CONFIG=$folder/php/bin/php-config" \
    -DOXPOOL_BUILD_DAEMON=OFF -DOXPOOL_BUILD_TESTS=OFF -DOXPOOL_BUILD_ZTS_TEST=ON
  cmake --build "$build/zts-oxpool"

  start_daemon tests/zts/oxpoold.toml
  local status=0
  OXPOOL_RUNTIME_DIR=$runtime_dir timeout --kill-after=10 300 \
    "$build/zts-oxpool/bin/threads_test" "--gtest_output=xml:$logs/zts.xml" || status=$?
  end_daemon
  start_daemon
  run_phpt zts-phpt "$folder/php/bin/php" "$folder/php/lib/php/build/run-tests.php" -d "extension=$OXPOOL_SO" ||
    status=$?
  return "$status"
}

# Every phpt with the PHP 8.4 of Debian 13, the extension built there by phpize.
part_php84() {
  local folder=${OXPOOL_PHP84_DIR:-$build/php84}
  bash tests/php84/make_root.sh "$folder"
  folder=$(realpath "$folder")
  local -a in_root=(bash tests/php84/in_root.sh "$folder")
  local inside=$folder/root/oxpool
  rm -rf "$inside"
  mkdir -p "$inside/daemon"
  project_files php-client client shm proto | tar --null -T - -cf - | tar -xf - -C "$inside"
  # shellcheck disable=SC2016  # expanded in there
  "${in_root[@]}" sh -c 'cd /oxpool/php-client && phpize && ./configure && make -j"$(nproc)"'

  # Some tests start a daemon of their own. This one was built for another Debian: it brings its libraries along.
  local -a libraries
  mapfile -t libraries < <(ldd "$OXPOOL_BIN" | grep -o '/[^ ]*')
  cp -L "$OXPOOL_BIN" "${libraries[@]}" "$inside/daemon"
  printf '#!/bin/sh\nexec /oxpool/daemon/ld-linux-*.so.* --library-path /oxpool/daemon /oxpool/daemon/oxpoold "$@"\n' \
    >"$inside/oxpoold"
  chmod 755 "$inside/oxpoold"

  start_daemon
  local extension status=0
  local -a settings=()
  for extension in pdo pdo_sqlite posix sockets /oxpool/php-client/modules/oxpool.so; do
    settings+=(-d "extension=$extension")
  done
  # shellcheck disable=SC2016  # expanded in there
  "${in_root[@]}" NO_INTERACTION=1 TEST_PHP_JUNIT=/oxpool/junit.xml TEST_PHP_EXECUTABLE=/usr/bin/php8.4 \
    OXPOOL_BIN=/oxpool/oxpoold \
    sh -c 'php8.4 -n /usr/lib/php/*/build/run-tests.php -n "$@" /oxpool/php-client/tests /oxpool/php-client/easyswoole/tests' sh \
    "${settings[@]}" -d "oxpool.runtime_dir=$runtime_dir" \
    -q -j2 --no-color --no-progress --show-diff --set-timeout 120 || status=$?
  cp "$inside/junit.xml" "$logs/php84.xml"
  return "$status"
}

# Starts a daemon on a directory of its own, $runtime_dir, and has both taken away at the end of this script.
start_daemon() { # [CONFIGURATION]
  runtime_dir=$(mktemp -d /dev/shm/oxpool-phpt.XXXXXX)
  setpriv --pdeathsig TERM "$OXPOOL_BIN" --runtime-dir "$runtime_dir" ${1:+--config "$1"} --http off &
  daemon=$!
  trap end_daemon EXIT
  trap 'exit 143' TERM INT
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    # shellcheck disable=SC2016  # the variables are PHP's
    if php8.2 -n -r 'exit(@stream_socket_client("unix://$argv[1]") ? 0 : 1);' "$runtime_dir/client.sock"; then
      return
    fi
    if ! kill -0 "$daemon"; then break; fi
    sleep 0.1
  done
  echo "oxpoold did not get ready in $runtime_dir"
  return 1
}
end_daemon() {
  kill "$daemon" 2>/dev/null || true
  wait "$daemon" 2>/dev/null || true
  rm -rf "$runtime_dir"
}

# Runs every phpt with one PHP and the settings that load the extension.
run_phpt() { # NAME PHP RUN_TESTS SETTING...
  # In a copy: run-tests.php leaves its traces beside the tests.
  local copy=$build/$1
  rm -rf "$copy"
  mkdir -p "$copy"
  project_files php-client | tar --null -T - -cf - | tar -xf - -C "$copy"

  NO_INTERACTION=1 TEST_PHP_JUNIT=$logs/$1.xml TEST_PHP_EXECUTABLE=$(command -v "$2") \
    "$2" -n "$3" -n "${@:4}" -d "oxpool.runtime_dir=$runtime_dir" \
    -q -j2 --no-color --no-progress --show-diff --set-timeout 120 "$copy/php-client/tests" \
    "$copy/php-client/easyswoole/tests"
}

# What of the live page needs no browser.
part_page() {
  node --test tests/page/*.mjs
}

part_e2e() {
  local -a selection=()
  [[ ! ${OXPOOL_QUICK-} ]] || selection=(-m "not slow")
  OXPOOL_TABLES=$logs/e2e.tables timeout --foreground --kill-after=60 2400 \
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

quick=false full=false only_php84=false
case ${1-} in
  '') ;;
  --quick)
    quick=true
    export OXPOOL_QUICK=1
    ;;
  --full)
    full=true
    export OXPOOL_FULL=1
    ;;
  --php84) only_php84=true ;;
  --part)
    mkdir -p "$logs"
    "part_$2"
    exit
    ;;
  *)
    echo "usage: bash tests/run.sh [--quick | --full | --php84 | --part NAME]" >&2
    exit 2
    ;;
esac

# --- running them -----------------------------------------------------------------------------------------------------

# Runs part_NAME, counts its tests, prints one line, and what it said if it failed. With `counted`, its JUnit files,
# NAME.xml and perhaps NAME-….xml, tell the number of tests; with `one`, the whole part is one test.
run_part() { # NAME counted|one
  local name=$1 log=$logs/$1.log began=$SECONDS status=0 passed=0 failed=0 skipped=0 note=
  local -a more=()
  bash tests/run.sh --part "$name" >"$log" 2>&1 </dev/null || status=$?

  if [[ $2 == one ]]; then
    if ((status)); then failed=1; else passed=1; fi
  else
    mapfile -t more < <(compgen -G "$logs/$name-*.xml")
    read -r passed failed skipped < <(
      /usr/bin/python3 tests/count_junit.py "$logs/$name.xml" "${more[@]}" 2>>"$log" || echo 0 0 0
    )
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
    # What the part has to show besides its count.
    if [[ -s $logs/$name.tables ]]; then printf '\n%s\n\n' "$(<"$logs/$name.tables")"; fi
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
  run_part page one || true
  run_part phpt counted || true
  run_part e2e counted || true
  $quick || run_part crash counted || true
  $quick || run_part model counted || true
}
lane_compilers() {
  renice -n 10 -p $BASHPID >/dev/null
  run_part zts counted || true
  run_php84
  run_part phpize one || true
  run_part address counted || true
  run_part crash_address counted || true
  run_part thread counted || true
  run_part php_address counted || true
  ! $full || run_part hostile one || true
  ! $full || run_part fuzz counted || true
}
# Only root can enter another Debian; a run by anybody else says that it was left out.
run_php84() {
  if ((EUID == 0)); then
    run_part php84 counted || true
    return
  fi
  echo "php84 is skipped: only root can make and enter a Debian 13"
  echo "0 0 1" >"$logs/php84.counts"
}
lane_build() {
  run_part format one || true
  run_part shellcheck one || true
  run_part recovery counted || true
  run_part build one
}

wait_for_lanes() {
  local lane status=0
  for lane in "${lanes[@]}"; do wait "$lane" || status=$?; done
  lanes=()
  return "$status"
}

lane_php84() {
  run_part build one && run_part php84 counted
}

source deploy/packages.sh
install_packages "${packages_build[@]}" "${packages_build_tests[@]}" "${packages_php[@]}" "${packages_postgres[@]}" \
  "${packages_test[@]}" "${packages_recipes[@]}" "${packages_zts[@]}" "${packages_php84[@]}" \
  "${packages_ui[@]}" "${packages_browser[@]}"
mkdir -p "$logs"
rm -f "$logs"/*.xml "$logs"/*.counts "$logs"/*.log "$logs"/*.tables

if $only_php84; then
  start_lane lane_php84
  wait_for_lanes || true
elif start_lane lane_build && wait_for_lanes; then
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
