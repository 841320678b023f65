import Foundation
import Fuzzing
import Testing

/// Inputs from which the fuzzers start, among them all that have found something.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzzing/Corpus")

    private static func names(_ target: String) -> [String] {
        let path = folder.appending(path: target).path()
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private static func bytes(_ target: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: target).appending(path: name)))
    }

    @Test(arguments: names("where"))
    func whatHoldsForAnyClauseHoldsForTheCorpus(name: String) throws {
        try WhereCheck.run(try Self.bytes("where", name))
    }

    @Test(arguments: names("rows"))
    func whatHoldsForAnyRowHoldsForTheCorpus(name: String) throws {
        try RowCheck.run(try Self.bytes("rows", name))
    }

    @Test func theCorpusIsFound() {
        #expect(Self.names("where").count >= 24)
        #expect(Self.names("rows").count >= 24)
    }
}
