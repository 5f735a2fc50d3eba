// A file of the same module as `Names.swift` or `Members.swift`. It imports SwiftData.
import SwiftData

@Model final class Trip {
  var name = ""
  var isOpen = false
  init() {}
}
