import SwiftData

// Models whose deletion cascades over two levels.

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
