import Foundation
import RemoteData

// Prints airports that Datasette serves.
let words = Array(CommandLine.arguments.dropFirst())
let usage = """
    Usage: datasette-rows URL/DATABASE/TABLE [CLAUSE]

        sqlite3 airports.db ".import --csv Samples/Data/airports.csv airports"
        sqlite-utils transform airports.db airports --pk icao
        datasette airports.db &
        datasette-rows http://127.0.0.1:8001/airports/airports "country = 'JP' and name like 'M%'"
    """
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    print(usage)
    exit(0)
}
guard let address = words.first, address.hasPrefix("http"), words.count <= 2 else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

struct Airport: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    var country: String
}

func list(_ table: DatasetteTable, where clause: String) async throws {
    let airports = try await RemoteDataCollection<Airport>(table: table, where: clause)
    print("\(airports.count) airports")
    for try await airport in airports.rows { print(airport.id, airport.country, airport.name) }
}

do {
    try await list(DatasetteTable(address, idColumn: "icao"), where: words.count > 1 ? words[1] : "")
} catch {
    FileHandle.standardError.write(Data("datasette-rows: \(error)\n".utf8))
    exit(1)
}
