import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The valid values of a column. A condition in SQL finds values that may be invalid; Swift code tests these exactly.
struct ValueRule {
  /// How the values of a type are stored.
  indirect enum Form: Hashable {
    case integer(ClosedRange<Int64>)
    case truth
    /// Unsigned integers. Numbers above `Int64.max` are stored as bytes.
    case unsigned
    case real
    case text
    case url
    case decimal
    case bytes
    case uuid
    case json
    /// The key of another row.
    case reference
    /// The number 1 if an optional struct exists, otherwise NULL.
    case presence
    /// The bytes of a large value, or the text of a reference to an external file.
    case external
    /// Encrypted bytes, which ``SealedValueCheck`` decrypts.
    case sealed
  }

  let form: Form
  /// All raw values of an enum; nil for other types.
  let cases: Set<StoredValue>?
  /// The name of the type, for messages.
  let type: String
  /// Whether the exact text (the original) is stored if normalisation changes a text. Raw values of enums have none.
  let keepsOriginals: Bool

  init(_ form: Form, type: String, cases: Set<StoredValue>? = nil, keepsOriginals: Bool = true) {
    self.form = form
    self.type = type
    self.cases = cases
    self.keepsOriginals = keepsOriginals && cases == nil
  }

  // MARK: In SQL

  /// The condition that a value may be invalid. NULL does not satisfy it.
  func doubt(_ column: String) -> String {
    let tests = [typeTest(column), formTest(column), caseTest(column)].compactMap { $0 }
    return tests.joined(separator: " OR ")
  }

  /// The expression that reads a possibly invalid value. If only the type of a blob matters, its bytes are not read.
  func selected(_ column: String) -> String {
    switch form {
    case .bytes, .sealed, .external: "CASE typeof(\(column)) WHEN 'blob' THEN x'' ELSE \(column) END"
    default: column
    }
  }

  private func typeTest(_ column: String) -> String? {
    let types: [String] =
      switch form {
      case .integer, .truth, .reference, .presence: ["integer"]
      case .unsigned: ["integer", "blob"]
      case .real: ["real", "integer"]
      case .text, .url, .decimal, .json: ["text"]
      case .bytes, .uuid, .sealed: ["blob"]
      case .external: ["blob", "text"]
      }
    return "typeof(\(column)) NOT IN (\((types + ["null"]).map { "'\($0)'" }.joined(separator: ", ")))"
  }

  private func formTest(_ column: String) -> String? {
    switch form {
    case .integer(let range):
      range == .min ... .max ? nil : "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .truth: "\(column) NOT IN (0, 1)"
    case .presence: "\(column) <> 1"
    case .unsigned:
      "(typeof(\(column)) = 'integer' AND \(column) < 0) OR (typeof(\(column)) = 'blob' AND "
        + "(length(\(column)) <> 8 OR \(column) < x'8000000000000000'))"
    case .text: "NOT \(CheckFunctions.form)(\(column))"
    case .decimal: "NOT \(CheckFunctions.decimal)(\(column))"
    case .url:
      "\(column) = '' OR \(column) GLOB '*[^-A-Za-z0-9._~:/?#@!$&()*+,;=]*'"
    case .json: "NOT json_valid(\(column))"
    case .uuid: "length(\(column)) <> 16"
    case .external: "(typeof(\(column)) = 'text' AND \(column) NOT GLOB '[1-9]*:[0-9]*')"
    case .real, .bytes, .reference, .sealed: nil
    }
  }

  private func caseTest(_ column: String) -> String? {
    guard let cases, !cases.isEmpty else { return nil }
    let dialect = SQLiteDialect()
    return "\(column) NOT IN (\(cases.map { dialect.literal($0) }.sorted().joined(separator: ", ")))"
  }

  // MARK: Types

  /// The rule for the values of a type.
  init(_ type: any Any.Type) {
    let type = PropertyType(type).wrapped
    let name = "\(type)"
    if let form = Self.form(of: type) {
      self.init(form, type: name)
    } else if let raw = RawStorage.type(of: type), let (form, cases) = Self.rawForm(of: raw) {
      self.init(form, type: name, cases: cases, keepsOriginals: RawStorage.keepsOriginals(type))
    } else {
      self.init(.json, type: name)
    }
  }

  /// The form of a type that is stored in one column without encoding; nil for other types.
  ///
  /// The form depends on the column's format. Otherwise these types would be checked as JSON. A type with fewer values
  /// than its column format allows, such as `UUID`, has a form of its own.
  private static func form(of type: any Any.Type) -> Form? {
    guard let storable = type as? any StorableValue.Type else { return nil }
    switch storable._$format {
    case .integer: return integerForm(of: type)
    case .real: return .real
    case .text: return .text
    case .url: return .url
    case .decimal: return .decimal
    case .blob: return type == UUID.self ? Form.uuid : Form.bytes
    case .json: return .json
    case .reference: return .reference
    }
  }

  private static func integerForm(of type: any Any.Type) -> Form {
    if type == Bool.self { return .truth }
    if ColumnFormat.isUnsigned(type) { return .unsigned }
    guard let number = type as? any FixedWidthInteger.Type else { return .integer(Int64.min...Int64.max) }
    return .integer(range(of: number))
  }

  private static func range<Number: FixedWidthInteger>(of type: Number.Type) -> ClosedRange<Int64> {
    Int64(clamping: Number.min)...Int64(clamping: Number.max)
  }

  private static func rawForm(of type: any RawRepresentable.Type) -> (Form, Set<StoredValue>?)? {
    func rawForm<Value: RawRepresentable>(_ type: Value.Type) -> (Form, Set<StoredValue>?)? {
      guard let form = form(of: Value.RawValue.self) else { return nil }
      guard let cases = EnumCases.all(of: type) else { return (form, nil) }
      let values = cases.compactMap { StoredValue(ofRaw: $0.rawValue) }
      return (form, values.count == cases.count ? Set(values) : nil)
    }
    return rawForm(type)
  }
}

extension StoredValue {
  /// The stored raw value of an enum; nil if checks cannot compare raw values of this type.
  fileprivate init?(ofRaw value: Any) {
    switch value {
    case let text as String: self = .text(StoredText.form(of: text))
    case let number as any FixedWidthInteger:
      guard let number = Int64(exactly: number) else { return nil }
      self = .integer(number)
    default: return nil
    }
  }
}
