// Orders as they are written for lists that people look at.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func orders() -> [SortDescriptor<Memo>] {
  [
    SortDescriptor(\.title), SortDescriptor(\.notes, order: .reverse), SortDescriptor(\.pages), SortDescriptor(\.made),
    SortDescriptor(\.subtitle), SortDescriptor(\.rating, order: .reverse), SortDescriptor(\Memo.due),
  ]
}
