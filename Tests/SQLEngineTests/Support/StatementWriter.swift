import Foundation
import PersistenceCore
import SQLEngine
import Testing

/// Writes the SQL of some models in one dialect, from the same predicates and sort descriptors as a fetch.
struct StatementWriter: Sendable {
  let dialect: any SQLDialect
  let database: DatabaseMapping
  private let directory: LayoutDirectory

  init(_ layouts: [EntityLayout], dialect: some SQLDialect) {
    self.dialect = dialect
    database = DatabaseMapping(entities: layouts, dialect: dialect)
    directory = LayoutDirectory(layouts)
  }

  var rows: RowStatements { RowStatements(dialect: dialect) }
  var members: MemberStatements { MemberStatements(dialect: dialect) }
  var pairs: PairStatements { PairStatements(dialect: dialect) }
  var definition: SchemaDefinition { SchemaDefinition(dialect: dialect) }

  func table(_ model: any PersistentModel.Type) throws -> TableMapping {
    try #require(database.table(named: Schema.entityName(ofModel: model)))
  }

  func property(_ name: String, of model: any PersistentModel.Type) throws -> PropertyLayout {
    try #require(try table(model).entity.property(named: name))
  }

  func link(_ name: String, of model: any PersistentModel.Type) throws -> LinkTableMapping {
    let position = try property(name, of: model).position
    return try #require(try table(model).links[position])
  }

  // MARK: Requests

  func tree<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> QueryTree {
    try PredicateTranslator.translate(predicate, entity: try table(Model.self).entity, directory: directory)
  }

  func sort<Model: PersistentModel>(_ descriptors: [SortDescriptor<Model>]) throws -> [SortTerm] {
    let directory = directory
    return try SortTranslator.translate(descriptors, entity: try table(Model.self).entity) {
      directory.layout(named: $0.destination)
    }
  }

  func request<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, sort: [SortDescriptor<Model>] = []
  ) throws -> FetchRequest {
    var request = FetchRequest(entity: try table(Model.self).entity)
    if let predicate { request.selection = .matching(try tree(predicate)) }
    request.sort = try self.sort(sort)
    return request
  }

  func statement(_ request: FetchRequest, _ purpose: RequestPurpose) throws -> RequestStatement {
    let table = try database.table(for: request.entity)
    let shape = RequestShape(request, purpose: purpose, table: table)
    return try RequestStatement(shape, table: table, database: database, dialect: dialect)
  }

  /// The SQL of the joins and the condition that the predicate becomes.
  func condition<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> String {
    let sql = try statement(try request(predicate), .count).sql
    let start = "SELECT count(*) FROM \(dialect.table(try table(Model.self).name))"
    try #require(sql.hasPrefix(start))
    let rest = sql.dropFirst(start.count).drop { $0 == " " }
    return String(rest.hasPrefix("WHERE ") ? rest.dropFirst(6) : rest)
  }

  /// The SQL of the sort terms that the descriptors become.
  func order<Model: PersistentModel>(_ descriptors: SortDescriptor<Model>...) throws -> String {
    let sql = try statement(try request(nil, sort: descriptors), .keys).sql
    let start = try #require(sql.range(of: " ORDER BY "))
    return String(sql[start.upperBound...])
  }

  // MARK: Aggregates

  func operand<Model: PersistentModel, Value>(_ expression: Expression<Model, Value>) throws -> AggregateOperand {
    let translator = OperandTranslator(entity: try table(Model.self).entity, directory: directory)
    return .tree(try translator.translate(expression))
  }

  func operand<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>) throws -> AggregateOperand {
    .column(try #require(try sort([descriptor]).first))
  }

  func aggregate<Model: PersistentModel>(
    _ columns: [AggregateColumn], where predicate: Predicate<Model>? = nil, group: AggregateOperand? = nil,
    of model: Model.Type
  ) throws -> String {
    let table = try table(model)
    let selection = try predicate.map { FetchSelection.matching(try tree($0)) } ?? .all
    let request = AggregateRequest(entity: table.entity, selection: selection, group: group, columns: columns)
    let shape = AggregateQuery(request, table: table).shape
    return try AggregateStatement(shape, table: table, database: database, dialect: dialect).sql
  }
}

/// Returns the layouts of the entities to which relationships refer.
private final class LayoutDirectory: EntityDirectory {
  private let layouts: [String: EntityLayout]

  init(_ layouts: [EntityLayout]) {
    self.layouts = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
  }

  func layout(named name: String) -> EntityLayout? { layouts[name] }
}
