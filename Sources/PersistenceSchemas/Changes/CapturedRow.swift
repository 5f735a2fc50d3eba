import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Columns outside of any row: what a writer writes to them, as if they were a store's.
///
/// Unsafe, because rows cross the seam as opaque pointers: here they point to the row on the stack of the call that lends
/// it. Nothing keeps them beyond the call, and everything that is written is copied.
struct CapturedRow {
  private(set) var values: [StoredValue] = []

  /// What `body` writes.
  static func capturing(
    _ session: WriteSession, _ body: (inout RowWriter) -> Void
  ) -> [StoredValue] {
    var row = CapturedRow()
    withUnsafeMutablePointer(to: &row) { place in
      let statement = EngineStatement(
        statement: OpaquePointer(place), functions: functions, error: { _ in .valueNotStorable })
      var writer = RowWriter(statement, session: session, mask: PropertyMask.all)
      body(&writer)
    }
    return row.values
  }

  private mutating func set(_ parameter: Int32, _ value: StoredValue) -> Int32 {
    while values.count < Int(parameter) { values.append(.null) }
    guard parameter > 0 else { return 1 }
    values[Int(parameter) - 1] = value
    return 0
  }

  private static func place(_ pointer: OpaquePointer?) -> UnsafeMutablePointer<CapturedRow>? {
    pointer.map { UnsafeMutablePointer<CapturedRow>($0) }
  }

  // Made once, and never written to again.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnWriteFunctions> = {
    let functions = UnsafeMutablePointer<ColumnWriteFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnWriteFunctions(
        null: { place($0)?.pointee.set($1, .null) ?? 1 },
        integer: { place($0)?.pointee.set($1, .integer($2)) ?? 1 },
        real: { place($0)?.pointee.set($1, .real($2)) ?? 1 },
        text: { row, parameter, start, count in
          let text = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
          return place(row)?.pointee.set(parameter, .text(text)) ?? 1
        },
        blob: { row, parameter, start, count in
          let data = Data(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
          return place(row)?.pointee.set(parameter, .blob(data)) ?? 1
        },
        step: { _ in 1 }))
    return UnsafePointer(functions)
  }()
}
