@Model
package final class Trip {
  package var name: String

  package init(name: String) {
    self.name = name
  }
}
