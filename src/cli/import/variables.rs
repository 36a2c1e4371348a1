//! The environment variables that hold another server's settings.

use std::collections::BTreeMap;

/// Variables by name. What is not UTF-8 is left out: none of the settings can be that.
#[derive(Debug, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

impl Variables {
    pub(super) fn of_this_process() -> Self {
        let all = std::env::vars_os();
        let text = all.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Variables(text.collect())
    }

    /// The value, where there is one that is not blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// The entries of a list that is separated by commas: trimmed, none of them empty.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let entries = self.get(name).unwrap_or_default().split(',').map(str::trim);
        entries.filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Variables {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Variables(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }
}
