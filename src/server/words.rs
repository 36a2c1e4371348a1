//! Values as people write them, and texts that fit their place.

use std::time::Duration;

/// A character of a name, none of which ends the line.
pub(super) fn on_one_line(sign: char) -> impl Iterator<Item = char> {
    let escaped = sign.is_control().then(|| sign.escape_debug());
    let plain = escaped.is_none().then_some(sign);
    escaped.into_iter().flatten().chain(plain)
}

/// A number of seconds as people write it.
pub(super) fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

/// At most `room` bytes of a text.
pub(super) fn clipped(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let fits = |end: &usize| *end <= room - '…'.len_utf8();
    let end = text.char_indices().map(|(start, _)| start).take_while(fits).last();
    format!("{}…", &text[..end.unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(clipped("ééé", 6), "ééé");
        assert_eq!(clipped("éééé", 6), "é…");
        assert_eq!(clipped("abcd", 3), "…");
    }

    #[test]
    fn seconds_are_written_as_people_do() {
        assert_eq!(seconds(Duration::from_secs(30)), "30");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5");
    }

    #[test]
    fn no_name_ends_the_line() {
        let shown = |name: &str| name.chars().flat_map(on_one_line).collect::<String>();
        assert_eq!(shown("a\nb\u{1b}"), r"a\nb\u{1b}");
        assert_eq!(shown(r"/x\d'é/"), r"/x\d'é/");
    }
}
