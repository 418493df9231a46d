#!/usr/bin/env bash
# Coverage-guided fuzzing: libFuzzer on every target of fuzz/, TIME seconds each. TARGETS="kineto wire" chooses some.
# The stable compiler is enough: coverage comes from LLVM's pass, and no sanitizer is used. A finding is a file in fuzz/artifacts/<target>/;
# make it a folder in tests/cases and mend the reader. KEEP=1 puts the smallest inputs that reach everything into fuzz/corpus.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
ensure_base
have clang++ || have c++ || apt_install "libFuzzer is written in C++" g++

time=${TIME:-60}
# An importer has a folder of cases; the others are in tests/support.
all="$(cd tests/cases && ls -d */ | tr -d /) archives arrow gzip wire annotations url workspace"
targets=${TARGETS:-$all}
build=${AXONSCOPE_FUZZ_BUILD:-$target/fuzz}
host=$(rustc -vV | sed -n 's/^host: //p')

# As cargo-fuzz sets them: `AXONSCOPE_FUZZ=kineto cargo fuzz run any -s none` does the same.
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags="$flags -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
features=${FUZZ_FEATURES-page}
say "building the fuzz program (8 minutes the first time, on two cores)"
# With --target, so that build scripts and macros are built without coverage.
RUSTFLAGS="$flags" cargo build --locked --manifest-path fuzz/Cargo.toml --no-default-features --features "$features" --release --target "$host" --target-dir "$build" ||
  die "the fuzz program did not build; the lines above say why."

node fuzz/seeds.mjs "$build/seeds"
failed=0
printf '\n%-20s %12s %14s %10s %10s %8s\n' target executions bytes inputs edges result
program="$build/$host/release/any"
for name in $all; do
  case " $targets " in *" $name "*) ;; *) continue ;; esac
  mkdir -p "$build/corpus/$name" "$build/seeds/$name" "fuzz/artifacts/$name"
  log="$build/$name.log"
  status=0
  # Not beginning with a few bytes: whole files reach more of a reader, and more bytes a second.
  AXONSCOPE_FUZZ=$name "$program" "$build/corpus/$name" "$build/seeds/$name" -max_total_time="$time" -timeout=20 -rss_limit_mb=2048 -max_len=32768 \
    -len_control=0 -print_final_stats=1 -artifact_prefix="fuzz/artifacts/$name/" >"$log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  bytes=$(sed -n 's/^bytes: //p' "$log" | tail -n 1)
  edges=$(grep -aoE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2)
  inputs=$(find "$build/corpus/$name" -type f | wc -l)
  result=ok
  if [ "$status" != 0 ]; then
    result=FOUND
    failed=$((failed + 1))
  fi
  printf '%-20s %12s %14s %10s %10s %8s\n' "$name" "${executions:-0}" "${bytes:-0}" "$inputs" "${edges:-0}" "$result"
  if [ "${KEEP:-}" = 1 ] && [ "$status" = 0 ]; then
    rm -rf "$build/kept/$name"
    mkdir -p "$build/kept/$name" "fuzz/corpus/$name"
    AXONSCOPE_FUZZ=$name "$program" -merge=1 -max_len=4096 "$build/kept/$name" "fuzz/corpus/$name" "$build/corpus/$name" "$build/seeds/$name" >>"$log" 2>&1
    # The smallest; the repository keeps no more than it needs to notice a return of what was mended.
    find "$build/kept/$name" -type f -size -3k -printf '%s %p\n' | sort -n | head -n 60 | cut -d' ' -f2- | xargs -r cp -t "fuzz/corpus/$name"
  fi
done
[ "$failed" = 0 ] || die "$failed targets found something: fuzz/artifacts/ holds the inputs, $build/*.log what happened."
