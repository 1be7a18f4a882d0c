"""Where the raw files of the data sets lie."""

import os
from pathlib import Path

from mhmgnn.errors import DataError

AnyPath = str | os.PathLike[str]


def data_folder(data_dir: AnyPath | None = None) -> Path:
    """The folder of raw files: `data_dir`, else what MHMGNN_DATA names, else the user's own cache."""
    given = data_dir or os.environ.get("MHMGNN_DATA")
    if given is not None:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("mhmgnn") / "data"


def raw_file(dataset: str, file: str, data_dir: AnyPath | None = None) -> Path:
    """The path of a raw file such as "cora/cora.cites"; .gz may have been added to its name or taken off."""
    folder = data_folder(data_dir)
    plain = file.removesuffix(".gz")
    for name in (file, plain, f"{plain}.gz"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(
        f"{dataset} needs {file}, which is not in {folder}; get it with `mhmgnn data fetch {dataset}`, "
        "or name the folder that holds it with --data-dir or MHMGNN_DATA"
    )
