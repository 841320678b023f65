import RemoteDataTesting
import Testing

@testable import RemoteData

/// A row that is a model.
struct Neighbor: ConsistentModel, Codable, Identifiable, Equatable {
    var id: String
    var name: String
    var age: Int
    var note: String?
    var modelID: ModelID? { ModelID(id, of: "neighbor") }

    init(_ id: String, _ name: String, _ age: Int, note: String? = nil) {
        (self.id, self.name, self.age, self.note) = (id, name, age, note)
    }

    func merged(with newer: any ConsistentModel) -> Neighbor {
        guard let plate = newer as? NamePlate else { return newer as? Neighbor ?? self }
        return Neighbor(id, plate.name, age, note: note)
    }
}

/// What is to be read of a neighbor on the door.
struct NamePlate: ConsistentModel, Codable, Equatable {
    var id: String
    var name: String
    var modelID: ModelID? { ModelID(id, of: "neighbor") }
}

/// A table of neighbors and a space.
struct Town {
    let table: FaultyTable
    let space: ModelSpace

    init(_ neighbors: [Neighbor] = Town.three, delivery: DeliveryQueue = .privateQueue) async throws {
        let table = MemoryTable("town", idColumn: "id")
        self.table = FaultyTable(table)
        space = ModelSpace(delivery: delivery)
        if !neighbors.isEmpty { _ = try await table.commit(.create(neighbors.map { try $0.draft })) }
    }

    static var three: [Neighbor] {
        [Neighbor("a", "Ada", 36), Neighbor("b", "Bo", 20), Neighbor("c", "Cy", 50)]
    }

    /// A collection of the space, of which all rows are here.
    func collection(
        where clause: String = "",
        sort: String = "",
        isLive: Bool = true,
        delivery: DeliveryQueue? = nil
    ) async throws -> RemoteDataCollection<Neighbor> {
        var options = CollectionOptions().with(isLive: isLive).with(delivery: delivery ?? .privateQueue)
        options.space = space
        let all = try await RemoteDataCollection<Neighbor>(
            table: table,
            where: clause,
            sort: sort,
            options: options
        )
        if isLive, delivery == nil { try await all.untilLive() }
        return all
    }

    /// A provider of a neighbor, who has one.
    func provider(_ neighbor: Neighbor) async -> DataProvider<Neighbor> {
        let provider = DataProvider<Neighbor>(space)
        provider.set(neighbor)
        await space.settled()
        return provider
    }

    func update(_ id: String, _ patch: String) async throws {
        _ = try await table.base.commit(.update(.text(id), patch: Array(patch.utf8)[...]))
    }
}

extension Neighbor {
    var draft: Draft {
        get throws { try ElementCodec<Neighbor>(idColumn: "id", dates: .epochMilliseconds).encode(self) }
    }
}

extension RemoteDataCollection<Neighbor> {
    /// Waits until its rows are these, by their names.
    func until(_ names: [String]) async throws {
        try await eventually("\(names) rather than \(loadedNames)") {
            loadedNames == names && count == names.count
        }
    }

    var loadedNames: [String] {
        (0..<count).map { position in
            guard case .here(let part, let offset) = lookUp(position) else { return "?" }
            return (try? decode(part).element(at: offset).name) ?? "!"
        }
    }

    /// Reads everything.
    func load() async throws { for try await _ in rows {} }
}
