#if Encryption
  import SwiftData

  /// Models with encrypted values, some of them in subclasses, for tests on every engine that change the encryption
  /// key.
  @Model package class SealedNote {
    package var title: String
    @Attribute(.encrypt, .preserveValueOnDeletion) package var body: String

    package init(_ title: String, body: String) {
      self.title = title
      self.body = body
    }
  }

  @Model package class DeepSealedNote: SealedNote {
    @Attribute(.encrypt) package var depth: Int?
    @Attribute(.encrypt, .externalStorage) package var scan: Data?

    package override init(_ title: String, body: String) { super.init(title, body: body) }
  }

  @Model package final class OtherSealedNote: SealedNote {
    @Attribute(.encrypt) package var depth: String = "PLAIN"

    package override init(_ title: String, body: String) { super.init(title, body: body) }
  }

  extension SealedNote {
    /// Inserts `count` objects of each of the first two classes, with values that identify them.
    ///
    /// - Parameter complete: Called with each number and its object of the subclass, to set further values.
    package static func add(
      _ count: Int, to context: ModelContext, _ complete: (Int, DeepSealedNote) -> Void = { _, _ in }
    ) {
      for index in 0..<count {
        context.insert(SealedNote("plain \(index)", body: "body \(index)"))
        let deep = DeepSealedNote("deep \(index)", body: "deep body \(index)")
        context.insert(deep)
        deep.depth = index
        complete(index, deep)
      }
    }

    /// The content of a store as sorted texts, read by a new context.
    package static func contents(of container: ModelContainer) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<SealedNote>()).map { note in
        let deep = (note as? DeepSealedNote).map { "\($0.depth ?? -1) \($0.scan?.count ?? -1) \($0.scan?.first ?? 0)" }
        return "\(note.title) \(note.body) \(deep ?? (note as? OtherSealedNote)?.depth ?? "")"
      }.sorted()
    }
  }
#endif
