# Eight commands. Each installs what is missing, says what and why, and ends in one clear line.
#   make serve   build for release and serve on http://127.0.0.1:8080
#   make test    every test: native, in the browser, end to end
#   make dist    a static site in dist/
#   make dist-single PROFILE=FILE [OUT=FILE.html]   the page of dist/ and a profile as one HTML file
#   make cases   what tests/cases become, written anew, and what changed
#   make fuzz    libFuzzer on every reader, TIME=60 seconds each, or TARGETS="kineto wire"
#   make bench   speed, memory and sizes, measured in a real browser
#   make wheel   the command line with the page as a Python package in wheels/
.PHONY: serve test dist dist-single cases fuzz bench wheel
serve:
	@scripts/serve.sh
test:
	@scripts/test.sh
dist:
	@scripts/dist.sh
dist-single:
	@test -n "$(PROFILE)" || { echo 'usage: make dist-single PROFILE=FILE [OUT=FILE.html]'; exit 2; }
	@test -d dist || scripts/dist.sh
	@node scripts/single.mjs "$(or $(OUT),$(notdir $(PROFILE)).html)" "$(PROFILE)"
cases:
	@AXONSCOPE_RENEW=1 cargo test --locked --quiet --test native cases::every_case_becomes
	@git --no-pager diff --stat -- tests/cases
fuzz:
	@scripts/fuzz.sh
bench:
	@scripts/bench.sh
wheel:
	@scripts/wheel/build.sh
