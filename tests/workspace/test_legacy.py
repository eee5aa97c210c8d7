# ruff: noqa: E501 - prose in many languages
"""Old code pages: a table of samples decides what the guess has to tell apart.

Each sample is encoded in a code page and must come back as it was. Short samples are those that can be told apart in
principle: in scripts of their own, or in the languages of Western Europe, which have the benefit of the doubt. One word
of Czech in windows-1250 is a word of Danish and Italian letters in windows-1252: Central European, Turkish and Baltic
languages are therefore mostly in the table of long samples.
"""

from __future__ import annotations

import random

import charset_normalizer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.pipeline.code_pages import CODE_PAGES
from workspace.pipeline.decode import EncodingError, decode
from workspace.pipeline.legacy import WINDOW_BYTES, WINDOWS, likeliest, sample_of

SHORT = {
    "cp1252": [
        "Café",
        "Café\n",
        "café naïve résumé",
        "contrôleur",
        "Le contrôleur général a été reçu à l’hôtel de ville.\n",
        "déjà vu, coûte que coûte — c'est ça !",
        "Größe: 15 µm ± 2 %, ca. 20 °C",
        "Grüße aus Köln, schöne Straße",
        "äöü ÄÖÜ ß",
        "¿Cómo estás? ¡Mañana te lo cuento!",
        "El niño comió una manzana.",
        "Não há solução, só ações concretas.",
        "São Paulo",
        "perché la città è così bella",
        "Låt oss äta smörgås på ön",
        "Rødgrød med fløde på æbleskiver",
        "það er góð hugmynd",
        "Þingvellir",
        "Ísland er stórt og fagurt land, þar sem jöklar og eldfjöll ráða ríkjum.",
        "één of twee coördinaten",
        "£5 or €6",
        "“Smart quotes” and an en dash – it’s all there…",
        "…",
        "naïve",
        "€ 1.234,50",
        "© 2003 Müller & Söhne",
        "Tom’s",
        "x² + y² = 1",
        "cœur, sœur et bœuf",
        "MÉXICO",
        "ÉTÉ",
    ],
    "iso8859_15": ["L'œuvre coûte 5 € à l'entrée, le cœur y est."],
    "cp1250": [
        "Příliš žluťoučký kůň úpěl ďábelské ódy",
        "Zażółć gęślą jaźń",
        "Pójdź, kińże tę chmurność w głąb flaszy",
    ],
    "iso8859_2": ["Piątek, wtorek", "Příliš žluťoučký kůň úpěl ďábelské ódy", "Zażółć gęślą jaźń"],
    "cp1251": [
        "Привет",
        "Привет, мир",
        "Съешь же ещё этих мягких французских булок",
        "Їжак і ґава живуть у лісі",
        "Добър ден, как сте?",
        "# проверка связи\nprint(1)\n",
    ],
    "koi8_r": ["Привет, мир", "Съешь же ещё этих мягких французских булок"],
    "koi8_u": ["Доброго ранку, як справи сьогодні?"],
    "iso8859_5": ["Съешь же ещё этих мягких французских булок"],
    "cp866": ["Привет, мир", "Файл не найден: проверьте имя диска"],
    "cp1253": ["Καλημέρα κόσμε", "Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο"],
    "iso8859_7": ["Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο"],
    "cp1254": ["Pijamalı hasta yağız şoföre çabucak güvendi"],
    "cp1255": ["שלום עולם", "הכלב רץ מהר אל הבית"],
    "cp1256": ["مرحبا بالعالم", "الكتاب على الطاولة في الغرفة"],
    "cp874": ["สวัสดีชาวโลก"],
    "cp1258": ["Tiếng Việt là ngôn ngữ của người Việt"],
    "cp932": ["日本語", "こんにちは世界", "検索エンジンのテスト", "コンピュータ"],
    "euc_jp": ["こんにちは世界", "検索エンジンのテスト"],
    "iso2022_jp": ["日本語のメール", "Re: こんにちは"],
    "gb18030": ["今天🎉🎉🎉", "中文测试", "你好，世界", "数据库连接失败"],
    "big5": ["你好，世界", "資料庫連線失敗"],
    "cp949": ["안녕하세요", "데이터베이스 연결에 실패했습니다"],
    "johab": ["데이터베이스 연결에 실패했습니다"],
    "iso2022_kr": ["안녕하세요"],
    "mac_roman": ["Les élèves ont été reçus à l’école."],
    "cp850": ["Überprüfen Sie die Größe für das Gerät"],
    "cp437": [
        "Les élèves ont été reçus à Genève.",
        "┌────────────────────────┐\n│ Menu            Datei  │\n└────────────────────────┘\n",
    ],
}

