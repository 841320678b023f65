import Foundation

/// Models as JSON.
enum CacheCoding {
    static func encoded(_ model: some Encodable) throws(RemoteDataError) -> Data {
        do { return try JSONEncoder().encode(model) } catch {
            throw RemoteDataError(
                .invalidModel,
                "A \(type(of: model)) cannot be written to the cache.",
                cause: error
            )
        }
    }

    /// A list of models; those with ids are written by themselves.
    static func elements(
        _ models: some Sequence<some ConsistentModel & Encodable>
    ) throws(RemoteDataError) -> [CachedElement] {
        var elements: [CachedElement] = []
        for model in models {
            if let id = model.modelID {
                elements.append(.model(id))
            } else {
                elements.append(.data(try encoded(model)))
            }
        }
        return elements
    }

    static func decoded<Model: Decodable>(_ data: Data) throws(RemoteDataError) -> Model {
        do { return try JSONDecoder().decode(Model.self, from: data) } catch {
            throw RemoteDataError(
                .invalidModel,
                "The cache has something else than a \(Model.self).",
                cause: error
            )
        }
    }
}
