import BenchmarkCore
import Foundation
import OpenSwiftData

/// An item, declared as in an application.
@Model
@ModelValue
final class Item {
  #Index<Item>([\.count])

  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

  init(_ values: ItemValues) {
    name = values.name
    title = values.title
    body = values.body
    count = values.count
    score = values.score
    created = values.created
    note = values.note
  }
}

extension Item: ItemFields {}

extension Item.Value: ItemFields {}
