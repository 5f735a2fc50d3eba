// Rows of several classes, without objects.

import PersistenceRuntime

extension StoreCoordinator {
  /// The identifiers of the rows of a request for an entity with subentities, each with its own entity.
  package func familyIdentifiers(_ request: FetchRequest, in map: IdentityMap) throws -> [PersistentIdentifier] {
    var request = request
    request.mask = 0
    var identifiers: [PersistentIdentifier] = []
    try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      var decoder = PolymorphicRowDecoder(rows, request: request, in: map)
      identifiers = try decoder.identifiers()
    }
    return identifiers
  }
}
