"""The classifier's weights come of the tree's sentences, which are the same in every process, and the same
sentences give the same weights.
"""

from __future__ import annotations

import random
import re

from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.model import WEIGHTS, read_model
from host.language.classifier.network import WEIGHTS as NETWORK
from host.language.classifier.parts import WEIGHTS as PARTS
from host.language.classifier.parts import packed_parts
from host.language.classifier.view import OTHER, view_model
from host.language.classifier.view import WEIGHTS as WEIGHTS_OF_VIEW
from host.language.further.freely import further_model
from host.language.last_seconds.classified import clip_model
from host.language.router import plain_words
from models.train.intents.clip import clip_sentences
from models.train.intents.data import said_by_people, training_sentences
from models.train.intents.further import further_sentences
from models.train.intents.heard import said_aloud
from models.train.intents.put_together import made_from
from models.train.intents.train import checksum, fit
from models.train.intents.view import view_sentences
from models.train.world.said.asked_of_view import ASKED, HEARD, NOT_ASKED, read_lines
from models.train.world.said.run_on import run_on_sentences
from models.train.world.said.went_on import went_on
from tests.eval.stranger_home.questions import AFRESH, OTHERS, WORDINGS, by_others
from tests.eval.understood.sayings import SAYINGS
from tests.eval.understood.tried import now, others
from tests.eval.understood.went_on import sentences


def test_the_packed_weights_are_of_these_sentences() -> None:
    assert packed_ensemble().model.made_from == checksum(training_sentences())
    assert WEIGHTS.stat().st_size < 1100 * 1024


def test_the_same_sentences_give_the_same_weights(tmp_path) -> None:
    few = said_by_people()[:60]
    first, second = (fit(few, steps=3).to_bytes() for _ in range(2))
    assert first == second
    written = tmp_path / "weights.bin"
    written.write_bytes(first)
    assert read_model(written).to_bytes() == first


def test_the_packed_weights_of_the_networks_are_of_these_sentences() -> None:
    assert packed_ensemble().network.made_from == checksum(training_sentences())
    assert packed_ensemble().network.kinds == packed_ensemble().model.kinds
    assert packed_parts().head["made_from"] == made_from(said_by_people(), run_on_sentences())
    assert NETWORK.stat().st_size + PARTS.stat().st_size < 4 * 1024 * 1024


def test_no_sentence_of_people_is_one_of_the_evaluations() -> None:
    judged = {plain_words(each.text) for each in (*SAYINGS, *now(), *others())}
    assert not judged & {plain_words(each.text) for each in said_by_people()}
    assert not judged & {" ".join(part.text for part in sentence) for sentence in run_on_sentences()}


def test_every_sentence_of_people_is_plain_and_said_once() -> None:
    said = said_by_people()
    assert len({each.text for each in said}) == len(said)
    assert all(re.fullmatch(r"[a-z0-9' ]+", each.text) for each in said)


def test_the_packed_weights_of_questions_about_the_view_are_of_these_sentences() -> None:
    assert view_model().made_from == checksum(view_sentences())


def test_the_packed_weights_of_the_last_seconds_and_of_going_on_are_of_these_sentences() -> None:
    assert clip_model().made_from == checksum(clip_sentences())
    assert further_model().made_from == checksum(further_sentences())


def test_what_people_say_after_a_command_is_plain_and_said_once_and_in_no_evaluation() -> None:
    said = [each.text for each in went_on()]
    assert len(set(said)) == len(said)
    assert all(re.fullmatch(r"[a-z0-9' ]+", each) for each in said)
    assert not set(map(plain_words, said)) & {plain_words(each.text) for each in sentences()}
    assert WEIGHTS_OF_VIEW.stat().st_size < 350 * 1024


def test_no_wording_about_the_view_is_one_of_the_evaluations() -> None:
    learned = {text for _, text in read_lines(ASKED)}
    for own in (OTHERS, AFRESH):
        assert not learned & {text for texts in by_others(own).values() for text in texts}
    assert not learned & {text for _, own in WORDINGS.values() for text in own}


def test_what_is_misheard_is_of_the_same_kinds_and_in_plain_words() -> None:
    kinds = {kind for kind, _ in read_lines(ASKED)}
    assert {kind for kind, _ in read_lines(HEARD)} == kinds | {OTHER}
    assert all(re.fullmatch(r"[a-z' ]+", text) for _, text in read_lines(HEARD))


def test_each_wording_and_each_other_sentence_is_said_aloud_with_its_slots_filled() -> None:
    said = list(said_aloud(random.Random(3)))
    assert len(said) == 3 * len(read_lines(ASKED)) + len(read_lines(NOT_ASKED))
    assert not any("{" in text for _, text in said)
