import Foundation
import SeededNumbers
import SwiftData

/// Changes two random rows in each save, until the time has elapsed.
struct Writer {
  /// A cell that a save changes, and its old and new version.
  private struct Cell {
    let name: String
    let version: Int
    let replaced: Int
  }

  private var context: ModelContext
  private let number: Int
  private let merges: Bool
  private var rows: [SharedRow] = []
  private var saves = 0
  private var random: SeededGenerator

  init(_ context: ModelContext, number: Int, merges: Bool) throws {
    self.context = context
    self.number = number
    random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ UInt64(number))
    self.merges = merges
    try begin(context)
  }

  private mutating func begin(_ context: ModelContext) throws {
    self.context = context
    context.conflictPolicy = merges ? .mergeByProperty(keeping: .ours) : .throwError
    rows = try RowStore.rows(context)
  }

  mutating func run(for time: Duration) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      saves += 1
      try save()
      // Most saves change rows that this context read some time ago; notifications inform it of other commits. One save
      // in ten changes rows that a new context has just read.
      switch saves % 10 {
      case 0: try begin(ModelContext(context.container))
      case 3, 6: rows = try RowStore.rows(context)
      default: break
      }
    }
  }

  private mutating func save() throws {
    // Each save of each writer has a different version.
    let version = (number + 1) * 100_000_000 + saves
    let start = Self.now
    let cells = rows.shuffled(using: &random).prefix(2).map { write($0, version) }
    do {
      try context.save()
    } catch let error as SwiftDataError where error == .conflictingChanges || error == .storeBusy {
      context.rollback()
      return RowWriter.say("refused \(version)")
    }
    let end = Self.now
    for cell in cells { RowWriter.say("saved \(cell.name) \(cell.version) \(cell.replaced) \(start) \(end)") }
  }

  private func write(_ row: SharedRow, _ version: Int) -> Cell {
    defer { (row.base, row.version) = (row.version, version) }
    guard merges else { return Cell(name: "\(row.number)", version: version, replaced: row.version) }
    let replaced = row[number]
    row[number] = version
    return Cell(name: "\(row.number)/\(number)", version: version, replaced: replaced)
  }

  /// The time in nanoseconds of a clock that all processes of the machine share.
  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
