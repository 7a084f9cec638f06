"""What a sentence of each kind has to say, and forms in which its words say something else: the opposite, an
exception, a report, or the same of another machine or person. Regular expressions over a sentence in lower
case, without punctuation, politeness and short forms. Those of kinds that change something were written with
the training sentences (`models/train/world/wording/commanded.txt`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """needs: what has to be there; "" for nothing. never: where the kind is not meant."""

    needs: str = ""
    never: tuple[str, ...] = ()


NEGATION = (
    r"(?:not|never(?! mind)|no need to|not necessary to|on no account|nobody|no reason to|without|"
    r"rather than|instead of)"
)
_FILLERS = (
    r"(?:(?:say|tell you to|mean to|mean|yet|ever|just|please|you|dare|go and|want (?:you |it |that )?to|"
    r"need to|have to|let (?:it|that|them) (?:be )?|be|get|really|always|to) )*"
)


def _any(words: str) -> str:
    """One of them, whole. words: separated by bars."""
    return rf"\b(?:{words})\b"


def _not(verbs: str) -> str:
    """One of the verbs with a negation before it."""
    return rf"\b{NEGATION} {_FILLERS}(?:{verbs})\b"


_END = (
    r"cancel|cancell?ing|stop|stopping|clear|delete|end|kill|scrap|bin|drop(?= \w)|quit|cut|abort|skip|"
    "strike|remove|erase|silence|dismiss|disable|halt|ditch|lose|forget|undo|call off|shut|discontinue|"
    "rescind|scratch|dispense|deactivate|disarm|unset|scrub|nix|annul|axe|bail on|get rid of|take out"
)
ENDS = _any(
    rf"{_END}|off|no more|no longer|any ?more|away|stand down|never mind|need|needed|needing|needs|want|"
    r"wanted|required|no use|can go|not matter|useless|pointless|rid|enough|leave it|void|"
    r"no (?:\w+ ){0,2}(?:timer|alarm|wake up|wakes|waking|ringing|buzz|bell|reminder|countdown)|"
    r"not (?:(?:go|you|even|bother|and|to) )*(?:ring|wake|waking|go off|bother|drag|kick|knock|count)|"
    r"let me (?:sleep|lie|lay|rest)|vacated?|withdraw|dispensed with|disregard|leave (?:to )?fall|"
    r"leave (?:the|that) count(?:ing|down)|on the head|give over|give up|let that go|belay|throw"
)
"""A timer or an alarm may be ended."""
SURELY_ENDS = (
    r"\b(?:take|turn|switch)\b.*\boff\b|"
    r"\b(?:cancel|stop|delete|kill|drop(?= \w)|clear|scrap|scrub|nix|annul|axe|bin|abort|silence|dismiss|"
    r"remove|turn off|switch off|bail on|get rid of)\b"
)
"""It is not set, whatever time is named."""
_OTHER_MACHINE = (
    r"\b(?:fire|smoke|car|burglar|house|security|school|neighbours?|phone|oven|microwave|cooker|"
    r"washing machine|his|her|their|"
    r"(?!tomorrow|today|tonight|morning|headband)\w+'s) (?:alarms?|timers?|volume|memory)\b"
)
_HAPPENED = (
    r"^(?!.* so )(?:i|he|she|they|we|it|you|somebody|someone)"
    r"(?: (?:have|has|had|just|already|must have|may have))* "
    r"(?:cancelled|stopped|ended|turned|switched|set|started|deleted|forgot|forgotten|heard|missed)\b|"
    r"\b(?:timer|alarm) (?:has |had |just |already |is |was )*(?:stopped|ended|cancelled|finished|over|done|"
    r"went off|gone off|rang)$"
)
_ENDING = Form(
    ENDS,
    (
        _not(rf"{_END}|turn|switch|touch|take (?:\w+ ){{1,3}}off"),
        _any(
            "if|unless|when|once|as soon as|in case|until|till|before(?! (?:it|he|she|they) )|after(?! all)|"
            "except|apart from|other than|besides|(?:all|everything|each|every \\w+|alarms|timers) but"
        ),
        r"\btimers? (?:and|or) (?:(?:also|then|cancel|stop|the|my|all|an?) )*alarms?\b",
        r"\balarms? (?:and|or) (?:(?:also|then|cancel|stop|the|my|all|an?) )*timers?\b",
        r"\b(?:set|start|need) an? ",
        r"\b(?:seconds?|minutes?|hours?) (?:off|from|out of) (?:the|my|that|this|it)\b",
        _OTHER_MACHINE,
        _HAPPENED,
    ),
)
_NOT_SO = r"\bno (?:\w+ )?(?:timer|alarm)|\bnot (?:for|another|even|in|until|got|have|take|long|at)\b"
_SEVERAL = r"\b(?:two|three|four|five|several|a couple of|a few) (?:\w+ ){0,3}%s\b"
"""More than one of them is to be set."""
_TELLS = "timer|remind|tell|know|wake|shout|ring|alert|count|countdown|beep|buzz|ping|clock|ding|call me"
_TIMER = Form(
    "",
    (
        r"^(?:i|we|he|she|they) (?:did|do|had|spent|ran|walked|slept)\b|\boff by\b|\btimer is\b",
        _any("waited|waiting for|takes|took|lasts|lasted|been|ago|late|early|since|already"),
        rf"^(?!.*\b(?:{_TELLS})\b).*\b(?:is in|are in|was|were|have to go|has to go|need to go|must go|"
        r"leaves?|leaving|starts in|starts at|comes?|coming|arrives?|closes?|opens?|away|walk|every)\b",
        _any("extend|longer|shorter|change|move|shift|add|pause|lengthen|shorten|call me an?"),
        _not("set|setting|start|make|give|put|count|wake|remind|need|want|ring"),
        r"\bevery (?:\w+ ){0,3}(?:seconds?|minutes?|hours?)\b",
        r"\b(?:seconds?|minutes?|hours?) (?:less|fewer|earlier|sooner)\b(?! than)",
        _SEVERAL % "timers", r"\btimers .*\b(?:seconds?|minutes?|hours?) and\b",
        _NOT_SO, _OTHER_MACHINE, _HAPPENED,
    ),
)  # fmt: skip
_DAYS = (
    "every|each|weekdays?|daily|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|"
    "weekends?|day after|next week"
)
_ALARM = Form(
    "",
    (
        r"\bwakes\b|^we sounded\b|^(?:my|the|his|her) alarm (?:is|was|goes|rings)\b",
        _any(_DAYS),
        _any("snooze|later|earlier"),
        r"\b(?:change|move|shift|extend|push|put back|bring forward) (?:the|my|that|it|this|an?|\w+'s)\b",
        _not("set|wake|ring|get me|need|want"),
        _SEVERAL % "alarms", _NOT_SO, _OTHER_MACHINE, _HAPPENED,
    ),
)  # fmt: skip
FORGETS = (
    "forget|delete|erase|wipe|clear|remove|lose|drop|dump|purge|destroy|empty|scrub|discard|bin|scrap|trash"
)
_SOMEBODY = (
    r"(?:i|we|he|she|they|it|people|everyone|everybody|anyone|anybody|nobody|no one|somebody|someone|who|"
    r"which|that|my \w+|the \w+)"
)
_FORGET = Form(
    _any(
        rf"{FORGETS}|forgotten|wiped|clean|extinguish|expunge|efface|cancel|throw|chuck|out of|out with|gone|"
        r"go|get (?:rid|shot)|vanish|off the|off your|from (?:your|the|my) (?:memory|mind|head|record)|"
        r"from memory|"
        r"take out|take away|strike|rub|undo|blank|dead|ditch|scratch|unsee|nuke|never happened|"
        r"remember nothing|not h(?:old|ang)|not (?:have )?seen?|not (?:happen|exist)|never existed|erased|"
        r"deleted|removed|binned|binning|scrubbed|expunged|burn|torch|zero|smash|dissolve|blow away|all away"
    ),
    (
        r"^(?:and |so |but )?you (?:just |always |only |often |still |really )*(?:forget|lose)\b",
        rf"\b{_SOMEBODY}(?: (?!want|need|like|wish)\w+){{0,2}} (?:{FORGETS}|forgets|forgetting|forgot|"
        r"forgotten|deleted|deletes)\b(?! it| that| them| please)",
        rf"\b(?:how|used|going|tend|try|trying|able|about) to (?:{FORGETS})\b|^will you\b",
        _any(
            r"except|but(?! please)|other than|else|besides|apart|about(?! (?:today|this day|the last|me))|"
            r"before|after|until|older|up to|than|said|told|heard|lists?|messages?|contacts?|timers?|"
            r"calendars?|diary|events?|appointments?|meetings?|bookings?|reservations?|reminders?|e ?mails?|"
            r"inbox|texts?|posts?|tweets?|accounts?|playlists?|songs?|tracks?|tasks?|to dos?|browser|"
            r"browsing|cookies|apps?|documents?|spreadsheets?|orders?|subscriptions?|debts?|news|passwords?|"
            r"alarms?|mistake|accident|accidentally|date|keep|leave|some|parts?|half of|shopping|"
            r"if(?! you)|unless|instead|nothing to"
        ),
        _not(FORGETS), _OTHER_MACHINE, _HAPPENED,
    ),
)  # fmt: skip
LOSES = (
    r"\b(?:forget|lose|losing|delete|deleted|let (?:it|this|that|him|her|them) go|erase|throw|disappear)\b"
)
"""What a view that is kept must not become."""
_KEEP = Form(
    _any(
        "keep|keeps|keeping|kept|remember|remembering|save|saved|store|stored|hold|hang|stay|preserve|retain|"
        "archive|file|log|lock|mark|record|note|treasure|conserve|freeze|bank|commit|mind|stick|put|"
        "memori[sz]e|memory|capture|learn|chuck|bookmark|snapshot|burn|stash|stashed|hide|going down|"
        "permanent|permanently|forever|for ever|for good|always|call|name"
    )
    + f"|{LOSES}",
    (
        r"^i (?:can|could|will|do|still|always|also|just|\w+ly|already)* ?remember",
        r"^(?:and|or) th(?:is|at|ese|ose)(?: one)?$",
    ),
)
_NOT_LEFT_OUT = r"(?:forget|fail|neglect|omit)"
"""With a negation before it, it says that something is to be done: "do not forget to remember this"."""
_MEMORY_OFF = Form(
    _any(
        "stop|stopping|quit|cease|halt|pause|suspend|rest|off|standby|no|not|never|nothing|enough|disable|"
        "give over|refrain|close|kill|leave off|shut|end|secret|private|break|without|hold|finish|finished|"
        "discontinue|pack in|knock off|call it a day|excused|done with"
    ),
    (
        _not("stop|quit|cease|pause|suspend|halt|disable|turn|switch|end|shut"),
        _not(rf"{_NOT_LEFT_OUT} (?!(?:to )?(?:stop|quit|cease|pause|end|turn|switch)\b)"),
        r"^(?:i|we|he|she|they)(?: (?:do|did|can|could|would|will|just|really|still|always|never|also|may|"
        r"might))*(?: not)? (?:remember|recall|forget|forgot)\b",
        r"^(?:do|did|can|could) not you\b",
    ),
)
_RECORDING_OFF = Form(
    _any(
        r"stop\w*|end\w*|off|quit|paus\w+|no|nae|doh|not|nor|neither|never|nothing|cease|shut|closed?|kill|"
        r"private|privacy|cut|disabled?|deactivated?|mute|blind|deaf|dark|dead|without|discontinue|suspend|"
        r"halt|sleep|plug|block|cover|away|down|out|terminat\w*|extinguish|arrest|pack in|rest|lost|band|"
        r"spegni|apaga"
    ),
    (
        r"\b(?:camera|mic|microphone|mike|cam|recording|eyes|ears) (?:back )?on\b",
        _not(
            "stop|quit|cease|turn|switch|kill|close|shut|end|pause|cut|disable|deactivate|suspend|halt|"
            "discontinue|go (?:dark|blind|deaf)"
        ),
        rf"^(?:(?!\b(?:(?:not|never)(?! {_NOT_LEFT_OUT}\b)|no|stop|quit|cease|end)\b).)*"
        r"\b(?<!you )(?<!they )(?:keep|continue|carry on|go on)(?: on| with)?(?: the| your)? "
        r"(?:recording|filming|listening|looking|watching)\b(?! (?:off|down|out|shut|stopped|paused))",
    ),
)
_POWERED = _any(
    r"phone|watch|laptop|scooter|car|bike|tablet|toothbrush|shaver|torch|pump|drill|hearing aid|camera|his|"
    r"her|their|milk|\w+'s battery"
)
"""Other things with a battery, or that last."""
_OWN_POWER = (
    "you|your|yourself|battery|charge|charger|charging|juice|power|percent|flat|headband|tank|plugged|fuel|"
    "electric|electricity"
)
_SOUNDING = _any("telly|television|tv|radio|music|stereo|amp|speakers?|heating|gas|oven|fan|heater")
_TURNED = rf"\b(?:turn|put|switch|set)(?: up| down)? (?:the |that |your |my )?(?:\w+ )?{_SOUNDING}"
"""Another machine that has a volume or a speed."""
_SWITCHED = (
    r"\b(?:turn|switch) (?:(?:yourself|you|it|that|this|the headband) )?(?:on|off|round|around|left|right)\b"
)
"""Switches on or off, or turns somewhere, and sets no loudness."""
_HOW = r"(?:(?:speak|talk|go|turn|make|say|so|too|any|that|quite|much|the|volume|voice|sound|your) ){0,4}"
_IF = r"\b(?:if|when|once)\b(?! you can\b)"
_LEADING_IF = r"^(?:if|when|once)\b"
FORMS: Mapping[str, Form] = {
    "forget": _FORGET,
    "keep": _KEEP,
    "memory_off": _MEMORY_OFF,
    "memory_on": Form("", (_any(FORGETS), r"^i (?:can|will|do|still|just)? ?remember")),
    "recording_off": _RECORDING_OFF,
    "timer": _TIMER,
    "timer_off": _ENDING,
    "timer_left": Form("", (_OTHER_MACHINE, _any("drip|parking|bus|train|film|match|lesson"))),
    "alarm": _ALARM,
    "alarm_off": _ENDING,
    "louder": Form(
        "",
        (
            _TURNED,
            _SWITCHED,
            _LEADING_IF,
            _any("quieter|softer|softly|too much|less loud"),
            r"\btoo loud\b(?!.*\b(?:raise your voice|louder|speak up)\b)",
            _not(rf"{_HOW}(?:louder|up|raise|increase|shout|yell)"),
        ),
    ),
    "quieter": Form(
        "",
        (
            _TURNED,
            _SWITCHED,
            _LEADING_IF,
            _any("louder|raise|increase|can not hear|speak up|crank|project"),
            _not(rf"{_HOW}(?:quieter|softer|lower|down|whisper|mumble|so quiet)"),
        ),
    ),
    "volume": Form(
        _any(
            r"volumes?|voice|loud\w*|sounds?|speak\w*|talk\w*|audio|noise|levels?|output|gain|per ?cents?|up|"
            r"down|lower|raise|quiet\w*|softer|silent|silence|mute|muted|you|yourself|me|max|"
            r"of (?:your )?(?:ten|10)|maximum|full|fader|dial|peep|hear|turn|crank|drop|whack|bump"
        ),
        (
            _OTHER_MACHINE,
            _TURNED,
            rf"\b(?:of|on) (?:the |my |your )?(?:\w+ )?{_SOUNDING}",
            _any("percent off|discount|sales|dropped|battery|phone|chance|rain|interest|humidity"),
        ),
    ),
    "slower": Form(
        "",
        (
            _TURNED,
            _LEADING_IF,
            _any("faster|quicker|more (?:fast|quick|quickly|rapid)|speed up|pick up the pace|hurry"),
            _not(rf"{_HOW}(?:slower|slow|slowly|down)"),
        ),
    ),
    "faster": Form(
        "",
        (
            _TURNED,
            _LEADING_IF,
            r"(?<!so )\bslowly\b|"
            + _any("slower|slow down|slow your|gentler|more slow|ease off|take your time"),
            _not(rf"{_HOW}(?:faster|fast|quick|quickly|quicker|hurry|rush)"),
        ),
    ),
    "stop": Form("", (_not("stop|shut|hush|pause|quit"),)),
    "save_power": Form(
        "",
        (
            _IF,
            _any("maximum|max|full|strongest|highest"),
            r"\bsave (?:me|us|him|her|them) an? ",
            _not("save|spare|conserve|economi[sz]e|stretch|hoard|(?:\\w+ ){0,2}power saving"),
        ),
    ),
    "full_power": Form(
        "",
        (
            _IF,
            r"(?<!off )(?<!off the )\blow power\b(?! mode off)",
            r"\b(?:have|has|had|was|were|back) (?:\w+ ){0,3}full power\b",
            _not(r"(?!save |spare )(?:\w+ ){0,2}(?:full|maximum|max|all)"),
            r"(?<!low )\bpower off\b|\boff (?:the |your )?power\b(?! sav)",
            r"\b(?:stop|quit|end|cease|cancel|leave|no|(?:go|turn|switch) off)"
            r"(?: (?:using|running|going|at|on|in|with|the|your|more))* (?:full|maximum|max)\b",
            r"\b(?:full|maximum|max) power (?:mode )?off\b",
        ),
    ),
    "own_power": Form(
        _any(
            r"power|energy|energies|how hard|how much you use|consumption|modes?|settings?|"
            r"battery|performance|automatic\w*"
        ),
        (_any("(?:maximum|max|full|strongest|highest|lowest) (?:power|modes?|settings?|performance)"),),
    ),
    "more_careful": Form(
        "",
        (
            r"^(?:the|a|my) \w+ (?:is|was|were)\b",
            _not("(?:so |too |that |more |quite )?(?:careful|cautious|strict|fussy)"),
        ),
    ),
    "less_careful": Form(
        "",
        (
            r"^guess (?:what|who|where|when|why|how|which)\b",
            _not("guess|gamble|risk|speculate|make things up"),
            r"\bno (?:more |wild )*guess",
        ),
    ),
    "which_mode": Form("", (_POWERED, _any("wash"))),
    "time": Form(
        _any(
            "time|clock|o'clock|hours?|late|early|noon|midday|midnight|morning|afternoon|evening|night|lunch(?:time)?|"
            "minutes?|hands?|half|quarter|past|gone|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
        ),
        (
            r"\b(?:time|hour) (?:is|are|was|were|does|do|did|will|would|should|shall|can) "
            r"(?!it\b|the time\b|now\b|we (?:on|at)(?: now)?$)",
            _any("what a time|time was|it is time|is it time"),
            r"\bin (?:an?|half an|\w+(?: \w+)?) (?:minutes?|hours?)\b",
            r"\btime to \w+|\btime no see\b",
        ),
    ),
    "date": Form(
        _any(
            "date|days?|today|tomorrow|the morrow|months?|years?|weeks?|weekdays?|weekend|calendar|half term|"
            "first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|[a-z]+teen|twentie|thirtie)th|"
            f"january|february|march|april|may|june|july|august|september|october|november|december|{_DAYS}"
        ),
        (
            _any(
                "birth|birthday(?! what)|expiry|expires?|use by|best before|out of date|up to date|sell by|"
                "wedding|easter|christmas|play date"
            ),
            r"\bdate (?:was|did|does|do)\b",
        ),
    ),
    "battery": Form(_any(_OWN_POWER), (_POWERED, _any("new battery|charge for|charged with"))),
    "charging": Form(_any(f"{_OWN_POWER}|cable|cord|plug|lead|socket|charges"), (_POWERED,)),
    "lasting": Form(_any(f"{_OWN_POWER}|last|going|run|die|operational|holds?|enough"), (_POWERED,)),
    "used": Form("", (_POWERED,)),
}
"""By kind. Kinds that are not here need nothing."""
ASKED = ("time", "date", "battery", "charging", "lasting", "used", "which_mode", "timer_left")
"""Kinds that are asked, not commanded."""
