import RemoteData
import RemoteDataBackends
import Testing

/// Servers that know no sub-queries are not asked, whatever of a clause they are asked otherwise.
@Suite struct SubQueryRefusalTests {
    private static func table(_ backend: String) throws -> any Table {
        // Nobody listens there: who asks gets another error.
        let address = "http://127.0.0.1:1"
        return switch backend {
        case "PocketBase": try PocketBaseServer(address).table("posts")
        case "Kinto": try KintoServer(address, bucket: "blog").table("posts")
        default: try BackendlessServer(address + "/APP/KEY").table("posts")
        }
    }

    @Test(arguments: ["PocketBase", "Kinto", "Backendless"])
    func whatCannotBeAnsweredIsRefused(backend: String) async throws {
        let table = try Self.table(backend)
        let clause = try Where("author = 'ann' or author in (select objectId from people)")
        let query = Query(clause)
        #expect(!table.canFilterList(clause))
        for error in [
            await failure { () async throws(RemoteDataError) in try await table.count(query) },
            await failure { () async throws(RemoteDataError) in try await table.page(PageRequest(query)) },
            await failure { () async throws(RemoteDataError) in
                try await table.subscribe(to: query, since: nil)
            },
            await failure { () async throws(RemoteDataError) in try await table.commit(.deleteAll(clause)) },
        ] {
            #expect(
                error?.code == .invalidClause && error?.message.contains("SELECT") == true,
                "\(error as Any)"
            )
        }
    }
}
