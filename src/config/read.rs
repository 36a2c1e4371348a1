//! Reads a configuration file into text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::SettingsError;

/// The most that is read of a file, in bytes. A configuration of a hundred tools with long
/// instructions is below 200 KiB; a log file or a device given by mistake must not fill the memory.
pub(crate) const LARGEST_FILE: u64 = 1024 * 1024;

/// The whole text of a file. It may be a pipe, so that a shell can hand one over with `<(…)`.
pub(crate) fn read(path: &Path) -> Result<String, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(SettingsError::TooLarge { path: path.to_owned(), limit: LARGEST_FILE });
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        SettingsError::NotUtf8 {
            path: path.to_owned(),
            line: good.iter().filter(|byte| **byte == b'\n').count() + 1,
        }
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::fs;

    use super::*;

    #[test]
    fn every_way_in_which_a_file_cannot_be_read_names_path_and_cause() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("missing.json");
        let error = read(&missing).unwrap_err();
        assert!(error.to_string().contains("missing.json`"), "{error}");
        assert!(error.source().unwrap().to_string().contains("No such file"));

        let error = read(dir.path()).unwrap_err();
        assert!(error.source().unwrap().to_string().contains("Is a directory"));

        let latin = dir.path().join("latin.json");
        fs::write(&latin, b"{\n\"name\": \"caf\xe9\"}").unwrap();
        let error = read(&latin).unwrap_err().to_string();
        assert!(error.ends_with("latin.json` is not UTF-8: line 2 holds other bytes"), "{error}");
    }

    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(error, "the configuration `/dev/zero` is larger than 1048576 bytes");
    }

    #[test]
    fn a_file_of_just_the_largest_size_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large.json");
        fs::write(&path, " ".repeat(LARGEST_FILE as usize)).unwrap();
        assert_eq!(read(&path).unwrap().len() as u64, LARGEST_FILE);
    }
}
