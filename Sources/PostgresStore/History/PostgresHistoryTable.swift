#if PostgreSQL
  import Foundation
  import PostgresSQL
  import SQLEngine

  /// The history tables of a store: one row for each save, and the values of deleted rows.
  ///
  /// Numbers come from a sequence, so that no save waits for another; saves may commit out of order. Before taking a
  /// number, a save takes a shared lock on the last number (``taking``), for which no save waits. While it is held, a
  /// record with a greater number may still be committed. ``place`` is the number up to which the history is complete.
  struct PostgresHistoryTable: Sendable {
    static let name = DatabaseMapping.ownPrefix + "history"
    static let sequenceName = name + "_number"

    let dialect: PostgresDialect
    /// The table of records.
    let table: String
    private let sequence: String

    init(dialect: PostgresDialect) {
      self.dialect = dialect
      table = dialect.table(Self.name)
      sequence = dialect.table(Self.sequenceName)
    }

    /// The statements that create the table.
    ///
    /// A record without `changes` is a deleted record. Of consecutive deleted records the last one stays: it shows that
    /// earlier tokens have expired. A record with a `total` has the number of bytes of all records up to it.
    var definition: [String] {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return [
        // The first number is taken here, so that the last assigned number is always defined.
        "CREATE SEQUENCE \(sequence) AS int8 MINVALUE 0 START WITH 0", "SELECT \(next)",
        "CREATE TABLE \(table) (\"number\" int8 PRIMARY KEY DEFAULT \(next), \"time\" float8 NOT NULL, \"author\" \(text), "
          + "\"program\" \(text), \"process\" \(text), \"changes\" json, \"total\" int8)",
        "CREATE INDEX \(dialect.quoted(Self.name + "_deleted")) ON \(table) (\"number\") WHERE \"changes\" IS NULL",
        "CREATE INDEX \(dialect.quoted(Self.name + "_total")) ON \(table) (\"number\") WHERE \"total\" IS NOT NULL",
      ]
    }

    // MARK: Numbers

    /// A table's name as an expression for its object identifier.
    private func reference(_ name: String) -> String { "\(dialect.literal(.text(name)))::regclass" }

    private var next: String { "nextval(\(reference(sequence)))" }
    private var current: String { "currval(\(reference(sequence)))" }

    /// The clauses of a statement that takes a number: they first lock the last number until the transaction ends.
    ///
    /// The lock's key is the table's object identifier and the lower half of the number: no other store has it.
    private var taking: String {
      let key = "\(reference(table))::oid::int8::bit(32)::int4, _osd_s.last_value::bit(32)::int4"
      return "FROM \(sequence) AS _osd_s WHERE pg_advisory_xact_lock_shared(\(key))::text IS NOT NULL"
    }

    /// Takes a number for a later record of the transaction. It becomes the session's current number.
    var take: String { "SELECT \(next) \(taking)" }

    /// The number that a session has taken.
    var taken: String { current }

    /// The locks of open transactions, except those of this session.
    private var locks: String {
      "pg_catalog.pg_locks AS _osd_l WHERE _osd_l.locktype = 'advisory' AND _osd_l.objsubid = 2 AND _osd_l.mode = 'ShareLock' "
        + "AND _osd_l.granted AND _osd_l.pid <> pg_backend_pid() AND _osd_l.classid = \(reference(table))::oid "
        + "AND _osd_l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
    }

    /// The full number of a lock: the lock has its lower half, and the number is close to a given one.
    private func locked(near number: String) -> String {
      "\(number) - ((\(number) - _osd_l.objid::int8 + 2147483648) & 4294967295) + 2147483648"
    }

    /// Two statements: the last assigned number; then the least locked number, and whether the server is a standby.
    ///
    /// They run in this order, before the records are read. An earlier number that is no longer locked is committed
    /// by then, or never will be.
    var place: [String] {
      [
        "SELECT last_value FROM \(sequence)",
        "SELECT (SELECT min(\(locked(near: "_osd_s.last_value"))) FROM \(locks)), pg_is_in_recovery()::int4 "
          + "FROM \(sequence) AS _osd_s",
      ]
    }

    /// Adds a deleted record with number parameter 1, by which earlier tokens expire. The next numbers are greater. No
    /// other transaction may take a number meanwhile.
    var goOn: [String] {
      [
        "SELECT setval(\(reference(sequence)), greatest(last_value, $1::int8)) FROM \(sequence)",
        "INSERT INTO \(table) (\"number\", \"time\") VALUES ($1::int8, \(Self.now)) ON CONFLICT (\"number\") DO NOTHING",
      ]
    }

    // MARK: Records

    /// Adds a record: author, program, process and changes are the parameters. Returns its number.
    ///
    /// - Parameter isTaken: Whether the session has already taken the number.
    func append(isTaken: Bool) -> String {
      let values = "\(Self.now), $1::text, $2::text, $3::text, $4::json"
      let row = isTaken ? "SELECT \(current), \(values)" : "SELECT \(next), \(values) \(taking)"
      return
        "INSERT INTO \(table) (\"number\", \"time\", \"author\", \"program\", \"process\", \"changes\") \(row) RETURNING \"number\""
    }

    /// The same, and also returns the number up to which the history will be complete after the transaction. Parameter
    /// 5 is the number up to which it is known to be complete.
    ///
    /// It reads locks only if too many records follow the number in parameter 5 to decide by counting them.
    func appendAndLook(isTaken: Bool) -> String {
      let between =
        "SELECT count(*) FROM \(table) AS _osd_h WHERE _osd_h.\"number\" > $5::int8 AND _osd_h.\"number\" < _osd_r.n"
      return "WITH _osd_r (n) AS (\(append(isTaken: isTaken))) SELECT n, CASE WHEN n - 1 <= $5::int8 THEN n "
        + "WHEN n - 1 <= $5::int8 + \(Self.longestLook) THEN CASE WHEN (\(between)) = n - 1 - $5::int8 THEN n ELSE $5::int8 END "
        + "ELSE least(n, (SELECT min(\(locked(near: "_osd_r.n"))) FROM \(locks))) END FROM _osd_r"
    }

    private static let longestLook = 64

    /// The server's time in seconds since 2001, because the clocks of clients differ.
    static let now =
      "(extract(epoch FROM clock_timestamp()) - \(Int(Date.timeIntervalBetween1970AndReferenceDate)))::float8"

    /// Reads records: after number parameter 1 up to 2, between the times 3 and 4, at most parameter 5, of author 6.
    func select(_ author: AuthorTest) -> String {
      "SELECT \"number\", \"time\", \"author\", \"program\", \"process\", \"changes\" FROM \(table) WHERE \"number\" > $1::int8 "
        + "AND \"number\" <= $2::int8 AND \"time\" >= $3::float8 AND \"time\" <= $4::float8 AND \"changes\" IS NOT NULL"
        + "\(author.rawValue) ORDER BY \"number\" LIMIT $5::int8"
    }

    /// The authors of a request.
    enum AuthorTest: String {
      case any = ""
      case none = #" AND "author" IS NULL"#
      case named = #" AND "author" = $6::text"#
    }

    /// The first record's number up to parameter 2, and whether a record after parameter 1 is deleted.
    var ends: String {
      "SELECT (SELECT \"number\" FROM \(table) WHERE \"changes\" IS NOT NULL AND \"number\" <= $2::int8 ORDER BY \"number\" LIMIT 1), "
        + "EXISTS (SELECT 1 FROM \(table) WHERE \"changes\" IS NULL AND \"number\" > $1::int8 AND \"number\" <= $2::int8)::int4"
    }

    // MARK: Deletions

    private static let nothing =
      #""author" = NULL, "program" = NULL, "process" = NULL, "changes" = NULL"#

    /// Deletes the records with the numbers in the list parameter 1. They stay as deleted records (``removeFollowed``).
    var empty: String { "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = ANY ($1::int8[])" }

    /// Removes deleted records that precede another one, from the last one before the list parameter 1 to its end.
    var removeFollowed: String {
      let before = "SELECT max(\"number\") FROM \(table) WHERE \"changes\" IS NULL AND \"number\" < "
      return "DELETE FROM \(table) AS _osd_h WHERE _osd_h.\"changes\" IS NULL "
        + "AND _osd_h.\"number\" >= coalesce((\(before) (SELECT min(n) FROM unnest($1::int8[]) AS _osd_n (n))), 0) "
        + "AND _osd_h.\"number\" <= (SELECT max(n) FROM unnest($1::int8[]) AS _osd_n (n)) "
        + "AND (SELECT _osd_f.\"changes\" IS NULL FROM \(table) AS _osd_f WHERE _osd_f.\"number\" > _osd_h.\"number\" "
        + "ORDER BY _osd_f.\"number\" LIMIT 1)"
    }

    /// Deletes all records up to number parameter 1. That record stays, marked as deleted.
    var deleteThrough: [String] {
      [
        "DELETE FROM \(table) WHERE \"number\" < $1::int8",
        "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = $1::int8",
      ]
    }

    /// Deletes all records except the last one, which stays, marked as deleted.
    var deleteAll: [String] {
      let last = "(SELECT max(\"number\") FROM \(table))"
      return [
        "DELETE FROM \(table) WHERE \"number\" < \(last)",
        "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = \(last)",
      ]
    }

    // MARK: Limits

    /// Whether the first record is older than parameter 1, an age in seconds.
    var isFirstTooOld: String {
      "SELECT (\"time\" < \(Self.now) - $1::float8)::int4 FROM \(table) WHERE \"changes\" IS NOT NULL ORDER BY \"number\" LIMIT 1"
    }

    /// Stores the running total of bytes in the last record up to parameter 1; parameter 2 is added for each record.
    func setTotal(_ tombstones: PostgresTombstoneTable) -> String {
      let known = "SELECT \"number\", \"total\" FROM \(table) WHERE \"total\" IS NOT NULL AND \"number\" < _osd_e.e "
      let range = "\"number\" > coalesce(_osd_p.\"number\", 0) AND \"number\" <= _osd_e.e"
      let changes = "SELECT sum(coalesce(octet_length(\"changes\"::text), 0) + $2::int8) FROM \(table) WHERE \(range)"
      let values = "SELECT sum(octet_length(\"value\") + $2::int8) FROM \(tombstones.table) WHERE \(range)"
      return "UPDATE \(table) AS _osd_h SET \"total\" = v.t FROM (SELECT _osd_e.e, (coalesce(_osd_p.\"total\", 0) "
        + "+ coalesce((\(changes)), 0) + coalesce((\(values)), 0))::int8 FROM (SELECT max(\"number\") FROM \(table) "
        + "WHERE \"number\" <= $1::int8) AS _osd_e (e) LEFT JOIN LATERAL (\(known) ORDER BY \"number\" DESC LIMIT 1) AS _osd_p "
        + "ON TRUE) AS v (e, t) WHERE _osd_h.\"number\" = v.e AND _osd_h.\"total\" IS NULL"
    }

    /// The last record that exceeds the age in parameter 2 (in seconds) or the bytes in parameter 3; no row if there is
    /// none. The last record up to number parameter 1 never counts.
    var excess: String {
      let young =
        "SELECT \"number\" FROM \(table) WHERE \"changes\" IS NOT NULL AND \"time\" >= \(Self.now) - $2::float8 "
        + "AND \"number\" <= _osd_e.e ORDER BY \"number\" LIMIT 1"
      let old =
        "SELECT max(\"number\") FROM \(table) WHERE \"number\" < coalesce((\(young)), _osd_e.e) AND $2::float8 IS NOT NULL"
      let all =
        "SELECT \"total\" FROM \(table) WHERE \"total\" IS NOT NULL AND \"number\" <= $1::int8 ORDER BY \"number\" DESC LIMIT 1"
      let much =
        "SELECT \"number\" FROM \(table) WHERE \"total\" IS NOT NULL AND \"number\" < _osd_e.e "
        + "AND \"total\" >= _osd_t.t - $3::int8 AND _osd_t.t > $3::int8 ORDER BY \"number\" LIMIT 1"
      return "SELECT x FROM (SELECT greatest((\(old)), (\(much))) FROM (SELECT max(\"number\") FROM \(table) "
        + "WHERE \"number\" <= $1::int8) AS _osd_e (e) LEFT JOIN (\(all)) AS _osd_t (t) ON TRUE) AS _osd_x (x) "
        // Already deleted records are not deleted again.
        + "WHERE EXISTS (SELECT 1 FROM \(table) WHERE \"changes\" IS NOT NULL AND \"number\" <= x)"
    }
  }

  /// The program and the process that write records.
  enum PostgresHistoryWriter {
    static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    static let process = "\(ProcessInfo.processInfo.processIdentifier)"
  }
#endif
