import CDisturbance
import SwiftData

/// One run of a scenario in which a call fails, and the problems that the checks found afterwards.
struct DisturbedCase {
  let kind: Int32
  let calls: Int32
  let persists: Bool
  private(set) var problems: [String] = []
  /// Whether the run made so many calls that the chosen call failed.
  private(set) var wasDisturbed = false

  init(kind: Int32, calls: Int32, persists: Bool) {
    (self.kind, self.calls, self.persists) = (kind, calls, persists)
  }

  /// Runs a block in which the chosen call fails. Returns the block's error, and reports a problem if the error is not
  /// a `SwiftDataError` or its description is too short.
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

  /// Runs a block that must succeed, and reports a problem if it throws.
  mutating func expect<Result>(_ words: String, _ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      problems.append("\(words) threw \(error)")
      return nil
    }
  }

  mutating func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { problems.append(words()) }
  }

  /// Reports a problem that lists the differences between the found and the expected contents.
  mutating func expectEqual(_ found: [String]?, _ wanted: [String], _ words: String) {
    guard let found, found != wanted else { return }
    let missing = wanted.filter { !found.contains($0) }.prefix(3)
    let extra = found.filter { !wanted.contains($0) }.prefix(3)
    problems.append("\(words): lacks \(Array(missing)), has \(Array(extra))")
  }
}
