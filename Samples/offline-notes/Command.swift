/// What the program is asked to do.
enum Command: Sendable {
    case list(clause: String)
    case follow
    case pin(clause: String)
    case desk(clause: String)

    static let usage = "list [CLAUSE] | follow | pin CLAUSE | desk [CLAUSE]"

    init?(_ name: String, _ words: [String]) {
        switch (name, words.count) {
        case ("list", 0...1): self = .list(clause: words.first ?? "")
        case ("follow", 0): self = .follow
        case ("pin", 1): self = .pin(clause: words[0])
        case ("desk", 0...1): self = .desk(clause: words.first ?? "")
        default: return nil
        }
    }
}
