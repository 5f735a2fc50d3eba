import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The layouts of classes for objects without a context. Any thread may use it.
enum UnboundLayouts {
  private static let known = Lock<[ObjectIdentifier: EntityLayout?]>([:])

  /// The layout of a class, from a schema of it alone; nil if that is invalid, which opening a container reports.
  static func layout<T: PersistentModel>(of type: T.Type) -> EntityLayout? {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let layouts = (try? EntityLayout.layouts(of: Schema([type]))) ?? []
    let layout = layouts.first { $0.modelType == type }
    known.withLock { $0[ObjectIdentifier(type)] = .some(layout) }
    return layout
  }
}
