import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct BackendlessTableTests {
    private static var traits: TableTraits {
        var traits = TableTraits()
        traits.ids = [
            "a", "A", "7", RowID(UUID()), "caf\u{E9}", "cafe\u{301}", "a b/c?d=e%&+#", "count", "find", "日本",
            "👩‍👩‍👧", "\"quoted\" 'single' \\ ", ".", "..",
        ]
        traits.takesIntegers = false
        // Columns with dots are those of related rows.
        traits.nestsColumns = false
        return traits
    }

    @Test(arguments: [BackendlessTextComparison.byBytes, .byCollation])
    func keepsTheContractAsFarAsDeclared(comparesText: BackendlessTextComparison) async throws {
        let backendless = try await Backendless(comparesText: comparesText)
        let numbers = Numbers()
        await checkTable(traits: Self.traits) { backendless.server.table("Rows\(numbers.next())") }
    }

    /// The stand-in compares text by its bytes whatever is said of it, and counts any clause exactly that it is asked whole.
    @Test(arguments: [(BackendlessTextComparison.byBytes, "exactCounts"), (.byCollation, "binaryOrder")])
    func doesWhatItDeclares(comparesText: BackendlessTextComparison, more: String) async throws {
        let backendless = try await Backendless(comparesText: comparesText)
        let numbers = Numbers()
        let probe = CapabilityProbe(traits: Self.traits) {
            backendless.server.table("Rows\(numbers.next())")
        }
        for finding in try await probe.run() {
            let expected = finding.name == more ? "yes" : finding.declared
            #expect(finding.found == expected, "\(finding.name)")
        }
    }

    @Test func tellsChangesByTheOlderProtocolToo() async throws {
        let backendless = try await Backendless(version: 3)
        let numbers = Numbers()
        await checkTable(traits: Self.traits, sections: [.subscriptions, .membership, .concurrency]) {
            backendless.server.table("Rows\(numbers.next())")
        }
    }

    @Test(arguments: ["first", "least"]) func nullsSortAsAskedWhereverTheServerPutsThem(nulls: String)
        async throws
    {
        let backendless = try await Backendless(options: "--nulls", nulls)
        let numbers = Numbers()
        await checkTable(traits: Self.traits, sections: [.offsetPages, .keysetPages, .counts]) {
            backendless.server.table("Rows\(numbers.next())")
        }
    }
}
