"""The rows that programs in Python write, as the file has them."""

MARK = bytes.fromhex("00112233445566778899AABBCCDDEEFF")

# A value for every column that must have one.
PLAIN = {
    "subtitle": None, "isLent": 0, "tiny": 0, "small": 0, "medium": 0, "wide": 0, "byte": 0, "short": 0, "long": 0,
    "huge": 0, "natural": 0, "weight": 0.0, "ratio": 0.0, "price": "0", "acquired": 0.0, "period": "[0,0]",
    "mark": MARK, "page": "https://example.org/", "bytes": b"", "film": b"", "route": b"a", "condition": "sound",
    "rank": 0, "origin_city": "Oslo", "origin_spot_latitude": 59.9, "origin_spot_longitude": 10.75,
    "origin_condition": "sound", "origin_names": "[]", "frame": '{"none":{}}', "tags": "[]", "flags": "[]",
    "numbers": "[]", "huges": "[]", "weights": "[]", "prices": "[]", "dates": "[]", "marks": "[]", "pages": "[]",
    "blobs": "[]", "conditions": "[]", "spots": "[]", "gaps": "[]", "counts": "{}", "words": "[]",
}

PAINTING = dict(
    PLAIN, _osd_entity="Painting", name="new painting", title="Sea", edition=1, technique="ink", plate="plate new")

# A value for every column.
EVERYTHING = {
    "title": "Pi\u00e9ta", "edition": 1, "subtitle": "from \u03b1 to \u03c9", "isLent": 1, "isFragile": 0, "tiny": -5,
    "small": 300, "medium": 70000, "wide": 5000000000, "byte": 200, "short": 60000, "long": 4000000000,
    "huge": bytes.fromhex("8000000000000001"), "natural": 7, "number": -1, "hugeOrNil": 8, "weight": 12.25, "height": 0.1,
    "ratio": 0.5, "ratioOrNil": -1.5, "price": "1250.75", "fee": "-0.000001", "acquired": 700000000.5, "returned": 0.0,
    "period": "[0,4500000000000000000]", "mark": MARK, "oldMark": MARK[::-1], "page": "https://example.org/new",
    "oldPage": "https://example.org/old?x=1", "bytes": b"\x00\xff", "bytesOrNil": b"", "scan": b"\x01\x02\x03",
    "film": b"\x04\x05", "route": b"a\nb", "detour": b"c", "condition": "sound", "formerCondition": "g\u00e9brochen",
    "rank": 7, "formerRank": -1, "origin_city": "\u014csaka", "origin_spot_latitude": 34.5,
    "origin_spot_longitude": 135.25, "origin_year": 1969, "origin_condition": "sound", "origin_names": '["a","b"]',
    "formerOrigin_city": "Nara", "formerOrigin_spot_latitude": 1.5, "formerOrigin_spot_longitude": 2.5,
    "formerOrigin_year": None, "formerOrigin_condition": "sound", "formerOrigin_names": "[]", "hint": 1,
    "hint_text": "see", "hint_page": 9, "frame": '{"wood":{"width":0.5}}', "formerFrame": '{"none":{}}',
    "whole": '{"latitude":1.5,"longitude":2.5}', "tags": '["x","\u00e9"]', "tagsOrNil": '["y"]', "flags": "[true]",
    "numbers": "[1,2]", "huges": "[3]", "weights": "[0.5]", "prices": "[1.5]", "dates": "[10]",
    "marks": '["00112233-4455-6677-8899-AABBCCDDEEFF"]', "pages": '["https://example.org/p"]', "blobs": '["AQI="]',
    "conditions": '["sound"]', "spots": '[{"latitude":1,"longitude":2}]', "gaps": "[null,4]", "counts": '{"k":1}',
    "words": '["w"]',
}

SCULPTURE = dict(EVERYTHING, _osd_entity="Sculpture", name="new sculpture", material="bronze", plate_2=5)
