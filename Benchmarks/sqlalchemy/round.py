"""All workloads of SQLAlchemy's object mapper over psycopg or SQLite, once through: what Round.swift does for the contenders in Swift.

The code is what SQLAlchemy's own documentation recommends for each workload. Each has a session of its own, which expires nothing when it
commits: otherwise every save would read its row again.
"""

import argparse
import gc
import json
import multiprocessing
import os
import resource
import struct
import sys
import time
from pathlib import Path

from sqlalchemy import BigInteger, Float, ForeignKey, Identity, Integer, Text, create_engine, event, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

BITS = (1 << 64) - 1


# In SQLite, only a key of this type is the number of its row.
KEY = BigInteger().with_variant(Integer(), "sqlite")

# The settings of the contender `raw`.
SQLITE_SETTINGS = ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -65536", "foreign_keys = ON")


class Base(DeclarativeBase):
    pass


def bytewise(**options):
    """A column of texts that are ordered as their bytes, as those of the other contenders. SQLite's texts are."""
    return mapped_column(Text(collation="C").with_variant(Text(), "sqlite"), **options)


class Item(Base):
    __tablename__ = "item"
    id: Mapped[int] = mapped_column(KEY, Identity(cache=1000), primary_key=True)
    name: Mapped[str] = bytewise()
    title: Mapped[str] = bytewise()
    body: Mapped[str] = bytewise()
    count: Mapped[int] = mapped_column(BigInteger, index=True)
    score: Mapped[float] = mapped_column(Float(53))
    created: Mapped[float] = mapped_column(Float(53))
    note: Mapped[str | None] = bytewise()


class Record(Base):
    __tablename__ = "record"
    number: Mapped[int] = mapped_column(KEY, Identity(), primary_key=True)
    time: Mapped[float] = mapped_column(Float(53))
    program: Mapped[str]
    process: Mapped[str]
    changes: Mapped[str]


class Parent(Base):
    __tablename__ = "parent"
    id: Mapped[int] = mapped_column(KEY, Identity(cache=1000), primary_key=True)
    name: Mapped[str] = bytewise()
    children: Mapped[list["Child"]] = relationship(
        back_populates="parent", cascade="all, delete-orphan", passive_deletes=True
    )


class Child(Base):
    __tablename__ = "child"
    id: Mapped[int] = mapped_column(KEY, Identity(cache=1000), primary_key=True)
    name: Mapped[str] = bytewise()
    number: Mapped[int] = mapped_column(BigInteger)
    parent_id: Mapped[int | None] = mapped_column(
        "parent", KEY, ForeignKey("parent.id", ondelete="CASCADE"), index=True
    )
    parent: Mapped[Parent | None] = relationship(back_populates="children")


class NotOffered(Exception):
    """There is no such thing here."""


class Server:
    """The processes of the server, whose time is noted too. Without a server, `first` is None."""

    def __init__(self, first):
        self.first = first

    def time(self):
        """As in DatabaseServer.swift: the living in nanoseconds, the ended in clock ticks; in milliseconds."""
        if self.first is None:
            return None
        children = self.read(f"{self.first}/task/{self.first}/children").split()
        living = sum(int((self.read(f"{child}/schedstat").split() or [0])[0]) for child in [*children, self.first])
        fields = self.read(f"{self.first}/stat").rpartition(")")[2].split()
        ended = sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
        return living / 1e6 + ended * 1000

    @staticmethod
    def read(path):
        try:
            return Path("/proc", path).read_text()
        except OSError:
            return ""


class Stopwatch:
    def __init__(self, server):
        self.server, self.samples = server, []

    def __enter__(self):
        self.start = self.server.time(), time.monotonic(), self.cpu()

    def __exit__(self, *_):
        cpu, wall = self.cpu(), time.monotonic()
        server = self.server.time()
        sample = {"cpu": (cpu - self.start[2]) * 1000, "wall": (wall - self.start[1]) * 1000}
        if server is not None:
            sample["server"] = server - self.start[0]
        self.samples.append(sample)

    @staticmethod
    def cpu():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime


# Checksums, as those of Checksum.swift.


def signed(number):
    number &= BITS
    return number - (1 << 64) if number >> 63 else number


def of_text(text, bits=0xCBF29CE484222325):
    for byte in text.encode():
        bits = (bits ^ byte) * 0x100000001B3 & BITS
    return bits


