import SQLEngine

/// Spatial indexes are SQLite's R*Trees: virtual tables, which triggers update whenever any program changes a row.
///
/// A tree contains 32-bit floating-point numbers. SQLite rounds the ends of an interval outwards, except numbers that
/// are too large for 32 bits or too near to zero. Too large numbers are clamped to `greatest` in rows and search
/// bounds. For numbers near zero, search bounds are widened by `margin`, which is greater than the error.
/// ``CoordinateForm`` computes the numbers for values that are stored in another form.
extension SQLiteDialect {
  private static let greatest = "1e38"
  private static let margin = "1e-37"

  /// The suffixes of an R*Tree's shadow tables, in which SQLite stores the tree.
  package var spatialIndexEndings: [String] { ["_node", "_parent", "_rowid"] }

  package func spatialIndex(_ index: SpatialIndexMapping) -> [String] {
    let columns = [SpatialIndexMapping.keyColumn] + index.dimensions.flatMap { [$0.lowerColumn, $0.upperColumn] }
    let list = columns.map(quoted).joined(separator: ", ")
    return ["CREATE VIRTUAL TABLE \(quoted(index.name)) USING rtree(\(list))"] + triggers(of: index) + outside(index)
  }

  package func contents(of index: SpatialIndexMapping) -> String {
    "INSERT INTO \(quoted(index.name)) SELECT \(entry(of: index, "")) FROM \(quoted(index.table)) "
      + "WHERE \(isPoint(index, ""))"
  }

  package func removal(of index: SpatialIndexMapping) -> [String] {
    Event.allCases.map { "DROP TRIGGER IF EXISTS \(quoted(name(of: $0, index)))" }
      + ["DROP INDEX IF EXISTS \(quoted(index.outsideName))", "DROP TABLE IF EXISTS \(quoted(index.name))"]
  }

  package func unsearched(_ column: String) -> String { "+" + column }

  package func keys(in index: SpatialIndexMapping, within bounds: [SpatialBound]) -> String {
    let key = quoted(SpatialIndexMapping.keyColumn)
    let forms = Dictionary(index.dimensions.map { ($0.column, $0.form) }) { first, _ in first }
    let tests = bounds.map { bound in
      let form = CoordinateForm(forms[bound.column] ?? .number)
      return bound.isLower
        ? "\(quoted(bound.column + "_max")) >= min(\(form.least(bound.value)), \(Self.greatest)) - \(Self.margin)"
        : "\(quoted(bound.column + "_min")) <= max(\(form.greatest(bound.value)), -\(Self.greatest)) + \(Self.margin)"
    }
    let inside = "SELECT \(key) FROM \(quoted(index.name)) WHERE \(tests.joined(separator: " AND "))"
    let open = index.dimensions.filter { dimension in !bounds.contains { $0.column == dimension.column } }
    guard open.contains(where: \.mayBeMissing) else { return inside }
    let others = bounds.map { bound in
      let form = CoordinateForm(forms[bound.column] ?? .number)
      return "\(form.indexed(quoted(bound.column))) \(bound.isLower ? ">=" : "<=") \(form.indexed(bound.value))"
    }
    return inside + " UNION ALL SELECT \(key) FROM \(quoted(index.table)) WHERE "
      + ([isPartOfPoint(index)] + others).joined(separator: " AND ")
  }

  // MARK: Updating the index

  private enum Event: String, CaseIterable {
    case insert, update, delete
  }

  private func name(of event: Event, _ index: SpatialIndexMapping) -> String { "\(index.name)_\(event.rawValue)" }

  private func triggers(of index: SpatialIndexMapping) -> [String] {
    let (tree, table, key) = (quoted(index.name), quoted(index.table), quoted(SpatialIndexMapping.keyColumn))
    let columns = [SpatialIndexMapping.keyColumn] + index.dimensions.map(\.column)
    let isMoved =
      (["NEW.\(key) IS NOT OLD.\(key)"]
      + index.dimensions.map { "NEW.\(quoted($0.column)) IS NOT OLD.\(quoted($0.column))" }).joined(separator: " OR ")
    let removal = "DELETE FROM \(tree) WHERE \(key) = OLD.\(key);"
    let names = Event.allCases.map { quoted(name(of: $0, index)) }
    return [
      "CREATE TRIGGER \(names[0]) AFTER INSERT ON \(table) WHEN \(isPoint(index, "NEW.")) BEGIN\n"
        + "  INSERT INTO \(tree) VALUES (\(entry(of: index, "NEW.")));\nEND",
      "CREATE TRIGGER \(names[1]) AFTER UPDATE OF \(columns.map(quoted).joined(separator: ", ")) ON \(table) "
        + "WHEN \(isMoved) BEGIN\n  \(removal)\n"
        + "  INSERT INTO \(tree) SELECT \(entry(of: index, "NEW.")) WHERE \(isPoint(index, "NEW."));\nEND",
      "CREATE TRIGGER \(names[2]) AFTER DELETE ON \(table) BEGIN\n  \(removal)\nEND",
    ]
  }

