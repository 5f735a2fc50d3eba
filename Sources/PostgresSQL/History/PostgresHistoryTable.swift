#if PostgreSQL
  import Foundation
  import SQLEngine

  /// The history tables of a store: a table with one row for each save, and a table with the values of deleted rows.
  ///
  /// The records are numbered by a sequence. No save waits for another one, so saves may commit in any order. Before a
  /// save reserves a number, it takes a shared lock on the last number (``taking``). While that lock is held, a record
  /// with a higher number may still be committed. So the history is complete up to the lowest locked one (``place``).
  package struct PostgresHistoryTable: Sendable {
    package static let name = DatabaseMapping.ownPrefix + "history"
    package static let sequenceName = name + "_number"

    package let dialect: PostgresDialect
    package let table: String
    private let sequence: String

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
      table = dialect.table(Self.name)
      sequence = dialect.table(Self.sequenceName)
    }

    /// The statements that create the table.
    ///
    /// A record without `changes` is a deleted record. Of several adjacent deleted records, the last one is kept, to
    /// detect that earlier tokens have expired. A record's `total`, if any, is the size of all records up to it.
    package var definition: [String] {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return [
        // The first number is reserved here, so that the sequence always has a last number.
        "CREATE SEQUENCE \(sequence) AS int8 MINVALUE 0 START WITH 0", "SELECT \(next)",
        "CREATE TABLE \(table) (\"number\" int8 PRIMARY KEY DEFAULT \(next), \"time\" float8 NOT NULL, \"author\" \(text), "
          + "\"program\" \(text), \"process\" \(text), \"changes\" json, \"total\" int8)",
        "CREATE INDEX \(dialect.quoted(Self.name + "_deleted")) ON \(table) (\"number\") WHERE \"changes\" IS NULL",
        "CREATE INDEX \(dialect.quoted(Self.name + "_total")) ON \(table) (\"number\") WHERE \"total\" IS NOT NULL",
      ]
    }

    // MARK: Numbers

    /// An expression that converts a table's name to its object identifier.
    private func reference(_ name: String) -> String { "\(dialect.literal(.text(name)))::regclass" }

    private var next: String { "nextval(\(reference(sequence)))" }
    private var current: String { "currval(\(reference(sequence)))" }

    /// The clauses of a statement that reserves a number. They first lock the last number until the transaction ends.
    ///
    /// The lock's key is the table's object identifier, which no other store has, and the lower half of the number.
    ///
    /// - Parameter source: A table that is read before the number is locked. If reading it waits for a lock of a row,
    ///   no number is locked meanwhile, so the history does not count as incomplete. The server joins the tables in
    ///   this order, because the plans for both orders have the same cost.
    private func taking(from source: String? = nil) -> String {
      let key = "\(reference(table))::oid::int8::bit(32)::int4, _osd_s.last_value::bit(32)::int4"
      let first = source.map { "\($0), " } ?? ""
      return "FROM \(first)\(sequence) AS _osd_s WHERE pg_advisory_xact_lock_shared(\(key))::text IS NOT NULL"
    }

    /// Reserves a number for a later record of the transaction. It becomes the current number of the session.
    package var take: String { "SELECT \(next) \(taking())" }

    /// The number that the session has reserved.
    package var taken: String { current }

    /// The FROM clause for the locks (``taking``) that the open transactions of all other sessions hold.
    private var locks: String {
      "pg_catalog.pg_locks AS _osd_l WHERE _osd_l.locktype = 'advisory' AND _osd_l.objsubid = 2 AND _osd_l.mode = 'ShareLock' "
        + "AND _osd_l.granted AND _osd_l.pid <> pg_backend_pid() AND _osd_l.classid = \(reference(table))::oid "
        + "AND _osd_l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
    }

    /// The number that is locked. A lock only contains its lower half, so this is the nearest number with that half.
    private func locked(near number: String) -> String {
      "\(number) - ((\(number) - _osd_l.objid::int8 + 2147483648) & 4294967295) + 2147483648"
    }

    /// Two statements. The first reads the last assigned number. The second reads the lowest locked number, and whether
    /// the server is a standby.
    ///
    /// They run in this order before records are read. Saves up to the first number have ended or still hold a lock.
    package var place: [String] {
      [
        "SELECT last_value FROM \(sequence)",
        "SELECT (SELECT min(\(locked(near: "_osd_s.last_value"))) FROM \(locks)), pg_is_in_recovery()::int4 "
          + "FROM \(sequence) AS _osd_s",
      ]
    }

    /// Adds a deleted record with the number in parameter 1, so that earlier tokens expire. The next records get higher
    /// numbers. No other transaction may reserve a number meanwhile.
    package var goOn: [String] {
      [
        "SELECT setval(\(reference(sequence)), greatest(last_value, $1::int8)) FROM \(sequence)",
        "INSERT INTO \(table) (\"number\", \"time\") VALUES ($1::int8, \(Self.now)) ON CONFLICT (\"number\") DO NOTHING",
      ]
    }

    // MARK: Records

    /// Adds a record, and returns its number. The parameters are the author, the program, the process and the changes.
    ///
    /// - Parameters:
    ///   - isTaken: Whether the session has already reserved the number.
    ///   - source: A table of one row; if it is empty, no record is added.
    ///   - count: The number of parameters before those of the record.
    ///   - returning: What the statement returns instead of the number.
    package func append(
      isTaken: Bool, from source: String? = nil, after count: Int = 0, returning: String = "\"number\""
    ) -> String {
      let types = ["text", "text", "text", "json"]
      let parameters = types.enumerated().map { "$\(count + 1 + $0)::\($1)" }
      let values = ([Self.now] + parameters).joined(separator: ", ")
      let row = isTaken ? "SELECT \(current), \(values)" : "SELECT \(next), \(values) \(taking(from: source))"
      return "INSERT INTO \(table) (\"number\", \"time\", \"author\", \"program\", \"process\", \"changes\") "
        + "\(row) RETURNING \(returning)"
    }

    /// Adds a record, and also returns the number up to which the history will be complete after the commit. Parameter
    /// 5 is the number up to which it is known to be complete.
    ///
    /// If few numbers lie between parameter 5 and the new one, counts the records between them; else reads the locks.
    package func appendAndLook(isTaken: Bool) -> String {
      let between =
        "SELECT count(*) FROM \(table) AS _osd_h WHERE _osd_h.\"number\" > $5::int8 AND _osd_h.\"number\" < _osd_r.n"
      return "WITH _osd_r (n) AS (\(append(isTaken: isTaken))) SELECT n, CASE WHEN n - 1 <= $5::int8 THEN n "
        + "WHEN n - 1 <= $5::int8 + \(Self.longestLook) THEN CASE WHEN (\(between)) = n - 1 - $5::int8 THEN n ELSE $5::int8 END "
        + "ELSE least(n, (SELECT min(\(locked(near: "_osd_r.n"))) FROM \(locks))) END FROM _osd_r"
    }

    private static let longestLook = 64

    /// The current time of the server, in seconds since 2001. Clients are not asked, since their clocks differ.
    package static let now =
      "(extract(epoch FROM clock_timestamp()) - \(Int(Date.timeIntervalBetween1970AndReferenceDate)))::float8"

    /// Reads the records with numbers above parameter 1 up to parameter 2, with times from parameter 3 to parameter 4,
    /// of the author in parameter 6. Parameter 5 is the maximum number of records.
    ///
    /// - Parameter isReversed: Whether the records with the highest numbers come first.
    package func select(_ author: AuthorTest, isReversed: Bool = false) -> String {
      "SELECT \"number\", \"time\", \"author\", \"program\", \"process\", \"changes\" FROM \(table) WHERE \"number\" > $1::int8 "
        + "AND \"number\" <= $2::int8 AND \"time\" >= $3::float8 AND \"time\" <= $4::float8 AND \"changes\" IS NOT NULL"
        + "\(author.rawValue) ORDER BY \"number\"\(isReversed ? " DESC" : "") LIMIT $5::int8"
    }

    /// The condition on the author of a record.
    package enum AuthorTest: String {
      case any = ""
      case none = #" AND "author" IS NULL"#
      case named = #" AND "author" = $6::text"#
    }

    /// Reads the number of the first record that is not deleted, and whether a record after parameter 1 is deleted.
    /// Ignores records after parameter 2.
    package var ends: String {
      "SELECT (SELECT \"number\" FROM \(table) WHERE \"changes\" IS NOT NULL AND \"number\" <= $2::int8 ORDER BY \"number\" LIMIT 1), "
        + "EXISTS (SELECT 1 FROM \(table) WHERE \"changes\" IS NULL AND \"number\" > $1::int8 AND \"number\" <= $2::int8)::int4"
    }

    // MARK: Deletions

    private static let nothing =
      #""author" = NULL, "program" = NULL, "process" = NULL, "changes" = NULL"#

    /// Empties the records whose numbers are the list in parameter 1. They remain as deleted records
    /// (``removeFollowed``).
    package var empty: String { "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = ANY ($1::int8[])" }

    /// Near the numbers in the list in parameter 1, removes all but the last of several adjacent deleted records.
    package var removeFollowed: String {
      let before = "SELECT max(\"number\") FROM \(table) WHERE \"changes\" IS NULL AND \"number\" < "
      return "DELETE FROM \(table) AS _osd_h WHERE _osd_h.\"changes\" IS NULL "
        + "AND _osd_h.\"number\" >= coalesce((\(before) (SELECT min(n) FROM unnest($1::int8[]) AS _osd_n (n))), 0) "
        + "AND _osd_h.\"number\" <= (SELECT max(n) FROM unnest($1::int8[]) AS _osd_n (n)) "
        + "AND (SELECT _osd_f.\"changes\" IS NULL FROM \(table) AS _osd_f WHERE _osd_f.\"number\" > _osd_h.\"number\" "
        + "ORDER BY _osd_f.\"number\" LIMIT 1)"
    }

    /// Deletes all records before the number in parameter 1, and the content of the record with this number.
    package var deleteThrough: [String] {
      [
        "DELETE FROM \(table) WHERE \"number\" < $1::int8",
        "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = $1::int8",
      ]
    }

    /// Deletes all records before the last one, and the content of the last one.
    package var deleteAll: [String] {
      let last = "(SELECT max(\"number\") FROM \(table))"
      return [
        "DELETE FROM \(table) WHERE \"number\" < \(last)",
        "UPDATE \(table) SET \(Self.nothing) WHERE \"number\" = \(last)",
      ]
    }

    // MARK: Limits

    /// Reads whether the oldest record is older than the number of seconds in parameter 1.
    package var isFirstTooOld: String {
      "SELECT (\"time\" < \(Self.now) - $1::float8)::int4 FROM \(table) WHERE \"changes\" IS NOT NULL ORDER BY \"number\" LIMIT 1"
    }

    /// Stores the total size in the last record up to the number in parameter 1. Parameter 2: the overhead per record.
    ///
    /// - Parameter tombstones: The table with the values of deleted rows.
    package func setTotal(tombstones: String) -> String {
      let known = "SELECT \"number\", \"total\" FROM \(table) WHERE \"total\" IS NOT NULL AND \"number\" < _osd_e.e "
      let range = "\"number\" > coalesce(_osd_p.\"number\", 0) AND \"number\" <= _osd_e.e"
      let changes = "SELECT sum(coalesce(octet_length(\"changes\"::text), 0) + $2::int8) FROM \(table) WHERE \(range)"
      let values = "SELECT sum(octet_length(\"value\") + $2::int8) FROM \(tombstones) WHERE \(range)"
      return "UPDATE \(table) AS _osd_h SET \"total\" = v.t FROM (SELECT _osd_e.e, (coalesce(_osd_p.\"total\", 0) "
        + "+ coalesce((\(changes)), 0) + coalesce((\(values)), 0))::int8 FROM (SELECT max(\"number\") FROM \(table) "
        + "WHERE \"number\" <= $1::int8) AS _osd_e (e) LEFT JOIN LATERAL (\(known) ORDER BY \"number\" DESC LIMIT 1) AS _osd_p "
        + "ON TRUE) AS v (e, t) WHERE _osd_h.\"number\" = v.e AND _osd_h.\"total\" IS NULL"
    }

    /// Reads the number of the last record beyond the age in parameter 2 (in seconds) or the size in parameter 3 (in
    /// bytes); no row if there is none. The last record up to the number in parameter 1 is never deleted.
    package var excess: String {
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
        // There is nothing to do if all these records are deleted already.
        + "WHERE EXISTS (SELECT 1 FROM \(table) WHERE \"changes\" IS NOT NULL AND \"number\" <= x)"
    }
  }
#endif
