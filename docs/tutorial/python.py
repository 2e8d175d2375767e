# SPDX-License-Identifier: MIT
# The source of python.ipynb: tools/notebook.py runs it and writes the notebook.
# %% [markdown]
# # Collider in a notebook
#
# This notebook looks for errors in the shared memory of a multicore, makes a failure small enough to read,
# and compares two ways of testing. It takes a few seconds. `docs/python.md` is the reference.
# %%
import collider

print(sorted(collider.engines)[:6], "...")
# %% [markdown]
# ## A design and a test
#
# `mesi2` is a two-level MESI protocol with TSO cores. A test is a program of a few threads whose operations race
# on a few locations.
# %%
design = collider.Design("mesi2", cores=2)
program = collider.generate(threads=2, operations=12, locations=2, chained=True, seed=4)
print(design)
print(program.text)
# %% [markdown]
# One instance of the program is one execution. The seed perturbs its timing, so that other seeds give other orders.
# %%
cycles = [design.run(program, seed).cycles for seed in range(1, 9)]
print("cycles of eight instances:", cycles)
# %% [markdown]
# ## Look for an error
#
# The correct design passes. With a store queue that is not first in, first out, it does not.
# %%
settings = dict(engine="chain-bias", cores=2, ops=64, locations=4, sets=1, tests=200, jobs=1)
for error in (None, "SQ+no-FIFO"):
    episode = collider.run("mesi2", error=error, folder="failures", **settings)
    print(f"{error}: {episode.verdict}; tests: {episode.tests}, cycles: {episode.cycles}")
# %% [markdown]
# ## Make it small
#
# A failure of 64 operations explains nothing. `shrink` removes what is not needed, and `replay` says what is wrong with the rest.
# %%
small = collider.shrink(episode.failure.folder, jobs=1)
print(f"{small.operations[0]} operations became {small.operations[1]}")
print(small.program.text)
# %%
violation = collider.replay(small.folder).violation
print(violation.explanation)
# %% [markdown]
# The same cycle as a drawing:
# %%
violation
# %% [markdown]
# ## What would other memory models say?
#
# The design promises TSO, which keeps stores in order. A weaker model would allow what happened. A trace has the same
# form for any machine: who stored and read what, here with the final values of both locations.
# %%
trace = "0: M[0] := 1\n0: M[1] := 2\n1: M[1] := 3\n1: M[0] := 4\nfinal M[0] == 1\nfinal M[1] == 3\n"
for model in collider.models:
    print(f"{model:6} {collider.check(trace, model).verdict}")
# %% [markdown]
# ## Compare two engines
#
# How fast do two engines cover the transitions of the protocol? Each runs 30 tests with three seeds; the number is the mean of
# what was covered after the first 1, 5, 10 and 30 tests. (Data frames come with pandas; without it, tables are lists of
# dictionaries.)
# %%
def covered_after(curve, tests):
    return max((point["structural"] for point in curve if point["tests"] <= tests), default=0)


for engine in ("plain", "chain-bias"):
    curves = [collider.run("mesi2", cores=4, engine=engine, ops=(64, 256), locations=(4, 16), tests=30,
                           seed=seed, jobs=1).curve(as_dicts=True) for seed in (1, 2, 3)]
    means = [sum(covered_after(curve, tests) for curve in curves) / len(curves)
             for tests in (1, 5, 10, 30)]
    print(f"{engine:10}", " ".join(f"{mean:6.1f}" for mean in means))
# %% [markdown]
# ## What was not covered
# %%
episode = collider.run("mesi2", cores=4, engine="htg", ops=(64, 256), tests=60, jobs=1)
print(episode.coverage)
for machine in episode.coverage.machines:
    part = episode.coverage.of(machine=machine)
    print(f"{machine:12} {part.covered:3} of {part.reachable} reachable transitions")
holes = [point for point in episode.coverage.points(as_dicts=True)
         if point["hits"] == 0 and point["reachable"]]
for hole in holes[:5]:
    print("not taken:", hole["machine"], hole["state"], hole["event"], f"({hole['file']}:{hole['line']})")
