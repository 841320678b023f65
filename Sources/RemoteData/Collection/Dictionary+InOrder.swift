extension Dictionary where Key == Int {
    /// The values in the order of their numbers, so that what is done with them is the same in every process.
    var inOrder: [Value] { count < 2 ? Array(values) : sorted { $0.key < $1.key }.map(\.value) }
}
