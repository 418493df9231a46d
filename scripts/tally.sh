# Runs suites and adds up what passed and failed. Sourced after lib.sh.

tally_passed=0
tally_failed=0
tally_without_data=0
tally_skipped=0
tally_lines=()
logs="$target/logs"
mkdir -p "$logs"
rm -f "$logs"/ahead-*

# The counters read a log and print `passed failed`.
count_cargo() { awk '/^test result:/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) p += $i; if ($(i + 1) ~ /^failed/) f += $i } } END { print p + 0, f + 0 }' "$1"; }
count_playwright() {
  awk '/^ +[0-9]+ passed/ { p += $1 } /^ +[0-9]+ (failed|flaky|interrupted)/ { f += $1 } /^ +[0-9]+ did not run/ { f += $1 } END { print p + 0, f + 0 }' "$1"
}
count_line() { awk '/^[0-9]+ passed, [0-9]+ failed$/ { p = $1; f = $3 } END { print p + 0, f + 0 }' "$1"; }
count_step() { if [ "$2" = 0 ]; then echo 1 0; else echo 0 1; fi; }

# Prints two numbers: tests that found no conformance data, which say so with a line each, and tests that Playwright skipped for another reason.
count_skipped() {
  local native playwright all
  native=$({ grep -aoE 'skipped: no conformance data: [A-Za-z0-9_:]+' "$1" || true; } | sort -u | wc -l)
  playwright=$(grep -acxF 'skipped: no conformance data' "$1" || true)
  all=$(awk '/^ +[0-9]+ skipped/ { n += $1 } END { print n + 0 }' "$1")
  echo $((native + playwright)) $((all > playwright ? all - playwright : 0))
}

# suite NAME COUNTER COMMAND...: runs the command, shows its output, adds its counts and the time it took. Returns the command's status.
suite() {
  local name=$1 counter=$2 status=0 began=$SECONDS took log passed failed without_data skipped
  shift 2
  log="$logs/$(tr ' A-Z' '-a-z' <<<"$name").log"
  say "$name"
  ("$@") 2>&1 </dev/null | tee "$log" || status=$?
  read -r passed failed < <("$counter" "$log" "$status")
  # A run that fell over before it could count, or that counted nothing at all, is a failure.
  if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "$passed" = 0 ]; }; then failed=1; fi
  tally_passed=$((tally_passed + passed))
  tally_failed=$((tally_failed + failed))
  read -r without_data skipped < <(count_skipped "$log")
  tally_without_data=$((tally_without_data + without_data))
  tally_skipped=$((tally_skipped + skipped))
  took=$((SECONDS - began))
  tally_lines+=("$(printf '%-44s %5d passed %4d failed %4d min %02d s' "$name" "$passed" "$failed" $((took / 60)) $((took % 60)))")
  [ "$failed" = 0 ]
}

# ahead NAME COMMAND...: runs a command whose output and status wait for `joined NAME`. For a background job, whose number is `lane`.
ahead() {
  local log="$logs/ahead-$1.log" status=0
  ("${@:2}") >"$log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.status"
}
joined() {
  local log="$logs/ahead-$1.log"
  while [ ! -e "$log.status" ]; do
    # Ended without a status: killed.
    kill -0 "$lane" 2>/dev/null || [ -e "$log.status" ] || return 1
    sleep 1
  done
  cat "$log"
  return "$(cat "$log.status")"
}

# Prints the table and the closing line, and ends the run.
tally_end() {
  say "all suites, in $((SECONDS / 60)) min $((SECONDS % 60)) s"
  printf '   %s\n' "${tally_lines[@]}"
  if [ "$tally_without_data" != 0 ]; then printf '\n%d skipped: no conformance data\n' "$tally_without_data"; fi
  if [ "$tally_skipped" != 0 ]; then printf '\n%d skipped for a reason that the test states\n' "$tally_skipped"; fi
  printf '\n%d passed, %d failed\n' "$tally_passed" "$tally_failed"
  if [ "$tally_failed" = 0 ]; then exit 0; else exit 1; fi
}
