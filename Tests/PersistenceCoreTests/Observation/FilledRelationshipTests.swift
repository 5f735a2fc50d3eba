import Observation
import PersistenceCore
import PersistenceSupport
import Testing

@testable import PersistenceRuntime

@Model
private final class Frame {
  var width: Int
  init(width: Int) { self.width = width }
}

@Model
private final class Picture {
  var frame: Frame
  var spare: Frame?
  init(_ frame: Frame) { self.frame = frame }
}

private final class Notices: Sendable {
  let count = Lock(0)
}

@Suite("Notifications when a relationship is loaded")
struct FilledRelationshipTests {
  /// Observes a relationship, applies an operation to it, and returns the number of notifications.
  private func notices(of kind: RelationshipSlotOperation.Kind, at position: Int) -> Int {
    let (picture, other) = (Picture(Frame(width: 1)), Frame(width: 2))
    picture.spare = Frame(width: 3)
    let notices = Notices()
    withObservationTracking {
      _ = position == 0 ? picture.frame : picture.spare
    } onChange: {
      notices.count.withLock { $0 += 1 }
    }
    var edit = RelationshipSlotOperation(kind)
    edit.objects = [other]
    picture._$relate(&edit, position)
    #expect((position == 0 ? picture.frame : picture.spare) === other)
    return notices.count.withLock { $0 }
  }

  @Test("loading a relationship sends no notification, whether the relationship is required or optional")
  func filling() {
    #expect(notices(of: .fill, at: 0) == 0)
    #expect(notices(of: .fill, at: 1) == 0)
  }

  @Test("restoring a former value of a relationship notifies its observers")
  func restoring() {
    #expect(notices(of: .restore, at: 0) == 1)
    #expect(notices(of: .restore, at: 1) == 1)
  }
}