def of_item(item):
    bits = 0xCBF29CE484222325
    for text in (item.name, item.title, item.body, "none" if item.note is None else item.note):
        bits = of_text(text, bits)
    for number in (float(item.count), item.score, item.created):
        bits = (bits ^ struct.unpack("<Q", struct.pack("<d", number))[0]) * 0x100000001B3 & BITS
    return bits


def of_all(items):
    return signed(sum(map(of_item, items)))


def of_query(items):
    return len(items) * 1_000_003 + (items[-1].count if items else 0)


def of_parents(parents):
    total = 0
    for parent in parents:
        name = of_text(parent.name)
        children = sum(of_text(child.name) * (2 * child.number + 1) for child in parent.children) & BITS
        total += name * (children | 1) + children
    return signed(total)


# The workloads that have a database of parents and children.
RELATED = ("insert-related", "to-many-one-by-one", "to-many-for-all", "to-many-traversal", "delete-cascading")


def with_first(name, workloads):
    return workloads and [name, *(workload for workload in workloads if workload != name)]


class Round:
    def __init__(self, options):
        self.server = Server(options.server_process)
        # Parents and children have a database of their own in SQLite, as those of the other contenders.
        self.urls = {
            is_of_graph: options.url or f"sqlite:///{options.directory}/{'graph' if is_of_graph else 'items'}.store"
            for is_of_graph in (False, True)
        }
        self.plan = json.loads(Path(options.plan).read_text())
        self.use(False)

    def use(self, is_of_graph):
        self.url = self.urls[is_of_graph]
        self.engine = self.make_engine()

    @property
    def is_on_server(self):
        return not self.url.startswith("sqlite")

    def make_engine(self):
        engine = create_engine(self.url)
        if not self.is_on_server:
            event.listen(engine, "connect", self.set_up)
        return engine

    @staticmethod
    def set_up(connection, _):
        for setting in SQLITE_SETTINGS:
            connection.execute(f"PRAGMA {setting}")

    def session(self, engine=None):
        return Session(engine or self.engine, expire_on_commit=False)

    def run(self, asked):
        """Rows are inserted even if that is not measured."""
        related = [name for name in asked if name in RELATED]
        items = [name for name in asked if name not in RELATED]
        workloads = with_first("insert", items) + with_first("insert-related", related)
        results = []
        for workload in workloads:
            if workload == "insert-related":
                self.engine.dispose()
                self.use(True)
            stopwatch = Stopwatch(self.server)
            work = getattr(self, workload.replace("-", "_"))
            try:
                checksums = {work(stopwatch) for _ in range(self.plan["repetitions"][workload])}
            except NotOffered:
                continue
            if len(checksums) > 1:
                sys.exit(f"{workload} gave different results when it was repeated")
            results.append({"workload": workload, "samples": stopwatch.samples, "checksum": checksums.pop()})
            # No workload clears up after another one.
            gc.collect()
            if workload in ("insert", "insert-related"):
                self.settle()
        results = [result for result in results if result["workload"] in asked]
        return {"results": results, "peakMemory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}

    def settle(self):
        """Afterwards, no workload finds pages of the insertion in memory."""
        if not self.is_on_server:
            return self.engine.dispose()
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM (ANALYZE)")

    def all(self):
        with self.session() as session:
            return of_all(session.scalars(select(Item)))

    def first_half(self, session):
        return session.scalars(select(Item).order_by(Item.id).limit(self.plan["half"])).all()

    def identifiers(self):
        with self.session() as session:
            found = session.scalars(select(Item.id).order_by(Item.id)).all()
        return [found[index] for index in self.plan["order"]]

    @staticmethod
    def is_in(bounds):
        return Item.count >= bounds[0], Item.count < bounds[1]

    def first_rows(self, session, bounds):
        query = select(Item).where(*self.is_in(bounds)).order_by(Item.count).limit(self.plan["limit"])
        return of_query(session.scalars(query).all())

    # The workloads, named as in Workload.swift.

    def insert(self, stopwatch):
        Base.metadata.create_all(self.engine, [Item.__table__, Record.__table__])
        names = ("name", "title", "body", "count", "score", "created", "note")
        items = [Item(**dict(zip(names, values))) for values in self.plan["items"]]
        with self.session() as session, stopwatch:
            session.add_all(items)
            session.commit()
        with self.session() as session:
            return session.scalar(select(func.count()).select_from(Item))

    def open(self, stopwatch):
        total = 0
        with stopwatch:
            for bounds in self.plan["wideRanges"][: self.plan["openings"]]:
                engine = self.make_engine()
                with self.session(engine) as session:
                    total += self.first_rows(session, bounds)
                engine.dispose()
        return signed(total)

    def fetch_all(self, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                items = session.scalars(select(Item)).all()
            return of_all(items)

    def fetch_and_free(self, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                result = of_query(session.scalars(select(Item)).all())
            return result

    def fetch_values(self, stopwatch):
        columns = select(*Item.__table__.columns)
        with self.session() as session:
            session.connection()
            with stopwatch:
                items = session.execute(columns).all()
            # Rows are tuples, whose `count` is a function.
            return of_all(map(NamedRow, items))

    def read_3_fields(self, stopwatch):
        with self.session() as session:
            items = session.scalars(select(Item)).all()
            with stopwatch:
                total = 0
                for item in items:
                    total += item.count + int(item.score) + len(item.name.encode())
            return signed(total)

    def range_in_index_order(self, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                total = sum(self.first_rows(session, bounds) for bounds in self.plan["wideRanges"])
            return signed(total)

    def range_sorted_by_name(self, stopwatch):
        total = 0
        with self.session() as session:
            session.connection()
            with stopwatch:
                for bounds in self.plan["narrowRanges"]:
                    query = select(Item).where(*self.is_in(bounds)).order_by(Item.name)
                    total += of_query(session.scalars(query).all())
        return signed(total)

    def look_up(self, session, identifiers, stopwatch):
        with stopwatch:
            return sum(session.get(Item, identifier).count for identifier in identifiers)

    def look_up_cold(self, stopwatch):
        identifiers = self.identifiers()
        with self.session() as session:
            session.connection()
            return self.look_up(session, identifiers, stopwatch)

    def look_up_in_groups(self, stopwatch):
        identifiers, size, total = self.identifiers(), self.plan["groupSize"], 0
        with self.session() as session:
            session.connection()
            with stopwatch:
                for start in range(0, len(identifiers), size):
                    query = select(Item).where(Item.id.in_(identifiers[start : start + size]))
                    total += sum(item.count for item in session.scalars(query))
        return total

    def look_up_registered(self, stopwatch):
        identifiers = self.identifiers()
        with self.session() as session:
            items = session.scalars(select(Item)).all()
            total = self.look_up(session, identifiers, stopwatch)
            del items
        return total

    def look_up_registered_in_order(self, stopwatch):
        identifiers = sorted(self.identifiers())
        with self.session() as session:
            items = session.scalars(select(Item)).all()
            total = self.look_up(session, identifiers, stopwatch)
            del items
        return total

    def identifiers_in_set(self, stopwatch):
        with self.session() as session:
            items = session.scalars(select(Item)).all()
            looked_up = [items[index].__mapper__.identity_key_from_instance(items[index]) for index in self.plan["order"]]
            identity = Item.__mapper__.identity_key_from_instance
            with stopwatch:
                identifiers = {identity(item) for item in items}
                found = sum(identifier in identifiers for identifier in looked_up)
                result = len(identifiers) * 1_000_003 + found
            return result

    def count_range(self, stopwatch):
        total = 0
        with self.session() as session:
            session.connection()
            with stopwatch:
                for bounds in self.plan["wideRanges"]:
                    total += session.scalar(select(func.count()).select_from(Item).where(*self.is_in(bounds)))
        return total

    def count_all(self, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                query = select(func.count()).select_from(Item)
                return sum(session.scalar(query) for _ in range(self.plan["counts"]))

    def find_none(self, stopwatch):
        total = 0
        with self.session() as session:
            session.connection()
            with stopwatch:
                for _ in self.plan["emptyRanges"]:
                    total += len(session.scalars(select(Item).limit(0)).all())
        return total

    def find_none_by_predicate(self, stopwatch):
        total = 0
        with self.session() as session:
            session.connection()
            with stopwatch:
                for bounds in self.plan["emptyRanges"]:
                    total += len(session.scalars(select(Item).where(*self.is_in(bounds))).all())
        return total

    def update(self, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                for item in self.first_half(session):
                    item.score += 1
                session.commit()
        return self.all()

    def save_one(self, stopwatch, other=False):
        with self.session() as session:
            items = self.first_half(session)
            if other:
                with self.session() as another:
                    self.first_half(another)[0].score += 1
                    another.commit()
            session.commit()
            item = items[1]
            with stopwatch:
                for _ in range(self.plan["saves"]):
                    item.score += 1
                    session.commit()
        return self.all()

    def save_one_after_other(self, stopwatch):
        return self.save_one(stopwatch, other=True)

    def save_one_with_record(self, stopwatch):
        with self.session() as session:
            item = self.first_half(session)[1]
            process = str(os.getpid())
            with stopwatch:
                for _ in range(self.plan["saves"]):
                    item.score += 1
                    changes = f'[["update","Item",["score"],{item.id}]]'
                    session.add(Record(time=time.time(), program="benchmark", process=process, changes=changes))
                    session.commit()
        return self.all()

    def save_by_clients(self, stopwatch):
        """Processes, since threads of Python take turns."""
        self.engine.dispose()
        context = multiprocessing.get_context("fork")
        start = context.Barrier(self.plan["clients"] + 1)
        clients = [context.Process(target=self.save_again, args=(n, start)) for n in range(self.plan["clients"])]
        for client in clients:
            client.start()
        ready = SharedStart(start, clients)
        with stopwatch:
            ready.run()
        if any(client.exitcode for client in clients):
            sys.exit("a client failed")
        return self.all()

    def save_again(self, client, start):
        with self.session(self.make_engine()) as session:
            # No more than needed: the time of a client counts from its beginning.
            item = session.scalars(select(Item).order_by(Item.id).offset(client).limit(1)).one()
            item.score += 1
            session.commit()
            start.wait()
            for _ in range(self.plan["savesOfEachClient"]):
                item.score += 1
                session.commit()

    def delete(self, stopwatch):
        with self.session() as session:
            items = self.first_half(session)
            with stopwatch:
                for item in items:
                    session.delete(item)
                session.commit()
        return self.all()

    def insert_related(self, stopwatch):
        Base.metadata.create_all(self.engine, [Parent.__table__, Child.__table__])
        parents = [Parent(name=name) for name in self.plan["parents"]]
        children = [Child(name=name, number=number) for name, number, _ in self.plan["children"]]
        with self.session() as session, stopwatch:
            for child, (_, _, parent) in zip(children, self.plan["children"]):
                child.parent = parents[parent]
            session.add_all(parents)
            session.commit()
        return self.graph()

    def graph(self):
        with self.session() as session:
            return of_parents(session.scalars(select(Parent).options(selectinload(Parent.children))).all())

    def to_many_one_by_one(self, stopwatch):
        with self.session() as session:
            identifiers = session.scalars(select(Parent.id).order_by(Parent.id)).all()
            parents = []
            with stopwatch:
                for identifier in identifiers:
                    parent = session.get(Parent, identifier)
                    _ = parent.children
                    parents.append(parent)
            return of_parents(parents)

    def traverse(self, query, stopwatch):
        with self.session() as session:
            session.connection()
            with stopwatch:
                parents = session.scalars(query).all()
                total = sum(child.number for parent in parents for child in parent.children)
            return signed(of_parents(parents) + total)

    def to_many_for_all(self, stopwatch):
        return self.traverse(select(Parent).options(selectinload(Parent.children)), stopwatch)

    def to_many_traversal(self, stopwatch):
        return self.traverse(select(Parent), stopwatch)

    def delete_cascading(self, stopwatch):
        with self.session() as session:
            parents = session.scalars(select(Parent).order_by(Parent.id).limit(self.plan["halfOfParents"])).all()
            with stopwatch:
                for parent in parents:
                    session.delete(parent)
                session.commit()
        return self.graph()


class SharedStart:
    """Lets clients begin at once, and waits for them."""

    def __init__(self, start, clients):
        self.start, self.clients = start, clients
        while start.n_waiting < len(clients):
            if any(client.exitcode for client in clients):
                sys.exit("a client failed")
            time.sleep(0.001)

    def run(self):
        self.start.wait()
        for client in self.clients:
            client.join()


class NamedRow:
    """A row whose columns are read by their names."""

    __slots__ = ("name", "title", "body", "count", "score", "created", "note")

    def __init__(self, row):
        _, self.name, self.title, self.body, self.count, self.score, self.created, self.note = row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", help="of a database on a server; SQLite files in the directory without it")
    parser.add_argument("--server-process", type=int)
    parser.add_argument("--plan", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--only", nargs="+", required=True)
    options = parser.parse_args()
    report = Round(options).run(options.only)
    Path(options.directory, "report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main()
