import ConformanceSupport
import SwiftData
import Testing

/// A value that is not `Codable`, so that only a value transformer can store it.
struct ParcelLabel: Equatable {
  var text: String
}

final class ParcelLabelTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? ParcelLabel).map { Data($0.text.utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { ParcelLabel(text: String(decoding: $0, as: UTF8.self)) }
  }
}

/// A transformer that stores integers as well as floating-point numbers, and always returns a `Double`. A program needs
/// such a transformer if the type of its property changes from `Int` to `Double`.
final class ParcelWeightTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    if let number = value as? Int { return Data("\(number)".utf8) }
    return (value as? Double).map { Data("\($0)".utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Double(String(decoding: $0, as: UTF8.self)) }
  }
}

private enum Loose {
  @Model final class Parcel {
    var name: String
    @Attribute(.externalStorage) var photo: Data?
    @Attribute(.externalStorage) var scan: Data?
    @Attribute(.transformable(by: ParcelLabelTransformer.self)) var label: ParcelLabel?
    @Attribute(.transformable(by: ParcelWeightTransformer.self)) var weight: Int
    init(_ name: String, weight: Int) { (self.name, self.weight) = (name, weight) }
  }
}

private enum Firm {
  @Model final class Parcel {
    var name: String
    @Attribute(.externalStorage, originalName: "photo") var picture: Data = Data([4])
    var scan: Data = Data([5])
    @Attribute(.transformable(by: ParcelLabelTransformer.self), originalName: "label")
    var tag: ParcelLabel = ParcelLabel(text: "none")
    @Attribute(.transformable(by: ParcelWeightTransformer.self)) var weight: Double
    init(_ name: String) { (self.name, weight) = (name, 0) }
  }
}

private func bytes(_ value: UInt8) -> Data { Data(repeating: value, count: 200_000) }

@Suite("External and transformed values that change in several ways at once")
struct KeptBytesTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([Loose.Parcel.self]) { context in
      let full = Loose.Parcel("a", weight: 12)
      (full.photo, full.scan, full.label) = (bytes(1), bytes(2), ParcelLabel(text: "Oslo"))
      context.insert(full)
      context.insert(Loose.Parcel("b", weight: -3))
      let small = Loose.Parcel("c", weight: 0)
      (small.photo, small.scan) = (Data([7]), Data([8]))
      context.insert(small)
    }
    #expect(MigratedStore.isOnServer || store.externalFiles.count == 2)
    return store
  }

  private func parcels(_ context: ModelContext) throws -> [Firm.Parcel] {
    try context.fetch(FetchDescriptor<Firm.Parcel>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test("external values that become required get their defaults, even if they are renamed or move into rows")
  func external() throws {
    let store = try store()
    try store.migrate(to: [Firm.Parcel.self]) { context in
      let parcels = try parcels(context)
      #expect(parcels.map(\.picture) == [bytes(1), Data([4]), Data([7])])
      #expect(parcels.map(\.scan) == [bytes(2), Data([5]), Data([8])])
    }
    #expect(MigratedStore.isOnServer || store.externalFiles.count == 1)
  }

  @Test("transformed values that become required get their defaults, even if they are renamed")
  func transformed() throws {
    try store().migrate(to: [Firm.Parcel.self]) { context in
      let tags = try parcels(context).map(\.tag.text)
      #expect(tags == ["Oslo", "none", "none"])
    }
  }

  @Test("if the type of a transformed property changes, its bytes stay the same, and the transformer decodes them")
  func widened() throws {
    try store().migrate(to: [Firm.Parcel.self]) { context in
      try #expect(parcels(context).map(\.weight) == [12, -3, 0])
    }
  }
}
