"""Text outside the question grammar: everyday speech, random words and invented words.

Training text is composed of patterns and syllables; `TEST_SENTENCES` are for the evaluation only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from models.train.world.wording import everyday

_SUBJECTS = (
    "i", "we", "they", "my brother", "the doctor", "our teacher", "a neighbour", "the old man",
    "her sister", "the driver", "everybody", "nobody", "the children", "this company", "the government",
    "your friend", "the cat", "a young woman", "the weather", "my father", "the train", "that film", "he",
    "she", "the team", "the farmer", "it",
)  # fmt: skip
_VERBS = (
    "bought", "forgot", "likes", "painted", "opened", "will visit", "should call", "never saw", "has lost",
    "carries", "wants", "is making", "broke", "cannot find", "remembers", "sold", "is looking at",
    "went to", "talked about", "needs", "was reading", "might change", "took", "could not see", "has left",
    "thinks about", "said", "moved", "turned",
)  # fmt: skip
_OBJECTS = (
    "a new car", "the garden", "some apples", "his jacket", "an old story", "the kitchen table",
    "our holiday", "two tickets", "the river", "a cup of coffee", "their house", "the newspaper",
    "a green field", "too much money", "the window", "a long letter", "the red bicycle", "several books",
    "the answer", "a small village", "the last bus", "nothing at all", "the picture on the wall",
    "a game of football", "her birthday", "the blue sky", "what happened", "the time",
)  # fmt: skip
_TAILS = (
    "yesterday", "in the evening", "again", "without thinking", "on monday", "for the first time",
    "near the station", "before lunch", "because of the rain", "last summer", "at the end of the street",
    "together", "very slowly", "in the city", "after all", "next week", "with great care", "as usual", "",
    "", "", "",
)  # fmt: skip
_WORDS = (
    "about across actor afternoon against airport almost amount animal another army artist aunt autumn "
    "baby basket beach because bedroom believe better bicycle birthday bottle bridge brother building "
    "butter camera capital career castle centre chapter cheese chicken church clever cloud coffee common "
    "cotton country cousin danger daughter december dinner doctor double dream early effort eight either "
    "engine enough evening every expect family famous farmer february field finger flower forest forward "
    "friday garden gentle ginger glass grass guitar happy heavy history honest hospital hundred hungry "
    "husband island january jacket journey juice july kitchen ladder language later lemon letter library "
    "listen little london machine market matter member metal midnight million minute monday money monkey "
    "month mother mountain mouth narrow nation nature never number october office onion parent party "
    "pencil people pepper perhaps person pillow planet plastic pocket police potato problem proper quick "
    "rabbit radio reason record river sandwich saturday school science season second secret shoulder "
    "silver simple sister soldier spring station stomach story street student sudden sugar summer sunday "
    "sweater table teacher theatre ticket tiger tomato tomorrow travel tuesday uncle under useful valley "
    "village visit voice wander weather wednesday weekend window winter without wonder yesterday young "
    "and of but with from over for to in by his her their some any many most "
).split()
_ONSETS = (
    "b", "bl", "br", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pl", "r",
    "s", "sh", "sk", "sn", "st", "t", "tr", "v", "w", "y", "z"
)  # fmt: skip
_RHYMES = (
    "a", "an", "ark", "ay", "eck", "ee", "el", "en", "ick", "ie", "ig", "ill", "oa", "og", "on", "oop",
    "ot", "ow", "um", "un", "urp", "ust"
)  # fmt: skip
TEST_SENTENCES = (
    "she sells sea shells by the sea shore",
    "the quick brown fox jumps over the lazy dog",
    "remember to post those parcels before noon",
    "our flight to lisbon was cancelled again",
    "i would rather have soup than salad tonight",
    "peter piper picked a peck of pickled pepper",
    "the committee postponed its decision until march",
    "could someone close the curtains over there",
    "yesterday we walked along the frozen canal",
    "ten thousand people came to the concert",
    "my grandmother grew roses behind her cottage",
    "he whistled while he repaired the fence",
    "the bakery on the corner sells fresh rolls",
    "it rained so hard that the cellar flooded",
    "turn off at the second roundabout after the church",
    "we should invite the whole office on thursday",
    "the lawyer read every page of the contract",
    "nobody noticed that the clock had struck twelve",
    "this jacket is warmer than the old one",
    "a gentle breeze moved through the orchard",
    "they have been arguing about football all morning",
    "please remind me to buy washing powder",
    "the museum lends paintings to other galleries",
    "when the bell rings the pupils leave the classroom",
    "i cannot believe how expensive strawberries are",
    "the puppy chewed my favourite slippers",
    "did your cousin enjoy the play last night",
    "the volcano had been silent for centuries",
    "put the carrots into the saucepan first",
    "her speech was shorter than anybody expected",
    *everyday.HELD_OUT,
)


def filled(text: str, slots: Mapping[str, tuple[str, ...]], rng: random.Random) -> str:
    """The text with a random value in each slot."""
    return re.sub(r"\{(\w+)\}", lambda slot: rng.choice(slots[slot[1]]), text)


def out_of_grammar_sentence(rng: random.Random) -> str:
    """A random training sentence."""
    kind = rng.random()
    if kind < 0.45:
        return filled(rng.choice(everyday.PATTERNS), everyday.SLOTS, rng)
    if kind < 0.65:
        parts = (rng.choice(_SUBJECTS), rng.choice(_VERBS), rng.choice(_OBJECTS), rng.choice(_TAILS))
        return " ".join(parts).strip()
    if kind < 0.82:
        return " ".join(rng.choices(_WORDS, k=rng.randint(1, 8)))
    words = (
        "".join(rng.choice(_ONSETS) + rng.choice(_RHYMES) for _ in range(rng.randint(1, 3))) for _ in range(6)
    )
    return " ".join(list(words)[: rng.randint(1, 6)])


def words() -> set[str]:
    """Every real word of the training sentences."""
    texts = [*_SUBJECTS, *_VERBS, *_OBJECTS, *_TAILS, *_WORDS]
    texts += [re.sub(r"\{\w+\}s?", " ", text) for text in everyday.PATTERNS]
    texts += [value for values in everyday.SLOTS.values() for value in values]
    texts += [f"{noun.split()[0]}s" for noun in everyday.SLOTS["noun"]]
    return {word for text in texts for word in text.split()}
