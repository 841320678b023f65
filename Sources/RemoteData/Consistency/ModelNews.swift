/// What a ``ConsistencyManager`` was told of a model.
public enum ModelNews: Sendable {
    /// There are newer versions: several where several types describe it, the last of each type.
    case updated([any ConsistentModel])
    /// It is no more.
    case deleted
}
