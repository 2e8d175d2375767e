#!/bin/sh
# SPDX-License-Identifier: MIT
# A small campaign, its report, and a browser that looks at it:  test_page.sh SOURCE PACKAGES PAGE COLLIDER
set -eu
source=$1 packages=$("$1/tools/web" packages "$2") page=$3 collider=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$collider" campaign "$source/tests/web/small.yaml" --quiet --jobs 2 --out "$folder/results.db"
"$collider" report "$folder/results.db" --quiet --out "$folder/report.html"
node "$source/tests/web/test_page.mjs" "$page" "$packages" "$folder/report.html"
