#!/usr/bin/python3
"""Fuzzes the code that reads untrusted bytes, with the toolchain's libFuzzer.

    Tests/fuzz.py --seconds 10                    # every target for ten seconds
    Tests/fuzz.py --runs 1000000 --jobs 2 shard   # one target, so many inputs, by two processes
    Tests/fuzz.py --short --seed 1                # every target for a few seconds: in a clean clone, the same inputs each time
    Tests/fuzz.py --check                         # read the seeds and the corpus once
    Tests/fuzz.py --minimize                      # reduce the corpus to inputs that cover branches no other input covers

The targets are in `Tests/Fuzzing`; each checks properties beyond "no crash". Fuzzing starts from seeds, which are made of the
vectors, the table types and recorded games, and from `Tests/Fuzzing/Corpus`. New inputs go to `.build-fuzz/corpus`, where the
next run continues; an input that causes a failure goes to `.build-fuzz/broken`.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-fuzz"
CORPUS = ROOT / "Tests" / "Fuzzing" / "Corpus"
INPUT_BYTES_MAX = 65536
BRANCHES_MIN = 6
INPUT_SECONDS_MAX = 20
# The inputs of the short form, about four seconds each: numbers and not times, so that a seed finds the same on any machine.
RUNS_SHORT = {
    "client": 3_000, "client-messages": 120_000, "frames": 60_000, "http": 60_000, "journal": 8_000, "proxy": 80_000,
    "server-messages": 120_000, "shard": 1_000, "table-types": 2_000, "tokens": 20_000, "websocket": 40_000,
}


class Failure(Exception):
    """An error that prevents the run, or a finding."""


def fuzzer_library():
    """libFuzzer without a `main`: the program has one."""
    info = json.loads(subprocess.run(
        ["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout)
    folder = pathlib.Path(info["paths"]["runtimeResourcePath"]) / "clang" / "lib" / "linux"
    machine = info["target"]["triple"].split("-")[0]
    library = folder / f"libclang_rt.fuzzer_no_main-{machine}.a"
    if not library.exists():
        raise Failure(f"the toolchain has no {library}")
    return library


def build():
    """Builds the program with optimization and with libFuzzer's instrumentation of branches."""
    flags = ["-Xswiftc", "-enable-testing", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-sanitize=fuzzer"]
    for word in [fuzzer_library(), "-lstdc++", "-lm"]:
        flags += ["-Xlinker", str(word)]
    command = ["swift", "build", "-c", "release", "--product", "baize-fuzz", "--traits", "OpenSSL", "--scratch-path", str(SCRATCH), *flags]
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "BAIZE_FUZZ": "1"}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Failure(f"baize-fuzz does not build:\n{result.stdout}{result.stderr}")
    return SCRATCH / "release" / "baize-fuzz"


def seed(program):
    seeds = SCRATCH / "seeds"
    shutil.rmtree(seeds, ignore_errors=True)
    subprocess.run([program, "seeds", ROOT / "Protocol", seeds], check=True)
    return seeds


