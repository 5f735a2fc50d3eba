final class Trip {
  @_TransformablePersistedProperty(0) @Attribute(.transformable(by: RouteTransformer.self)) var route: Route
}
