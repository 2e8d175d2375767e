#!/bin/sh
# SPDX-License-Identifier: MIT
# A release has one version, and Debian's list of symbols is the library's: tests/versions.sh SOURCE-FOLDER
set -eu
cd "$1"
version=$(sed -n 's/^project(collider VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
status=0
same() { # WHERE VERSION
    if [ "$2" != "$version" ]; then
        echo "versions: $1 says $2, CMakeLists.txt says $version" >&2
        status=1
    fi
}
same CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
same CHANGELOG.md "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)"
same debian/changelog "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' debian/changelog)"
same web/package.json "$(sed -n 's/^  "version": "\(.*\)",/\1/p' web/package.json)"
same python/collider/_declarations.py "$(sed -n 's/^VERSION = "\(.*\)"/\1/p' python/collider/_declarations.py)"
if ! sed -n 's/^ \(.*\)@Base .*/\1/p' debian/libcollider0.symbols | LC_ALL=C sort | diff - tests/data/abi/symbols.txt >&2; then
    echo "versions: debian/libcollider0.symbols is not tests/data/abi/symbols.txt" >&2
    status=1
fi
exit $status
