# Shared by the scripts here: where things are, how we speak, and how each tool is made available.
# Sourced, never run. Every `ensure_*` says what it installs and why, skips what is there, and ends the run with a sentence
# when something cannot be had.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Tools that this project builds go into a folder of their own, so that no other version on this machine is replaced.
tools=${AXONSCOPE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/axonscope-tools}
target=${CARGO_TARGET_DIR:-$root/target}
export PATH="$root/node_modules/.bin:$tools/bin:${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

say() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
die() {
  printf '\nstopped: %s\n' "$*" >&2
  exit 1
}

# However a script ends: what its tools were built from goes, and no job that it started with `apart` goes on.
leave() {
  if [ -n "${has_built_tools:-}" ]; then rm -rf "$tools/build"; fi
  local job
  for job in $(jobs -pr); do kill -- "-$job" 2>/dev/null || true; done
}
trap leave EXIT

# apart COMMAND...: runs it in the background, in a process group of its own, so that all it starts can be ended with it. Its number is `$!`.
apart() {
  set -m
  "$@" &
  set +m
}

have() { command -v "$1" >/dev/null 2>&1; }

# The version that `$1 --version` states, or nothing.
version_of() { "$1" --version 2>/dev/null | head -n 1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1 || true; }

# The version of a crate in Cargo.lock.
locked_version() { awk -v want="name = \"$1\"" '$0 == want { getline; gsub(/[^0-9.]/, ""); print; exit }' Cargo.lock; }

# True when version $1 is at least version $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

ensure_base() {
  have cargo || die "Rust is needed: cargo was not found. Install it from https://rustup.rs or your distribution, then run this again."
  have node || die "Node is needed: node was not found. Install Node 20 or later (for example: apt-get install nodejs npm), then run this again."
  have npm || die "npm is needed: it was not found beside Node. Install it (for example: apt-get install npm), then run this again."
  local want have_rust have_node
  want=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  have_rust=$(version_of rustc)
  at_least "$have_rust" "$want" || die "Rust $want or later is needed, found ${have_rust:-none}. Update it (rustup update stable), then run this again."
  have_node=$(version_of node)
  at_least "$have_node" 20.0.0 || die "Node 20 or later is needed, found $have_node. Update it, then run this again."
  if ! have cc; then apt_install "a C linker, which every Rust build needs" build-essential; fi
}

# apt_install "why" package...
apt_install() {
  local why=$1
  shift
  have apt-get || die "$* is needed ($why), and there is no apt-get here to install it. Install it by hand, then run this again."
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    have sudo || die "$* is needed ($why). Install it as root: apt-get install $*"
    sudo=(sudo)
  fi
  say "installing $* from apt: $why"
  if [ -z "${apt_updated:-}" ]; then
    "${sudo[@]}" apt-get -o DPkg::Lock::Timeout=300 update -qq || note "apt-get update failed; trying with the package lists that are here"
    apt_updated=1
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >/dev/null ||
    die "apt could not install $* ($why). Install it by hand, then run this again."
}

# Tools are built quickly rather than well: they run for seconds. Those of one run share the crates that they have in common.
quick_install() {
  local level=$1
  shift
  has_built_tools=1
  env -u CARGO_BUILD_TARGET CARGO_PROFILE_RELEASE_OPT_LEVEL="$level" CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=true CARGO_TARGET_DIR="$tools/build" \
    cargo install --root "$tools" --force "$@"
}

# cargo_tool NAME VERSION "why" OPT_LEVEL cargo-install-arguments...
cargo_tool() {
  local name=$1 version=$2 why=$3 level=$4
  shift 4
  if [ "$(version_of "$name")" = "$version" ]; then
    note "$name $version: here"
    return
  fi
  say "building $name $version with cargo (a few minutes, once): $why"
  quick_install "$level" "$@" || die "$name $version could not be built by cargo install. Is crates.io reachable? The lines above say more."
}

ensure_wasm_target() {
  local lib
  lib="$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib"
  if [ -d "$lib" ]; then
    note "Rust's wasm32-unknown-unknown library: here"
    return
  fi
  have rustup || die "Rust's wasm32-unknown-unknown library is missing, and there is no rustup to add it. Install rustup, or your distribution's package of it."
  say "adding Rust's wasm32-unknown-unknown library with rustup: the page is compiled to WebAssembly"
  rustup target add wasm32-unknown-unknown || die "rustup could not add wasm32-unknown-unknown. Is the network there?"
}

ensure_npm() {
  if [ -f node_modules/.axonscope-lock ] && cmp -s package-lock.json node_modules/.axonscope-lock; then
    note "npm packages: here"
    return
  fi
  say "installing npm packages as locked: wasm-opt (binaryen) and terser make the page smaller, Playwright and Puppeteer drive browsers in tests"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || die "npm ci failed. Is the npm registry reachable?"
  cp package-lock.json node_modules/.axonscope-lock
}

ensure_bindgen() {
  cargo_tool wasm-bindgen "$(locked_version wasm-bindgen)" "it writes the JavaScript around our WebAssembly, and must match Cargo.lock" 1 \
    "wasm-bindgen-cli@$(locked_version wasm-bindgen)" --no-default-features
}

