import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The layouts of classes, for objects that no context has given one yet.
enum UnboundLayouts {
  private static let known = Lock<[ObjectIdentifier: EntityLayout?]>([:])

  /// The layout of a class as a schema of it alone gives it; nil when that is not valid, which a container says.
  static func layout<T: PersistentModel>(of type: T.Type) -> EntityLayout? {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let layouts = (try? EntityLayout.layouts(of: Schema([type]))) ?? []
    let layout = layouts.first { $0.modelType == type }
    known.withLock { $0[ObjectIdentifier(type)] = .some(layout) }
    return layout
  }
}
