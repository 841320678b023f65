// A table on a server, used like an array. Samples/run starts a server with 28,298 airports and runs this program; by hand:
//
//     airports-tour http://127.0.0.1:8080/airports search
//     airports-tour http://127.0.0.1:8080/airports stop-early

import Foundation
import RemoteData
import RemoteDataBackends

let words = Array(CommandLine.arguments.dropFirst())
let usage = """
    usage: airports-tour URL/TABLE search|stop-early

      search      the airports that match a clause, and the highest of them
      stop-early  leaves a loop over all airports early: what is not looked at is not fetched

    Samples/run starts a server with the airports, such as http://127.0.0.1:8080/airports
    """
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    print(usage)
    exit(0)
}
guard words.count == 2, ["search", "stop-early"].contains(words[1]) else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

do {
    let requests = RequestCounter()
    var configuration = RESTConfiguration()
    configuration.observer = requests
    let table = try RESTTable(words[0], configuration: configuration)

    switch words[1] {
    case "search": try search(table, requests)
    default: try stopEarly(table, requests)
    }
} catch {
    FileHandle.standardError.write(Data("airports-tour: \(error.message)\n".utf8))
    exit(1)
}

/// Iterates over the rows that match a clause; the server does the searching.
func search(_ table: RESTTable, _ requests: RequestCounter) throws(RemoteDataError) {
    let airports = try RemoteDataCollection<Airport>(
        table: table,
        where: "country = 'JP' and elevation > 1000"
    )
    print("\(airports.count) airports match, and no row has come yet")
    for airport in airports {
        print("   \(airport.id ?? "-")  \(airport.name), \(Int(airport.elevation ?? 0)) feet")
    }

    // Everything is here now, so this asks the server nothing.
    let highest = airports.max { ($0.elevation ?? 0) < ($1.elevation ?? 0) }
    print("the highest is \(highest?.name ?? "none"); \(requests.count) requests were made in all")

    // The same rows, with a predicate that the compiler checks instead of text.
    let same = try RemoteDataCollection<Airport>(
        table: table,
        where: #Predicate { $0.country == "JP" && ($0.elevation ?? 0) > 1000 }
    )
    print("as a predicate: \(same.whereClause) finds \(same.count)")
}

/// Leaves a loop over all rows early: what is not looked at is not fetched.
func stopEarly(_ table: RESTTable, _ requests: RequestCounter) throws(RemoteDataError) {
    var options = CollectionOptions()
    options.isLive = false
    let airports = try RemoteDataCollection<Airport>(table: table, options: options)

    var looked = 0
    for airport in airports {
        looked += 1
        guard let elevation = airport.elevation, elevation > 8_000 else { continue }
        print("\(airport.name) is above 8,000 feet: found after \(looked) of \(airports.count) rows")
        break
    }
    print("\(airports.loadedCount) rows have come, 100 in each request")

    // Any row can be had without those before it: one more request.
    guard airports.count > 20_000 else { return print("there are only \(airports.count) rows") }
    print("row 20,000 is \(airports[20_000].name)")
}
