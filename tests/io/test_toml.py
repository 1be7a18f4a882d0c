from dataclasses import dataclass

from mhmgnn.io.toml import read_toml, write_toml


@dataclass(frozen=True)
class Settings:
    name: str = 'a "b" ü \\ \x7f'
    rate: float = 1e-05
    large: float = 1e22
    size: int = 1_000_000
    on: bool = True
    none: int | None = None


def test_the_text_is_that_of_earlier_versions_which_a_resumed_run_compares_with_its_own():
    text = write_toml({"one": Settings(), "two": Settings(name="x", on=False, none=3)})
    assert text == (
        '[one]\nname = "a \\"b\\" ü \\\\ \\u007f"\nrate = 1e-05\nlarge = 1e+22\nsize = 1000000\non = true\n'
        '\n[two]\nname = "x"\nrate = 1e-05\nlarge = 1e+22\nsize = 1000000\non = false\nnone = 3\n'
    )
    assert read_toml(text, ["one", "two"])["two"]["none"] == 3
