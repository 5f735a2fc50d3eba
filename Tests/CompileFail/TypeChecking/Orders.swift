// Sort descriptors as programs write them for lists.
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
