import Foundation
import RemoteData

/// A token of PocketBase, which is a JSON Web Token (RFC 7519).
struct PocketBaseToken: Sendable, Hashable {
    let text: String
    /// When it ends: a request with it counts from then on as that of a guest, and nothing says so.
    let expiry: Date?

    init(_ text: String) {
        self.text = text
        expiry = Self.expiry(text)
    }

    /// How long before its end a token is no longer used, for clocks that differ and requests on their way.
    static let margin: TimeInterval = 60

    /// Whether it can be used.
    func isValid(_ now: Date) -> Bool { expiry.map { now < $0.addingTimeInterval(-Self.margin) } ?? true }

    private static func expiry(_ token: String) -> Date? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        guard let data = Data(base64Encoded: payload),
            let members = try? JSONObject.members(of: [UInt8](data)[...]),
            let member = members.first(where: { $0.name == "exp" })
        else { return nil }
        return switch Value(json: member.json) {
        case .integer(let seconds)?: Date(timeIntervalSince1970: TimeInterval(seconds))
        case .double(let seconds)?: Date(timeIntervalSince1970: seconds)
        default: nil
        }
    }
}
