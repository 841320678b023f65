import Foundation
import RemoteData

/// What can be typed.
struct Commands {
    let shopper: Shopper

    static let help = """
        lists               every list
        new NAME            makes a list
        open NAME           opens one
        drop NAME           removes one, and what is on it
        share USER          lets somebody else see and change the open list
        (nothing)           shows the open list
        add THING, THING    puts things on it
        count THING N       how many of it
        tick THING          it is bought (untick: it is not)
        move THING before OTHER
        remove THING
        login USER TOKEN    takes over what nobody has written (logout, who)
        flight on           as in an aeroplane (flight off)
        status              what is on this device, and what is to be sent
        sync                waits until all is sent and read
        help, quit
        """

    /// Does what a line says.
    ///
    /// - Returns: What is to be shown.
    func run(_ line: String) async throws -> String {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
        switch words.first ?? "" {
        case "", "items": return try await show(try await shopper.opened())
        case "help": return Self.help
        case "lists": return try await lists()
        case "who": return shopper.user ?? "no user is logged in"
        case "status": return try await shopper.status()
        case "sync":
            try await shopper.sync()
            return "all is sent and read"
        case "logout":
            try await shopper.logOut()
            return "no user is logged in"
        case "login":
            let parts = rest.split(separator: " ").map(String.init)
            guard parts.count == 2 else { throw Failure("login USER TOKEN") }
            return try await shopper.logIn(parts[0], token: parts[1])
        case "flight":
            guard ["on", "off"].contains(rest) else { throw Failure("flight on, or flight off") }
            try await shopper.fly(rest == "on")
            return "flight mode is \(rest)"
        case let word: return try await change(word, rest)
        }
    }

    private func change(_ word: String, _ rest: String) async throws -> String {
        guard !rest.isEmpty else {
            throw Failure("\(word) is nothing that can be done, or something is missing behind it: see help.")
        }
        switch word {
        case "open": return try await show(try await shopper.open(rest))
        case "new": try await shopper.makeList(rest)
        case "drop":
            try await shopper.removeList(rest)
            return try await lists()
        case "share": try await shopper.share(try await shopper.opened(), with: rest)
        case "add":
            let things = rest.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            try await shopper.add(things.filter { !$0.isEmpty }, to: try await shopper.opened())
        case "tick": try await shopper.change(rest) { $0.isTicked = true }
        case "untick": try await shopper.change(rest) { $0.isTicked = false }
        case "remove": try await shopper.remove(rest)
        case "move":
            let parts = rest.components(separatedBy: " before ")
            guard parts.count == 2 else { throw Failure("move THING before OTHER") }
            try await shopper.move(parts[0], before: parts[1])
        case "count":
            let parts = rest.split(separator: " ").map(String.init)
            guard parts.count > 1, let count = Int(parts[parts.count - 1]), count > 0 else {
                throw Failure("count THING N, of which there is one or more")
            }
            try await shopper.change(parts.dropLast().joined(separator: " ")) { $0.count = count }
        default: throw Failure("\(word) is nothing that can be done: see help.")
        }
        return try await show(try await shopper.opened())
    }

    private func lists() async throws -> String {
        let lists = try await shopper.lists()
        guard !lists.isEmpty else { return "no lists" }
        var lines: [String] = []
        for list in lists {
            let items = try await shopper.items(of: list)
            let left = items.count { !$0.isTicked }
            let others = (list.acl?.parties ?? []).map(\.description).filter { $0 != shopper.user }
            let shared = others.isEmpty ? "" : ", with \(others.joined(separator: " and "))"
            lines.append("\(list.name): \(left) of \(items.count) to buy\(shared)")
        }
        return lines.joined(separator: "\n")
    }

    private func show(_ list: ShoppingList) async throws -> String {
        let items = try await shopper.items(of: list)
        let lines = items.enumerated()
            .map { index, item in
                "\(item.isTicked ? "[x]" : "[ ]") \(index + 1) \(item.name)\(item.count > 1 ? " × \(item.count)" : "")"
            }
        return (["\(list.name)"] + lines).joined(separator: "\n")
    }
}
