# One command each; every target sets up what it needs in .venv.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
BENCH := .bench

.PHONY: demo test check lint types bench calibrate replicate fuzz packages docs clean

$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip -c constraints.txt
	$(RUN) -m pip install --quiet -c constraints.txt -e '.[test]'
	touch $(READY)

demo: $(READY)            ## train, evaluate, compare, report: no network, no argument
	$(VENV)/bin/assay demo

test: $(READY)            ## all tests
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN) -m pytest -q -n 3 --dist worksteal  # browsers, servers and killed studies wait: three processes fill two cores; no threads beside them; neighbours share what they set up, so that each process gets a third; compiling once pays

check: $(READY) lint types test  ## what must pass before a commit

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(READY)
	$(RUN) -m mypy

# The peers have an environment of their own: rliable needs arch 7, and arch 7 needs pandas 2 (benchmarks/constraints.txt).
# A peer that cannot be installed is reported as missing.
$(BENCH)/.ready: pyproject.toml constraints.txt benchmarks/constraints.txt
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	grep -v '^pandas==' constraints.txt > $(BENCH)/constraints.txt
	cat benchmarks/constraints.txt >> $(BENCH)/constraints.txt
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip -c $(BENCH)/constraints.txt
	$(BENCH)/bin/python -m pip install --quiet -c $(BENCH)/constraints.txt -e '.[all]'
	-$(BENCH)/bin/python -m pip install --quiet -c $(BENCH)/constraints.txt -e '.[bench]'
	touch $(BENCH)/.ready

bench: $(BENCH)/.ready    ## assay beside its peers, as ratios; ARGS=--quick takes three minutes, ARGS=--write keeps the tables
	$(BENCH)/bin/python -m benchmarks $(ARGS)

calibrate: $(READY)       ## measure what is missing on the calibration grid (hours, resumable), write docs/calibration.md and docs/power.md
	OMP_NUM_THREADS=1 $(RUN) -m calibration
	OMP_NUM_THREADS=1 $(RUN) -m calibration.plans

replicate: $(READY)       ## Dietterich 1998 and Nadeau & Bengio 2003 again, write docs/replication.md
	OMP_NUM_THREADS=1 $(RUN) -m calibration.replication

fuzz: $(READY)            ## strange files, objects, numbers, options and visits through every door, three seeds; N=2000 inputs each by default
	for seed in 1 2 3; do $(RUN) -m tools.fuzz --seed $$seed --inputs $(or $(N),2000) || exit 1; done

packages: $(READY)        ## wheel and source distribution, each installed alone into every Python there is, and tried
	$(RUN) -m tools.packages

docs: $(READY)            ## the documentation as a site, offline: build/docs/html/index.html
	OMP_NUM_THREADS=1 $(RUN) -m tools.documentation.build

clean:
	rm -rf build $(VENV) $(BENCH) .mypy_cache .pytest_cache .ruff_cache
