#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's CFLAGS count: warnings are errors only where it is asked for, ours come before the user's, and
# nothing is said about optimisation if the user does. The presets of CI ask for errors, that of `make` does not.
#   tests/flags.sh SOURCE-FOLDER
set -eu
source=$1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
fails=0

# How a file is compiled, with these CFLAGS and further arguments of CMake.
flags_with() {
    rm -rf "$build"
    cflags=$1
    shift
    env -u CC CFLAGS="$cflags" cmake -S "$source" -B "$build" -G Ninja --log-level=WARNING "$@" >/dev/null
    sed -n 's/^ *"command": "\(.* -c .*src\/base\/problem\.c\)".*/\1/p' "$build/compile_commands.json" | sed 1q
}

expect() { # flags, what is in them, what is not
    case " $1 " in
    *$2*) ;;
    *) echo "there is no '$2' in: $1" && fails=1 ;;
    esac
    case " $1 " in
    *$3*) echo "there is '$3' in: $1" && fails=1 ;;
    esac
}

expect "$(flags_with '')" ' -O3 -DNDEBUG ' ' -Werror '
expect "$(flags_with '-Wno-shadow -O1')" ' -Wshadow * -Wno-shadow -O1 ' ' -O3 '
expect "$(flags_with '-ffp-contract=fast' -DCOLLIDER_WERROR=ON)" ' -Werror *=fast * -ffp-contract=off ' ' -O1 '
for preset in release:OFF test:ON sanitize:ON; do
    is=$(cd "$source" && cmake --preset "${preset%:*}" -N | sed -n 's/.*COLLIDER_WERROR="\(.*\)"/\1/p')
    if [ "${is:-OFF}" != "${preset#*:}" ]; then
        echo "the preset ${preset%:*} has COLLIDER_WERROR ${is:-OFF}"
        fails=1
    fi
done
exit $fails
