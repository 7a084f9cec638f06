"""Sentences to train the voice on: everyday English from a word list, invented words for rare sequences of
phonemes, numbers, answers.
"""

from __future__ import annotations

import random

from models.train.world.answers import sample_answer


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _words("""
apple arm baby bag ball bank basket bath beach bear bed bell bench bicycle bird blanket boat book bottle box
boy bread bridge brother brush bus butter button cake camera candle car castle cat chair cheese chicken
child church circle city clock cloth cloud coat coffee corner cousin cow crowd cup curtain daughter day desk
dinner doctor dog door dragon dress driver duck ear earth edge egg elbow engine evening eye face family
farmer father feather field finger fire fish flag floor flower fly foot forest fork friend frog fruit garage
garden gate giraffe girl glass glove goat grass guitar hair hammer hand hat head heart hill horse hotel hour
house ice island jacket jar jewel judge juice jungle key kitchen knee knife ladder lake lamp leaf leather
leg lemon letter library light lion lip lock machine map market measure meat milk minute mirror money month
moon morning mother mountain mouse mouth mushroom music neck needle nephew newspaper night noise nose number
nurse ocean office oil onion orange oven owl page paint paper parcel path pencil people person phone photo
piano picture pillow plane plant plate pleasure pocket poem police pond potato prince purse queen question
rabbit radio rain river road roof room root rope rose sailor salt sand scarf school scissors sea shadow
sheep shelf ship shirt shoe shop shoulder sister skin sky snow soap sock soldier song soup spoon spring
square stair star station stick stone storm story street student sugar summer sun table tail tea teacher
teeth thief thing thought thumb ticket tiger time toe tongue tooth towel tower toy train treasure tree
triangle trousers uncle umbrella valley vegetable village violin visitor voice wagon waiter wall watch water
wave weather week wheel whistle wife wind window wing winter wolf woman wood word world year yard zebra zoo
""")
VERBS = _words("""
asks:ask borrows:borrow breaks:break brings:bring builds:build buys:buy carries:carry catches:catch
chooses:choose cleans:clean closes:close counts:count covers:cover crosses:cross cuts:cut describes:describe
draws:draw drops:drop enjoys:enjoy feels:feel finds:find follows:follow forgets:forget gives:give
guards:guard hears:hear helps:help hides:hide holds:hold joins:join keeps:keep knows:know leaves:leave
lifts:lift likes:like loses:lose loves:love makes:make measures:measure meets:meet misses:miss moves:move
needs:need opens:open paints:paint passes:pass pushes:push pulls:pull reaches:reach reads:read
remembers:remember saves:save sees:see sells:sell sends:send shakes:shake shows:show shuts:shut steals:steal
stops:stop takes:take teaches:teach throws:throw touches:touch turns:turn uses:use visits:visit wants:want
washes:wash watches:watch wears:wear
""")
ADJECTIVES = _words("""
afraid angry awful beautiful big black blue bright broken brown busy careful cheap clean clever cold
dangerous dark dear deep different dirty dry early easy empty enormous fair famous fast fat few fine free
fresh full funny gentle good great green grey happy hard heavy high hot huge hungry kind large late lazy
left light little long loud low lucky narrow new nice noisy old open orange plain pleasant poor pretty proud
pure purple quick quiet rare red rich right rough round sad safe sharp short shy silent silver slow small
smooth soft sour square strange strong sure sweet tall terrible thick thin thirsty tiny tired ugly unusual
usual vast warm weak wet white whole wide wild wise wonderful worried yellow young
""")
ADVERBS = _words("""
again already always away badly carefully clearly early easily everywhere finally happily here inside later
maybe never nearly now often once only outside perhaps quickly quietly really seldom slowly sometimes soon
still suddenly there today together tomorrow twice usually well yesterday
""")
PREPOSITIONS = _words("""
above across after against along among around at before behind below beside between beyond by down for from
in inside near of off on over past through to toward under until up with without
""")
NAMES = _words("""
Alice George Helen Ian Joyce Keith Laura Matthew Naomi Oliver Paula Quentin Ruth Simon Theo Una Victor Wendy
Xavier Yvonne Zoe Paris London Germany Africa Asia Monday Tuesday Wednesday Thursday Friday Saturday Sunday
January February March April May June July August September October November December
""")
_ONSETS = _words("""
b bl br ch cl cr d dr f fl fr g gl gr h j k kw l m n p pl pr qu r s sc sh sk sl sm sn sp spl spr st str sw t
th thr tr tw v w y z
""")
_RIMES = _words("""
ab ack ad aft ag aim air ake ale am amp an ance and ang ank ap ar ark arm art ash ask at atch ate ave aw awn
ay aze each ead eam ear east eck ed edge eed eek eel een eep eet eg ell elp elt em en ence end ent ept er
ess est et ew ib ice ick id ide ife ift ig ight ile ilk ill im imp in ind ine ing ink int ip ire irt is ish
isk ist it itch ive ize oad oak oat ob ock od oft og oice oid oil oin oke old ole olve om on ond ong ook ool
oom oon oot op ope or orch ord ore ork orm orn ort ose oss ost ot oth ouch oud ound ouse out ove ow owl own
ox oy ub uck ud udge uff ug ull um ump un unch ung unk unt up ur urge urn urse us ush ust ut uth uzz
""")
_JOINERS = ("and", "but", "because", "so", "while", "when", "or", "if")


