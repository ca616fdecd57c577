#!/usr/bin/env bash
# Searches the models of this folder with Spin: what is right must hold, what is broken on purpose must fail.
#
#   bash tests/model/run.sh           what fits into some minutes
#   bash tests/model/run.sh --full    also the large ones that take six minutes together
#   bash tests/model/run.sh --all     every one of them
#   bash tests/model/run.sh WORD      runs whose model, name or options have the word in them; of all of them
#
# Every search is exhaustive: one that runs out of memory, depth or time has failed. Prints a table; with OXPOOL_JUNIT
# set, writes a JUnit file there.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
models=$PWD

only='' full=false all=false
case ${1-} in
  '') ;;
  --full) full=true ;;
  --all) full=true all=true ;;
  *) full=true all=true only=$1 ;;
esac

# Gigabytes of memory and seconds that one search may take.
memory=${OXPOOL_MODEL_GB:-5}
patience=${OXPOOL_MODEL_SECONDS:-$($full && echo 1800 || echo 240)}

scratch=$(mktemp -d /tmp/oxpool-model.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 143' TERM INT

# model | holds or fails, + = with --full or --all, ++ = with --all only | name | options
runs() {
  sed -e 's/ *#.*//' -e '/^ *$/d' <<'RUNS'
lock | holds  | nobody dies                     | -DLIVES=2 -DTURNS=2
lock | holds  | one dies, records used again    | -DDEATHS=1
lock | holds  | who buries dies, too            | -DLIVES=2 -DDEATHS=1 -DSTEWARD_DEATHS=1
lock | holds  | one is buried alive             | -DBURIED_ALIVE=1
lock | holds+ | three at once, wakes alone      | -DRECORDS=4
lock | holds+ | who buries dies, three workers  | -DDEATHS=1 -DSTEWARD_DEATHS=1
lock | holds+ | two die                         | -DDEATHS=2
lock | holds++| three at once, one dies         | -DRECORDS=4 -DDEATHS=1
lock | fails  | the lane's number alone         | -DDEATHS=1 -DSTEWARD_DEATHS=1 -DBROKEN_LANE_NUMBER_ALONE
lock | fails  | taken from the dead without CAS | -DDEATHS=1 -DBROKEN_TAKES_WITHOUT_CAS
lock | fails  | unlock whoever has it           | -DBURIED_ALIVE=1 -DBROKEN_UNLOCKS_BLINDLY
lock | fails  | taken without W                 | -DRECORDS=4 -DBROKEN_FORGETS_SLEEPERS

pool | holds  | nobody dies, two rounds         | -DROUNDS=3
pool | holds  | one dies                        | -DROUNDS=1 -DDEATHS=1
pool | holds  | one unit, two die               | -DUNITS=1 -DDEATHS=2
pool | holds  | who buries or repairs dies, too | -DUNITS=1 -DDEATHS=1 -DSTEWARD_DEATHS=1
pool | holds  | waits time out, one dies        | -DUNITS=1 -DTIMEOUTS=2 -DDEATHS=1
pool | holds  | the daemon flags, one dies      | -DROUNDS=1 -DFLAGS=1 -DDEATHS=1
pool | holds  | factories fail, discards        | -DFAILURES -DDEATHS=1
pool | holds  | tryAcquire                      | -DTRY_ACQUIRE -DFAILURES -DDEATHS=1
pool | holds  | two sleep for ever              | -DROUNDS=1 -DNAPS=2 -DLOOKS
pool | holds  | sleepers, no slices             | -DROUNDS=1 -DNAPS=2 -DEAGER
pool | holds  | locks not had in time           | -DLOCK_PATIENCE -DLOOKS -DTIMEOUTS=1 -DDEATHS=1
pool | holds  | maxWaiting 0                    | -DUNITS=1 -DMAX_WAITING=0 -DDEATHS=1
pool | holds  | maxWaiting 1                    | -DUNITS=1 -DMAX_WAITING=1 -DTIMEOUTS=1 -DDEATHS=1
pool | holds  | two tickets of one lane         | -DFIBERS -DDEATHS=1
pool | holds  | the cap is lowered, one dies    | -DLANES=2 -DRESIZE=1 -DDEATHS=1
pool | holds  | the cap is raised, one dies     | -DLANES=2 -DCAP=1 -DRESIZE=2 -DDEATHS=1
pool | holds  | two change the cap at once      | -DLANES=2 -DRESIZE=1 -DRESIZE_BACK=2
pool | holds  | paused and opened, one dies     | -DLANES=2 -DROUNDS=1 -DPAUSE -DTIMEOUTS=1 -DDEATHS=1
pool | holds  | paused, sleepers, no slices     | -DPAUSE -DNAPS=1 -DEAGER
pool | holds+ | one dies, two rounds            | -DROUNDS=3 -DDEATHS=1
pool | holds++| one of two rounds flagged       | -DROUNDS=3 -DFLAGS=1 -DDEATHS=1
pool | holds++| two die, timeouts               | -DROUNDS=1 -DTIMEOUTS=1 -DDEATHS=2
pool | holds++| one unit, two rounds, one dies  | -DUNITS=1 -DROUNDS=3 -DTIMEOUTS=1 -DDEATHS=1
pool | holds++| two die, who repairs, too       | -DDEATHS=2 -DSTEWARD_DEATHS=2
pool | holds+ | one sleeps, one dies            | -DNAPS=1 -DLOOKS -DDEATHS=1
pool | holds+ | locks not had, one unit         | -DUNITS=1 -DLOCK_PATIENCE -DLOOKS -DTIMEOUTS=1 -DDEATHS=1
pool | holds++| two tickets, two rounds         | -DFIBERS -DROUNDS=1 -DDEATHS=1
pool | holds+ | two caps at once, one dies      | -DLANES=2 -DCAP=1 -DRESIZE=2 -DRESIZE_BACK=1 -DDEATHS=1
pool | holds+ | the cap is lowered, three lanes | -DRESIZE=1 -DDEATHS=1
pool | holds++| the cap is raised, three lanes  | -DCAP=1 -DRESIZE=2 -DDEATHS=1
pool | fails  | no look after a release         | -DNAPS=2 -DEAGER -DBROKEN_NO_LOOK_AFTER_RELEASE
pool | fails  | no look after freeing           | -DBROKEN_NO_LOOK_AFTER_FREEING
pool | fails  | looks, then frees               | -DBROKEN_LOOKS_BEFORE_FREEING
pool | fails  | looks, then opens               | -DPAUSE -DBROKEN_LOOKS_BEFORE_OPENING
pool | fails  | looks, then counts itself       | -DBROKEN_COUNTS_AFTER_LOOKING
pool | fails  | slices do not look at hints     | -DNAPS=2 -DLOOKS -DBROKEN_LOOKS_PAST_HINTS
pool | fails  | buried before sockets close     | -DDEATHS=1 -DBROKEN_BURIES_BEFORE_SOCKETS_CLOSE
pool | fails  | burial leaves hints             | -DDEATHS=1 -DBROKEN_BURIAL_LEAVES_HINTS
pool | fails  | repair leaves half grants       | -DDEATHS=1 -DBROKEN_REPAIR_LEAVES_GRANTS
pool | fails  | repair does not count           | -DDEATHS=1 -DBROKEN_REPAIR_DOES_NOT_COUNT
pool | fails  | granted without CAS             | -DTIMEOUTS=1 -DBROKEN_GRANT_WITHOUT_CAS
pool | fails  | timed out without CAS           | -DTIMEOUTS=1 -DBROKEN_TIMEOUT_WITHOUT_CAS
pool | fails  | a ticket is left in its slot    | -DFIBERS -DROUNDS=1 -DDEATHS=1 -DBROKEN_TICKET_LEFT_IN_SLOT
pool | fails  | caps compared without the lock  | -DLANES=2 -DRESIZE=1 -DRESIZE_BACK=2 -DBROKEN_CAP_COMPARED_WITHOUT_LOCK
RUNS
}

# Searches one; sets $result to holds, fails, or why it is neither. Compiling takes longer than many a search: -O2 is for
# the long ones.
search() { # MODEL OPTIMIZATION OPTION...
  local folder=$scratch/$1
  rm -rf "$folder" && mkdir "$folder" && cd "$folder"
  result='does not compile'
  if ! spin -a "${@:3}" "$models/$1.pml" >spin.log 2>&1 || grep -q '[Ee]rror' spin.log ||
    ! gcc -w "$2" -DSAFETY -DCOLLAPSE "-DMEMLIM=$((memory * 1024))" -o pan pan.c >>spin.log 2>&1; then
    cat spin.log
    return
  fi
  # -E: whether somebody is stuck is asserted by the model itself.
  timeout "$patience" ./pan -E -m1000000 -w24 >pan.log 2>&1 || true
  states=$(awk '/states, stored/ { print $1 }' pan.log)
  megabytes=$(awk '/total actual memory usage/ { print int($1) }' pan.log)
  if grep -q '^pan: *[0-9]*: *assertion violated' pan.log || grep -q '^pan:[0-9]*: assertion violated' pan.log; then
    result=fails
  elif grep -qE 'max search depth too small|reached -DMEMLIM|out of memory|Search not completed' pan.log; then
    result='not exhaustive'
  elif grep -q 'errors: 0$' pan.log; then
    result=holds
  else
    result='no result'
    tail -n 20 pan.log
  fi
}

lines=() failures=0 tests=0
report=$scratch/junit.xml
began=$SECONDS
printf '%-5s %-32s %12s %6s %6s  %-7s %s\n' model run states s MiB expected result
while IFS='|' read -r model expected name options; do
  read -r model <<<"$model"
  read -r expected <<<"$expected"
  read -r name <<<"$name"
  [[ "$model $name $options" == *"$only"* ]] || continue
  optimization=-Og
  if [[ $expected == *+ ]]; then
    $full || continue
    [[ $expected != *++ ]] || $all || continue
    expected=${expected%%+*} optimization=-O2
  elif [[ $expected == fails ]]; then
    optimization=-O0
  fi
  states=0 megabytes=0 since=$SECONDS
  read -ra words <<<"$options"
  search "$model" "$optimization" "${words[@]}"
  took=$((SECONDS - since))
  [[ $result == "$expected" ]] || result+='  <- WRONG'
  printf '%-5s %-32s %12s %6d %6s  %-7s %s\n' "$model" "$name" "${states:-?}" "$took" "${megabytes:-?}" "$expected" "$result"
  tests=$((tests + 1))
  line="<testcase classname=\"model.$model\" name=\"${name//\'/\&apos;} ($expected)\" time=\"$took\">"
  if [[ $result != "$expected" ]]; then
    failures=$((failures + 1))
    line+="<failure message=\"${result//</}\"/>"
  fi
  lines+=("$line</testcase>")
done < <(runs)
printf '%d runs, %d not as expected, %d s\n' "$tests" "$failures" $((SECONDS - began))

if [[ -n ${OXPOOL_JUNIT-} ]]; then
  {
    printf '<testsuite name="model" tests="%d" failures="%d">\n' "$tests" "$failures"
    printf '%s\n' "${lines[@]}"
    echo '</testsuite>'
  } >"$report"
  mv "$report" "$OXPOOL_JUNIT"
fi
((failures == 0 && tests > 0))
