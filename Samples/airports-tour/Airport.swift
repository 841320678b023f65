/// A row of the table: the columns this program is interested in.
struct Airport: Codable, Identifiable, Sendable {
    /// The table's `objectId`, here the airport's ICAO code; nil for a row that the table is yet to give one.
    var id: String?
    var name: String
    var city: String?
    var country: String?
    /// In feet.
    var elevation: Double?
}
