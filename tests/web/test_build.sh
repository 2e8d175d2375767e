#!/bin/sh
# SPDX-License-Identifier: MIT
# The page is the same bytes wherever, whenever and by whomever it is built; without a network there is
# one clear sentence and nothing half installed:  test_build.sh SOURCE PACKAGES PAGE
set -eu
source=$1 packages=$2 page=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() { # build PLACE: from a copy of the sources there, with packages of its own
    mkdir -p "$1/tools" "$1/web" "$1/packages"
    cp "$source/tools/web" "$1/tools"
    (cd "$source/web" && cp -R src build.mjs npm.mjs package.json package-lock.json .npmrc "$1/web")
    cp -R "$("$source/tools/web" packages "$packages")" "$1/packages"
    (cd "$1" && tools/web page packages "$1/report.html")
}
umask 077
TZ=Pacific/Auckland LC_ALL=C build "$folder/a folder with spaces"
cmp "$folder/a folder with spaces/report.html" "$page"

place="$folder/a folder with spaces"
rm -rf "$place/packages"
status=0
(cd "$place" && npm_config_registry=http://127.0.0.1:9/ npm_config_cache="$folder/cache" npm_config_fetch_retries=0 \
    tools/web page packages out.html) 2>"$folder/said" || status=$?
test $status -eq 3
test "$(tail -n 1 "$folder/said" | cut -c 1-70)" = "web: npm could not install the packages of the report's page (is there"
test ! -e "$place/out.html"
test "$(ls "$place/packages")" = npm.log