  /// The entry of a row in the tree.
  private func entry(of index: SpatialIndexMapping, _ source: String) -> String {
    let ends = index.dimensions.flatMap { dimension in
      let (form, column) = (CoordinateForm(dimension.form), source + quoted(dimension.column))
      return [form.least(column), form.greatest(column)].map(clamped)
    }
    let values = [source + quoted(SpatialIndexMapping.keyColumn)] + ends
    return values.joined(separator: ", ")
  }

  /// The condition that a row has a number in each dimension. Not-a-number does not count: it is stored as text.
  func isPoint(_ index: SpatialIndexMapping, _ source: String) -> String {
    index.dimensions.map { CoordinateForm($0.form).hasCoordinate(source + quoted($0.column)) }
      .joined(separator: " AND ")
  }

  /// The condition that the tree's entry of a row matches the row, within the precision of the tree.
  func isWithin(_ index: SpatialIndexMapping, tree: String, row: String) -> String {
    index.dimensions.map { dimension in
      let (form, column) = (CoordinateForm(dimension.form), row + quoted(dimension.column))
      let (least, greatest) = (clamped(form.least(column)), clamped(form.greatest(column)))
      return "\(tree)\(quoted(dimension.lowerColumn)) <= \(least) + \(Self.margin) "
        + "AND \(tree)\(quoted(dimension.upperColumn)) >= \(greatest) - \(Self.margin)"
    }.joined(separator: " AND ")
  }

  /// A number clamped to the range that trees hold.
  private func clamped(_ number: String) -> String { "max(-\(Self.greatest), min(\(Self.greatest), \(number)))" }

  // MARK: Rows outside the index

  /// An index of the rows with a number in only some dimensions, for queries with conditions on only these dimensions.
  private func outside(_ index: SpatialIndexMapping) -> [String] {
    guard index.dimensions.count > 1, index.isIncomplete else { return [] }
    let columns = index.dimensions.map { CoordinateForm($0.form).indexed(quoted($0.column)) }.joined(separator: ", ")
    return [
      "CREATE INDEX \(quoted(index.outsideName)) ON \(quoted(index.table)) (\(columns)) "
        + "WHERE \(isPartOfPoint(index))"
    ]
  }

  private func isPartOfPoint(_ index: SpatialIndexMapping) -> String {
    let count = index.dimensions.map { "(\(CoordinateForm($0.form).hasCoordinate(quoted($0.column))))" }.joined(
      separator: " + ")
    return "(\(count) BETWEEN 1 AND \(index.dimensions.count - 1))"
  }
}

/// SQL for the coordinates of a column's values on an axis of an R*Tree.
///
/// A coordinate is an interval that always contains the exact value. The intervals of rows and of search bounds are in
/// the same order as the values. A search therefore finds every row with a value between the bounds.
struct CoordinateForm {
  private let form: SpatialIndexMapping.Dimension.Form

  init(_ form: SpatialIndexMapping.Dimension.Form) { self.form = form }

  /// The lower end of a value's interval.
  func least(_ value: String) -> String {
    switch form {
    case .number: value
    case .unsigned: "CASE typeof(\(value)) WHEN 'blob' THEN \(Self.leading(value)) ELSE \(value) END"
    case .decimal: Self.decimal(value, "-")
    }
  }

  /// The upper end of a value's interval.
  func greatest(_ value: String) -> String {
    switch form {
    case .number: value
    case .unsigned:
      "CASE typeof(\(value)) WHEN 'blob' THEN \(Self.leading(value)) + \(Self.unit) ELSE \(value) END"
    case .decimal: Self.decimal(value, "+")
    }
  }

  /// The condition that a row has a coordinate on the axis of a column.
  func hasCoordinate(_ column: String) -> String {
    switch form {
    // Not-a-number is stored as text.
    case .number: "typeof(\(column)) IN ('integer', 'real')"
    case .unsigned: "typeof(\(column)) IN ('integer', 'blob')"
    case .decimal: "typeof(\(column)) = 'text'"
    }
  }

  /// The form of a value in a plain index, in which values are compared by order.
  func indexed(_ value: String) -> String { form == .decimal ? SQLiteDialect().key(ofDecimal: value) : value }

  // MARK: Bytes

  /// 2 to the 40th: the unit of the leading 24 of 64 bits. A number in a tree has no more than 24 bits.
  private static let unit = "1099511627776.0"

  /// The number in the leading 24 bits of 8 bytes. SQLite has no function for this, so the hex digits are converted.
  private static func leading(_ bytes: String) -> String {
    let digits = (0..<6).map { place in
      let digit = "(instr('0123456789ABCDEF', substr(hex(\(bytes)), \(place + 1), 1)) - 1)"
      return "\(digit) * \(1 << (4 * (5 - place)))"
    }
    return "(\(digits.joined(separator: " + "))) * \(unit)"
  }

  // MARK: Decimals

  /// A decimal as a floating-point number, minus or plus more than the rounding error. Not-a-number becomes -1e38.
  private static func decimal(_ text: String, _ sign: String) -> String {
    let number = "CAST(\(text) AS REAL)"
    return "CASE WHEN \(text) = 'NaN' THEN -1e38 ELSE \(number) \(sign) abs(\(number)) * 1e-12 END"
  }
}
