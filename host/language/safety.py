"""Recognises questions about safety by their words, whatever the rest of the sentence is.

The headband declines these before any model is asked: a wrong answer could hurt somebody.
"""

from __future__ import annotations

import re

from host.language.usual.shapes import COLOURS

SAFETY = "safety"
"""The intent of questions about safety, which are declined."""
_WORDS = (
    "safely safer safety unsafe danger dangers dangerous dangerously hazard hazards hazardous risk "
    "risks risky harm harmful harmless hurt hurts poison poisons poisonous poisoned toxic venomous "
    "edible inedible swallow swallowed allergic allergy allergies infected infection bleeding wound "
    "wounds wounded injured injury overdose dose doses dosage pill pills tablet tablets painkiller "
    "painkillers antibiotic antibiotics emergency fever blood icy slippery slippy concussion unconscious "
    "electrocuted explode explosion explosive burning drown rotten mouldy spoiled expired kerb curb "
    "pavement crosswalk cliff flammable"
).split()
"""Words of which one is enough."""
_VEHICLE = (
    "(cars?|bus|buses|trucks?|lorry|lorries|trains?|trams?|bikes?|bicycles?|vehicles?|motorbikes?|traffic)"
)
_DROP = "(steps?|stairs?|staircase|stairway|hole|edge|drop|pit|obstacle|obstacles)"
_HEATER = (
    "(stove|oven|iron|cooker|hob|gas|heater|kettle|toaster|candle|candles|fire|grill|pan|pot|plate|burner)"
)
_EDGE = (
    "(edge|road|street|stairs|steps|tracks?|kerb|curb|drop|fire|water|cliff|platform|traffic|hole|ledge|"
    "rails)"
)
_FOOD = (
    "(milk|meat|fish|food|chicken|eggs?|cheese|cream|yogh?urt|ham|bread|fruit|berry|berries|mushrooms?|"
    "water|soup|coffee|tea|plate|pan|bath|sauce|rice|juice|ladder|apple)"
)
_THE = "(the|this|that|these|those|my)"
_ACT = "(cross|eat|drink|drive|touch|swim|jump|climb|taste|lick|dive|skate|overtake)"
_NO_SHAPE = "".join(
    f"(?<!{word} )"
    for word in (
        *"the a an that this any another no one my each every other same only".split(),
        *"big large small little tiny bright dark light".split(),
        *COLOURS,
    )
)
"""Before "cross": it is no shape."""
_PHRASES = (
    rf"(can|may|should|could|must|shall|do) i (now |still |already |just )?{_ACT}",
    r"(can|may|should|could|shall) i (now |still |already |just )?(go|walk|step|run|cross)"
    r"( now| on| here| there| ahead| forward| out| off.*| across.*| down.*| over.*)?$",
    r"when (can|may|should|do) i (go|walk|cross|step)",
    r"when (i|it) (can|may|should) (go|walk|cross|step)",
    r"cross (the |this |that )?(street|road|crossing|junction|bridge|tracks|rails|lane|highway)",
    rf"{_NO_SHAPE}cross (here|now)",
    r"(across|over) (the |this |that )?(street|road|crossing|junction)",
    r"(?<!the )(?<!a )safe",
    r"(time|turn|room|space|enough) (for me |left )?to (cross|pass|get (past|through|across|by))",
    r"(in|on) (my|the) way$|anything (is )?(coming|approaching)",
    r"will (this|that|it|these|those|the [a-z]+) (hold|carry|bear|take) me",
    rf"{_VEHICLE} (is |are )?(now )?(coming|approaching|nearby|close|going to|driving|stopping|comes|come)",
    rf"(is|are) (there )?(a |an |any |another )?{_VEHICLE} (there|here|near|behind)",
    r"(traffic|pedestrian|street|stop) lights?",
    r"light (is )?(green|red) for me",
    r"(road|street|way|path|lane|crossing) (is )?(clear|free|empty)$",
    rf"(is|are) there (a |an |any |some )?{_DROP}\b",
    rf"{_DROP} (is |are )?(in front|ahead|below|near|before) ?(of|me)?",
    rf"{_HEATER} (is )?(still )?(turned |switched )?(on|off|hot|lit|burning)$",
    rf"{_FOOD} (too |still |very )?hot|(too|very|still) hot\b|hot to touch",
    r"(is|are) (it|this|that|these) hot$",
    r"(leave|left|turn|turned|switch|switched) (on |off )?the (stove|oven|iron|cooker|hob|gas|heater|candle)",
    r"(a|the|any) fire$|on fire|smell (of )?(gas|smoke|fire)|smoke here",
    r"(good|fit|fresh|okay|ok|alright|fine) to (eat|drink|drive|swim|touch|take|go|cross)",
    r"(?<!alarm )(?<!timer )(?<!light )(?<!lamp )(?<!not )(gone|go|going|turned) (bad|off|sour)",
    rf"(is|are) ({_THE} )?({_FOOD}|it|this|that|these) (still )?(bad|okay|ok|alright|all right)$",
    rf"(is|are) ({_THE} )?{_FOOD} (still )?(off|fine)$",
    rf"(can|may|should|could) (you|we|he|she|they|one|it|my [a-z]+|the [a-z]+|anyone|children) {_ACT}",
    r"(still|is (it|this|that)) (fresh|good)$",
    r"(take|taken|give|need|drink|swallow|took) .*\b(medicine|medication|drops|drug|drugs)\b(?! box)",
    r"(right|my|this|which|what|much|the) (medicine|medication|drug)\b(?! box)(?! (bottle|box|label))",
    r"(knife|blade|glass|edge|scissors) (is )?sharp|is (it|this|that) sharp",
    r"(water|pool|river|lake|snow|hole) (is )?(too )?deep|ice (is )?(thick|thin)",
    r"(will|would|could|might) (i|it|he|she|they|we) (fall|trip|slip|die|burn|bite|sting|explode|crash)",
    r"(going to|gonna|about to|does it|do they|will it) (bite|sting|fall|attack|crash|burn)",
    r"am i (ill|sick|dying|drunk|too (close|near|far|fast))",
    r"am i being (?!(woken|woke|called|reminded|recorded|filmed)\b)",
    r"am i (about|going) to (fall|die|faint|trip|slip|hit|crash|be (sick|hit|run)|step|walk into)",
    rf"am i (still )?(near|close to|at) (the |a |an )?{_EDGE}",
    r"(follow|followed|following|chase|chasing|attack|attacking) (me|us)\b",
    r"(call|get|need|fetch|see) (a |an |the |for )?(help|police|nurse|medic|doctor|ambulance)\b",
    r"(go|get) to (the )?hospital",
    r"(warn|protect|guide|lead|steer|navigate) (me|us)\b(?! to (my|the) (keys|phone|bag))|save (me|us)$",
    r"(heart attack|stroke|broken (arm|leg|bone)|chest pain)",
    r"(how much|how many|how often) .*should i take",
    r"live wire|(wire|cable|socket) (is )?(live|on)",
)  # fmt: skip
_LOOKED_FOR = re.compile(
    r"(where (is|are)|where (did i|have i) (put|left|leave)|have you seen|i (am looking for|cannot find)|"
    r"((can you |help me )?find)|((do|can) you see)) my [a-z]+( [a-z]+)?"
)
"""A question about where a thing is, whatever the thing is ("where are my pills")."""
_LAMP_BURNS = re.compile(r"\b(lamps?|lights?) (?:(?:is|was|are|were) )?(?:still |left )?burning\b")
"""No fire: a lamp that burns is on."""
_OKAY = re.compile(r"\b(?:okay|ok|alright)$")
_NO_DANGER = re.compile(
    r"\b(?:in|into|from|open|of) the safe\b|\bkeep (?:my|the|it|this|them)(?: [a-z]+)? safe\b|"
    r"\b(?:before|until|till|after) the (?:bus|train|tram|taxi) (?:comes|leaves|arrives)\b|"
    r"\bburning (?:the |your |my |up )*(?:battery|power|juice|charge)\b"
)
"""Words that are no judgement of safety where they stand so."""
_ABOUT_SAFETY = re.compile(rf"\b({'|'.join(_WORDS)})\b|" + "|".join(rf"\b({each})" for each in _PHRASES))


def is_it_okay(text: str) -> bool:
    """The same for "is this milk okay", whose last word may be a polite one of another question."""
    return _OKAY.search(text) is not None and about_safety(text)


def about_safety(text: str) -> bool:
    """Whether a question (lower case, without punctuation) asks for a judgement about safety or health."""
    if _LOOKED_FOR.fullmatch(text) is not None:
        return False
    return _ABOUT_SAFETY.search(_NO_DANGER.sub(" ", _LAMP_BURNS.sub(r"\1 on", text))) is not None