FRENCH = """L'été dernier, nous avons visité le château où naquit la reine. À l'entrée, un guide âgé nous a reçus.
Il connaissait chaque pièce et chaque portrait ; sa voix résonnait sous les voûtes. « Regardez, disait-il, la forêt
commence là-bas, derrière la rivière gelée. » Les élèves ont été très impressionnés par l'œuvre du maître d'hôtel.
Le déjeuner coûtait quinze €, boisson comprise — c'était plutôt raisonnable.
"""
GERMAN = """Im vergangenen Sommer besuchten wir eine alte Burg über dem Fluß. Ein älterer Führer öffnete uns das Tor.
Er erzählte von Königen, Räubern und schönen Töchtern; wir hörten ihm gern zu. Später aßen wir in einem Gasthof
„Zum Bären“ Knödel mit Soße, während draußen die Vögel zwitscherten. Die Rückfahrt dauerte länger als gedacht.
"""
SPANISH = """El verano pasado visitamos un castillo junto al río. Un guía anciano nos abrió la puerta y empezó a hablar.
¿Quién construyó la torre? ¡Nadie lo sabía! Los niños corrían por el jardín mientras él explicaba la batalla. Después
comimos jamón con piñones en un pequeño mesón; la señora nos regaló además un libro sobre la región.
"""
PORTUGUESE = """No verão passado visitámos um castelo à beira do rio. Um guia idoso abriu-nos o portão e começou a falar.
As crianças não queriam ir embora: a torre, as muralhas e os canhões eram impressionantes. Depois comemos pão com
açúcar numa estalagem; a refeição não custou mais do que dez euros, e ninguém ficou com fome até ao anoitecer.
"""
ITALIAN = """L'estate scorsa siamo andati a vedere un castello più vecchio della città. Perché nessuno lo conosce? Chissà.
La guida parlò a lungo: c'è una leggenda, però nessuno sa se sia la verità. Poi abbiamo mangiato in un'osteria, dove
il caffè era così buono che ne abbiamo bevuti tre. La felicità costa poco, se uno può dormire un po' di più il lunedì.
"""
SWEDISH = """I somras besökte vi ett gammalt slott vid ån. En äldre man öppnade porten och började berätta om kungar och
rövare. Barnen sprang på gräsmattan medan föräldrarna lyssnade. Sedan åt vi smörgåsar på ett värdshus där regnet slog
mot rutorna. På hemvägen såg vi älgar i skogen, och nästan alla somnade före Örebro.
"""
DANISH = """Sidste sommer besøgte vi et gammelt slot ved åen. En ældre mand åbnede porten og begyndte at fortælle om konger
og røvere. Børnene løb på græsset, mens forældrene hørte efter. Bagefter spiste vi smørrebrød på en kro, hvor regnen
slog mod ruderne. På vejen hjem så vi rådyr i skoven, og næsten alle sov, før vi nåede Århus.
"""
ICELANDIC = """Síðasta sumar heimsóttum við gamlan kastala við ána. Eldri maður opnaði hliðið og byrjaði að segja frá
konungum og ræningjum. Börnin hlupu um túnið meðan foreldrarnir hlustuðu á. Síðan fengum við okkur súpu á veitingahúsi
þar sem rigningin buldi á rúðunum. Á heimleiðinni sáum við hreindýr, og næstum allir sofnuðu áður en við komum heim.
"""
POLISH = """Zeszłego lata odwiedziliśmy stary zamek nad brzegiem rzeki. Starszy mężczyzna otworzył nam bramę i zaczął
opowiadać o królach oraz zbójcach. Dzieci biegały po trawie, a rodzice słuchali. Później zjedliśmy w gospodzie pierogi
ze śmietaną, podczas gdy deszcz bębnił o szyby. W drodze powrotnej widzieliśmy łosie i prawie wszyscy zasnęli.
"""
CZECH = """Minulé léto jsme navštívili starý hrad nad řekou. Starší muž nám otevřel bránu a začal vyprávět o králích
a loupežnících. Děti běhaly po trávě, zatímco rodiče poslouchali. Potom jsme v hostinci snědli knedlíky se zelím a déšť
bubnoval do oken. Cestou zpátky jsme viděli jeleny a téměř všichni usnuli dříve, než jsme dojeli domů.
"""
HUNGARIAN = """Tavaly nyáron meglátogattunk egy régi várat a folyó fölött. Egy idős férfi nyitotta ki a kaput, és mesélni
kezdett a királyokról meg a rablókról. A gyerekek a fűben futkostak, a szülők pedig hallgatták. Később egy fogadóban
gulyást ettünk, miközben az eső az ablakot verte. Hazafelé őzeket láttunk, és szinte mindenki elaludt.
"""
CROATIAN = """Prošlog smo ljeta posjetili stari dvorac iznad rijeke. Stariji čovjek otvorio nam je vrata i počeo pričati
o kraljevima i razbojnicima. Djeca su trčala po travi dok su roditelji slušali. Poslije smo u krčmi jeli juhu, a kiša
je lupala po prozorima. Na povratku smo vidjeli srne, i gotovo su svi zaspali prije nego što smo došli kući.
"""
ROMANIAN = """Vara trecută am vizitat un castel vechi de lângă râu. Un bărbat în vârstă ne-a deschis poarta şi a început
să povestească despre regi şi haiduci. Copiii alergau prin iarbă, iar părinţii ascultau. Apoi am mâncat la un han, în
timp ce ploaia bătea în geamuri. La întoarcere am văzut căprioare şi aproape toţi au adormit până acasă.
"""
RUSSIAN = """Прошлым летом мы побывали в старом замке над рекой. Пожилой человек открыл нам ворота и начал рассказывать
о королях и разбойниках. Дети бегали по траве, а родители слушали. Потом мы ели щи в трактире, пока дождь стучал в окна.
На обратном пути мы видели лосей, и почти все уснули ещё до города.
"""
UKRAINIAN = """Минулого літа ми побували у старому замку над річкою. Літній чоловік відчинив нам браму і почав розповідати
про королів та розбійників. Діти бігали по траві, а батьки слухали. Потім ми їли борщ у корчмі, поки дощ стукав у вікна.
Дорогою додому ми бачили лосів, і майже всі поснули ще до міста.
"""
BULGARIAN = """Миналото лято посетихме стар замък над реката. Възрастен човек ни отвори портата и започна да разказва
за крале и разбойници. Децата тичаха по тревата, а родителите слушаха. После ядохме в една кръчма, докато дъждът
чукаше по прозорците. На връщане видяхме елени и почти всички заспаха, преди да стигнем до града.
"""
GREEK = """Το περασμένο καλοκαίρι επισκεφθήκαμε ένα παλιό κάστρο πάνω από το ποτάμι. Ένας ηλικιωμένος άνθρωπος μας άνοιξε
την πύλη και άρχισε να μιλάει για βασιλιάδες και ληστές. Τα παιδιά έτρεχαν στο χορτάρι, ενώ οι γονείς άκουγαν. Ύστερα
φάγαμε σε μια ταβέρνα, καθώς η βροχή χτυπούσε τα τζάμια.
"""
TURKISH = """Geçen yaz ırmağın üstündeki eski bir kaleyi gezdik. Yaşlı bir adam bize kapıyı açtı ve krallardan, haydutlardan
söz etmeye başladı. Çocuklar çimenlerde koşarken büyükler onu dinledi. Sonra bir handa çorba içtik; yağmur camlara
vuruyordu. Dönüş yolunda geyikler gördük ve şehre varmadan önce neredeyse herkes uyumuştu.
"""
HEBREW = """בקיץ שעבר ביקרנו בטירה עתיקה מעל הנהר. איש זקן פתח לנו את השער והתחיל לספר על מלכים ושודדים. הילדים רצו
על הדשא בזמן שההורים הקשיבו. אחר כך אכלנו מרק בפונדק, והגשם דפק על החלונות. בדרך חזרה ראינו איילים, וכמעט כולם נרדמו.
"""
ARABIC = """في الصيف الماضي زرنا قلعة قديمة فوق النهر. فتح لنا رجل مسن البوابة وبدأ يحكي عن الملوك واللصوص. كان الأطفال
يركضون على العشب بينما كان الآباء يستمعون. ثم أكلنا الحساء في نزل صغير والمطر يطرق النوافذ، ونام الجميع في طريق العودة.
"""
LITHUANIAN = """Praėjusią vasarą aplankėme seną pilį virš upės. Pagyvenęs vyras atidarė mums vartus ir pradėjo pasakoti apie
karalius ir plėšikus. Vaikai bėgiojo po žolę, o tėvai klausėsi. Paskui užeigoje valgėme sriubą, o lietus barbeno į
langus. Grįždami matėme stirnų, ir beveik visi užmigo dar nepasiekę miesto.
"""
LATVIAN = """Pagājušajā vasarā mēs apmeklējām senu pili virs upes. Vecs vīrs mums atvēra vārtus un sāka stāstīt par
karaļiem un laupītājiem. Bērni skrēja pa zāli, kamēr vecāki klausījās. Pēc tam krogā ēdām zupu, un lietus sitās pret
logiem. Atceļā redzējām stirnas, un gandrīz visi aizmiga, pirms bijām sasnieguši pilsētu.
"""
ESTONIAN = """Möödunud suvel käisime vanas lossis jõe kohal. Eakas mees avas meile värava ja hakkas jutustama kuningatest
ning röövlitest. Lapsed jooksid mööda rohtu, kuni vanemad kuulasid. Pärast sõime kõrtsis suppi ja vihm peksis vastu
aknaid. Tagasiteel nägime põtru, ja peaaegu kõik jäid magama, enne kui jõudsime linna.
"""
THAI = """ฤดูร้อนที่แล้วเราไปเที่ยวปราสาทเก่าริมแม่น้ำ ชายชราคนหนึ่งเปิดประตูให้เราและเริ่มเล่าเรื่องกษัตริย์กับโจรป่า
เด็กๆ วิ่งเล่นบนสนามหญ้า ส่วนพ่อแม่นั่งฟัง หลังจากนั้นเรากินข้าวในร้านเล็กๆ ขณะที่ฝนตกหนัก
"""
VIETNAMESE = """Mùa hè năm ngoái chúng tôi đến thăm một tòa lâu đài cổ bên sông. Một ông lão mở cổng và bắt đầu kể chuyện về
các vị vua và bọn cướp. Trẻ em chạy trên bãi cỏ trong khi cha mẹ lắng nghe. Sau đó chúng tôi ăn cơm ở quán trọ, ngoài
trời mưa rất to. Trên đường về, hầu như mọi người đều ngủ thiếp đi trước khi tới thành phố.
"""
JAPANESE = """昨年の夏、私たちは川のほとりにある古い城を訪れました。年老いた案内人が門を開け、王や盗賊の話を始めました。
子どもたちは草の上を走り回り、親たちは耳を傾けていました。それから宿屋でスープを飲み、雨が窓をたたきました。
帰り道には鹿を見かけ、町に着く前にほとんどの人が眠ってしまいました。
"""
SIMPLIFIED = """去年夏天，我们参观了河边的一座古老城堡。一位老人为我们打开大门，开始讲国王和强盗的故事。孩子们在草地上奔跑，
父母们在一旁听着。后来我们在客栈里喝汤，雨点敲打着窗户。回家的路上我们看见了鹿，还没到城里大家几乎都睡着了。
"""
TRADITIONAL = """去年夏天，我們參觀了河邊的一座古老城堡。一位老人為我們打開大門，開始講國王和強盜的故事。孩子們在草地上奔跑，
父母們在一旁聽著。後來我們在客棧裡喝湯，雨點敲打著窗戶。回家的路上我們看見了鹿，還沒到城裡大家幾乎都睡著了。
"""
KOREAN = """지난여름 우리는 강가의 오래된 성을 방문했습니다. 나이 든 안내인이 문을 열어 주고 왕과 도둑의 이야기를 시작했습니다.
아이들은 풀밭을 뛰어다녔고 부모들은 귀를 기울였습니다. 그 뒤 우리는 여관에서 국을 먹었고, 비가 창문을 두드렸습니다.
"""
KOREAN_CHAT = """ㅋㅋㅋㅋ 뷁!! 어제 빋덞 봤냐 ㅠㅠ ★☆★ 완전 펠릭☞ ①번이 젤 낫다 ㅎㅎ
ⓐ 짱이얌 ♡♡ ㅇㅇ 마자마자 ㅠ_ㅠ 낼 셤인뎨 우뜩햌 ㄱㄱ ㅂㅂ~ 卽時 갈껭 ※주의※
숔 쨩 뵹뵹 뜌뜌 ㉠ 햣 ㉡ 뾱 →→ ㅜㅜ 또 와쪄 므흣 쀍 됬엌
"""
"""Full of symbols, single letters and syllables that KS X 1001 lacks: as chaotic as noise, but valid to the last byte."""

