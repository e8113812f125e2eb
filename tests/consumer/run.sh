#!/usr/bin/env bash
# run.sh BUILD_FOLDER: installs that build to a scratch prefix and builds a separate project against it, three ways.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
for file in bin/corliss share/man/man1/corliss.1 share/bash-completion/completions/corliss; do
  [ -s "$scratch/prefix/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done

expect() {
  [ "$("$1")" = "sealed 688 bytes, opened 670" ] || { echo "$2: wrong output: $("$1")" >&2; exit 1; }
  echo "$2: builds and runs"
}

cmake -S "$here" -B "$scratch/package" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/package" >/dev/null
expect "$scratch/package/consumer" "find_package(corliss)"

config=("--define-variable=prefix=$scratch/prefix")
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name corliss.pc)")
# One flag a line, since the prefix may have spaces.
mapfile -t flags < <(pkg-config "${config[@]}" --cflags --libs corliss | xargs -n 1 printf '%s\n')
g++ -std=c++20 "$here/main.cpp" "${flags[@]}" -o "$scratch/with_pkg_config"
expect "$scratch/with_pkg_config" "pkg-config corliss"

cmake -S "$here" -B "$scratch/subdirectory" -G Ninja -DCORLISS_SOURCE="$here/../.." >/dev/null
cmake --build "$scratch/subdirectory" --target consumer >/dev/null
expect "$scratch/subdirectory/consumer" "add_subdirectory(corliss)"
if [ -e "$scratch/subdirectory/corliss/bin/corliss" ]; then
  echo "add_subdirectory built the command, too" >&2
  exit 1
fi
