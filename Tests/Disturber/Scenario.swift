import SwiftData

/// An operation on a store, during which a call to the disk fails.
enum Scenario: String, CaseIterable {
  case save, transaction, read, edit, open, create, migrate, backUp, restore, repair

  /// Runs the operation on the store in a folder, and checks that the store then has its old or the expected contents.
  func run(_ disturbed: inout DisturbedCase, in folder: URL) {
    let store = LibraryStore(folder: folder)
    switch self {
    case .save: Self.save(&disturbed, store)
    case .transaction: Self.transaction(&disturbed, store)
    case .read: Self.read(&disturbed, store)
    case .edit: Self.edit(&disturbed, store)
    case .open: Self.open(&disturbed, store)
    case .create: Self.create(&disturbed, store)
    case .migrate: Self.migrate(&disturbed, store)
    case .backUp: Self.backUp(&disturbed, store)
    case .restore: Self.restore(&disturbed, store)
    case .repair: Self.repair(&disturbed, store)
    }
    for problem in store.problems() { disturbed.expect(false, "the file: \(problem)") }
  }

  /// Whether a store must exist before the operation.
  var hasStore: Bool { self != .create }

  /// Creates the store with which every case starts.
  func prepare(_ store: LibraryStore) throws {
    guard hasStore else { return }
    try store.make()
    switch self {
    case .restore: try Self.makeCopyOfFormerStore(store)
    case .repair: try Self.spoil(store)
    default: break
    }
  }

  /// The contents of the store, read through a new container.
  static func content(_ store: LibraryStore, _ disturbed: inout DisturbedCase) -> [String]? {
    disturbed.expect("opening the store afterwards") {
      try LibraryContent.lines(ModelContext(try store.container()))
    }
  }
}
