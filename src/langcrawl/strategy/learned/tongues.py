"""Facts about languages that URLs and anchors name: codes, names, letters, top-level domains.

A row is a code of ISO 639-1, the other codes, the names in English and in the language itself,
the letters by which it is written, and the top-level domains where it is at home.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from langcrawl.records import UNKNOWN

_LETTERS: Final = {
    "arab": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff", "armn": "\u0530-\u058f",
    "beng": "\u0980-\u09ff", "cher": "\u13a0-\u13ff", "cyrl": "\u0400-\u052f",
    "deva": "\u0900-\u097f",
    "ethi": "\u1200-\u139f", "geor": "\u10a0-\u10ff", "grek": "\u0370-\u03ff\u1f00-\u1fff",
    "gujr": "\u0a80-\u0aff", "guru": "\u0a00-\u0a7f", "hang": "\u1100-\u11ff\uac00-\ud7af",
    "hani": "\u3400-\u9fff", "hebr": "\u0590-\u05ff", "kana": "\u3040-\u30ff",
    "khmr": "\u1780-\u17ff", "knda": "\u0c80-\u0cff", "laoo": "\u0e80-\u0eff",
    "mlym": "\u0d00-\u0d7f", "mong": "\u1800-\u18af", "mymr": "\u1000-\u109f",
    "orya": "\u0b00-\u0b7f", "sinh": "\u0d80-\u0dff", "taml": "\u0b80-\u0bff",
    "telu": "\u0c00-\u0c7f", "thaa": "\u0780-\u07bf", "thai": "\u0e00-\u0e7f",
    "tibt": "\u0f00-\u0fff",
}  # fmt: skip
_TABLE: Final = """
af afr afrikaans latn za
am amh amharic,አማርኛ ethi et
ar ara arabic,العربية,عربي arab sa,eg,ae,ma,dz,tn,iq,jo,lb,sy,kw,qa,om,ye,ly,sd
az aze azerbaijani,azərbaycan latn az
be bel belarusian,беларуская cyrl by
bg bul bulgarian,български cyrl bg
bn ben bengali,bangla,বাংলা beng bd
bs bos bosnian,bosanski latn ba
ca cat catalan,català latn cat,ad
cs ces,cze czech,čeština,česky latn cz
cy cym welsh,cymraeg latn cymru,wales
da dan danish,dansk latn dk
de deu,ger german,deutsch latn de,at,ch,li
el ell,gre greek,ελληνικά grek gr,cy
en eng english latn -
eo epo esperanto latn -
es spa spanish,español,castellano latn es,mx,ar,co,cl,pe,ve
et est estonian,eesti latn ee
eu eus,baq basque,euskara latn eus
fa fas,per persian,farsi,فارسی arab ir
fi fin finnish,suomi latn fi
fr fra,fre french,français,francais latn fr,be,ch
ga gle irish,gaeilge latn ie
gl glg galician,galego latn gal
gu guj gujarati,ગુજરાતી gujr -
he heb hebrew,עברית hebr il
hi hin hindi,हिन्दी,हिंदी deva in
hr hrv croatian,hrvatski latn hr
hu hun hungarian,magyar latn hu
hy hye,arm armenian,հայերեն armn am
id ind indonesian,bahasa latn id
is isl,ice icelandic,íslenska latn is
it ita italian,italiano latn it,sm
ja jpn japanese,日本語 kana,hani jp
ka kat,geo georgian,ქართული geor ge
kk kaz kazakh,қазақша cyrl kz
km khm khmer,cambodian,ខ្មែរ,ភាសាខ្មែរ khmr kh
kn kan kannada,ಕನ್ನಡ knda -
ko kor korean,한국어 hang kr
ky kir kyrgyz,кыргызча cyrl kg
lo lao lao,laotian,ລາວ laoo la
lt lit lithuanian,lietuvių latn lt
lv lav latvian,latviešu latn lv
mk mkd,mac macedonian,македонски cyrl mk
ml mal malayalam,മലയാളം mlym -
mn mon mongolian,монгол cyrl,mong mn
mr mar marathi,मराठी deva -
ms msa,may malay,melayu latn my,bn
my mya,bur burmese,myanmar,မြန်မာ mymr mm
nb nob norwegian,norsk,bokmål latn no
ne nep nepali,नेपाली deva np
nl nld,dut dutch,nederlands latn nl,be
nn nno nynorsk latn no
no nor norwegian,norsk latn no
or ori odia,oriya,ଓଡ଼ିଆ orya -
pa pan punjabi,ਪੰਜਾਬੀ guru -
pl pol polish,polski latn pl
pt por portuguese,português,portugues,brasileiro latn pt,br,ao,mz
ro ron,rum romanian,română latn ro,md
ru rus russian,русский cyrl ru,su
si sin sinhala,සිංහල sinh lk
sk slk,slo slovak,slovenčina latn sk
sl slv slovenian,slovenščina latn si
sq sqi,alb albanian,shqip latn al
sr srp serbian,српски,srpski cyrl rs
sv swe swedish,svenska latn se
sw swa swahili,kiswahili latn ke,tz
ta tam tamil,தமிழ் taml -
te tel telugu,తెలుగు telu -
tg tgk tajik,тоҷикӣ cyrl tj
th tha thai,ไทย,ภาษาไทย thai th
tl tgl,fil tagalog,filipino latn ph
tr tur turkish,türkçe latn tr
uk ukr ukrainian,українська cyrl ua
ur urd urdu,اردو arab pk
uz uzb uzbek latn uz
vi vie vietnamese,tiếngviệt latn vn
zh zho,chi,cn,tw,chs,cht chinese,中文,简体,繁體 hani cn,tw,hk,sg
"""
_ALSO: Final = """
ab abkhaz,abkhazian,аҧсуа cyrl
as assamese,অসমীয়া beng
av avar,авар cyrl
awa awadhi,अवधी deva
ba bashkir,башҡортса cyrl
bho bhojpuri,भोजपुरी deva
bo tibetan,བོད་ཡིག,བོད་སྐད tibt
ce chechen,нохчийн cyrl
chr cherokee,ᏣᎳᎩ cher
ckb sorani,کوردی arab
cv chuvash,чӑвашла cyrl
dv dhivehi,divehi,ދިވެހި thaa
dz dzongkha,རྫོང་ཁ tibt
mai maithili,मैथिली deva
mnw မန်,ဘာသာမန် mymr
os ossetian,ossetic,ирон cyrl
ps pashto,پښتو arab
sa sanskrit,संस्कृतम् deva
sah sakha,yakut,сахалыы cyrl
sd sindhi,سنڌي arab
shn တႆး,လိၵ်ႈတႆး mymr
ti tigrinya,ትግርኛ ethi
tt tatar,татарча cyrl
tyv tuvan,тыва cyrl
ug uyghur,uighur,ئۇيغۇرچە arab
yi yiddish,ייִדיש,יידיש hebr
"""
"""Languages that are known as targets only: their codes are words in too many other URLs."""
_SAME: Final = {"nb": "no", "nn": "no"}
"""Written forms of one language, which sites name by either code."""
_CODE = re.compile(r"([a-z]{2,3})(?:[-_.]?(?:[a-z]{2}|hans|hant|latn|cyrl))?$")
_HOME: Final = ("latn",)


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language, as URLs and anchors speak of it."""

    code: str
    names: frozenset[str]
    letters: tuple[str, ...]
    domains: frozenset[str]


