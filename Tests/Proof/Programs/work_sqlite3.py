"""What a program in Python does with a store through its own sqlite3. Work.swift does the same through the library."""

import sqlite3
import sys
from datetime import datetime, timezone

from museum import EVERYTHING, PAINTING, SCULPTURE

# What SQLite counts dates from, in the library's seconds.
REFERENCE = datetime(2001, 1, 1, tzinfo=timezone.utc)


def seconds(*date):
    return (datetime(*date, tzinfo=timezone.utc) - REFERENCE).total_seconds()


def main(path):
    connection = sqlite3.connect(path, timeout=5)
    connection.execute("PRAGMA foreign_keys = ON")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        add(connection)
        change(connection)
        move(connection)
        remove(connection)
    refuse(connection)
    connection.execute("VACUUM")
    print(*[row[0] for row in connection.execute("PRAGMA integrity_check")])
    print(len(connection.execute("PRAGMA foreign_key_check").fetchall()))


def key(connection, table, name):
    return connection.execute(f"SELECT _osd_key FROM {table} WHERE name = ?", [name]).fetchone()[0]


def insert(connection, table, **row):
    columns = ", ".join(f'"{column}"' for column in row)
    places = ", ".join("?" * len(row))
    return connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", list(row.values())).lastrowid


def update(connection, table, name, **row):
    settings = ", ".join(f'"{column}" = ?' for column in row)
    count = connection.execute(f"UPDATE {table} SET {settings} WHERE name = ?", [*row.values(), name]).rowcount
    assert count == 1, (table, name, count)


def next_key(connection, entity):
    """A key that no row has had, by the recipe of docs/the-file.md."""
    connection.execute("INSERT OR IGNORE INTO _osd_sequence VALUES (?, 1)", [entity])
    highest = connection.execute(f"SELECT coalesce(max(_osd_key), 0) + 1 FROM {entity}").fetchone()[0]
    connection.execute("UPDATE _osd_sequence SET next = max(next, ?) + 1 WHERE entity = ?", [highest, entity])
    return connection.execute("SELECT next - 1 FROM _osd_sequence WHERE entity = ?", [entity]).fetchone()[0]


def add(connection):
    dora = insert(connection, "Maker", _osd_key=next_key(connection, "Maker"), name="dora", born=1000.5)
    annex = insert(connection, "Room", name="annex", floor=2, x=3.25, y=-4.0)
    sculpture = insert(connection, "Exhibit", **SCULPTURE, maker=dora, room=annex)
    ada, hall = key(connection, "Maker", "ada"), key(connection, "Room", "hall")
    insert(connection, "Exhibit", **PAINTING, maker=ada, room=hall)
    exhibit = key(connection, "Exhibit", "exhibit 2")
    insert(connection, "Loan", **{"name": "new loan", "from": seconds(2025, 11, 25, 12), "exhibit": exhibit})
    update(connection, "Exhibit", "exhibit 2", label=insert(connection, "Label", name="new label"))
    for topic in ["peace", "war"]:
        insert(connection, "_osd_link_Exhibit_topics", owner=sculpture, target=key(connection, "Topic", topic))


def change(connection):
    update(connection, "Exhibit", "exhibit 2", **{name: EVERYTHING[name] for name in EVERYTHING if name != "edition"})
    update(connection, "Exhibit", "exhibit 4", weight=2.5)
    update(connection, "Exhibit", "exhibit 5", huge=bytes.fromhex("8000000000000001"), origin_city="Bergen")
    update(connection, "Room", "loft", x=100, y=200.5)
    update(connection, "Maker", "bo", born=None)
    update(connection, "Exhibit", "exhibit 11", scan=b"\x01\x02")
    update(connection, "Exhibit", "exhibit 7", film=b"")
    update(connection, "Exhibit", "exhibit 16", scan=None)


def move(connection):
    dora, hall = key(connection, "Maker", "dora"), key(connection, "Room", "hall")
    last = "SELECT max(coalesce(_osd_position_maker, _osd_key)) + 1 FROM Exhibit WHERE maker = ?"
    update(
        connection, "Exhibit", "exhibit 30", maker=dora,
        _osd_position_maker=connection.execute(last, [dora]).fetchone()[0])
    first = "SELECT min(coalesce(_osd_position_room, _osd_key)) - 1 FROM Exhibit WHERE room = ?"
    update(connection, "Exhibit", "exhibit 15", _osd_position_room=connection.execute(first, [hall]).fetchone()[0])
    connection.execute(
        "DELETE FROM _osd_link_Exhibit_topics WHERE owner = ? AND target = ?",
        [key(connection, "Exhibit", "exhibit 2"), key(connection, "Topic", "peace")])


def remove(connection):
    for table, name in [
        ("Maker", "cy"), ("Room", "cellar"), ("Exhibit", "exhibit 21"), ("Label", "label 0"), ("Topic", "sea"),
        ("Folder", "a"),
    ]:
        assert connection.execute(f"DELETE FROM {table} WHERE name = ?", [name]).rowcount == 1, name


def refuse(connection):
    """What the rules of the models forbid, the file forbids."""
    for statement in [
        "INSERT INTO Room (name, floor, x) VALUES ('hall', 1, 1)",
        "DELETE FROM Exhibit WHERE name = 'exhibit 11'",
        "UPDATE Loan SET exhibit = 9999",
        "UPDATE Exhibit SET maker = NULL",
    ]:
        try:
            with connection:
                connection.execute(statement)
        except sqlite3.IntegrityError as error:
            print(error)
        else:
            print("done:", statement)


main(sys.argv[1])
