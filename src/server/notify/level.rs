//! How much a message matters.

use rmcp::model::{ErrorData, MetaObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The levels of the protocol, which are those of syslog (RFC 5424). The least one comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::server) enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// Where a request of the era without sessions says which messages it wants.
const KEY: &str = "io.modelcontextprotocol/logLevel";

impl Level {
    /// The least level that a request wants to hear of; `None` where it wants nothing.
    pub(in crate::server) fn wanted(meta: &MetaObject) -> Result<Option<Self>, ErrorData> {
        meta.0.get(KEY).map(Level::parse).transpose()
    }

    /// The level of this name.
    pub(in crate::server) fn parse(value: &Value) -> Result<Self, ErrorData> {
        Level::deserialize(value).map_err(|_| Level::unknown())
    }

    /// What is wrong with every other name.
    pub(in crate::server) fn unknown() -> ErrorData {
        const CHOICES: &str = "there is no such log level; there are: debug, info, notice, warning, \
                               error, critical, alert, emergency";
        ErrorData::invalid_params(CHOICES, None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(meta: Value) -> Result<Option<Level>, ErrorData> {
        Level::wanted(&MetaObject(meta.as_object().unwrap().clone()))
    }

    #[test]
    fn a_request_that_says_nothing_wants_nothing() {
        assert_eq!(wanted(json!({ "progressToken": 1 })).unwrap(), None);
    }

    #[test]
    fn the_levels_are_in_order() {
        assert_eq!(wanted(json!({ KEY: "debug" })).unwrap(), Some(Level::Debug));
        assert!(Level::Debug < Level::Info && Level::Warning < Level::Emergency);
    }

    #[test]
    fn a_level_that_there_is_not_is_wrong_and_not_the_same_as_none() {
        for value in [json!("verbose"), json!("INFO"), json!(""), json!(1), json!(null)] {
            let error = wanted(json!({ KEY: value })).unwrap_err();
            assert_eq!(error.code.0, -32602);
            assert!(error.message.contains("debug, info"), "{}", error.message);
        }
    }
}
