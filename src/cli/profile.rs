//! `cofferdam profile`: which profiles there are, and what they open here.

use std::path::Path;

use cofferdam_profiles::{Context, shipped, user_profiles};
use serde::Serialize;

use super::args::{PolicyArgs, ProfileListArgs, ProfileShowArgs};
use super::report::{Failure, print, print_json};
use super::table::two_columns;

/// A profile of the list.
#[derive(Debug, Serialize)]
struct Listed {
    description: String,
    name: String,
    /// Its file; `None` for those that are part of the program.
    path: Option<String>,
    /// Why it cannot be used.
    problem: Option<String>,
}

/// Lists the shipped profiles, and then the user's own.
pub(super) fn list(args: ProfileListArgs) -> Result<u8, Failure> {
    let profiles = listed();
    match args.json {
        true => print_json(&profiles)?,
        false => print(&render(&profiles))?,
    }
    Ok(0)
}

fn listed() -> Vec<Listed> {
    let shipped = shipped().map(|profile| Listed {
        description: profile.description.to_owned(),
        name: profile.name.to_owned(),
        path: None,
        problem: None,
    });
    // Which directory is the workspace does not matter for a list.
    let own = user_profiles(&Context::from_environment(Path::new("/")));
    let own = own.into_iter().map(|profile| {
        let (description, problem) = match profile.description {
            Ok(description) => (description, None),
            Err(error) => (String::new(), Some(error.to_string())),
        };
        let path = Some(profile.path.display().to_string());
        Listed { description, name: profile.name, path, problem }
    });
    shipped.chain(own).collect()
}

fn render(profiles: &[Listed]) -> String {
    let rows: Vec<_> = profiles
        .iter()
        .map(|profile| {
            let mut about = match &profile.problem {
                Some(problem) => format!("cannot be used: {problem}"),
                None => profile.description.clone(),
            };
            if let Some(path) = &profile.path {
                about.push_str(&format!("\n({path})"));
            }
            (profile.name.clone(), about.trim_start().to_owned())
        })
        .collect();
    two_columns(&rows)
}

/// Shows the policy that profiles and grants come to in a workspace.
pub(super) fn show(args: ProfileShowArgs) -> Result<u8, Failure> {
    let policy = PolicyArgs { profile: args.names, cwd: args.cwd, grants: args.grants };
    let policy = policy.policy()?;
    match args.json {
        true => print_json(&policy.to_json())?,
        false => print(&policy.render())?,
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_profiles_are_listed_with_their_files_and_problems() {
        let listed = |description: &str, problem: Option<&str>| Listed {
            description: description.to_owned(),
            name: "site".to_owned(),
            path: Some("/home/u/site.toml".to_owned()),
            problem: problem.map(str::to_owned),
        };
        assert_eq!(render(&[listed("Ours.", None)]), "site  Ours.\n      (/home/u/site.toml)\n");
        assert_eq!(
            render(&[listed("", Some("no"))]),
            "site  cannot be used: no\n      (/home/u/site.toml)\n"
        );
    }

    #[test]
    fn every_shipped_profile_is_listed() {
        let names: Vec<_> = listed().into_iter().map(|profile| profile.name).collect();
        for name in ["workspace", "read-only", "build", "online", "strict"] {
            assert!(names.iter().any(|listed| listed == name), "{name}");
        }
    }
}
