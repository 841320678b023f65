import Testing

@testable import live_table

struct WrappingTests {
    @Test("Lines break between words, and within a word that is longer than a line")
    func words() {
        #expect("one two three".wrapped(to: 8) == ["one two", "three"])
        #expect("one twothree".wrapped(to: 5) == ["one", "twoth", "ree"])
        #expect("abcdef".wrapped(to: 3) == ["abc", "def"])
        #expect("".wrapped(to: 3) == [""])
    }

    @Test("Line breaks of the text are kept")
    func breaks() { #expect("a\nb\r\n\nc".wrapped(to: 9) == ["a", "b", "", "c"]) }

    @Test("Nothing of a text is lost, and no line is too wide", arguments: 2...9)
    func whole(width: Int) {
        for text in ["東京国際空港", "a東b京 c国", "x y z xx yy zz xxxxxxxxxx", " a b"] {
            let lines = text.wrapped(to: width)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        }
    }

    @Test("A line that is narrower than a character still ends")
    func narrow() { #expect("東京".wrapped(to: 0) == ["東", "京"]) }

    @Test("No line commands the terminal")
    func commands() { #expect("a\u{1B}[2J\u{9B}1m\tb".wrapped(to: 20) == ["a\u{FFFD}[2J\u{FFFD}1m b"]) }
}
