import RemoteData

/// Rows on which clauses are evaluated.
enum WhereRows {
    /// Clauses of the columns that the fixed rows have.
    static let clauses: [Where] = [
        .comparison(.column("a"), .greater, .literal(1)), .comparison(.column("a"), .less, .column("b")),
        .like(.column("name"), Where.LikePattern("A%")), .isIn(.column("b"), [.literal(1), .literal("x")]),
        .isNull(.column("c")), .truth(.column("c")),
        .between(.column("a"), low: .literal(0), high: .literal("m")),
    ]

    private static let fixed: [Row] = [
        #"{"objectId":1}"#,
        #"{"objectId":2,"a":1,"b":2,"c":true,"name":"Anna","tags":["a","b",1],"lat":51.5,"lon":-0.12}"#,
        #"{"objectId":3,"a":null,"b":null,"name":"","tags":[],"lat":null,"lon":180}"#,
        #"{"objectId":4,"a":"x","b":1.5e3,"c":[1,[2]],"name":"\u0041\u00e9\ud83d\ude00\n","tags":{"a":1},"lat":-90,"lon":0}"#,
        #"{"objectId":5,"a":{"b":{"c":3}},"b":{"c":1},"tags":[null,true,1.0,"\u0061",[],{}],"lat":91,"lon":"5"}"#,
        #"{"objectId":6,"a":9223372036854775807,"b":9223372036854775808,"c":-0.0,"name":"aaaaaaaaaaaaaaaaaaaaaaaab"}"#,
    ].map { row($0) }

    /// What the columns of a clause hold, each of them in one row after another.
    private static let values: [[UInt8]] = [
        #""Anna b""#, "1", "-2.5e-3", "true", #"["a","b",1,null,"Anna b"]"#, #"{"b":{"c":1},"c":"x"}"#,
        "51.5",
        #""a\nb\u00e9\ud83d\ude00""#, "null", "1e999",
    ].map { Array($0.utf8) }

    private static func row(_ text: String) -> Row { Row(id: 1, json: Array(text.utf8)[...]) }

    /// The fixed rows, and some that have the columns a clause names.
    static func rows(for clause: Where) -> [Row] {
        let names = Set(clause.columns.prefix(20).map { $0.names[0] }).sorted()
        let made = values.indices.map { start in
            let members = names.enumerated().map { index, name in
                JSONObject.quoted(name) + Array(":".utf8) + values[(start + index * 3) % values.count]
            }
            let json = Array("{".utf8) + members.joined(separator: Array(",".utf8)) + Array("}".utf8)
            return Row(id: 1, json: json[...])
        }
        return fixed + made
    }
}
