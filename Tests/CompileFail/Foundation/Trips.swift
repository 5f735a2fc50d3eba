// A file of the same module that imports SwiftData.
import SwiftData

@Model final class Trip {
  var name = ""
  var isOpen = false
  init() {}
}