LONG = {
    "cp1252": [FRENCH, GERMAN, SPANISH, PORTUGUESE, ITALIAN, SWEDISH, DANISH, ICELANDIC, ESTONIAN],
    "latin_1": [SPANISH, PORTUGUESE, SWEDISH, DANISH, ICELANDIC],
    "iso8859_15": [FRENCH.replace("—", "-")],
    "mac_roman": [FRENCH, GERMAN, SPANISH],
    "cp850": [SPANISH, SWEDISH, PORTUGUESE],
    "cp1250": [POLISH, CZECH, HUNGARIAN, CROATIAN, ROMANIAN],
    "iso8859_2": [POLISH, CZECH, HUNGARIAN, CROATIAN, ROMANIAN],
    "cp852": [POLISH, CZECH, HUNGARIAN],
    "cp1251": [RUSSIAN, UKRAINIAN, BULGARIAN],
    "koi8_r": [RUSSIAN],
    "koi8_u": [UKRAINIAN],
    "iso8859_5": [RUSSIAN, BULGARIAN],
    "cp866": [RUSSIAN, BULGARIAN],
    "mac_cyrillic": [RUSSIAN],
    "cp855": [RUSSIAN],
    "cp1253": [GREEK],
    "iso8859_7": [GREEK],
    "cp1254": [TURKISH],
    "iso8859_9": [TURKISH],
    "cp1255": [HEBREW],
    "iso8859_8": [HEBREW],
    "cp1256": [ARABIC],
    "iso8859_6": [ARABIC],
    "cp1257": [LITHUANIAN, LATVIAN, ESTONIAN],
    "cp874": [THAI],
    "cp1258": [VIETNAMESE],
    "cp932": [JAPANESE],
    "shift_jis": [JAPANESE],
    "euc_jp": [JAPANESE],
    "iso2022_jp": [JAPANESE],
    "gb18030": [SIMPLIFIED, TRADITIONAL],
    "gb2312": [SIMPLIFIED],
    "big5": [TRADITIONAL],
    "cp949": [KOREAN, KOREAN_CHAT],
    "johab": [KOREAN, KOREAN_CHAT],
    "iso2022_kr": [KOREAN],
}

