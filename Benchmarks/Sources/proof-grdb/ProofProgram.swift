import Foundation
import GRDB

/// Reads and writes a store of the library with GRDB alone: proof-grdb STORE [COPY]. Tests/Proof checks the result.
@main
enum ProofProgram {
  static func main() throws {
    guard CommandLine.arguments.count > 1 else { throw ProofError("proof-grdb STORE [COPY]") }
    let pool = try DatabasePool(path: CommandLine.arguments[1])
    try pool.write { database in
      let work = StoreWork(database)
      try work.add()
      try work.change()
      try work.move()
      try work.remove()
    }
    try refuse(pool)
    try pool.vacuum()
    try pool.read(show)
    if CommandLine.arguments.count > 2 { try pool.backup(to: DatabaseQueue(path: CommandLine.arguments[2])) }
  }

  /// Expects that constraints in the file reject statements that violate the rules of the models.
  private static func refuse(_ pool: DatabasePool) throws {
    for statement in [
      "INSERT INTO Room (name, floor, x) VALUES ('hall', 1, 1)", "DELETE FROM Exhibit WHERE name = 'exhibit 11'",
    ] {
      do {
        try pool.write { try $0.execute(sql: statement) }
        print("done: \(statement)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        print(error.message ?? "")
      }
    }
  }

  /// Prints the result of SQLite's integrity check, parts of the schema as GRDB reads it, and the names of rows in two
  /// orders.
  private static func show(_ database: Database) throws {
    print(try String.fetchAll(database, sql: "PRAGMA integrity_check").joined(separator: ", "))
    try database.checkForeignKeys()
    let unique = try database.indexes(on: "Exhibit").filter(\.isUnique).map(\.name).sorted()
    print(unique.joined(separator: " "))
    print(try database.primaryKey("Exhibit").columns.joined(separator: " "))
    print(try database.foreignKeys(on: "Exhibit").map(\.destinationTable).sorted().joined(separator: " "))
    let byTitle = try Row.fetchAll(database, Table("Exhibit").order(Column("title"), Column("name")))
    print(byTitle.map { $0["name"] as String }.joined(separator: ","))
    // GRDB cannot decode NaN as a decimal, so this row is left out.
    let priced = byTitle.filter { $0["price"] != "NaN" }.map {
      (name: $0["name"] as String, price: $0["price"] as Decimal)
    }
    let byPrice = priced.sorted { ($0.price, $0.name) < ($1.price, $1.name) }
    print(byPrice.map(\.name).joined(separator: ","))
  }
}

struct ProofError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
