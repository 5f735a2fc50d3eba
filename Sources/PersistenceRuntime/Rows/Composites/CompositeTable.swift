/// The layouts of an entity's composite properties by position, for code that runs for every row.
///
/// They are handed out without counting references: whoever asks holds the entity's layout, which holds the table.
@usableFromInline
struct CompositeTable {
  private let layouts: UnsafeMutableBufferPointer<Unmanaged<CompositeLayout>?>

  /// Keeps the layouts until ``deallocate()``.
  init(_ properties: [PropertyLayout]) {
    guard properties.contains(where: { $0.composite != nil }) else {
      layouts = UnsafeMutableBufferPointer(start: nil, count: 0)
      return
    }
    layouts = .allocate(capacity: properties.count)
    _ = layouts.initialize(from: properties.map { $0.composite.map(Unmanaged.passRetained) })
  }

  func deallocate() {
    for layout in layouts { layout?.release() }
    layouts.deallocate()
  }

  /// The layout of a property; nil for one that is no composite.
  subscript(position: Int) -> Unmanaged<CompositeLayout>? {
    layouts.indices.contains(position) ? layouts[position] : nil
  }
}
