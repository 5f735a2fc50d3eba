import Foundation
import PersistenceRuntime

/// What a column holds, for people who look at the definition of its table, where the column's type does not say it.
package enum ColumnRemark: String, Sendable, Hashable {
  case boolean = "Bool"
  case unsigned = "UInt64: 8 bytes above Int64.max"
  case date = "Date: seconds since 2001-01-01 UTC"
  case decimal = "Decimal"
  case identifier = "UUID"
  case link = "URL"
  case json = "Codable: JSON"
  case transformed = "of a value transformer"
  case external = "bytes, or the number of a file"
  case encrypted = "encrypted"

  /// - Returns: nil for a column whose type says what it holds, and for one of a schema without types, as stores have.
  init?(_ column: ColumnLayout, of property: PropertyLayout) {
    if property.outOfRowValue?.isEncrypted == true {
      self = .encrypted
    } else if property.outOfRowValue?.isExternal == true {
      self = .external
    } else if property.kind == .transformable {
      self = .transformed
    } else if column.isUnsigned {
      self = .unsigned
    } else {
      self.init(column.format, type: Self.type(of: column, property))
    }
  }

  private init?(_ format: ColumnFormat, type: any Any.Type) {
    switch format {
    case .decimal: self = .decimal
    case .json: self = .json
    case .integer where type == Bool.self: self = .boolean
    case .real where type == Date.self: self = .date
    case .blob where type == UUID.self: self = .identifier
    case .url: self = .link
    default: return nil
    }
  }

  private static func type(of column: ColumnLayout, _ property: PropertyLayout) -> any Any.Type {
    let part = property.composite?.parts.first { $0.path == column.path }
    return part.map { PropertyType($0.type).wrapped } ?? property.valueType
  }
}
