import CBenchmarkShim
import Foundation

/// Code that runs the situations: hand-written code, or a program that uses the library.
public protocol SituationContender: Participant {
  /// Runs a situation with new stores in an empty folder. Each phase is measured by one call of the stopwatch, in the
  /// order of ``Situation/phases(in:)``.
  /// - Returns: A checksum of what was stored and read.
  func run(_ situation: Situation, _ plan: SituationPlan, in folder: URL, _ stopwatch: Stopwatch) throws -> Int
}

/// The measurements of one run of a situation.
public struct SituationReport: Codable, Sendable {
  /// A sample for each phase of the situation.
  public let samples: [Sample]

  /// A number that is equal for two contenders if they have stored and read the same values.
  public let checksum: Int

  public init(_ samples: [Sample], checksum: Int) {
    (self.samples, self.checksum) = (samples, checksum)
  }

  /// Runs the situation in a temporary folder, and removes the folder.
  public init(of situation: Situation, _ contender: any SituationContender, _ plan: SituationPlan) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "situation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    FreedMemory.giveBack()
    let stopwatch = Stopwatch()
    checksum = try contender.run(situation, plan, in: folder, stopwatch)
    samples = stopwatch.samples
    try check(situation, contender, plan)
  }

  /// Throws if the number of samples is not that of the situation's phases.
  public func check(_ situation: Situation, _ contender: any SituationContender, _ plan: SituationPlan) throws {
    guard samples.count == situation.phases(in: plan).count else {
      throw SituationError.otherPhases(situation, contender: contender.title, measured: samples.count)
    }
  }
}

/// The memory that this process has freed, and that the C library keeps for later allocations.
public enum FreedMemory {
  /// Gives the memory back to the operating system. From then on, large blocks are given back when they are freed.
  ///
  /// Both contenders run in one process. Without this, one of them would use the memory that the other one has freed:
  /// its large values would cause fewer page faults, which take most of the time in which such values are read.
  public static func giveBack() {
    benchmark_return_freed_memory()
  }
}

/// An error that makes a report of a situation invalid.
public enum SituationError: Error, CustomStringConvertible {
  /// A contender measured another number of phases than the situation has.
  case otherPhases(Situation, contender: String, measured: Int)
  /// A contender could not do the work of the situation.
  case notDone(Situation, reason: String)

  public var description: String {
    switch self {
    case .otherPhases(let situation, let contender, let measured):
      "\(contender) measured \(measured) phases of \(situation.rawValue)"
    case .notDone(let situation, let reason): "\(situation.rawValue) was not measured: \(reason)"
    }
  }
}
