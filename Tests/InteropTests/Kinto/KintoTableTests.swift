import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct KintoTableTests {
    private static var traits: TableTraits {
        var traits = TableTraits()
        traits.ids = [
            "a", "A", "7", "0-0", "a_b", "a-b", "count", "batch-1", "records", "zzz", "caf-", "null", "true",
        ]
        traits.takesIntegers = false
        traits.sortsNulls = false
        traits.nullsAreGreatest = true
        traits.sortsKinds = false
        return traits
    }

    @Test(arguments: Kinto.Place.all) func doesWhatItDeclares(place: Kinto.Place) async throws {
        let kinto = try await Kinto(in: place)
        let numbers = Numbers()
        let probe = CapabilityProbe(traits: Self.traits) { try await kinto.table("rows\(numbers.next())") }
        for finding in try await probe.run() {
            #expect(finding.found == finding.declared, "\(finding.name)")
        }
    }

    /// As the storage is, and as one that promises less.
    @Test(arguments: [KintoStorage.memory, .postgreSQL])
    func keepsTheContractAsFarAsDeclared(storage: KintoStorage) async throws {
        let kinto = try await Kinto(storage: storage)
        let numbers = Numbers()
        await checkTable(traits: Self.traits) { try await kinto.table("rows\(numbers.next())") }
    }

    /// Over a database that sorts text as a language does.
    @Test(.enabled(if: Kinto.hasPostgreSQL)) func keepsTheContractOverPostgreSQL() async throws {
        let kinto = try await Kinto(in: .postgreSQL)
        let numbers = Numbers()
        await checkTable(traits: Self.traits) { try await kinto.table("rows\(numbers.next())") }
    }

    @Test(.enabled(if: Kinto.hasPostgreSQL)) func conditionsAreAtomicInOneIsolationLevel() async throws {
        var storage = KintoStorage.postgreSQL
        storage.hasAtomicConditions = true
        let isolation = "kinto.storage_isolation_level = REPEATABLE READ"
        let kinto = try await Kinto([isolation], in: .postgreSQL, storage: storage)
        let numbers = Numbers()
        await checkTable(traits: Self.traits, sections: [.conditionalWrites, .writes]) {
            try await kinto.table("rows\(numbers.next())")
        }
    }

    /// Pages that are silently smaller change nothing.
    @Test(arguments: ["kinto.paginate_by = 4", "kinto.storage_max_fetch_size = 5"])
    func smallerPagesChangeNothing(setting: String) async throws {
        let kinto = try await Kinto([setting])
        let numbers = Numbers()
        let sections: Set<TableSection> = [
            .offsetPages, .keysetPages, .filteredWrites, .changeLog, .subscriptions, .resume, .concurrency,
        ]
        await checkTable(traits: Self.traits, sections: sections) {
            try await kinto.table("rows\(numbers.next())")
        }
    }
}
