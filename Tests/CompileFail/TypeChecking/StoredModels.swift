// The classes of PlainModels.swift, declared as models.
import SwiftData

@Model final class Doc {
  var name = ""
  var note = ""
  var n = 0
  init() {}
}

@Model final class Tag {
  var label = ""
  init() {}
}

@Model final class Thing {
  var name = ""
  init() {}
}

@Model final class Scan {
  var text = ""
  init() {}
}

@Model final class Memo {
  var title = ""
  var notes = ""
  var subtitle: String?
  var rating: Int?
  var pages = 0
  var isPinned = false
  var due: Date?
  var made = Date.now
  var tags: [Tag] = []
  @Relationship(inverse: nil) var things: [Thing] = []
  @Relationship(inverse: nil) var links: [Thing]? = []
  var scan: Scan?
  init() {}
}

@Model actor Page {
  var text = ""
  init() {}
}

@Model actor Author {
  var name = ""
  init() {}
}

@Model actor Note {
  var title = ""
  var body = ""
  var stars = 0
  var made: Date = Date.now
  @Relationship(inverse: nil) var pages: [Page] = []
  @Relationship(inverse: nil) var author: Author?
  init() {}
}