def invented_word(rng: random.Random) -> str:
    """A nonsense word of one or two English syllables."""
    return "".join(rng.choice(_ONSETS) + rng.choice(_RIMES) for _ in range(rng.choice((1, 1, 2))))


def _noun_phrase(rng: random.Random) -> str:
    article = rng.choice(
        ("the", "the", "a", "my", "your", "this", "every", "his", "her", "our", "their", "no")
    )
    noun = rng.choice(NOUNS) if rng.random() < 0.85 else invented_word(rng)
    middle = f" {rng.choice(ADJECTIVES)}" if rng.random() < 0.5 else ""
    phrase = f"{article}{middle} {noun}"
    first = phrase.split()[1][0]
    return f"an{phrase[1:]}" if article == "a" and first in "aeiou" else phrase


def _clause(rng: random.Random) -> str:
    subject = rng.choice(NAMES) if rng.random() < 0.2 else _noun_phrase(rng)
    verb = rng.choice(VERBS).split(":")[0]
    text = f"{subject} {verb} {_noun_phrase(rng)}"
    if rng.random() < 0.4:
        text += f" {rng.choice(PREPOSITIONS)} {_noun_phrase(rng)}"
    elif rng.random() < 0.4:
        text += f" {rng.choice(ADVERBS)}"
    return text


def _question(rng: random.Random) -> str:
    verb = rng.choice(VERBS).split(":")[1]
    opening = rng.choice(
        ("does", "did", "can", "will", "where does", "why did", "when will", "how can", "what makes")
    )
    if opening == "what makes":
        return f"what makes {_noun_phrase(rng)} {verb} {_noun_phrase(rng)}?"
    return f"{opening} {_noun_phrase(rng)} {verb} {_noun_phrase(rng)}?"


def _number(rng: random.Random) -> str:
    kind = rng.randrange(7)
    if kind == 0:
        return f"It is {rng.randrange(1, 13)}:{rng.randrange(60):02d}."
    if kind == 1:
        return f"The {rng.choice(NOUNS)} is at {rng.randrange(101)} percent."
    if kind == 2:
        return f"At this rate, I will last about {rng.randrange(2, 60)} {rng.choice(('minutes', 'hours'))}."
    if kind == 3:
        return f"Today is {rng.choice(NAMES)}, the {rng.randrange(1, 32)} of {rng.choice(NAMES)}."
    if kind == 4:
        return f"{rng.randrange(1000)} {rng.choice(NOUNS)}s and {rng.randrange(100)} {rng.choice(NOUNS)}s."
    if kind == 5:
        return (
            f"It costs {rng.randrange(1, 100)}.{rng.randrange(1, 10)} euros in {rng.randrange(1900, 2100)}."
        )
    return f"It is {rng.randrange(1, 13)} o'clock in the {rng.choice(('morning', 'afternoon', 'evening'))}."


def _list(rng: random.Random) -> str:
    things = [
        rng.choice((rng.choice(NOUNS), rng.choice(ADJECTIVES), invented_word(rng)))
        for _ in range(rng.randint(3, 5))
    ]
    return f"{', '.join(things[:-1])} {rng.choice(('and', 'or'))} {things[-1]}."


def _short(rng: random.Random) -> str:
    words = [rng.choice((rng.choice(NOUNS), rng.choice(ADVERBS), rng.choice(ADJECTIVES), invented_word(rng)))]
    if rng.random() < 0.6:
        words.insert(0, rng.choice(ADJECTIVES))
    return f"{' '.join(words)}{rng.choice('...!?')}"


def _statement(rng: random.Random) -> str:
    text = _clause(rng)
    if rng.random() < 0.3:
        text += f"{rng.choice((',', ',', '', ';'))} {rng.choice(_JOINERS)} {_clause(rng)}"
    return f"{text}{rng.choice('.....!')}"


def sample_sentence(rng: random.Random) -> str:
    """A random training sentence: in about half of the cases an everyday statement, else an answer, a
    question, a number, a list or a short exclamation.
    """
    kinds = (_statement, sample_answer, _question, _number, _list, _short)
    text = rng.choices(kinds, (42, 22, 12, 10, 8, 6))[0](rng)
    return text[0].upper() + text[1:]
