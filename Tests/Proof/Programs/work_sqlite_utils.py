"""What a program does with a store through sqlite-utils. Work.swift does the same through the library."""

import sys

from museum import EVERYTHING, PAINTING, SCULPTURE
from sqlite_utils import Database


def main(path):
    database = Database(path)
    database.execute("PRAGMA foreign_keys = ON")
    add(database)
    change(database)
    move(database)
    remove(database)
    database.vacuum()
    print(*[row["integrity_check"] for row in database.query("PRAGMA integrity_check")])
    print(len(list(database.query("PRAGMA foreign_key_check"))))
    database.close()


def key(database, table, name):
    (row,) = database[table].rows_where("name = ?", [name])
    return row["_osd_key"]


def update(database, table, name, **row):
    database[table].update(key(database, table, name), row)


def add(database):
    (sequence,) = database.query("SELECT next FROM _osd_sequence WHERE entity = 'Maker'")
    dora = sequence["next"]
    database["_osd_sequence"].update("Maker", {"next": dora + 1})
    database["Maker"].insert({"_osd_key": dora, "name": "dora", "born": 1000.5})
    database["Room"].insert({"name": "annex", "floor": 2, "x": 3.25, "y": -4.0})
    annex, ada, hall = key(database, "Room", "annex"), key(database, "Maker", "ada"), key(database, "Room", "hall")
    database["Exhibit"].insert({**SCULPTURE, "maker": dora, "room": annex})
    database["Exhibit"].insert({**PAINTING, "maker": ada, "room": hall})
    exhibit = key(database, "Exhibit", "exhibit 2")
    database["Loan"].insert_all([{"name": "new loan", "from": 785764800.0, "exhibit": exhibit}])
    database["Label"].insert({"name": "new label"})
    update(database, "Exhibit", "exhibit 2", label=key(database, "Label", "new label"))
    database["_osd_link_Exhibit_topics"].insert_all(
        {"owner": key(database, "Exhibit", "new sculpture"), "target": key(database, "Topic", topic)}
        for topic in ["peace", "war"])


def change(database):
    update(database, "Exhibit", "exhibit 2", **{name: EVERYTHING[name] for name in EVERYTHING if name != "edition"})
    update(database, "Exhibit", "exhibit 4", weight=2.5)
    update(database, "Exhibit", "exhibit 5", huge=bytes.fromhex("8000000000000001"), origin_city="Bergen")
    row = {"_osd_key": key(database, "Room", "loft"), "name": "loft", "floor": 5, "x": 100.0, "y": 200.5}
    database["Room"].upsert(row, pk="_osd_key")
    database["Maker"].convert("born", lambda value: None, where="name = 'bo'")
    update(database, "Exhibit", "exhibit 11", scan=b"\x01\x02")
    update(database, "Exhibit", "exhibit 7", film=b"")
    update(database, "Exhibit", "exhibit 16", scan=None)


def move(database):
    dora, hall = key(database, "Maker", "dora"), key(database, "Room", "hall")
    (last,) = database.query(
        "SELECT max(coalesce(_osd_position_maker, _osd_key)) AS place FROM Exhibit WHERE maker = ?", [dora])
    update(database, "Exhibit", "exhibit 30", maker=dora, _osd_position_maker=last["place"] + 1)
    (first,) = database.query(
        "SELECT min(coalesce(_osd_position_room, _osd_key)) AS place FROM Exhibit WHERE room = ?", [hall])
    update(database, "Exhibit", "exhibit 15", _osd_position_room=first["place"] - 1)
    pair = [key(database, "Exhibit", "exhibit 2"), key(database, "Topic", "peace")]
    database["_osd_link_Exhibit_topics"].delete_where("owner = ? AND target = ?", pair)


def remove(database):
    for table, name in [
        ("Maker", "cy"), ("Room", "cellar"), ("Exhibit", "exhibit 21"), ("Label", "label 0"), ("Topic", "sea"),
        ("Folder", "a"),
    ]:
        database[table].delete(key(database, table, name))


main(sys.argv[1])
