//! From `[environment]` and `--env` to the model.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::draft::{Draft, List};
use crate::grants::Grants;
use crate::mistake::{Cause, Mistake};
use crate::policy::{Entry, Environment, Origin, Piece, Value};
use crate::read::{NUL, check_pass, check_set_name};
use crate::rules::RuleMaker;
use crate::template::{Template, Variable};
use crate::values::Values;

/// Makes the environment of `draft` and of the options. `scratch` says whether the run has a `${tmp}`.
pub(crate) fn environment(
    maker: &mut RuleMaker<'_>,
    draft: &Draft,
    grants: &Grants,
    scratch: bool,
) -> Environment {
    let mut environment = Environment {
        path: maker.search_path(draft),
        pass: draft.list(List::Pass).to_vec(),
        set: BTreeMap::new(),
    };
    for (name, entry) in &draft.set {
        match set_value(maker.values, &entry.value, scratch) {
            Ok(Some(value)) => {
                let entry = Entry { value, origin: entry.origin.clone() };
                environment.set.insert(name.clone(), entry);
            }
            Ok(None) => {}
            Err(cause) => maker.mistakes.push(Mistake {
                origin: entry.origin.clone(),
                key: format!("environment.set.{name}"),
                value: Some(format!("{:?}", entry.value)),
                cause,
            }),
        }
    }
    for written in &grants.env {
        if let Err(cause) = add_option(&mut environment, written) {
            let origin = Origin { source: "--env".into(), ..Origin::default() };
            let value = Some(format!("{written:?}"));
            maker.mistakes.push(Mistake { origin, key: "--env".to_owned(), value, cause });
        }
    }
    environment
}

/// A value to set; `None` where it ends in `?` and a variable stands for nothing, or the path that it
/// names does not exist.
fn set_value(values: &Values<'_>, written: &str, scratch: bool) -> Result<Option<Value>, Cause> {
    let template = Template::parse(written)?;
    if !scratch && template.variables().any(|variable| *variable == Variable::Tmp) {
        if template.optional {
            return Ok(None);
        }
        let reason = "`filesystem.write` does not list it".to_owned();
        return Err(Cause::Unset { variable: Variable::Tmp, reason });
    }
    let value = values.value(&template)?;
    Ok(value.filter(|value| !template.optional || may_be_set(value)))
}

/// Whether an optional value is of use: a path in it must exist.
fn may_be_set(value: &Value) -> bool {
    let mut path = OsString::new();
    for piece in &value.0 {
        match piece {
            Piece::Text(text) => path.push(text),
            Piece::Tmp => return true,
        }
    }
    let path = Path::new(&path);
    !path.is_absolute() || path.exists()
}

/// `--env NAME` or `--env NAME=VALUE`.
fn add_option(environment: &mut Environment, written: &str) -> Result<(), Cause> {
    let origin = Origin { source: "--env".into(), ..Origin::default() };
    match written.split_once('=') {
        Some((name, value)) => {
            check_set_name(name)?;
            if value.contains('\0') {
                return Err(NUL);
            }
            let value = Value(vec![Piece::Text(value.into())]);
            environment.set.insert(name.to_owned(), Entry { value, origin });
        }
        None => {
            check_pass(written)?;
            // What is passed ad hoc wins over what the profile sets.
            environment.set.remove(written);
            environment.pass.push(Entry { value: written.to_owned(), origin });
        }
    }
    Ok(())
}
