import SwiftData

// The deletion of a hall cascades to its cabinets, and from each cabinet to its drawers.

@Model
final class Hall {
  @Relationship(deleteRule: .cascade, inverse: \Cabinet.hall) var cabinets: [Cabinet]
  var name: String = "hall"

  init(cabinets: [Cabinet]) { self.cabinets = cabinets }
}

@Model
final class Cabinet {
  var hall: Hall?
  @Relationship(deleteRule: .cascade, inverse: \Drawer.cabinet) var drawers: [Drawer]
  var name: String = "cabinet"

  init(drawers: [Drawer]) { self.drawers = drawers }
}

@Model
final class Drawer {
  var label: String = "drawer"
  var cabinet: Cabinet?

  init() {}
}
