import SwiftData

/// One damaged store, and the operations that the case runs with it.
package struct DamageCase {
  /// The undamaged stores that each case copies.
  package struct Original {
    let folder: URL
    let definitions: RelaxedStore

    /// Finds the stores that ``make(in:)`` has created in the folder.
    package init(in folder: URL) throws {
      self.folder = folder
      definitions = try RelaxedStore(of: folder.appending(path: "good").appending(path: DamageStore.fileName).path)
    }

    /// Creates a valid store, and a copy of it whose table definitions have no constraints.
    package static func make(in folder: URL) throws {
      let good = folder.appending(path: "good")
      try FileManager.default.createDirectory(at: good, withIntermediateDirectories: true)
      try DamageStore.make(in: good)
      let relaxed = folder.appending(path: "relaxed")
      try FileManager.default.copyItem(at: good, to: relaxed)
      try Original(in: folder).definitions.relax(relaxed.appending(path: DamageStore.fileName).path)
    }
  }

  /// The schema version with which a damaged store is opened, and whether the store is opened read-only.
  private enum Opening {
    case first, firstReadOnly, third, thirdReadOnly

    /// The cases use these in turn. A way of opening that finds more errors occurs more often.
    static let inTurn: [Opening] = [
      .first, .third, .first, .third, .firstReadOnly, .third, .first, .third, .first, .thirdReadOnly,
    ]
  }

  let original: Original
  let seed: UInt64
  let number: Int

  package init(_ original: Original, seed: UInt64, number: Int) {
    (self.original, self.seed, self.number) = (original, seed, number)
  }

  private var files: FileManager { .default }

  /// Damages a copy of the store, and runs all operations of the exercise with the copy.
  package func run() throws {
    let folder = original.folder.appending(path: "case \(getpid())")
    try? files.removeItem(at: folder)
    try files.copyItem(at: original.folder.appending(path: "relaxed"), to: folder)
    defer { try? files.removeItem(at: folder) }
    say("step damage")
    var damager = Damager(folder, original.definitions, seed: seed, number: number)
    try damager.damage()
    for words in damager.words { say("damage \(words)") }
    try use(folder, Opening.inTurn[number % Opening.inTurn.count])
  }

  /// Runs the same operations with an undamaged store. All of them must succeed.
  package func runSound() throws {
    for opening in [Opening.first, .third] {
      try use(original.folder.appending(path: "good"), opening)
    }
  }

  private func use(_ folder: URL, _ opening: Opening) throws {
    let copy = original.folder.appending(path: "copy \(getpid())")
    try? files.removeItem(at: copy)
    try files.copyItem(at: folder, to: copy)
    defer { try? files.removeItem(at: copy) }
    let version: any VersionedSchema.Type =
      opening == .first || opening == .firstReadOnly ? DamageV1.self : DamageV3.self
    let allowsSave = opening == .first || opening == .third
    let exercise = Exercise(copy, version, allowsSave: allowsSave, seed: seed &+ UInt64(number), name: "\(opening)")
    exercise.run()
  }
}
