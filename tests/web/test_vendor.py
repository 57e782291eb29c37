"""What we carry of others is what they released."""

from gzip import decompress
from hashlib import sha256
from pathlib import Path

import pytest

from assay.web.rendering import HERE

OURS = HERE / "static" / "vendor"
TESTS = Path(__file__).parent / "vendor"
KNOWN = {
    OURS
    / "htmx.min.js": "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",  # 2.0.11
    OURS
    / "echarts.min.js.gz": "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0",  # 6.1.0
    TESTS
    / "axe.min.js": "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878",  # 4.14.0
}


@pytest.mark.parametrize("path", KNOWN, ids=lambda path: path.name)
def test_the_file_is_as_released_and_has_its_licence(path: Path) -> None:
    carried = path.read_bytes()
    released = decompress(carried) if path.suffix == ".gz" else carried
    assert sha256(released).hexdigest() == KNOWN[path]
    licence = path.with_name(f"{path.name.split('.')[0]}.LICENSE.txt")
    assert len(licence.read_text(encoding="utf-8")) > 500


def test_nothing_else_is_carried() -> None:
    scripts = {path for folder in (OURS, TESTS) for path in folder.glob("*.js*")}
    assert scripts == set(KNOWN)


def test_our_own_pages_name_no_other_host() -> None:
    for path in [*HERE.glob("templates/*"), *HERE.glob("static/*.*")]:
        text = path.read_text(encoding="utf-8")
        text = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path
        assert " style=" not in text, path
        assert "onclick=" not in text, path
