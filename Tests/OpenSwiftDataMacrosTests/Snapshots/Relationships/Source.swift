@Model
final class Trip {
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(
    deleteRule: .nullify,
    inverse: \Person.trips
  )
  var guests: [Person]?
  @Relationship var guide: Person?
  @SwiftData.Relationship(minimumModelCount: 1, originalName: "car") var vehicle: Vehicle

  init(vehicle: Vehicle) {
    self.vehicle = vehicle
  }
}
