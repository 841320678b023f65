import Foundation
import RemoteData

extension Failure {
    /// What a library's error means to the user of this program.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - arguments: What the user asked for.
    init(_ error: RemoteDataError, _ arguments: Arguments) {
        let address = arguments.address
        switch error.code {
        case .unreachable:
            self.init(error.message + Self.proxyHint)
        case .timedOut:
            self.init("\(address.server) does not answer in time; try again, or look at the server's log.")
        case .unauthorized:
            if let file = arguments.accountFile {
                self.init("\(address.server) refuses the account in \(file). \(error.message)")
            } else if let file = arguments.tokenFile {
                self.init("\(address.server) refuses the token in \(file).")
            } else if address.kind == nil {
                self.init("\(address.server) wants a token: give it with --token-file FILE.")
            } else {
                let wish = "\(address.server) wants to know who you are: use --account-file FILE."
                self.init("\(wish) \(error.message)")
            }
        case .alreadyExists where arguments.command == .add:
            self.init("\(error.message) To change that row, use update.")
        case .conflict:
            self.init("\(error.message) Somebody else changed the row meanwhile: look at it and try again.")
        case .tooLarge where arguments.command.isReading:
            self.init("\(error.message) Ask for fewer rows at a time, such as --page-size 10.")
        case .tooLarge:
            self.init("\(error.message) Send fewer or smaller rows at a time.")
        case .invalidClause:
            self.init(Self.describe(error, arguments))
        default:
            self.init(error.message)
        }
    }

    /// What else may be down when nobody answers.
    private static var proxyHint: String {
        let environment = ProcessInfo.processInfo.environment
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return "" }
        return " The proxy that \(name) names may be down, or not let this through."
    }

    private static func describe(_ error: RemoteDataError, _ arguments: Arguments) -> String {
        guard let position = error.position else { return error.message }
        var (option, text) = ("--sort", arguments.sort)
        do throws(RemoteDataError) { _ = try Where.parse(arguments.clause) } catch {
            (option, text) = ("--where", arguments.clause)
        }
        return "\(option) cannot be read here: \(text.pointing(at: position)) · \(error.message)"
    }
}

extension String {
    /// Some characters around a position, with an arrow in front of it.
    func pointing(at position: Int) -> String {
        let scalars = Array(unicodeScalars)
        let position = min(position, scalars.count)
        let before = scalars[max(0, position - 20)..<position]
        let after = scalars[position..<min(scalars.count, position + 20)]
        func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
            var view = UnicodeScalarView()
            view.append(contentsOf: part)
            return String(view)
        }
        let start = position > 20 ? "…" : ""
        let end = position + 20 < scalars.count ? "…" : ""
        return "\(start)\(text(before))→\(text(after))\(end)"
    }
}
