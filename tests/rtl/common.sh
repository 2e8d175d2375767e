# SPDX-License-Identifier: MIT
# What the scripts of this folder share. They are called with MODELS-FOLDER COLLIDER [NAME-OF-TEST].
models=$1
collider=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}
