"""Plain sentences in a few languages, written for langcrawl, to fill generated pages."""

from __future__ import annotations

PHRASES: dict[str, tuple[str, ...]] = {
    "th": (
        "วันนี้อากาศดีมากและท้องฟ้าแจ่มใส",
        "ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง",
        "เด็ก ๆ กำลังเรียนภาษาไทยอยู่ในห้องเรียน",
        "คุณยายชอบเล่านิทานให้หลานฟังก่อนนอน",
        "ร้านอาหารเล็ก ๆ แห่งนี้ทำแกงเขียวหวานอร่อยที่สุด",
        "รถไฟขบวนสุดท้ายออกจากสถานีตอนสี่ทุ่ม",
        "หมู่บ้านของเราอยู่ใกล้แม่น้ำและภูเขา",
        "ห้องสมุดประชาชนมีหนังสือเก่าหลายพันเล่ม",
        "ชาวนาเก็บเกี่ยวข้าวในฤดูหนาว",
        "นักเขียนคนนี้เกิดที่จังหวัดเชียงใหม่",
        "พรุ่งนี้จะมีงานประเพณีที่วัดใหญ่ในเมือง",
        "ข่าวประจำวันและบทความใหม่อ่านได้ที่นี่",
    ),
    "en": (
        "The river is low at this time of the year and the boats stay in the harbour.",
        "Our small workshop repairs bicycles, lamps and old radios.",
        "Every morning the baker opens his shop before the sun is up.",
        "She wrote a long letter to her brother and told him about the journey.",
        "The museum shows maps, coins and tools that were found in the valley.",
        "Tickets can be bought at the station or from the driver of the bus.",
        "We have collected recipes for soup, bread and cake from our neighbours.",
        "The library is open until eight in the evening, except on Sunday.",
        "Please read the notes on the next page before you begin.",
        "The weather report promises rain for the whole of next week.",
        "Two new members have joined the choir, and a third will follow in spring.",
        "This page tells the story of the bridge and of the people who built it.",
    ),
    "ja": (
        "今日は天気がとてもよくて、空が青いです。",
        "駅の近くに小さな本屋があります。",
        "毎朝、祖母は庭の花に水をやります。",
        "この町の図書館には古い地図がたくさんあります。",
        "来週の日曜日に友だちと山に登る予定です。",
        "新しい料理の作り方をこのページで紹介します。",
        "夏になると、子どもたちは川で泳ぎます。",
        "電車は九時に東京を出て、昼ごろ京都に着きます。",
        "先生は学生に日本語の手紙の書き方を教えました。",
        "この橋は百年前に村の人々が作ったものです。",
        "ここでは毎日の出来事を短い文章で書いています。",
        "海辺の宿では新しい魚を食べることができます。",
    ),
    "my": (
        "ဒီနေ့ ရာသီဥတု အလွန်ကောင်းပါသည်။",
        "ကျွန်တော်တို့ ရွာသည် မြစ်ကမ်းဘေးတွင် ရှိသည်။",
        "ကလေးများသည် ကျောင်းတွင် စာဖတ်နေကြသည်။",
        "အဖွားသည် ညတိုင်း ပုံပြင်ပြောပြသည်။",
        "ဈေးသည် မနက်တိုင်း စောစောဖွင့်သည်။",
        "စာကြည့်တိုက်တွင် စာအုပ်ဟောင်းများ အများကြီးရှိသည်။",
        "မနက်ဖြန် ဘုရားပွဲတော် ကျင်းပမည်။",
        "လယ်သမားများသည် စပါးရိတ်နေကြသည်။",
        "ရထားသည် ည ဆယ်နာရီတွင် ထွက်သည်။",
        "ဤစာမျက်နှာတွင် နေ့စဉ်သတင်းများကို ဖတ်နိုင်ပါသည်။",
        "သူမသည် မန္တလေးမြို့တွင် မွေးဖွားခဲ့သည်။",
        "တံတားအသစ်ကို ရွာသားများ ဆောက်ခဲ့ကြသည်။",
    ),
}

WORDS: dict[str, tuple[str, ...]] = {
    "th": ("หน้าแรก", "ข่าว", "บทความ", "ติดต่อเรา", "อ่านต่อ", "ท่องเที่ยว", "อาหาร"),
    "en": ("home", "news", "articles", "contact", "read more", "travel", "food"),
    "ja": ("ホーム", "ニュース", "記事", "お問い合わせ", "続きを読む", "旅行", "料理"),
    "my": ("ပင်မစာမျက်နှာ", "သတင်း", "ဆောင်းပါး", "ဆက်သွယ်ရန်", "ဆက်ဖတ်ရန်", "ခရီးသွား", "အစားအစာ"),
}
"""Short words for titles and anchors."""
