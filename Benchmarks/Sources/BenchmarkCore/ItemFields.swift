import Foundation

/// The columns of an item except for its identifier, in a contender's own class or struct.
public protocol ItemFields {
  var name: String { get }
  var title: String { get }
  var body: String { get }
  var count: Int { get }
  var score: Double { get }
  var created: Date { get }
  var note: String? { get }
}
