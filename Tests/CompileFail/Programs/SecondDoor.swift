// A file that imports only SwiftData cannot use the library's own types, which need `import OpenSwiftData`.
// expect: cannot find type 'ModelDatabase' in scope
import SwiftData

private func use(_ database: ModelDatabase) {}
