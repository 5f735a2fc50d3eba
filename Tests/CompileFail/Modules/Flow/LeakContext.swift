// A closure that a database runs cannot return the database's context.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leakContext(_ database: ModelDatabase) async {
  await database.withModelContext { $0 }.rollback()
}