ensure_trunk() {
  if [ "$(version_of trunk)" != 0.21.14 ] && ! { have pkg-config && pkg-config --exists openssl; }; then
    apt_install "trunk is built against it" pkg-config libssl-dev
  fi
  cargo_tool trunk 0.21.14 "it assembles the page" 0 --locked trunk@0.21.14 --no-default-features --features native-tls
}

# It states no version: cargo's own list does.
ensure_split() {
  local version=0.2.4
  if grep -q "\"wasm_split_cli_support $version " "$tools/.crates.toml" 2>/dev/null; then
    note "wasm-split-cli $version: here"
    return
  fi
  say "building wasm-split-cli $version with cargo (a few minutes, once): it cuts the page's program into chunks"
  quick_install 1 --locked "wasm_split_cli_support@$version" --features build-binary || die "wasm-split-cli $version could not be built by cargo install. Is crates.io reachable? The lines above say more."
}

ensure_wasm_pack() { cargo_tool wasm-pack 0.15.1 "it runs tests inside a browser" 0 --locked wasm-pack@0.15.1; }

ensure_machete() { cargo_tool cargo-machete 0.9.2 "it finds dependencies that nothing uses" 0 --locked cargo-machete@0.9.2; }

ensure_deny() { cargo_tool cargo-deny 0.20.2 "it checks licences, sources and known weaknesses of dependencies" 0 --locked cargo-deny@0.20.2; }

# The zstd library of Parquet tables is written in C; only clang compiles it to WebAssembly.
ensure_clang() {
  if ! have clang; then apt_install "it compiles the zstd codec of Parquet tables to WebAssembly" clang; fi
  note "clang: here"
}

# Trunk runs offline, so that no build step fetches anything by itself: crates are fetched here. Those of every target: trunk asks cargo for all of them.
ensure_crates() {
  cargo fetch --locked --quiet || die "cargo fetch failed. Is crates.io reachable?"
  note "crates: here"
}

first_of() {
  local name
  for name in "$@"; do
    if have "$name"; then
      command -v "$name"
      return
    fi
  done
}

# Debian's names first, then Ubuntu's.
ensure_browsers() {
  export AXONSCOPE_CHROMIUM AXONSCOPE_FIREFOX CHROMEDRIVER
  AXONSCOPE_CHROMIUM=${AXONSCOPE_CHROMIUM:-$(first_of chromium chromium-browser google-chrome)}
  CHROMEDRIVER=${CHROMEDRIVER:-$(first_of chromedriver chromium.chromedriver)}
  AXONSCOPE_FIREFOX=${AXONSCOPE_FIREFOX:-$(first_of firefox-esr firefox)}
  local missing=()
  if [ -z "$AXONSCOPE_CHROMIUM" ] || [ -z "$CHROMEDRIVER" ]; then missing+=(chromium chromium-driver fonts-dejavu-core); fi
  if [ -z "$AXONSCOPE_FIREFOX" ]; then missing+=(firefox-esr); fi
  if [ ${#missing[@]} -gt 0 ]; then
    apt_install "tests run the page in real browsers" "${missing[@]}"
    hash -r
    AXONSCOPE_CHROMIUM=$(first_of chromium chromium-browser google-chrome)
    CHROMEDRIVER=$(first_of chromedriver chromium.chromedriver)
    AXONSCOPE_FIREFOX=$(first_of firefox-esr firefox)
  fi
  [ -n "$AXONSCOPE_CHROMIUM" ] || die "Chromium could not be found after installing it."
  [ -n "$CHROMEDRIVER" ] || die "ChromeDriver could not be found after installing it."
  [ -n "$AXONSCOPE_FIREFOX" ] || die "Firefox could not be found after installing it."
  note "browsers: $(version_of "$AXONSCOPE_CHROMIUM") Chromium, $("$AXONSCOPE_FIREFOX" --version 2>/dev/null | grep -oE '[0-9]+[0-9.]*' | head -n 1) Firefox"
}

# What building the page needs.
ensure_build() {
  say "checking the tools that build the page"
  ensure_base
  ensure_wasm_target
  ensure_npm
  ensure_bindgen
  ensure_split
  ensure_trunk
  ensure_clang
  ensure_crates
}

# What testing it needs on top.
ensure_test() {
  say "checking the tools that test the page"
  ensure_wasm_pack
  ensure_browsers
}

# build_page FOLDER trunk-arguments...
build_page() {
  local out=$1
  shift
  say "building the page into ${out#"$root"/}"
  # scripts/split.mjs takes the program from the folder of this profile.
  local AXONSCOPE_CARGO_PROFILE=debug
  if [[ " $* " == *" --release "* ]]; then AXONSCOPE_CARGO_PROFILE=page; fi
  if [[ "$*" =~ --cargo-profile\ ([a-z]+) ]]; then AXONSCOPE_CARGO_PROFILE=${BASH_REMATCH[1]}; fi
  export AXONSCOPE_CARGO_PROFILE
  NO_COLOR=true trunk build --dist "$out" "$@" || die "the page did not build; the lines above say why."
}
