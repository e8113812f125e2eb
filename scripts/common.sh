# Shared by ./quickstart and ./check: packages, stages, messages. Sourced, with $root set.

# What building the library and the command needs (docs/dependencies.md says why).
build_packages=(
  ca-certificates cmake g++ ninja-build pkg-config
  libssl-dev libdeflate-dev liblzma-dev libzstd-dev libexpected-dev libprotobuf-dev protobuf-compiler
  libwslay-dev libasio-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev
)
# What the tests need beyond that.
check_packages=(
  python3 libgtest-dev ccache clang-format-14 libzydis-dev
)
# What ./check --ci needs beyond that.
ci_packages=(
  clang-14 clang-tidy-14 libclang-rt-14-dev llvm-14 valgrind libipsec-mb-dev
)

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# install_missing PACKAGE...: installs what dpkg does not know as installed; sudo where not root.
install_missing() {
  command -v apt-get >/dev/null || die "needs Debian's apt-get; install the packages of scripts/common.sh yourself and use --no-install"
  local package missing=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    echo "nothing to install"
    return
  fi
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo; install as root: ${missing[*]}"
    sudo=(sudo)
  fi
  echo "installing: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq || die "apt-get update failed"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}"
}

# configure PRESET: once; later runs let Ninja reconfigure by itself.
configure() {
  [ -f "$root/build/$1/build.ninja" ] || (cd "$root" && cmake --preset "$1" >/dev/null) || die "cmake --preset $1 failed"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  configure "$preset"
  cmake --build "$root/build/$preset" ${1:+--target "$@"} -- -k 0 || die "the $preset build failed"
}
