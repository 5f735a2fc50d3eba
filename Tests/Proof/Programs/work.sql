-- What a person does with a store in the shell of SQLite. Work.swift does the same through the library.
PRAGMA foreign_keys = ON;
BEGIN IMMEDIATE;

-- A row with a key that was never given to another.
INSERT OR IGNORE INTO _osd_sequence VALUES ('Maker', 1);
UPDATE _osd_sequence SET next = max(next, (SELECT coalesce(max(_osd_key), 0) + 1 FROM Maker)) + 1 WHERE entity = 'Maker';
INSERT INTO Maker (_osd_key, name, born) SELECT next - 1, 'dora', 1000.5 FROM _osd_sequence WHERE entity = 'Maker';

-- Rows without keys.
INSERT INTO Room (name, floor, x, y) VALUES ('annex', 2, 3.25, -4);
INSERT INTO Exhibit (
  title, edition, subtitle, isLent, isFragile, tiny, small, medium, wide, byte, short, long, huge, natural, number,
  hugeOrNil, weight, height, ratio, ratioOrNil, price, fee, acquired, returned, period, mark, oldMark, page,
  oldPage, bytes, bytesOrNil, scan, film, route, detour, condition, formerCondition, rank, formerRank, origin_city,
  origin_spot_latitude, origin_spot_longitude, origin_year, origin_condition, origin_names, formerOrigin_city,
  formerOrigin_spot_latitude, formerOrigin_spot_longitude, formerOrigin_year, formerOrigin_condition,
  formerOrigin_names, hint, hint_text, hint_page, frame, formerFrame, whole, tags, tagsOrNil, flags, numbers,
  huges, weights, prices, dates, marks, pages, blobs, conditions, spots, gaps, counts, words, _osd_entity, name,
  material, plate_2, maker, room
) VALUES (
  'Piéta', 1, 'from α to ω', 1, 0, -5, 300, 70000, 5000000000, 200, 60000, 4000000000, x'8000000000000001', 7, -1,
  8, 12.25, 0.1, 0.5, -1.5, '1250.75', '-0.000001', 700000000.5, 0.0, '[0,4500000000000000000]',
  x'00112233445566778899aabbccddeeff', x'ffeeddccbbaa99887766554433221100', 'https://example.org/new',
  'https://example.org/old?x=1', x'00ff', x'', x'010203', x'0405', x'610a62', x'63', 'sound', 'gébrochen', 7, -1,
  'Ōsaka', 34.5, 135.25, 1969, 'sound', '["a","b"]', 'Nara', 1.5, 2.5, NULL, 'sound', '[]', 1, 'see', 9,
  '{"wood":{"width":0.5}}', '{"none":{}}', '{"latitude":1.5,"longitude":2.5}', '["x","é"]', '["y"]', '[true]',
  '[1,2]', '[3]', '[0.5]', '[1.5]', '[10]', '["00112233-4455-6677-8899-AABBCCDDEEFF"]',
  '["https://example.org/p"]', '["AQI="]', '["sound"]', '[{"latitude":1,"longitude":2}]', '[null,4]', '{"k":1}',
  '["w"]', 'Sculpture', 'new sculpture', 'bronze', 5, (SELECT _osd_key FROM Maker WHERE name = 'dora'),
  (SELECT _osd_key FROM Room WHERE name = 'annex')
);
INSERT INTO Exhibit (
  isLent, tiny, small, medium, wide, byte, short, long, huge, natural, weight, ratio, price, acquired, period,
  mark, page, bytes, film, route, condition, rank, origin_city, origin_spot_latitude, origin_spot_longitude,
  origin_condition, origin_names, frame, tags, flags, numbers, huges, weights, prices, dates, marks, pages, blobs,
  conditions, spots, gaps, counts, words, _osd_entity, name, title, edition, technique, plate, maker, room
) VALUES (
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, '0', 0.0, '[0,0]', x'00112233445566778899aabbccddeeff',
  'https://example.org/', x'', x'', x'61', 'sound', 0, 'Oslo', 59.9, 10.75, 'sound', '[]', '{"none":{}}', '[]',
  '[]', '[]', '[]', '[]', '[]', '[]', '[]', '[]', '[]', '[]', '[]', '[]', '{}', '[]', 'Painting', 'new painting',
  'Sea', 1, 'ink', 'plate new', (SELECT _osd_key FROM Maker WHERE name = 'ada'),
  (SELECT _osd_key FROM Room WHERE name = 'hall')
);
INSERT INTO Loan (name, "from", exhibit)
  SELECT 'new loan', strftime('%s', '2025-11-25 12:00:00') - 978307200, _osd_key FROM Exhibit WHERE name = 'exhibit 2';
