#if PostgreSQL
  import Foundation
  import SwiftData

  /// A value that runs code of a test when it is encoded.
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

    /// Runs code whenever such a value is encoded during the body.
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
      // Long enough that a thousand rows take more than one part of a large insertion.
      label = number.isMultiple(of: 7) ? nil : String(repeating: "\(number) ", count: 60)
      value = WatchedValue(number)
    }
  }
#endif
