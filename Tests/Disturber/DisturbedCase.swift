import CDisturbance
import SwiftData

/// A call that fails, and the problems that are found afterwards.
struct DisturbedCase {
  let kind: Int32
  let calls: Int32
  let persists: Bool
  private(set) var problems: [String] = []
  /// Whether the call occurred at all.
  private(set) var wasDisturbed = false

  init(kind: Int32, calls: Int32, persists: Bool) {
    (self.kind, self.calls, self.persists) = (kind, calls, persists)
  }

  /// Runs a block while the call fails. Returns the error that it throws, whose description must be meaningful.
  mutating func disturb(_ body: () throws -> Void) -> (any Error)? {
    disturbance_begin(kind, calls, persists ? 1 : 0)
    defer { wasDisturbed = disturbance_end() > 0 }
    do {
      try body()
      return nil
    } catch let error as SwiftDataError {
      if error.description.count < 40 { problems.append("an error says little: \(error)") }
      return error
    } catch {
      problems.append("an error is none of the library's: \(type(of: error)) \(error)")
      return error
    }
  }

  /// Runs a block that must succeed.
  mutating func expect<Result>(_ words: String, _ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      problems.append("\(words) threw \(error)")
      return nil
    }
  }

  mutating func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { problems.append(words()) }
  }

  /// Reports the differences of two contents.
  mutating func expectEqual(_ found: [String]?, _ wanted: [String], _ words: String) {
    guard let found, found != wanted else { return }
    let missing = wanted.filter { !found.contains($0) }.prefix(3)
    let extra = found.filter { !wanted.contains($0) }.prefix(3)
    problems.append("\(words): lacks \(Array(missing)), has \(Array(extra))")
  }
}
