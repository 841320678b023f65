/// How it is known that the server does not have a row.
enum Absence: Sendable {
    /// The server has removed it, and with it what it removes by itself.
    case removed
    /// It was not found; rows that belonged to it may be there until the server reports that they are gone.
    case missing
}
