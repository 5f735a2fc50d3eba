import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import SQLEngine

extension SQLiteStatement {
  /// Binds what a request asks with to the parameters of its statement.
  func bind(_ request: FetchRequest) throws {
    guard !parameters.isEmpty else { return }
    var values: [QueryValue] = []
    if case .matching(let tree) = request.selection {
      values = tree.values.contains(where: \.isNull) ? tree.values.filter { !$0.isNull } : tree.values
    }
    var index: Int32 = 0
    for parameter in parameters {
      index += 1
      try check(bind(parameter, at: index, request, values))
    }
  }

  func bind(_ number: Int64, at index: Int32) throws {
    try check(sqlite3_bind_int64(pointer, index, number))
  }

  func bind(_ number: Double, at index: Int32) throws {
    try check(sqlite3_bind_double(pointer, index, number))
  }

  func clearBindings() {
    sqlite3_clear_bindings(pointer)
  }

  func bind(_ text: String, at index: Int32) throws {
    try check(bindText(text, at: index))
  }

  func bind(_ list: PackedList, at index: Int32) throws {
    try check(bindList(list, at: index))
  }

  private func bind(
    _ parameter: SQLParameter, at index: Int32, _ request: FetchRequest, _ values: [QueryValue]
  ) -> Int32 {
    switch parameter {
    case .limit: return sqlite3_bind_int64(pointer, index, Int64(max(0, request.limit ?? -1)))
    case .offset: return sqlite3_bind_int64(pointer, index, Int64(request.offset))
    case .value(let position, let notANumber):
      guard values.indices.contains(position) else { return SQLITE_RANGE }
      return bind(values[position], at: index, notANumber: notANumber)
    case .prefixEnd(let position):
      guard values.indices.contains(position), case .text(let prefix, _) = values[position] else { return SQLITE_RANGE }
      guard let end = TextPrefix.end(of: prefix) else { return bindPastAllTexts(at: index) }
      return bindText(end, at: index)
    case .list(let position, _):
      guard values.indices.contains(position), case .list(let elements) = values[position] else { return SQLITE_RANGE }
      return bindList(PackedList(elements), at: index)
    case .elements(let position, _):
      guard values.indices.contains(position), case .list(let elements) = values[position] else { return SQLITE_RANGE }
      return bindList(PackedList(elements: elements), at: index)
    }
  }

  private func bind(_ value: QueryValue, at index: Int32, notANumber: NotANumberBinding) -> Int32 {
    switch value {
    case .integer(let number), .identifier(_, let number): return sqlite3_bind_int64(pointer, index, number)
    case .real(let number) where number.isNaN: return bindNotANumber("NaN", at: index, as: notANumber)
    case .real(let number): return sqlite3_bind_double(pointer, index, number)
    case .text(let text, .real): return bindNotANumber(text, at: index, as: notANumber)
    case .text(let text, _): return bindText(text, at: index)
    case .blob(let data, _):
      return data.withUnsafeBytes { osd_sqlite_bind_blob_copy(pointer, index, $0.baseAddress, $0.count) }
    case .null, .list: return sqlite3_bind_null(pointer, index)
    }
  }

  private func bindNotANumber(_ text: String, at index: Int32, as binding: NotANumberBinding) -> Int32 {
    switch binding {
    case .stored: bindText(text, at: index)
    case .unlikeAnything: bindPastAllTexts(at: index)
    }
  }

  private func bindText(_ text: String, at index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { osd_sqlite_bind_text_copy(pointer, index, $0.baseAddress, $0.count) }
  }

  private func bindList(_ list: PackedList, at index: Int32) -> Int32 {
    list.bytes.withUnsafeBytes { osd_sqlite_bind_blob_copy(pointer, index, $0.baseAddress, $0.count) }
  }

  /// Binds the empty blob, which sorts after every text and number and is in no column of either.
  private func bindPastAllTexts(at index: Int32) -> Int32 {
    sqlite3_bind_zeroblob(pointer, index, 0)
  }
}