def _read() -> tuple[dict[str, Tongue], dict[str, str], dict[str, str]]:
    tongues: dict[str, Tongue] = {}
    codes: dict[str, str] = {}
    names: dict[str, str] = {}
    for line in _TABLE.strip().splitlines():
        code, more, called, letters, domains = line.split(" ")
        own = frozenset(called.split(","))
        tongues[code] = Tongue(
            code, own, tuple(letters.split(",")), frozenset(domains.split(",")) - {"-"}
        )
        main = _SAME.get(code, code)
        for each in (code, *more.split(",")):
            codes.setdefault(each, main)
        for each in own:
            names.setdefault(each, main)
    return tongues, codes, names


TONGUES, _CODES, _NAMES = _read()


def primary(tag: str) -> str:
    """The code of a language tag: ``ja`` of ``ja-JP`` and of ``jpn``."""
    first = tag.lower().replace("_", "-").split("-")[0]
    return _CODES.get(first, first)


@lru_cache(1 << 15)
def named_by(word: str) -> str:
    """The language that a word of a URL or anchor names by code or name; empty if it does not."""
    word = word.lower()
    if word in _NAMES:
        return _NAMES[word]
    if len(word) > 8:
        return ""
    found = _CODE.match(word)
    if found is None:
        return ""
    code = found.group(1)
    if code == word or "-" in word or "_" in word:
        return _CODES.get(code, "")
    return ""


class Targets(NamedTuple):
    """The languages that a crawl looks for, as URLs and anchors speak of them."""

    codes: frozenset[str]
    names: dict[str, str]
    """Names and codes of those that the table does not have."""
    letters: str
    """The ranges of letters, for a regular expression, that they are written by alone; none for
    Latin letters, which all languages use at times."""
    own_letters: str
    """Letters that tell them from others that share some: kana for Japanese."""
    latin: bool
    """Some of them are written in Latin letters."""
    domains: frozenset[str]

    def named_by(self, word: str) -> str:
        """The language that a word names: any, if it is in the table, or one of these."""
        return named_by(word) or self.names.get(word.lower(), "")


@lru_cache(16)
def targets_of(lang: str) -> Targets:
    """What is known of one language, or of several with commas between them."""
    codes = tuple(dict.fromkeys(primary(tag) for tag in lang.split(",")))
    tongues = [TONGUES.get(code) or _beyond_the_table(code) for code in codes]
    letters = [[_LETTERS.get(name, "") for name in tongue.letters] for tongue in tongues]
    return Targets(
        frozenset(codes),
        {name: each.code for each in tongues if each.code not in TONGUES for name in each.names},
        "".join(dict.fromkeys(ranges for each in letters for ranges in each)),
        "".join(dict.fromkeys(each[0] for each in letters)),
        any(not each[0] for each in letters),
        frozenset().union(*(tongue.domains for tongue in tongues)),
    )


def _beyond_the_table(code: str) -> Tongue:
    """A target whose code says nothing to crawls for other languages."""
    for line in _ALSO.strip().splitlines():
        known, called, letters = line.split(" ")
        if known == code:
            return Tongue(code, frozenset({code, *called.split(",")}), (letters,), frozenset())
    return Tongue(code, frozenset({code}) - {UNKNOWN}, _HOME, frozenset())