def check(program, target, folders):
    """Reads every input once: none may fail, and some must be valid."""
    result = subprocess.run([program, "read", target, *folders], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Failure(f"{target}: no input is valid, or one fails:\n{result.stdout}{result.stderr}")
    print(result.stdout.strip(), flush=True)


def fuzz(program, target, options, folders):
    found = SCRATCH / "corpus" / target
    broken = SCRATCH / "broken"
    found.mkdir(parents=True, exist_ok=True)
    broken.mkdir(exist_ok=True)
    jobs = []
    inputs = RUNS_SHORT[target] if options.short else options.runs
    for number in range(options.jobs):
        length = f"-runs={-(-inputs // options.jobs)}" if inputs else f"-max_total_time={options.seconds}"
        seed = options.seed + number if options.seed else 0
        command = [
            program, target, length, f"-seed={seed}", f"-max_len={INPUT_BYTES_MAX}", f"-timeout={INPUT_SECONDS_MAX}",
            # It reads the new inputs of other processes again when so many seconds have passed, which no seed decides.
            f"-reload={0 if options.jobs == 1 else 1}",
            f"-artifact_prefix={broken}/{target}-", found, *folders]
        output = tempfile.TemporaryFile("w+", errors="replace")
        # The toolchain's own report of a trap would take the place of libFuzzer's, which keeps the input.
        process = subprocess.Popen(
            command, env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1"},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        jobs.append((process, output))
    runs = speed = covered = memory = 0
    try:
        for process, output in jobs:
            process.wait()
            output.seek(0)
            text = output.read()
            done = re.search(r"^#(\d+)\s+DONE\s+cov: (\d+).*exec/s: (\d+).*rss: (\d+)Mb", text, re.MULTILINE)
            if process.returncode != 0 or not done:
                tail = "\n".join(line for line in text.splitlines()[-40:] if not line.startswith("#"))
                raise Failure(
                    f"{target} is broken:\n{tail}\nsee it again, step by step: "
                    f"BAIZE_FUZZ_NARRATES=1 {program} {target} FILE\nmake it short: "
                    f"{program} {target} -minimize_crash=1 -max_total_time=60 FILE")
            figures = [int(figure) for figure in done.groups()]
            runs, speed = runs + figures[0], speed + figures[2]
            covered, memory = max(covered, figures[1]), max(memory, figures[3])
    finally:
        for process, output in jobs:
            process.kill()
            process.wait()
            output.close()
    print(f"{target}: {runs} runs, {speed} a second, {covered} branches seen, {memory} MB", flush=True)


def minimize(program, target, seeds):
    """Reduces the target's corpus and the new inputs to those that each cover at least BRANCHES_MIN branches that neither the
    seeds nor the others cover."""
    folder = CORPUS / target
    before = len(list(folder.iterdir())) if folder.is_dir() else 0
    merged = SCRATCH / "merged" / target
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(seeds, merged)
    known = {file.name for file in merged.iterdir()}
    sources = [source for source in (folder, SCRATCH / "corpus" / target) if source.is_dir()]
    # libFuzzer's greedy set cover first.
    covered_branches(program, target, "-set_cover_merge=1", merged, *sources)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in merged.iterdir():
        if file.name not in known:
            shutil.copy(file, folder / file.name)
    covered = total = covered_branches(program, target, "-runs=0", seeds, folder)
    # The largest first.
    for file in sorted(folder.iterdir(), key=lambda file: -file.stat().st_size):
        aside = file.rename(merged / file.name)
        remaining = covered_branches(program, target, "-runs=0", seeds, folder)
        if covered - remaining >= BRANCHES_MIN:
            aside.rename(file)
        else:
            covered = remaining
    print(f"{target}: {len(list(folder.iterdir()))} inputs, {before} before; {covered} of {total} branches", flush=True)


def covered_branches(program, target, mode, *folders):
    """Runs libFuzzer without fuzzing, and returns the number of branches that it has covered."""
    result = subprocess.run(
        [program, target, mode, "-use_counters=0", f"-max_len={INPUT_BYTES_MAX}", *folders], stdin=subprocess.DEVNULL,
        env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        raise Failure(f"{target}: {mode} failed:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return int(re.findall(r"cov: (\d+)", result.stderr)[-1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="Exit code: 0 if nothing was broken, 1 if something was.")
    parser.add_argument("targets", nargs="*", help="which (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs (default: 60)")
    parser.add_argument("--runs", type=int, help="how many inputs each target runs instead")
    parser.add_argument("--short", action="store_true", help="run a fixed number of inputs that takes a few seconds instead")
    parser.add_argument(
        "--jobs", type=int, default=1,
        help="how many processes share a target's runs, or run for the time; they read each other's new inputs (default: 1)")
    parser.add_argument(
        "--seed", type=int, default=0,
        help="the same seed, program and corpus give the same inputs, with one job (default: random)")
    parser.add_argument("--check", action="store_true", help="read seeds and corpus once, and fuzz nothing")
    parser.add_argument(
        "--minimize", action="store_true",
        help="reduce the corpus and the new inputs to those that cover branches no other input covers")
    options = parser.parse_args()
    try:
        program = build()
        seeds = seed(program)
        known = sorted(folder.name for folder in seeds.iterdir())
        if unknown := set(options.targets) - set(known):
            raise Failure(f"no target {', '.join(sorted(unknown))}: there are {', '.join(known)}")
        for target in options.targets or known:
            if options.minimize:
                minimize(program, target, seeds / target)
            folders = [folder for folder in (seeds / target, CORPUS / target) if folder.is_dir()]
            check(program, target, folders)
            if not options.check and not options.minimize:
                fuzz(program, target, options, folders)
    except Failure as failure:
        print(f"fuzz: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
