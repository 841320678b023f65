import Testing

@testable import RemoteDataNetwork

@Suite struct HeaderBlockTests {
    private func block(_ lines: String...) -> HeaderBlock {
        var block = HeaderBlock()
        for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { block.take($0) } }
        return block
    }

    @Test func fieldsAreTrimmed() {
        let block = block("HTTP/2 200 ", "A:1", "B: \t2 ", "C:", "")
        #expect(block.version == "HTTP/2")
        #expect(block.fields.map(\.name) == ["A", "B", "C"])
        #expect(block.fields.map(\.value) == ["1", "2", ""])
    }

    @Test func aLineWithoutAColonIsSkipped() {
        #expect(block("HTTP/1.1 200 OK", "nonsense", "A: b:c").fields.map(\.value) == ["b:c"])
    }

    @Test func anotherStatusLineStartsAfresh() {
        let block = block("HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", "")
        #expect(block.fields.map(\.name) == ["B"])
    }

    @Test func whatFollowsTheHeaderIsNoField() {
        #expect(block("HTTP/1.1 200 OK", "", "Trailer: 1").fields.isEmpty)
    }

    @Test(arguments: ["12": 12, "": nil, "x": nil, "99999999999999999999": nil] as [String: Int?])
    func theLengthIsANumberOrNothing(text: String, length: Int?) {
        #expect(block("HTTP/1.1 200 OK", "content-length: \(text)").contentLength == length)
    }
}
