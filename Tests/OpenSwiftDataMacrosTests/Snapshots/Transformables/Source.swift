@Model
final class Trip {
  @Attribute(.transformable(by: RouteTransformer.self)) var route: Route
  @Attribute(.unique, .transformable(by: "PlaceTransformer")) var place: Place?
  @Attribute(originalName: "transformable") var name: String

  init(route: Route, name: String) {
    self.route = route
    self.name = name
  }
}
