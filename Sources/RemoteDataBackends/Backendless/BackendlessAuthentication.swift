/// Who a program is to a Backendless application.
public struct BackendlessAuthentication: Sendable, Hashable {
    /// The value of the column by which users sign in: the e-mail address, unless the application says otherwise.
    public var login: String
    /// The password.
    public var password: String

    /// A user of the application.
    public init(_ login: String, password: String) {
        (self.login, self.password) = (login, password)
    }
}

extension BackendlessAuthentication: CustomStringConvertible {
    /// That it is an account; neither whose nor the password.
    public var description: String { "an account" }
}
