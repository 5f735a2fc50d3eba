#if PostgreSQL
  import PersistenceRuntime
  import PostgresSQL
  import SQLEngine

  /// The types of parameters and columns. The raw values are PostgreSQL's permanent object identifiers for them.
  package enum PostgresType: UInt32, Sendable, Hashable {
    case boolean = 16
    case bytes = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case json = 114
    case float4 = 700
    case float8 = 701
    case numeric = 1700

    case arrayOfJSON = 199
    case arrayOfBytes = 1001
    case arrayOfText = 1009
    case arrayOfInt8 = 1016
    case arrayOfFloat8 = 1022
    case arrayOfNumeric = 1231

    /// The type that ``PostgresDialect/placeholder(_:_:)`` declares for a parameter.
    init(_ type: SQLParameterType) {
      switch type {
      case .value(let format, let isUnsigned): self.init(format, isUnsigned: isUnsigned)
      case .list(let format, let isUnsigned): self = PostgresType(format, isUnsigned: isUnsigned).array
      }
    }

    init(_ format: ColumnFormat, isUnsigned: Bool) {
      switch format {
      case .integer: self = isUnsigned ? .numeric : .int8
      case .reference: self = .int8
      case .real: self = .float8
      case .text, .url: self = .text
      case .decimal: self = .numeric
      case .blob: self = .bytes
      case .json: self = .json
      }
    }

    var isArray: Bool {
      switch self {
      case .arrayOfJSON, .arrayOfBytes, .arrayOfText, .arrayOfInt8, .arrayOfFloat8, .arrayOfNumeric: true
      default: false
      }
    }

    private var array: PostgresType {
      switch self {
      case .json: .arrayOfJSON
      case .bytes: .arrayOfBytes
      case .int8: .arrayOfInt8
      case .float8: .arrayOfFloat8
      case .numeric: .arrayOfNumeric
      default: .arrayOfText
      }
    }
  }
#endif
