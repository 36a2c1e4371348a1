//! The promises of the buffer, case by case.

use super::*;

#[test]
fn the_edges_are_the_first_and_the_last_bytes_and_nothing_twice() {
    let edges = |caps: Caps, text: &str, first, last| {
        let mut buffer = Buffer::new(caps);
        text.bytes().for_each(|byte| buffer.push(&[byte]));
        let (front, back) = buffer.edges(first, last);
        [front, back].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let text = "0123456789abcdef";
    for caps in [Caps::NONE, Caps::new(16, 100)] {
        assert_eq!(edges(caps, text, 3, 4), ["012", "cdef"]);
        assert_eq!(edges(caps, text, 0, 10), ["", "6789abcdef"]);
        assert_eq!(edges(caps, text, 10, 6), [text, ""]);
        assert_eq!(edges(caps, text, 100, 100), [text, ""]);
    }
    // Four in the head, twelve in the tail, four dropped between.
    let caps = Caps::new(16, 100);
    assert_eq!(edges(caps, "0123----456789abcdef", 8, 14), ["0123", "456789abcdef"]);
    assert_eq!(edges(caps, "0123----456789abcdef", 2, 2), ["01", "ef"]);
}

fn captured(caps: Caps, output: &[u8]) -> Buffer {
    let mut buffer = Buffer::new(caps);
    buffer.push(output);
    buffer.finish();
    buffer
}

/// Lines from "1\n" on, as `seq` writes them.
fn numbers(last: usize) -> String {
    (1..=last).map(|number| format!("{number}\n")).collect()
}

#[test]
fn a_cap_inside_a_character_cuts_beside_it_and_counts_every_byte() {
    let output = format!("{}\n", "中".repeat(4000));
    let rendered = captured(Caps::new(1024, 2000), output.as_bytes()).render();
    let dropped = rendered.dropped.unwrap();
    assert_eq!(dropped.lines, 0);
    assert!(!rendered.text.contains('\u{fffd}'));

    let marker = format!("\n{dropped}\n");
    let (head, tail) = rendered.text.split_once(&marker).unwrap();
    assert_eq!(head, "中".repeat(85));
    assert_eq!(tail, format!("{}\n", "中".repeat(256)));
    assert_eq!((head.len() + tail.len()) as u64 + dropped.bytes, 12001);
}

#[test]
fn bytes_that_are_not_utf8_are_kept_and_replaced_only_in_text() {
    let output = b"ok\n\x85\xff\nend\n";
    let buffer = captured(Caps::default(), output);
    assert_eq!(buffer.render().text, "ok\n\u{fffd}\u{fffd}\nend\n");
    assert_eq!(buffer.bytes(), output);
    assert_eq!((buffer.written().bytes, buffer.written().lines), (10, 3));
}

#[test]
fn one_huge_line_keeps_head_and_tail_and_drops_no_line() {
    let mut output = vec![b'x'; 200_000];
    output[0] = b'<';
    output[199_999] = b'>';
    let buffer = captured(Caps::new(4096, 1000), &output);
    let dropped = buffer.dropped().unwrap();
    assert_eq!((dropped.bytes, dropped.lines), (200_000 - 4096, 0));
    assert_eq!(buffer.bytes().len(), 4096);
    let text = buffer.render().text;
    assert!(text.starts_with("<xx") && text.ends_with("xx>"));
    assert!(text.contains("x\n[... 195904 bytes / 0 lines dropped ...]\nx"));
}

#[test]
fn exactly_as_many_lines_as_the_cap_drop_nothing() {
    let output = numbers(10);
    let rendered = captured(Caps::new(16384, 10), output.as_bytes()).render();
    assert_eq!((rendered.text, rendered.dropped), (output, None));
}

#[test]
fn one_line_over_the_cap_drops_a_line() {
    let rendered = captured(Caps::new(16384, 10), numbers(11).as_bytes()).render();
    let expected = "1\n2\n[... 2 bytes / 1 lines dropped ...]\n4\n5\n6\n7\n8\n9\n10\n11\n";
    assert_eq!(rendered.text, expected);
}

#[test]
fn an_unfinished_line_counts_as_a_line() {
    let unfinished = format!("{}11", numbers(10));
    let rendered = captured(Caps::new(16384, 10), unfinished.as_bytes()).render();
    let expected = "1\n2\n[... 2 bytes / 1 lines dropped ...]\n4\n5\n6\n7\n8\n9\n10\n11";
    assert_eq!(rendered.text, expected);

    let ten = numbers(10);
    let unfinished_tenth = &ten[..ten.len() - 1];
    assert!(captured(Caps::new(16384, 10), unfinished_tenth.as_bytes()).dropped().is_none());
}

#[test]
fn a_carriage_return_ends_no_line() {
    let frames: String = (0..500).map(|frame| format!("\r{}%", frame / 5)).collect();
    let output = format!("{frames}\n");
    let rendered = captured(Caps::new(16384, 10), output.as_bytes()).render();
    assert_eq!((rendered.text, rendered.dropped), (output, None));
}

#[test]
fn a_flood_is_counted_to_the_byte_however_it_is_cut() {
    let line = b"the same line over and over\n";
    let output: Vec<u8> = line.iter().copied().cycle().take(2_000_000).collect();
    let whole = captured(Caps::default(), &output);
    for piece in [1, 1000, 65536] {
        let mut buffer = Buffer::new(Caps::default());
        output.chunks(piece).for_each(|piece| buffer.push(piece));
        buffer.finish();
        assert_eq!(buffer.render(), whole.render());
    }
    let dropped = whole.dropped().unwrap();
    assert_eq!(whole.bytes().len() as u64 + dropped.bytes, 2_000_000);
    assert!(whole.bytes().len() <= 16384);
}

#[test]
fn a_stream_that_fits_its_bytes_drops_nothing_although_its_head_ended_early() {
    let output = format!("1\n2\n{}\n", "x".repeat(1000));
    assert!(captured(Caps::new(1024, 10), output.as_bytes()).dropped().is_none());
}

#[test]
fn a_head_cut_inside_a_line_counts_as_a_line_of_the_kept_text() {
    let output = format!("{}\n{}", "x".repeat(2000), numbers(20));
    let rendered = captured(Caps::new(1024, 10), output.as_bytes()).render();
    let marker = format!("{}\n", rendered.dropped.unwrap());
    assert_eq!(rendered.text.replace(&marker, "").lines().count(), 10);
}

#[test]
fn a_marker_after_a_whole_line_gets_no_newline_of_its_own() {
    let text = captured(Caps::new(16384, 4), numbers(5).as_bytes()).render().text;
    assert_eq!(text, "1\n[... 2 bytes / 1 lines dropped ...]\n3\n4\n5\n");
}

#[test]
fn without_caps_nothing_is_ever_dropped() {
    let output = numbers(100_000);
    let rendered = captured(Caps::NONE, output.as_bytes()).render();
    assert_eq!((rendered.text, rendered.dropped), (output, None));
}

#[test]
fn caps_of_zero_keep_nothing_and_count_everything() {
    for caps in [Caps::new(0, 10), Caps::new(1024, 0)] {
        let mut buffer = Buffer::new(caps);
        buffer.push(b"a\nb");
        buffer.push(b"c\n");
        assert_eq!(buffer.render().text, "[... 5 bytes / 2 lines dropped ...]\n");
    }
}

#[test]
fn nothing_is_taken_after_the_end() {
    let mut buffer = captured(Caps::default(), b"a\n");
    buffer.push(b"b\n");
    assert_eq!((buffer.render().text.as_str(), buffer.written().bytes), ("a\n", 2));
}
