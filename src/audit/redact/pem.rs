//! PEM blocks: private keys, and whatever else stands in one.

use super::REDACTED;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// A text without what stands in PEM blocks, be their line ends real ones or written as `\n`.
pub(super) fn without_blocks(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(start);
        clean += before;
        rest = block;
        let Some(label) = block[BEGIN.len()..].find("-----").map(|at| at + BEGIN.len() + 5) else {
            break;
        };
        clean += &block[..label];
        clean += REDACTED;
        rest = block[label..].find(END).map_or("", |at| &block[label + at..]);
    }
    clean + rest
}
