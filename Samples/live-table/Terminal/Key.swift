/// A key, as a terminal sends it.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace
    /// Ctrl-C: ends the program, whatever it shows.
    case interrupt
    /// Ctrl-Z: gives the terminal back to the shell for a while.
    case suspend
    case character(Character)

    /// The key that moves the view as this one does, where no text is typed: `j` is the same as down.
    var movement: Key {
        guard case .character(let character) = self else { return self }
        return Self.movements[character] ?? self
    }

    private static let movements: [Character: Key] = [
        "k": .up, "j": .down, "h": .left, "l": .right, "g": .home, "G": .end, "b": .pageUp, " ": .pageDown,
    ]
}
