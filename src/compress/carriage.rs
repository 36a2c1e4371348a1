//! Lines that were written over themselves: of all frames between carriage returns a terminal shows
//! the last.

use std::borrow::Cow;

/// The text with one frame a line. Frames that `keeps` wants become lines of their own, since an error
/// may have been written over. A return that only ends a line, as some systems do, stays.
pub(super) fn collapse<'a>(text: &'a str, keeps: impl Fn(&str) -> bool) -> Cow<'a, str> {
    let has_frames = |line: &str| line.trim_end_matches(['\n', '\r']).contains('\r');
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let is_ended_only = !has_frames(line) && !content.ends_with("\r\r");
        if is_ended_only && content != "\r" {
            plain.push_str(line);
            continue;
        }
        let mut frames = content.split('\r').filter(|frame| !frame.trim().is_empty()).peekable();
        while let Some(frame) = frames.next() {
            if frames.peek().is_none() {
                plain.push_str(frame);
            } else if keeps(frame) {
                plain.push_str(frame);
                plain.push('\n');
            }
        }
        plain.push_str(&line[content.len()..]);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(text: &str) -> Cow<'_, str> {
        collapse(text, |frame| frame.contains("error"))
    }

    #[test]
    fn the_last_frame_stays() {
        assert_eq!(collapsed("1%\r50%\r100%, done.\nx\n"), "100%, done.\nx\n");
        assert_eq!(collapsed("1%\r50%"), "50%");
        assert_eq!(collapsed("50%\r   \r\n"), "50%\n");
        assert_eq!(collapsed("\rdone\n"), "done\n");
        assert_eq!(collapsed("a\n\r\nb"), "a\n\nb");
    }

    #[test]
    fn a_frame_with_trouble_in_it_is_not_lost() {
        assert_eq!(collapsed("1%\rerror: disk\r2%\n"), "error: disk\n2%\n");
    }

    #[test]
    fn returns_that_end_lines_stay() {
        for text in ["a\r\nb\r\n", "a\r", "none"] {
            assert_eq!(collapsed(text), text);
        }
    }
}
