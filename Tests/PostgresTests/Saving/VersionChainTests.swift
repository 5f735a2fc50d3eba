#if PostgreSQL
  import Testing

  @Suite("The check that no write was lost")
  struct VersionChainTests {
    private func chains(_ lines: String...) -> VersionChains {
      var chains = VersionChains()
      for line in lines { chains.add(line: line) }
      return chains
    }

    @Test("succeeds for one chain of each cell, in any order of the logs")
    func sound() {
      let chains = chains(
        "saved a 3 1 30 40", "saved a 1 0 10 20", "refused 2", "saved b 3 0 30 40", "saved a 4 3 35 50")
      #expect(chains.problems(stored: ["a": 4, "b": 3, "c": 0]) == [])
      #expect(chains.count == 4)
      #expect(chains.others.isEmpty)
    }

    @Test("fails if two writes replaced the same version")
    func fork() {
      let chains = chains("saved a 1 0 10 20", "saved a 2 1 30 40", "saved a 3 1 30 41")
      for last in [2, 3] {
        #expect(chains.problems(stored: ["a": last]).contains { $0.contains("2 and 3 both replaced 1") })
      }
    }

    @Test("fails if the store has an older version, an unknown version, or one whose save was rejected")
    func lastVersion() {
      let chains = chains("saved a 1 0 10 20", "saved a 2 1 30 40", "refused 5")
      for last in [0, 1, 5, 9] { #expect(!chains.problems(stored: ["a": last]).isEmpty) }
      #expect(!chains.problems(stored: [:]).isEmpty)
    }

    @Test("fails if a replaced version was rejected or never saved, or a version was both saved and rejected")
    func phantom() {
      #expect(!chains("refused 1", "saved a 2 1 30 40").problems(stored: ["a": 2]).isEmpty)
      #expect(!chains("saved a 1 0 10 20", "refused 1").problems(stored: ["a": 1]).isEmpty)
    }

    @Test("fails if a write that began after another write's acknowledgement precedes that write in the chain")
    func order() {
      let chains = chains("saved a 1 0 50 60", "saved a 2 1 10 20")
      #expect(chains.problems(stored: ["a": 2]).contains { $0.contains("1 began when a later one") })
    }
  }
#endif
