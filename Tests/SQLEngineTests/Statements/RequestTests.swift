import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("SQL of fetch requests")
struct RequestTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music + Models.vehicles + [Record.self]) }

  private static let recent = #Predicate<Album> { $0.year == 2000 }
  private static let named = #Predicate<Album> { $0.band?.name == "a" }
  private static let all: Predicate<Album>? = nil

  static let albumCases: [StatementCase] = [
    StatementCase(
      "all rows, in the order of their keys",
      sqlite: #"SELECT "_osd_key", "title", "year", "band" FROM "Album" ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key], [title], [year], [band] FROM app.[Album] ORDER BY [_osd_key]"
    ) { try $0.statement($0.request(all), .rows).sql },
    StatementCase(
      "some columns", sqlite: #"SELECT "_osd_key", "title" FROM "Album" ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key], [title] FROM app.[Album] ORDER BY [_osd_key]"
    ) { writer in
      var request = try writer.request(all)
      request.mask = try writer.property("title", of: Album.self).bit
      return try writer.statement(request, .rows).sql
    },
    StatementCase(
      "keys alone", sqlite: #"SELECT "_osd_key" FROM "Album" WHERE "year" = ?1 ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key] FROM app.[Album] WHERE [year] = $1 ORDER BY [_osd_key]"
    ) { try $0.statement($0.request(recent), .keys).sql },
    StatementCase(
      "columns of a joined query have their table's name",
      sqlite: #"SELECT "Album"."_osd_key", "Album"."title", "Album"."year", "Album"."band" FROM "Album" "#
        + #"LEFT JOIN "Band" AS t1 ON t1."_osd_key" = "Album"."band" WHERE t1."name" = ?1 "#
        + #"ORDER BY "Album"."_osd_key""#,
      other: "SELECT [Album].[_osd_key], [Album].[title], [Album].[year], [Album].[band] FROM app.[Album] "
        + "LEFT JOIN app.[Band] AS t1 ON t1.[_osd_key] = [Album].[band] WHERE t1.[name] = $1 "
        + "ORDER BY [Album].[_osd_key]"
    ) { try $0.statement($0.request(named), .rows).sql },
    StatementCase(
      "a count needs no order", sqlite: #"SELECT count(*) FROM "Album" WHERE "year" = ?1"#,
      other: "SELECT count(*) FROM app.[Album] WHERE [year] = $1"
    ) { try $0.statement($0.request(recent, sort: [SortDescriptor(\.title)]), .count).sql },
  ]

  @Test("the statement of a request contains its columns, condition and order", arguments: albumCases)
  func albums(_ item: StatementCase) throws { try item.check(in: dialects) }

  private static func limited(
    _ writer: StatementWriter, limit: Int?, offset: Int, _ purpose: RequestPurpose = .keys,
    _ predicate: Predicate<Album>? = nil
  ) throws -> RequestStatement {
    var request = try writer.request(predicate)
    request.limit = limit
    request.offset = offset
    return try writer.statement(request, purpose)
  }

  static let limitCases: [StatementCase] = [
    StatementCase(
      "a limit", sqlite: #"SELECT "_osd_key" FROM "Album" ORDER BY "_osd_key" LIMIT ?1"#,
      other: "SELECT [_osd_key] FROM app.[Album] ORDER BY [_osd_key] FETCH FIRST $1 ROWS ONLY"
    ) { try limited($0, limit: 2, offset: 0).sql },
    StatementCase(
      "an offset", sqlite: #"SELECT "_osd_key" FROM "Album" ORDER BY "_osd_key" LIMIT -1 OFFSET ?1"#,
      other: "SELECT [_osd_key] FROM app.[Album] ORDER BY [_osd_key] OFFSET $1 ROWS"
    ) { try limited($0, limit: nil, offset: 3).sql },
    StatementCase(
      "both, behind the values of the condition",
      sqlite: #"SELECT "_osd_key" FROM "Album" WHERE "year" = ?1 ORDER BY "_osd_key" LIMIT ?2 OFFSET ?3"#,
      other: "SELECT [_osd_key] FROM app.[Album] WHERE [year] = $1 ORDER BY [_osd_key] "
        + "OFFSET $3 ROWS FETCH FIRST $2 ROWS ONLY"
    ) { try limited($0, limit: 2, offset: 3, .keys, recent).sql },
    StatementCase(
      "a count of so many", sqlite: #"SELECT count(*) FROM (SELECT 1 FROM "Album" LIMIT ?1) AS limited"#,
      other: "SELECT count(*) FROM (SELECT 1 FROM app.[Album] FETCH FIRST $1 ROWS ONLY) AS limited"
    ) { try limited($0, limit: 2, offset: 0, .count).sql },
  ]

  @Test("limit and offset become parameters of the dialect's clause", arguments: limitCases)
  func limits(_ item: StatementCase) throws { try item.check(in: dialects) }

  private static let vehicles: Predicate<Vehicle>? = nil
  private static let trucks: Predicate<Truck>? = nil

  static let hierarchyCases: [StatementCase] = [
    StatementCase(
      "the root with all that inherits from it",
      sqlite: #"SELECT "_osd_key", "wheels", "seats", "plate", "load", "_osd_entity" FROM "Vehicle" "#
        + #"ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key], [wheels], [seats], [plate], [load], [_osd_entity] FROM app.[Vehicle] "
        + "ORDER BY [_osd_key]"
    ) { try $0.statement($0.request(vehicles), .rows).sql },
    StatementCase(
      "the root alone",
      sqlite: #"SELECT "_osd_key", "wheels", "_osd_entity" FROM "Vehicle" WHERE "_osd_entity" = 'Vehicle' "#
        + #"ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key], [wheels], [_osd_entity] FROM app.[Vehicle] WHERE [_osd_entity] = N'Vehicle' "
        + "ORDER BY [_osd_key]"
    ) { writer in
      var request = try writer.request(vehicles)
      request.includesSubentities = false
      return try writer.statement(request, .rows).sql
    },
    StatementCase(
      "a subclass",
      sqlite: #"SELECT "_osd_key", "wheels", "plate", "load", "_osd_entity" FROM "Vehicle" "#
        + #"WHERE "_osd_entity" = 'Truck' ORDER BY "_osd_key""#,
      other: "SELECT [_osd_key], [wheels], [plate], [load], [_osd_entity] FROM app.[Vehicle] "
        + "WHERE [_osd_entity] = N'Truck' ORDER BY [_osd_key]"
    ) { try $0.statement($0.request(trucks), .rows).sql },
  ]

  @Test("the rows of a class with subclasses contain the name of their entity", arguments: hierarchyCases)
  func hierarchies(_ item: StatementCase) throws { try item.check(in: dialects) }

  // MARK: Parameters

  @Test("each parameter names the source of its value, in numerical order")
  func parameters() throws {
    let writer = dialects.sqlite
    let counts = [1, 2]
    #expect(
      try Self.limited(writer, limit: 2, offset: 3, .keys, Self.recent).parameters
        == [.value(0, notANumber: .stored), .limit, .offset])
    #expect(
      try writer.statement(writer.request(#Predicate<Record> { counts.contains($0.count) }), .count).parameters
        == [.list(0, .integer)])
    #expect(
      try writer.statement(writer.request(#Predicate<Record> { $0.title.starts(with: "a") }), .count).parameters
        == [.value(0, notANumber: .stored), .prefixEnd(0)])
  }

  @Test("a value that is used twice is one parameter")
  func sharedParameter() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    let writer = dialects.sqlite
    let statement = try writer.statement(writer.request(#Predicate<Record> { $0.date < date }), .count)
    #expect(statement.parameters == [.value(0, notANumber: .stored)])
  }

  @Test("not-a-number as a parameter equals no stored value")
  func notANumber() throws {
    let writer = dialects.sqlite
    let statement = try writer.statement(writer.request(#Predicate<Record> { $0.weight == 1.5 }), .count)
    #expect(statement.parameters == [.value(0, notANumber: .unlikeAnything)])
  }
}
