#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing

  @testable import PersistenceSchemas
  import PostgresSQL

  /// The tables of some models on the shared server. Its functions write and read rows by the dialect's statements.
  struct TestDatabase {
    let connection: PostgresConnection
    let dialect: PostgresDialect
    let database: DatabaseMapping
    private let directory: LayoutDirectory

    init(_ models: any PersistentModel.Type...) throws {
      let layouts = try SchemaPlan(Schema(models)).layouts
      let (connection, namespace) = try TestCluster.shared.get().connectToNamespace()
      self.connection = connection
      dialect = PostgresDialect(namespace: namespace)
      database = dialect.mapping(of: layouts)
      directory = LayoutDirectory(layouts: Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first })
      let statements = SchemaDefinition(dialect: dialect).statements(for: database)
      _ = try connection.run(statements.map { PostgresStatement($0) })
    }

    var rows: RowStatements { RowStatements(dialect: dialect) }

    func table(_ model: any PersistentModel.Type) throws -> TableMapping {
      try #require(database.table(named: Schema.entityName(ofModel: model)))
    }

    // MARK: Rows

    /// The column values of an object's row, in the form in which a save binds them.
    func values<Model: PersistentModel>(of object: Model) throws -> [StoredValue] {
      let entity = try table(Model.self).entity
      let session = WriteSession(entity: entity, objects: [object], keyComesFirst: false, error: { _ in .storeFailure })
      return CapturedRow.capturing(session, storesForms: true) { writer in
        writer.beginRow(at: 0)
        object._$write(&writer)
      }
    }

    func parameters(
      key: Int64, _ values: [StoredValue], of table: TableMapping, keyComesFirst: Bool = true
    ) throws -> PostgresParameters {
      var parameters = PostgresParameters()
      if keyComesFirst { parameters.append(key) }
      for (column, value) in zip(table.columns, values) {
        try parameters.append(value, as: .value(column.format, isUnsigned: column.isUnsigned))
      }
      if !keyComesFirst { parameters.append(key) }
      return parameters
    }

    func insertion<Model: PersistentModel>(of object: Model, key: Int64) throws -> PostgresStatement {
      let table = try table(Model.self)
      return PostgresStatement(rows.insert(into: table), try parameters(key: key, try values(of: object), of: table))
    }

    /// Reads a row by its key. Returns its values in the order of the columns; nil if the row is missing.
    func row(_ key: Int64, of model: any PersistentModel.Type) throws -> [StoredValue]? {
      let table = try table(model)
      var parameters = PostgresParameters()
      parameters.append(key)
      let result = try connection.run(PostgresStatement(rows.lookUp(table, mask: PropertyMask.all), parameters))
      guard result.rowCount == 1 else { return nil }
      let columns = RowStatements.selectedColumns(table, mask: PropertyMask.all)
      return try columns.enumerated().map { try result.value(0, $0 + 1, isUnsigned: $1.isUnsigned) }
    }

    // MARK: Requests

    func tree<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> QueryTree {
      try PredicateTranslator.translate(predicate, entity: try table(Model.self).entity, directory: directory)
    }

    /// The keys of the rows that a query returns, in the order of the result.
    func keys<Model: PersistentModel>(
      _ tree: QueryTree?, sort: [SortDescriptor<Model>] = [], limit: Int? = nil, offset: Int = 0, of model: Model.Type
    ) throws -> [Int64] {
      let table = try table(model)
      var request = FetchRequest(entity: table.entity)
      if let tree { request.selection = .matching(tree) }
      request.sort = try SortTranslator.translate(sort, entity: table.entity) {
        directory.layout(named: $0.destination)
      }
      request.limit = limit
      request.offset = offset
      let shape = RequestShape(request, purpose: .keys, table: table)
      let statement = try RequestStatement(shape, table: table, database: database, dialect: dialect)
      let parameters = try PostgresParameters(
        statement.parameters, types: statement.parameterTypes, values: tree?.values ?? [], limit: limit, offset: offset)
      let result = try connection.run(PostgresStatement(statement.sql, parameters))
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    func keys<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> [Int64] {
      try keys(try tree(predicate), of: Model.self)
    }
  }

  /// Returns the layouts of the entities to which relationships refer.
  private final class LayoutDirectory: EntityDirectory {
    private let layouts: [String: EntityLayout]

    init(layouts: [String: EntityLayout]) {
      self.layouts = layouts
    }

    func layout(named name: String) -> EntityLayout? { layouts[name] }
  }
#endif
