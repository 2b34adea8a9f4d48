#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What scripts/setup does to a system, told by stand-ins for dpkg-query,
# apt-get, id and sudo.
# shellcheck disable=SC2016  # the stand-ins expand their own words
set -eu

setup=$(cd "$(dirname "$0")/../.." && pwd)/scripts/setup
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# Every package that is asked about is there, but those in $ABSENT; as the
# real one it fails when one is unknown.
stub dpkg-query 'shift 3
status=0
for p; do
    case " $ABSENT " in
    *" $p "*) status=1 ;;
    *) echo "installed $p" ;;
    esac
done
exit $status'
stub apt-get 'echo "apt-get $*" >>"$LOG"
case "$*" in *" $FAIL"*) exit 100 ;; esac'
stub id 'echo "$FAKE_UID"'
stub sudo 'exit 1'
stub sleep 'exit 0'

# run ABSENT UID FAIL ARGUMENT...: status in $status, output in $work/out
run() {
    : >"$work/log"
    status=0
    absent=$1 uid=$2 fails=$3
    shift 3
    ABSENT=$absent FAKE_UID=$uid FAIL=$fails LOG=$work/log \
        PATH=$work/bin:$PATH "$setup" "$@" >"$work/out" 2>&1 || status=$?
}

expect() {
    what=$1
    shift
    if ! "$@"; then
        echo "setup: $what" >&2
        cat "$work/out" "$work/log" >&2
        exit 1
    fi
}
says() { grep -qe "$1" "$work/out"; }
ran() { grep -qe "$1" "$work/log"; }
quiet() { ! [ -s "$work/log" ] && ! [ -s "$work/out" ]; }

run "" 0 none
expect "nothing missing: done without a word" [ "$status" = 0 ]
expect "nothing missing: done without a word" quiet

run "" 1000 none --build
expect "nothing missing: root is not needed" quiet

run "cmake libyaml-dev valgrind" 0 none --build
expect "missing packages are installed" [ "$status" = 0 ]
expect "the lists are brought up to date" ran ' update$'
expect "just what is missing" ran ' --no-install-recommends cmake libyaml-dev$'

run "valgrind wamerican" 0 none --run
expect "--run has the words" ran ' --no-install-recommends wamerican$'

run "valgrind" 0 none
expect "all of it without an option" ran ' --no-install-recommends valgrind$'

run "cmake" 1000 none --build
expect "not root: an error" [ "$status" = 1 ]
expect "not root: the line to type" \
    says 'apt-get install --no-install-recommends cmake$'
expect "not root: nothing is tried" [ ! -s "$work/log" ]

run "cmake" 0 install --build
expect "a failed installation is an error" [ "$status" = 1 ]
expect "and says what" says 'could not install: cmake$'

run "cmake" 0 update --build
expect "no network: an error" [ "$status" = 1 ]
expect "no network: said" says 'update failed'

run "" 0 none --nonsense
expect "wrong usage" [ "$status" = 2 ]
echo "scripts/setup: 8 cases"