TONES = "\u0300\u0301\u0303\u0309\u0323"
SAMPLES = [(codec, text) for table in (SHORT, LONG) for codec, texts in table.items() for text in texts]
ids = [f"{codec}-{text[:12].strip()}" for codec, text in SAMPLES]


def encoded(text: str, codec: str) -> bytes:
    """Write `text` as people did; in windows-1258 a tone follows its vowel."""
    if codec != "cp1258":
        return text.encode(codec)
    import unicodedata

    pieces = []
    for character in text:
        marks = unicodedata.normalize("NFD", character)
        base = unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in TONES))
        pieces.append(base + "".join(mark for mark in marks if mark in TONES))
    return "".join(pieces).encode(codec)


def name_of(codec: str) -> str | None:
    return next((page.name for page in CODE_PAGES if page.codec == codec), None)


@pytest.mark.parametrize(("codec", "text"), SAMPLES, ids=ids)
def test_a_sample_comes_back_as_it_was_written(codec, text):
    decoded = decode(encoded(text, codec))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize("codec", ["cp1252", "cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "cp949"])
def test_the_encoding_is_named(codec):
    assert decode(encoded(LONG[codec][0], codec)).encoding == name_of(codec)


@pytest.mark.parametrize(("codec", "text"), [("cp1252", FRENCH), ("cp1251", RUSSIAN), ("cp932", JAPANESE)])
def test_a_large_file_is_judged_by_all_of_it(codec, text):
    """The only words that say something stand far behind the beginning, or far before the end."""
    plain = "nothing but plain words in this line\n" * 3000
    for whole in (plain + text, text + plain, plain + text + plain):
        assert decode(encoded(whole, codec)).text == whole


@pytest.mark.parametrize(("codec", "text"), [("gb18030", SIMPLIFIED), ("cp932", JAPANESE), ("cp949", KOREAN)])
def test_a_large_file_without_a_single_separator_is_judged_too(codec, text):
    whole = "".join(text.split()).replace(".", "").replace(",", "") * 200
    assert decode(encoded(whole, codec)).text == whole


def test_what_many_code_pages_have_in_common_decides_nothing():
    """A beginning that reads the same in several code pages must not decide over a text that does not."""
    whole = "für\n" * 3000 + HUNGARIAN * 500
    assert decode(whole.encode("cp1250")).text == whole


def test_a_text_in_which_much_is_invalid_is_no_text():
    """Even where the samples happen to be fine."""
    block = (SIMPLIFIED * 4).encode("gb18030") + b"\xff\n" * 2000
    with pytest.raises(EncodingError):
        decode(block * WINDOWS)


def test_a_bad_byte_in_a_long_old_text_costs_one_character():
    """Windows-1252 has five bytes without a character, and a Shift-JIS file may be cut in a character."""
    french = FRENCH.encode("cp1252")
    assert decode(french + b"\x9d" + french).text == FRENCH + "\x9d" + FRENCH
    japanese = JAPANESE.rstrip()
    assert decode(japanese.encode("cp932")[:-1]).text == japanese[:-1] + "\u0081"


def test_one_old_word_does_not_decide_over_a_page_of_ascii():
    page = "plain words, as in most files\n" * 40
    for word in ("Müller", "naïve", "µ", "«", "50 £", "×", "ñ", "²", "¼", "5 m³", "Nº 7", "´"):
        assert decode((page + word + "\n" + page).encode("cp1252")).text == page + word + "\n" + page


@pytest.mark.parametrize("size", [64, 200, 5000])
def test_random_bytes_are_no_text(size):
    generator = random.Random(size)  # noqa: S311 - nothing secret
    for alphabet in (range(1, 256), range(0x80, 256), [*range(0x20, 0x7F), *range(0x80, 256)]):
        for _ in range(20):
            with pytest.raises(EncodingError):
                decode(bytes(generator.choices(alphabet, k=size)))


def test_control_characters_are_no_text():
    with pytest.raises(EncodingError, match="control"):
        decode(FRENCH.encode("cp1252") + b"\x01\x02\x03\x04" * 10)
    assert decode(b"\x1b[1m" + FRENCH.encode("cp1252") + b"\x1b[0m\x1a").text.endswith("\x1b[0m\x1a")


def answer(monkeypatch, chaos: float | None):
    """Make charset-normalizer see that much chaos in everything, or no possible encoding at all."""
    matches = charset_normalizer.CharsetMatches()
    if chaos is not None:
        matches.append(charset_normalizer.CharsetMatch(b"x", "utf_8", chaos, False, [], "x"))
    monkeypatch.setattr(charset_normalizer, "from_bytes", lambda *_, **__: matches)


@pytest.mark.parametrize(("codec", "text"), [("cp1252", FRENCH * 3), ("cp1251", RUSSIAN), ("cp932", JAPANESE[:60])])
def test_what_charset_normalizer_has_no_confidence_in_is_refused(monkeypatch, codec, text):
    data = text.encode(codec)
    for chaos in (None, 0.51, 0.9):
        answer(monkeypatch, chaos)
        with pytest.raises(EncodingError):
            decode(data)
    answer(monkeypatch, 0.5)
    assert decode(data).text == text


def test_a_few_western_letters_need_no_confidence(monkeypatch):
    answer(monkeypatch, 0.9)
    assert decode("Café".encode("cp1252")).text == "Café"
    with pytest.raises(EncodingError):
        decode("Привет".encode("koi8_r"))


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
def test_many_valid_pairs_need_no_confidence(monkeypatch, codec):
    answer(monkeypatch, 0.9)
    assert decode(JAPANESE.encode(codec)).text == JAPANESE
    with pytest.raises(EncodingError):
        decode(JAPANESE.encode(codec) + b"\x81\n")


def test_every_code_page_has_a_codec_and_characters():
    for page in CODE_PAGES:
        assert "abc".encode(page.codec) == b"abc"
        assert page.script.tables()


@given(st.lists(st.binary(), min_size=1))
def test_a_sample_is_part_of_the_data(pieces):
    data = b"".join(pieces)
    data *= 1 + 2 * WINDOWS * WINDOW_BYTES // max(len(data), 1)
    windows = sample_of(data)
    assert len(windows) <= WINDOWS * (WINDOW_BYTES + 8192 + 128 + 1)
    assert windows[:WINDOW_BYTES].rstrip(b"\n") in data


@pytest.mark.parametrize(("codec", "text"), [("cp932", JAPANESE), ("gb18030", SIMPLIFIED), ("big5", TRADITIONAL)])
def test_a_sample_never_cuts_a_character(codec, text):
    lines = [text.splitlines()[number % 2] + "word" * (number % 7) for number in range(400)]
    assert sample_of("\n".join(lines).encode(codec)).decode(codec)


@given(st.binary())
def test_judging_never_fails(sample):
    assert len(likeliest(sample)) == len(set(likeliest(sample)))
