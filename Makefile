# Five commands. Each installs what is missing, says what and why, and ends in one clear line.
#   make serve   build for release and serve on http://127.0.0.1:8080
#   make test    every test: native, in the browser, end to end
#   make dist    a static site in dist/
#   make bench   speed, memory and sizes, measured in a real browser
#   make wheel   the command line with the page as a Python package in wheels/
.PHONY: serve test dist bench wheel
serve:
	@scripts/serve.sh
test:
	@scripts/test.sh
dist:
	@scripts/dist.sh
bench:
	@scripts/bench.sh
wheel:
	@scripts/wheel/build.sh
