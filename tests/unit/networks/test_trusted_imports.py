"""A file names the code that builds its network: what it may name, and what it may not."""

import sys
import textwrap
from pathlib import Path

import pytest
import torch

from phasezoo.errors import UnregisteredNetwork
from phasezoo.networks import imports
from phasezoo.networks.imports import trusted
from phasezoo.networks.precision import probe

CODE = """
    from pathlib import Path
    import torch

    Path(__file__).with_name("ran").write_text(__name__)

    class Net(torch.nn.Module):
        class Inner(torch.nn.Module):
            pass

    class Other:
        pass

    def factory(input_shape, num_actions):
        return Net()

    made = factory
    borrowed = torch.nn.Linear
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of somebody's, with modules in it, that is on Python's path and where we are."""
    folder = tmp_path / "net"
    (folder / "pack").mkdir(parents=True)
    (folder / "space").mkdir()
    for place in ("planted.py", "pack/__init__.py", "pack/inner.py", "space/inner.py"):
        (folder / place).write_text(textwrap.dedent(CODE))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", ["", str(folder), *sys.path])
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder into which packages are installed."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(imports, "_site_folders", lambda: (folder,))
    imports._installed_folders.cache_clear()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    yield folder
    imports._installed_folders.cache_clear()
    for name in ("fitted", "fitted_pack", "fitted_pack.inner", "linked", "edited"):
        sys.modules.pop(name, None)


def refused(path: str, folder: Path | None = None) -> str:
    with pytest.raises(UnregisteredNetwork) as error:
        trusted(path, "here", folder)
    return str(error.value)


@pytest.mark.parametrize(
    "path", ["planted:Net", "pack:Net", "pack.inner:Net", "space.inner:Net", "space:Net"]
)
def test_nothing_in_the_networks_folder_runs(home, path):
    for folder in (home, home.parent, None, Path(), home / "elsewhere"):
        assert "--plugin" in refused(path, folder)
    assert not list(home.rglob("ran"))


@pytest.mark.parametrize(
    "path",
    [
        "os:system", "subprocess:Popen", "builtins:exec", "__main__:Net", "__mp_main__:Net",
        "planted.__main__:Net", "antigravity:Net", ".planted:Net", "../net/planted:Net",
        "planted.py:Net", ":Net", "planted:", "torch.hub:load", "torch:hub.load",
        "torch:nn.Linear", "torch.nn:Linear", "phasezoo.plugins:import_module",
        "phasezoo.networks.imports:importlib.import_module", "pathlib:Path", "\0:x", "",
    ],
)  # fmt: skip
def test_nothing_but_networks_under_their_own_names_is_called(home, path):
    assert "cannot be imported" in refused(path, home)
    assert "antigravity" not in sys.modules
    assert not list(home.rglob("ran"))


def test_a_class_of_networks_that_is_installed_is_found():
    assert trusted("torch.nn.modules.linear:Linear", "here") is torch.nn.Linear


def test_what_the_user_imported_may_be_named_wherever_it_lies(home):
    import pack.inner
    import planted

    assert trusted("planted:Net", "here", home) is planted.Net
    assert trusted("planted:Net.Inner", "here", home) is planted.Net.Inner
    assert trusted("planted:factory", "here", home) is planted.factory
    assert trusted("pack.inner:Net", "here", home) is pack.inner.Net
    for name in ("Other", "made", "borrowed", "Path", "torch.hub.load", "Net.forward", "nothing"):
        refused(f"planted:{name}", home)


def test_installed_packages_are_imported_and_links_out_of_them_are_not(home, site):
    (site / "fitted.py").write_text(textwrap.dedent(CODE))
    (site / "fitted_pack").mkdir()
    (site / "fitted_pack" / "__init__.py").write_text("")
    (site / "fitted_pack" / "inner.py").write_text(textwrap.dedent(CODE))
    (site / "linked.py").symlink_to(home / "planted.py")
    assert trusted("fitted_pack.inner:Net", "here", home).__module__ == "fitted_pack.inner"
    assert trusted("fitted:Net", "here", home).__module__ == "fitted"
    assert "lies in the folder" in refused("linked:Net", home)
    assert "neither" in refused("fitted:factory", home)  # of nobody knows which package


def test_functions_are_called_of_packages_that_are_made_for_this_one(site):
    (site / "fitted.py").write_text(textwrap.dedent(CODE))
    about = site / "fitted-1.dist-info"
    about.mkdir()
    (about / "RECORD").write_text("fitted.py,,\nfitted-1.dist-info/METADATA,,\n")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fitted\nVersion: 1\n")
    assert "neither" in refused("fitted:factory")
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fitted\nVersion: 1\nRequires-Dist: phasezoo>=0.2\n"
    )
    assert trusted("fitted:factory", "here").__name__ == "factory"


def test_an_editable_install_counts_as_installed(site, tmp_path, monkeypatch):
    source = tmp_path / "source"
    source.mkdir()
    (source / "edited.py").write_text(textwrap.dedent(CODE))
    monkeypatch.setattr(sys, "path", [*sys.path, str(source)])
    assert "nor installed" in refused("edited:Net")
    assert not (source / "ran").exists()
    (site / "edited.pth").write_text(f"import os\n{source}\n")
    imports._installed_folders.cache_clear()
    assert trusted("edited:Net", "here").__module__ == "edited"


def test_a_folder_that_shadows_an_installed_package_is_not_taken_for_it(home, site):
    (site / "planted.py").write_text(textwrap.dedent(CODE))
    assert "neither imported by you nor installed" in refused("planted:Net")
    assert not list(home.rglob("ran"))


def test_trials_in_other_processes_import_nothing_from_where_we_are(tmp_path, monkeypatch):
    for name in ("torch", "sys", "numpy"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    probe.__wrapped__("bfloat16", "cpu")
    assert not (tmp_path / "ran").exists()
