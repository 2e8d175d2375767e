#!/bin/sh
# SPDX-License-Identifier: MIT
# A campaign watched in a browser:  test_live.sh SOURCE PACKAGES PAGE COLLIDER
set -eu
packages=$("$1/tools/web" packages "$2")
exec node "$1/tests/web/test_live.mjs" "$4" "$1/tests/web/live.yaml" "$3" "$packages"
