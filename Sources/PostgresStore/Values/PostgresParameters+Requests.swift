#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  extension PostgresParameters {
    /// The parameters of a statement for a request.
    ///
    /// - Parameters:
    ///   - parameters: Where the values of the statement's parameters come from.
    ///   - values: The values in the request.
    /// - Throws: `SwiftDataError.storeFailure` if the request has no value for a parameter.
    package init(
      _ parameters: [SQLParameter], types: [SQLParameterType], values: [QueryValue], limit: Int? = nil, offset: Int = 0
    ) throws {
      self.init(capacity: parameters.count)
      // A nil is never bound to a parameter, so a position counts only the values that are not nil.
      let bound = values.contains { $0.isNull } ? values.filter { !$0.isNull } : values
      for (parameter, type) in zip(parameters, types) {
        switch parameter {
        case .limit: append(Int64(max(0, limit ?? 0)))
        case .offset: append(Int64(offset))
        case .value(let position, _): try append(value: try Self.value(position, of: bound), type)
        case .prefixEnd(let position):
          guard case .text(let prefix, _) = try Self.value(position, of: bound) else { continue }
          try append(TextPrefix.end(of: prefix) ?? Self.pastAllTexts)
        case .list(let position, _):
          try append(elements: try Self.value(position, of: bound), type, isComplete: false)
        case .elements(let position, _):
          try append(elements: try Self.value(position, of: bound), type, isComplete: true)
        }
      }
    }

    private static func value(_ position: Int, of values: [QueryValue]) throws -> QueryValue {
      guard values.indices.contains(position) else {
        throw SwiftDataError(.storeFailure, "A statement has more parameters than its request has values.")
      }
      return values[position]
    }

    private mutating func append(value: QueryValue, _ type: SQLParameterType) throws {
      // The most frequent case first: most values are integers, and most integer columns are signed.
      if case .integer(let number) = value, PostgresType(type) == .int8 { return append(number) }
      try append(value.storedValue, as: type)
    }

    /// Greater than all texts except those that begin with 64 times U+10FFFF, which is not an assigned character.
    private static let pastAllTexts = String(repeating: "\u{10FFFF}", count: 64)

    private mutating func append(elements list: QueryValue, _ type: SQLParameterType, isComplete: Bool) throws {
      guard case .list(let elements) = list, case .list(let format, let isUnsigned) = type else {
        throw SwiftDataError(.storeFailure, "A statement has a list where its request has a value.")
      }
      // The statement tests for nil separately, and nothing is equal to a NaN.
      let kept = isComplete ? elements : elements.filter { !$0.isNull && !$0.isNotANumber }
      try append(list: kept.map(\.storedValue), of: format, isUnsigned: isUnsigned)
    }
  }

  extension QueryValue {
    /// The value in the form in which columns contain it.
    var storedValue: StoredValue {
      switch self {
      case .null, .list: .null
      case .integer(let number), .identifier(_, let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text, _): .text(text)
      case .blob(let data, _): .blob(data)
      }
    }
  }
#endif
