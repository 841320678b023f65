/// Who a program is to a PocketBase server.
public struct PocketBaseAuthentication: Sendable, Hashable {
    /// The collection of the account, such as `users`; `_superusers` for those who may do everything.
    public var collection: String
    /// The e-mail address or user name.
    public var identity: String
    /// The password.
    public var password: String

    /// A user of a collection.
    public init(_ identity: String, password: String, collection: String = "users") {
        (self.identity, self.password, self.collection) = (identity, password, collection)
    }

    /// A superuser.
    public static func superuser(_ identity: String, password: String) -> PocketBaseAuthentication {
        PocketBaseAuthentication(identity, password: password, collection: "_superusers")
    }
}

extension PocketBaseAuthentication: CustomStringConvertible {
    /// The collection; neither who it is nor the password.
    public var description: String { "an account of \(collection)" }
}
