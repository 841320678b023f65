import Testing

@testable import live_table

struct KeyDecoderTests {
    @Test(arguments: [
        ("j", Key.down), ("k", .up), ("g", .home), ("G", .end), (" ", .pageDown), ("q", .quit),
        ("\u{3}", .quit),
        ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
        ("\u{1B}[H", .home),
        ("\u{1B}[4~", .end), ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left),
    ])
    func everySequenceIsItsKeyHoweverItIsCut(text: String, key: Key) {
        let bytes = Array(text.utf8)
        var whole = KeyDecoder()
        #expect(whole.keys(bytes) == [key])
        var pieces = KeyDecoder()
        #expect(bytes.flatMap { pieces.keys([$0]) } == [key])
    }

    @Test func whatMeansNothingIsLeftOut() {
        var decoder = KeyDecoder()
        #expect(decoder.keys("xé\u{1B}[99~\u{1B}[Zj".utf8) == [.down])
    }

    @Test func aLoneEscapeDoesNotSwallowTheNextKey() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty)
        #expect(decoder.keys("q".utf8) == [.quit])
    }

    @Test func anEndlessSequenceIsGivenUp() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 100)).isEmpty)
        #expect(decoder.keys("q".utf8) == [.quit])
    }
}
