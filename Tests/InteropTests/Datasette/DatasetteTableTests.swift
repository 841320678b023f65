import Foundation
import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Testing

@testable import datasette_rows

/// The sample of how to write a backend, on a real Datasette.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(3))) struct DatasetteTableTests {
    private static var traits: TableTraits {
        var traits = TableTraits()
        traits.takesIntegers = false
        traits.keepsLargeIntegers = false
        traits.sortsNulls = false
        traits.maximumSortColumns = 0
        traits.nestsColumns = false
        return traits
    }

    @Test func keepsTheContractAsFarAsDeclared() async throws {
        let datasette = try await Datasette()
        let numbers = Numbers()
        let sections: Set<TableSection> = [.offsetPages, .keysetPages, .counts, .unknownColumns]
        await checkTable(traits: Self.traits, sections: sections) {
            try await datasette.table("rows\(numbers.next())")
        }
    }

    @Test func aCollectionReadsItPageByPage() async throws {
        struct Item: Codable, Identifiable { var id: String; var name: String?; var number: Int }
        let table = try await Datasette().table("items")
        let drafts = try (0..<250).map { number in
            let json = #"{"id":"r/\#(number)","name":"\#(number % 7)/,~ é","number":\#(number)}"#
            return try Draft(Array(json.utf8)[...], idColumn: "id")
        }
        for start in stride(from: 0, to: 250, by: 50) {
            _ = try await table.commit(.create(Array(drafts[start..<(start + 50)])))
        }
        var options = CollectionOptions()
        options.pageSize = 20
        let items = try await RemoteDataCollection<Item>(
            table: table.read,
            where: "number >= 50 and name != '3/,~ é'",
            options: options
        )
        var taken: [Item] = []
        for try await item in items.rows { taken.append(item) }
        let expected = (50..<250).filter { $0 % 7 != 3 }.sorted { "\($0)" < "\($1)" }
        #expect(taken.map { $0.number } == expected)
        #expect(items.count == expected.count)
        let whole = try await RemoteDataCollection<Item>(table: table.read, where: "name = '3/,~ é'")
        #expect(whole.count == 36)
    }

    @Test func whatIsNotThereIsToldInItsWords() async throws {
        let datasette = try await Datasette()
        let table = DatasetteTable(datasette.process.url + "/data/nobody")
        let error = await #expect(throws: RemoteDataError.self) { try await table.count(nil) }
        #expect(error?.message == "Datasette says of nobody (404): Table not found")
        let gone = DatasetteTable("http://127.0.0.1:1/data/x")
        let silence = await #expect(throws: RemoteDataError.self) { try await gone.count(nil) }
        #expect(silence?.code == .unreachable)
    }
}
