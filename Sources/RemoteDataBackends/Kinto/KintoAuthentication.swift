import Foundation

/// Who a program is to a Kinto server: an account of its accounts plugin.
///
/// For tokens of another sign-in, such as OpenID, give the configuration's `credentials` instead.
public struct KintoAuthentication: Sendable, Hashable {
    /// The account's name.
    public var name: String
    /// The password.
    public var password: String

    /// An account.
    public init(_ name: String, password: String) { (self.name, self.password) = (name, password) }

    /// The value of the header `Authorization` (RFC 7617).
    var header: String { "Basic " + Data("\(name):\(password)".utf8).base64EncodedString() }
}

extension KintoAuthentication: CustomStringConvertible {
    /// That it is an account; neither its name nor the password.
    public var description: String { "an account of Kinto" }
}
