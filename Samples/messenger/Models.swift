import RemoteData

/// Somebody who writes, and whom one knows.
struct Person: ConsistentModel, Codable, Equatable {
    var id: String
    var name: String
    var isOnline = false

    var modelID: ModelID? { ModelID(id, of: "person") }
}

/// Something that somebody has written.
struct Message: ConsistentModel, Codable, Equatable {
    var id: String
    var text: String
    var author: Person

    var modelID: ModelID? { ModelID(id, of: "message") }
    static let children: [ModelChild<Message>] = [.one(\.author)]
}
