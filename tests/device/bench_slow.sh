#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/gpu/run on a card that is none: it builds from the tree, and every row has the bits of the processor.
set -eu
if [ -z "${HOOKE_KERNEL:-}" ] && [ ! -f "$HOOKE_BUILD/hooke-kernel.wasm" ]; then
  echo "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there"
  exit 0
fi
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for part in examples include src; do ln -s "$HOOKE_SOURCE/$part" "$tree/$part"; done
mkdir "$tree/bench"
cp -r "$HOOKE_SOURCE/bench/gpu" "$tree/bench/gpu"
HOOKE_CUDA="$HOOKE_CARD" HOOKE_NVRTC="$HOOKE_CARD" HOOKE_CACHE="$tree/cache" "$tree/bench/gpu/run" small
rows=$(grep -c '| same |' "$tree/build/gpu/table.md")
if [ "$rows" -lt 6 ] || grep -q DIFFER "$tree/build/gpu/table.md"; then
  echo "expected at least 6 rows with the same bits"
  exit 1
fi
