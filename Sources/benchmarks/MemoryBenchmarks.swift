import Foundation
import RemoteData
import RemoteDataBackends

/// What a loaded row costs.
struct MemoryBenchmarks {
    let url: String
    let rows: Int

    /// Bytes of resident memory for each row: loaded, loaded and looked at, and as an array.
    ///
    /// - Throws: When the process has not grown.
    func run() throws -> [String] {
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        let table = try RESTTable("\(url)/people")
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        let start = Resident.bytes
        try people.populate()
        let loaded = Resident.bytes
        var count = 0
        for person in people where person.age >= 0 { count += 1 }
        let decoded = Resident.bytes
        let array = (0..<count).map { Person($0) }
        let copied = Resident.bytes
        let (plain, looked) = (
            try Resident.growth(from: start, to: loaded), try Resident.growth(from: start, to: decoded)
        )
        let own = try Resident.growth(from: decoded, to: copied)
        return [
            "resident memory, loaded and not looked at: \(plain / rows) bytes a row",
            "resident memory, loaded and decoded: \(looked / rows) bytes a row",
            "resident memory, [Person] of \(array.count) rows: \(own / rows) bytes a row",
        ]
    }
}
