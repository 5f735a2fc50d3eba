import PersistenceCore

// MARK: A hierarchy with coordinates

@Model
class Mark {
  #Index<Mark>(.rtree([\.x, \.y]))
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

@Model
final class Flag: Mark {
  var height: Int = 0

  init(_ x: Double, _ y: Double, height: Int) {
    super.init(x, y)
    self.height = height
  }
}
