/// The layouts of an entity's composite properties by position, for loops over rows.
///
/// Access counts no references: the caller retains the entity's layout, which owns the table.
@usableFromInline
struct CompositeTable {
  private let layouts: UnsafeMutableBufferPointer<Unmanaged<CompositeLayout>?>

  /// Retains the layouts until ``deallocate()``.
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

  /// The layout of a property; nil if it is not a composite.
  subscript(position: Int) -> Unmanaged<CompositeLayout>? {
    layouts.indices.contains(position) ? layouts[position] : nil
  }
}
