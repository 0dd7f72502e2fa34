from pathlib import Path

from scripts.manual.check_site import faults_of


def _site(folder: Path, **pages: str) -> Path:
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(body)
    return folder


def test_a_site_whose_links_lead_somewhere_has_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a picture.svg").write_text("<svg/>")
    linked = '<h1 id="top"></h1><a href="#top"></a><a href="b.html#end"></a><a href="https://example.org/x"></a>'
    site = _site(tmp_path, a=f'{linked}<a href="a%20picture.svg"></a>', b='<p id="end"></p><a href="a.html"></a>')

    assert faults_of(site) == []


def test_dead_links_and_anchors_are_named_with_their_page(tmp_path: Path) -> None:
    site = _site(tmp_path, a='<a href="gone.html"></a><a href="b.html#gone"></a><a href="#nor-here"></a>', b="")

    assert faults_of(site) == [
        "a.html: '#nor-here' leads nowhere",
        "a.html: 'b.html#gone' leads nowhere",
        "a.html: 'gone.html' leads nowhere",
    ]


def test_what_pages_and_styles_load_comes_from_the_site(tmp_path: Path) -> None:
    (tmp_path / "own.css").write_text("@import 'https://fonts.example/x.css'; b {background: url(//cdn.example/y.png)}")
    links = '<link rel="stylesheet" href="own.css?v=1"><link rel="search" href="https://example.org">'
    site = _site(tmp_path, a=f'{links}<script src="https://cdn.example/z.js"></script><img src="gone.png">')

    assert faults_of(site) == [
        "a.html: 'https://cdn.example/z.js' is loaded from elsewhere",
        "a.html: 'gone.png' is not there",
        "own.css: 'https://fonts.example/x.css' is loaded from elsewhere",
        "own.css: '//cdn.example/y.png' is loaded from elsewhere",
    ]


def test_a_folder_without_pages_is_a_fault(tmp_path: Path) -> None:
    assert faults_of(tmp_path) == [f"there is no page below {tmp_path}"]
