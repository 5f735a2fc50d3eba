import Foundation

/// The columns of an item besides its identifier, in whichever class or struct a contender keeps them.
public protocol ItemFields {
  var name: String { get }
  var title: String { get }
  var body: String { get }
  var count: Int { get }
  var score: Double { get }
  var created: Date { get }
  var note: String? { get }
}
