"""Installs the wheel and the source distribution into empty environments and tries them there.

``make smoke`` builds both and runs this. ``python scripts/smoke.py [FILE …]`` takes files of dist/,
by default the newest of each kind. A wheel is installed with the extras of ``--extras``, a source
distribution without any, so that the package alone is tried too. Neither sees the checkout.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "onnx,train,web"
PACKAGE = "src/phasezoo/"
LICENCES = ("LICENSE", "THIRD_PARTY_NOTICES.txt")
UNPACKED = (".ci/", ".gitignore")
"""Parts of the repository that a source distribution leaves out: files of git and of checks."""


def main() -> None:
    """Check what the files hold, then install and try each."""
    parser = argparse.ArgumentParser(prog="python scripts/smoke.py", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="default: the newest of each kind")
    parser.add_argument("--extras", default=EXTRAS, help="of the wheel; '' for none")
    parser.add_argument(
        "--python", default=sys.executable, help="version or path of an interpreter"
    )
    parser.add_argument("--installed", metavar="EXTRAS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.installed is not None:
        try_installed(options.installed)
        return
    files = options.files or [newest("*.whl"), newest("*.tar.gz")]
    for file in files:
        is_wheel = file.suffix == ".whl"
        wrong = wrong_in_wheel(file) if is_wheel else wrong_in_sdist(file)
        if wrong:
            sys.exit(f"{file.name}: {'; '.join(wrong)}")
        tried(file, options.extras if is_wheel else "", options.python)


def newest(pattern: str) -> Path:
    """Return the file of dist/ that was made last."""
    found = sorted((ROOT / "dist").glob(pattern), key=lambda file: file.stat().st_mtime)
    if not found:
        sys.exit(f"dist/ holds no {pattern}: make wheel sdist")
    return found[-1]


def tracked() -> set[str]:
    """Return the files of the repository."""
    words = ["git", "ls-files", "-z"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()}


def wrong_in_sdist(file: Path) -> list[str]:
    """Return files that a source distribution lacks or should not hold; empty if it is right."""
    with tarfile.open(file) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {name for name in tracked() if not name.startswith(UNPACKED)}
    return differences(held - {"", "PKG-INFO"}, wanted)


def wrong_in_wheel(file: Path) -> list[str]:
    """The same of a wheel, which holds the package, its core and its metadata."""
    with zipfile.ZipFile(file) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    meta = {name for name in held if PurePosixPath(name).parts[0].endswith(".dist-info")}
    core = {name for name in held if name.startswith("phasezoo/_core.") and ".pyi" not in name}
    wanted = {name.removeprefix("src/") for name in tracked() if name.startswith(PACKAGE)}
    wrong = differences(held - meta - core, wanted)
    if len(core) != 1:
        wrong.append(f"{len(core)} native cores")
    lacking = [each for each in LICENCES if not any(n.endswith(f"licenses/{each}") for n in meta)]
    if lacking:
        wrong.append(f"lacks {', '.join(lacking)}")
    return wrong


def differences(held: set[str], wanted: set[str]) -> list[str]:
    """Both ways, the first few of each."""
    both = (("lacks", wanted - held), ("should not hold", held - wanted))
    return [f"{word} {', '.join(sorted(names)[:5])}" for word, names in both if names]


def tried(file: Path, extras: str, python: str) -> None:
    """Install a file into an empty environment, and run :func:`try_installed` there."""
    uv = shutil.which("uv") or sys.exit("this needs uv: make setup installs it")
    print(f"{file.name}{f' with {extras}' if extras else ''}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="phasezoo-smoke-") as folder:
        place = Path(folder)
        environment = {
            k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")
        }
        environment.setdefault("CARGO_TARGET_DIR", str(ROOT / "target"))
        environment["XDG_CACHE_HOME"] = str(place / "cache")
        environment.setdefault("UV_CACHE_DIR", uv_cache(uv))

        def run(*words: object) -> None:
            done = subprocess.run([*map(str, words)], cwd=place, env=environment, check=False)
            if done.returncode:
                sys.exit(f"{file.name}: {' '.join(map(str, words[:4]))} … failed")

        run(uv, "venv", "--quiet", "--python", python, place / "venv")
        inside = place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        wanted = f"{file.resolve()}[{extras}]" if extras else file.resolve()
        run(uv, "pip", "install", "--quiet", "--python", inside, "--constraint",
            ROOT / "constraints.txt", wanted)  # fmt: skip
        script = shutil.copy(__file__, place / "smoke.py")
        run(inside, "-I", script, "--installed", extras)
        for words in (["--version"], ["doctor"], ["perft", "chess", "--depth", "3"]):
            run(inside, "-I", "-m", "phasezoo", *words)


def uv_cache(uv: str) -> str:
    """Return where uv keeps what it has downloaded."""
    done = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def try_installed(extras: str) -> None:
    """Use the installed package as a new user does; raises if anything is amiss."""
    import gymnasium
    import numpy as np

    import phasezoo
    from phasezoo import agents, games, inference

    place = Path(phasezoo.__file__).resolve()
    assert place.is_relative_to(Path(sys.prefix).resolve()), f"{place} is not of this environment"
    env = gymnasium.make("phasezoo/Chess-v0", opponent="random")
    observation, info = env.reset(seed=1)
    assert observation.shape == (52, 8, 8)
    for _ in range(10):
        action = int(np.flatnonzero(info["action_mask"])[0])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    envs = gymnasium.make_vec("ConnectFour-v0", num_envs=4, opponent=None)
    assert envs.reset(seed=1)[0].shape == (4, 3, 6, 7)
    static = place.parent / "apps" / "web" / "static"
    assert {".html", ".js", ".css"} <= {file.suffix for file in static.rglob("*")}, static
    done = ["environments", "page"]
    names = extras.split(",")
    has_network = "onnx" in names and "train" in names
    if has_network:
        name = "phasezoo/chess-small"
        evaluator: inference.Evaluator = inference.load(name)
        limit = agents.Limit(nodes=50)
    else:
        name, evaluator, limit = "no network", inference.Uniform(), agents.Limit(nodes=200)
    state = games.make("chess").new_state()
    action = agents.MCTSAgent(evaluator, limit=limit).session(1).act(state)
    assert action in state.legal_actions
    done.append(f"search with {name}")
    engine = Path(sys.executable).with_name(f"phasezoo-uci{'.exe' if os.name == 'nt' else ''}")
    talk = "uci\nposition startpos\ngo nodes 20\n" if has_network else "uci\n"
    said = subprocess.run([engine], input=talk, capture_output=True, text=True, check=True).stdout
    assert "uciok" in said, said
    assert ("bestmove" in said) == has_network, said
    done.append("engine")
    if "web" in names:
        from phasezoo.apps.web.server import __all__ as offered

        assert offered
        done.append("server")
    print(f"  {phasezoo.__version__} in Python {sys.version.split()[0]}: {', '.join(done)}")


if __name__ == "__main__":
    main()
