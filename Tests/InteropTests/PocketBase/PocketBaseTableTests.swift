import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct PocketBaseTableTests {
    static var traits: TableTraits {
        var traits = TableTraits()
        traits.id = { word in
            let word = word.replacing("-", with: "z")
            return .text(word + String(repeating: "x", count: 15 - word.count))
        }
        traits.ids = ["abcdefghijklmno", "000000000000000", "zzzzzzzzzzzzzzz", "count0000000000"]
        traits.takesIntegers = false
        traits.keepsLargeIntegers = false
        traits.sortsNulls = false
        return traits
    }

    @Test(arguments: [1, 50]) func keepsTheContractAsFarAsDeclared(batchSize: Int) async throws {
        let pocketBase = try await PocketBase(batchSize: batchSize)
        if batchSize > 1 {
            let settings = #"{"batch":{"enabled":true,"maxRequests":\#(batchSize),"timeout":3}}"#
            _ = try await pocketBase.call("PATCH", "/api/settings", settings)
        }
        let numbers = Numbers()
        await checkTable(traits: Self.traits) { try await pocketBase.looseTable("rows\(numbers.next())") }
    }

    @Test func doesWhatItDeclares() async throws {
        let pocketBase = try await PocketBase(batchSize: 50)
        try await pocketBase.call(
            "PATCH",
            "/api/settings",
            #"{"batch":{"enabled":true,"maxRequests":50,"timeout":3}}"#
        )
        let numbers = Numbers()
        let probe = CapabilityProbe(traits: Self.traits) {
            try await pocketBase.looseTable("rows\(numbers.next())")
        }
        for finding in try await probe.run() {
            #expect(finding.found == finding.declared, "\(finding.name)")
        }
    }
}
