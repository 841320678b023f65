import Testing

@testable import table_server

struct ArgumentsTests {
    @Test func nothingMeansTheDefaults() throws {
        let arguments = try Arguments([])
        #expect(arguments.action == .serve)
        #expect(arguments.host == "127.0.0.1")
        #expect(arguments.port == 8080)
        #expect(arguments.storage == .defaultFolder)
        #expect(arguments.imports == [])
        #expect(!arguments.isQuiet)
    }

    @Test func everyOptionIsRead() throws {
        let arguments = try Arguments([
            "--listen", "0.0.0.0:0", "--data=/d", "--import", "a.csv", "--as", "t", "--id=c",
            "--import=b.json", "--token-file", "f",
            "--fixed-tables", "--quiet", "--users=u", "--new-epoch", "--guests-may-write",
        ])
        #expect(arguments.host == "0.0.0.0")
        #expect(arguments.port == 0)
        #expect(arguments.storage == .folder("/d"))
        #expect(
            arguments.imports == [.init(file: "a.csv", table: "t", idColumn: "c"), .init(file: "b.json")]
        )
        #expect(arguments.tokenFile == "f")
        #expect(arguments.usersFile == "u")
        #expect(arguments.hasFixedTables)
        #expect(arguments.isQuiet)
        #expect(arguments.beginsNewEpoch)
        #expect(arguments.letsGuestsWrite)
        #expect(try !Arguments([]).letsGuestsWrite)
        #expect(try !Arguments(["--data", "d"]).beginsNewEpoch)
        #expect(try Arguments(["--memory"]).storage == .memory)
    }

    @Test(arguments: [
        ("8081", "127.0.0.1", 8081), (":8081", "127.0.0.1", 8081), ("localhost:1", "localhost", 1),
        ("[::1]:65535", "::1", 65535),
    ])
    func anAddressIsRead(text: String, host: String, port: Int) throws {
        let arguments = try Arguments(["--listen", text])
        #expect(arguments.host == host)
        #expect(arguments.port == port)
    }

    @Test func helpAndVersionComeFirst() throws {
        #expect(try Arguments(["--quiet", "--help", "--nonsense"]).action == .help)
        #expect(try Arguments(["--version"]).action == .version)
    }

    @Test(arguments: [
        ["--nonsense"], ["file"], ["--listen"], ["--listen", "a"], ["--listen", "a:b"],
        ["--listen", "a:65536"], ["--listen", "::1:80"],
        ["--listen", "a:-1"], ["--listen", "[]:1"], ["--data"], ["--data", "--quiet"], ["--data="],
        ["--memory", "--data", "d"], ["--as", "t"],
        ["--id", "c"], ["--import", "a", "--as", "t", "--as", "u"], ["--import"], ["--quiet=yes"], ["-q"],
        [""], ["--listen", "1", "--listen", "1"], ["--token-file", "a", "--token-file=b"],
        ["--memory", "--new-epoch"], ["--new-epoch=1"],
    ])
    func misuseIsRefused(words: [String]) { #expect(throws: Arguments.Misuse.self) { try Arguments(words) } }

    @Test(arguments: [
        (["--memory=3"], "--memory takes no value"), (["--quiet="], "--quiet takes no value"),
        (["--listen", "1", "--listen", "2"], "--listen is given twice"),
    ])
    func misuseIsNamed(words: [String], message: String) {
        #expect(throws: Arguments.Misuse(message: message)) { try Arguments(words) }
    }

    @Test func theUsageNamesEveryOption() {
        for option in [
            "listen", "data", "memory", "new-epoch", "import", "as", "id", "token-file", "fixed-tables",
            "quiet", "help",
            "version",
        ] {
            #expect(Arguments.usage.contains("--\(option)"))
        }
    }
}
