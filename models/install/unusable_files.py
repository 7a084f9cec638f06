"""Files of a pack that are whole and can't be used by their brick, as far as that is told without loading it:
the vocabulary and the answers of the reflex brick, the labels of its object detector and of the motion brick.
`verify` and `headband doctor` name them.
"""

from __future__ import annotations

from models.bricks.closed_sentence import AnswerTable
from models.pack.manifest import Manifest, inside
from models.pack.motion_files import labels_fault
from models.pack.reflex_files import words_fault
from models.pack.things_file import things_fault


def unusable_files(manifest: Manifest) -> dict[str, str]:
    """Why, by path; files that are missing are left out."""
    found = {}
    for key, relative in manifest.bricks.get("reflex", {}).get("files", {}).items():
        path = inside(manifest.root, relative)
        if key == "words" and path.is_file():
            found[relative] = words_fault(path)
        if key == "things" and path.is_file():
            found[relative] = things_fault(path)
        if key == "answers" and path.is_file():
            try:
                AnswerTable.read(path)
            except (OSError, ValueError) as error:
                found[relative] = f"The answers {path} can't be used: {error}."
    labels = manifest.bricks.get("motion", {}).get("files", {}).get("labels", "")
    if labels and (path := inside(manifest.root, labels)).is_file():
        found[labels] = labels_fault(path)
    return {relative: fault for relative, fault in found.items() if fault}
