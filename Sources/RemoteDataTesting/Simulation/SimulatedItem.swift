/// The rows of generated scenarios.
public struct SimulatedItem: Codable, Identifiable, Sendable, Hashable {
    /// The id; empty text for none.
    public var id: ScenarioID
    /// A small number, so that there are ties.
    public var a: Int?
    /// A short text, so that there are ties.
    public var s: String?

    private enum CodingKeys: String, CodingKey {
        case id = "objectId"
        case a, s
    }
}