INSERT INTO Label (name) VALUES ('new label');
UPDATE Exhibit SET label = last_insert_rowid() WHERE name = 'exhibit 2';
INSERT INTO _osd_link_Exhibit_topics (owner, target)
  SELECT Exhibit._osd_key, Topic._osd_key FROM Exhibit JOIN Topic
  WHERE Exhibit.name = 'new sculpture' AND Topic.name IN ('peace', 'war') ORDER BY Topic.name;

-- Every value of a row that had texts in other normal forms and a negative zero.
UPDATE Exhibit SET
  title = 'Piéta', subtitle = 'from α to ω', isLent = 1, isFragile = 0, tiny = -5, small = 300, medium = 70000,
  wide = 5000000000, byte = 200, short = 60000, long = 4000000000, huge = x'8000000000000001', natural = 7,
  number = -1, hugeOrNil = 8, weight = 12.25, height = 0.1, ratio = 0.5, ratioOrNil = -1.5, price = '1250.75',
  fee = '-0.000001', acquired = 700000000.5, returned = 0.0, period = '[0,4500000000000000000]',
  mark = x'00112233445566778899aabbccddeeff', oldMark = x'ffeeddccbbaa99887766554433221100',
  page = 'https://example.org/new', oldPage = 'https://example.org/old?x=1', bytes = x'00ff', bytesOrNil = x'',
  scan = x'010203', film = x'0405', route = x'610a62', detour = x'63', condition = 'sound',
  formerCondition = 'gébrochen', rank = 7, formerRank = -1, origin_city = 'Ōsaka', origin_spot_latitude = 34.5,
  origin_spot_longitude = 135.25, origin_year = 1969, origin_condition = 'sound', origin_names = '["a","b"]',
  formerOrigin_city = 'Nara', formerOrigin_spot_latitude = 1.5, formerOrigin_spot_longitude = 2.5,
  formerOrigin_year = NULL, formerOrigin_condition = 'sound', formerOrigin_names = '[]', hint = 1,
  hint_text = 'see', hint_page = 9, frame = '{"wood":{"width":0.5}}', formerFrame = '{"none":{}}',
  whole = '{"latitude":1.5,"longitude":2.5}', tags = '["x","é"]', tagsOrNil = '["y"]', flags = '[true]',
  numbers = '[1,2]', huges = '[3]', weights = '[0.5]', prices = '[1.5]', dates = '[10]',
  marks = '["00112233-4455-6677-8899-AABBCCDDEEFF"]', pages = '["https://example.org/p"]', blobs = '["AQI="]',
  conditions = '["sound"]', spots = '[{"latitude":1,"longitude":2}]', gaps = '[null,4]', counts = '{"k":1}',
  words = '["w"]'
WHERE name = 'exhibit 2';
UPDATE Exhibit SET weight = 2.5 WHERE name = 'exhibit 4';
UPDATE Exhibit SET huge = x'8000000000000001', origin_city = 'Bergen' WHERE name = 'exhibit 5';
UPDATE Room SET x = 100, y = 200.5 WHERE name = 'loft';
UPDATE Maker SET born = NULL WHERE name = 'bo';

-- Values that were in files.
UPDATE Exhibit SET scan = x'0102' WHERE name = 'exhibit 11';
UPDATE Exhibit SET film = x'' WHERE name = 'exhibit 7';
UPDATE Exhibit SET scan = NULL WHERE name = 'exhibit 16';

-- To the end of one list, and to the beginning of another.
UPDATE Exhibit SET maker = (SELECT _osd_key FROM Maker WHERE name = 'dora'),
  _osd_position_maker = (SELECT max(coalesce(_osd_position_maker, _osd_key)) + 1 FROM Exhibit
    WHERE maker = (SELECT _osd_key FROM Maker WHERE name = 'dora'))
  WHERE name = 'exhibit 30';
UPDATE Exhibit SET _osd_position_room = (SELECT min(coalesce(other._osd_position_room, other._osd_key)) - 1
    FROM Exhibit AS other WHERE other.room = Exhibit.room)
  WHERE name = 'exhibit 15';
DELETE FROM _osd_link_Exhibit_topics
  WHERE owner = (SELECT _osd_key FROM Exhibit WHERE name = 'exhibit 2')
  AND target = (SELECT _osd_key FROM Topic WHERE name = 'peace');

-- What takes others along, and what others lose.
DELETE FROM Maker WHERE name = 'cy';
DELETE FROM Room WHERE name = 'cellar';
DELETE FROM Exhibit WHERE name = 'exhibit 21';
DELETE FROM Label WHERE name = 'label 0';
DELETE FROM Topic WHERE name = 'sea';
DELETE FROM Folder WHERE name = 'a';
COMMIT;
