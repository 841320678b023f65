import RemoteData

/// What somebody wants to buy, as a row of the table `lists`.
struct ShoppingList: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    /// Who may see and change it.
    var acl: ACL?

    enum CodingKeys: String, CodingKey {
        case id, name
        case acl = "ACL"
    }
}

/// One thing on a list, as a row of the table `items`.
struct Item: Codable, Identifiable, Sendable {
    var id: String
    /// The id of the list.
    var list: String
    var name: String
    var count: Int
    var isTicked: Bool
    /// Where it stands on the list.
    var position: PositionKey
    var acl: ACL?

    enum CodingKeys: String, CodingKey {
        case id, list, name, count, isTicked, position
        case acl = "ACL"
    }
}
