#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install into a scratch folder, then use the library from outside: by CMake
# package and by pkg-config, shared and static, from C and from C++; all must
# give the same answer.
set -eu

src=$(cd "$(dirname "$0")/../.." && pwd)
build=${CW_BUILD_DIR:-$src/build}
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "install: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "cmake --install failed"; }
# The installed tree may be moved: nothing in it may know where it was made.
mv "$work/first" "$work/tree"
tree=$work/tree

for file in lib/libclockwise.a lib/libclockwise.so lib/libclockwise.so.0 \
        include/clockwise/clockwise.h lib/pkgconfig/clockwise.pc \
        lib/cmake/clockwise/clockwise-config.cmake; do
    [ -e "$tree/$file" ] || fail "$file was not installed"
done
for page in "$src"/docs/man/*.[1-8]; do
    [ -e "$page" ] || continue
    [ -e "$tree/share/man/man${page##*.}/${page##*/}" ] ||
        fail "${page##*/} was not installed"
done
if [ -e "$build/bin/clockwise" ]; then
    "$tree/bin/clockwise" --version >/dev/null ||
        fail "the installed program does not run"
fi
readelf -d "$tree/lib/libclockwise.so" |
    grep -q 'SONAME.*\[libclockwise\.so\.0\]' || fail "wrong SONAME"
if grep -rqF "$src" "$tree/lib/cmake" "$tree/lib/pkgconfig"; then
    fail "a path of the source tree stands in an installed file"
fi

outside() {
    cmake -S "$src/tests/build/outside" -B "$work/outside" -G Ninja \
        -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_C_COMPILER="$cc" || return 1
    cmake --build "$work/outside"
}
outside >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "the CMake package does not work"; }

# Inside another project: its own targets, and no program.
cmake -S "$src/tests/build/inside" -B "$work/inside" -G Ninja \
    -DCLOCKWISE_SOURCE="$src" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "add_subdirectory does not work"; }
if ninja -C "$work/inside" -t targets all |
        grep '/\(cli\|conf\|unit\|wasm\|micro\)/' >"$work/log"; then
    fail "a project around it gets $(head -n 1 "$work/log")"
fi

PKG_CONFIG_PATH=$tree/lib/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs clockwise) || fail "no clockwise.pc"
# shellcheck disable=SC2086  # a list of options
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/by_pkg_config" \
    "$src/tests/build/outside/outside.c" $flags ||
    fail "the flags of pkg-config do not work"

# A program that lets only calls pass whose target it has compiled itself.
# shellcheck disable=SC2086  # a list of options
clang -O2 -flto -fuse-ld=lld -fvisibility=hidden -fsanitize=cfi-icall \
    -o "$work/with_cfi" "$src/tests/build/outside/outside.c" $flags ||
    fail "a program with control flow integrity is not linked"

version=$(pkg-config --modversion clockwise)
want=
for program in "$work/outside/outside_static" "$work/outside/outside_shared" \
        "$work/outside/outside_default" "$work/by_pkg_config" \
        "$work/with_cfi"; do
    got=$(LD_LIBRARY_PATH=$tree/lib "$program") || fail "$program failed"
    : "${want:=$got}"
    [ "$got" = "$want" ] || fail "$program says '$got', others '$want'"
done
[ "${want%% *}" = "$version" ] ||
    fail "clockwise.pc says $version, the library ${want%% *}"

# Each header stands alone, in C and in C++, whatever warnings one asks for.
for header in "$tree"/include/clockwise/*.h; do
    name=clockwise/${header##*/}
    for language in "c -std=c11" "c -std=c99" "c -std=gnu89" "c -std=c89" \
            "c++ -std=c++98 -Wold-style-cast" \
            "c++ -std=c++20 -Wold-style-cast"; do
        # shellcheck disable=SC2086  # a language and an option
        echo "#include <$name>" | clang -x $language -fsyntax-only -Wall \
            -Wextra -pedantic -Wconversion -Wcast-align -Wcast-qual -Wundef \
            -Wmissing-prototypes -Werror -I"$tree/include" - ||
            fail "$name does not compile as $language"
    done
done
echo "installed, moved, used from outside: $want"
