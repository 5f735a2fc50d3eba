import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension FetchPlan {
  /// The properties to read: those that were asked for, or all.
  ///
  /// A key path that leads further reads the property that it begins with.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that begins with no stored property.
  static func mask(of keyPaths: [PartialKeyPath<T>], in map: IdentityMap) throws -> UInt64 {
    guard !keyPaths.isEmpty else { return PropertyMask.all }
    let entity = map.entity
    return try keyPaths.reduce(entity.constantMask) { mask, keyPath in
      if let property = entity.property(at: keyPath) { return mask | property.bit }
      let path = map.valuePath(of: keyPath)
      if path?.steps.isEmpty == true, path?.column == .key { return mask }
      guard let position = path?.firstPosition else {
        throw SwiftDataError(
          .unsupportedKeyPath,
          "propertiesToFetch of a fetch of \(entity.name) has a key path to a \(type(of: keyPath).valueType) that is "
            + "not stored. List stored properties; what is computed of them is there when they are.")
      }
      return mask | entity.properties[position].bit
    }
  }
}

extension ValuePath {
  /// The property of the model itself that the path begins with; nil for the primary key, which is always read.
  fileprivate var firstPosition: Int? {
    if let step = steps.first { return step.position }
    return switch column {
    case .property(let position, _), .relationship(let position): position
    case .key: nil
    }
  }
}
