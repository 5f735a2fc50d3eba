#if PostgreSQL
  import Foundation
  import SwiftData

  /// A Codable value. A test can run a closure whenever such a value is encoded.
  struct WatchedValue: Codable, Equatable {
    @TaskLocal private static var onWriting: (@Sendable (Int) throws -> Void)?

    let number: Int

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      try Self.onWriting?(number)
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }

    /// While the body runs, calls `onWriting` whenever a WatchedValue is encoded.
    static func watch<Value>(
      _ onWriting: @escaping @Sendable (Int) throws -> Void, during body: () throws -> Value
    ) throws -> Value {
      try $onWriting.withValue(onWriting, operation: body)
    }
  }

  @Model
  final class Watched {
    var number: Int
    var label: String?
    @Attribute(.codable) var value: WatchedValue

    init(_ number: Int) {
      self.number = number
      // The text is so long that an insertion of a thousand rows is sent in more than one part.
      label = number.isMultiple(of: 7) ? nil : String(repeating: "\(number) ", count: 60)
      value = WatchedValue(number)
    }
  }
#endif
