//! `cofferdam schema`: what editors need to complete and check the files that people write.

use super::args::SchemaCommand;
use super::report::{Failure, print};

/// Prints a JSON Schema.
pub(super) fn schema(command: SchemaCommand) -> Result<u8, Failure> {
    print(match command {
        SchemaCommand::Config => crate::config::SCHEMA,
        SchemaCommand::Profile => cofferdam_profiles::SCHEMA,
    })?;
    Ok(0)
}
