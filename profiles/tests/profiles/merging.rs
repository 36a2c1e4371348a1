//! How profiles extend each other, and where they come from.

use crate::support::{Machine, mistakes, rules};
use cofferdam_profiles::{Cause, Grants, NetworkMode, Source, UnixSockets, resolve, user_profiles};
use serde_json::json;

fn many(names: &[&str]) -> Source {
    Source::Many(names.iter().map(|name| Source::parse(name)).collect())
}

#[test]
fn lists_append_tables_merge_and_the_last_scalar_wins() {
    let machine = Machine::new();
    for dir in ["a", "b", "c"] {
        machine.dir(dir);
    }
    let top = machine.top.display();
    machine.profile("one", &format!("filesystem.read = [\"{top}/a\"]\nnetwork.mode = \"on\"\nenvironment.set = {{ A = \"1\", B = \"1\" }}\n"));
    machine.profile(
        "two",
        &format!("filesystem.read = [\"{top}/b\"]\nnetwork.mode = \"off\"\nlimits.memory = 5\n"),
    );
    machine.profile("both", &format!("extends = [\"one\", \"two\"]\nfilesystem.read = [\"{top}/c\"]\nenvironment.set.B = \"2\"\n"));
    let policy = machine.resolve("both").unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read a", "read b", "read c"]);
    assert_eq!(policy.network.mode, NetworkMode::Off);
    assert_eq!(policy.limits.memory, Some(5));
    let json = policy.to_json();
    assert_eq!(json["environment"]["set"], json!({"A": "1", "B": "2"}));
}

#[test]
fn an_entry_with_an_exclamation_mark_removes_the_inherited_one() {
    let machine = Machine::new();
    machine.dir("a");
    machine.dir("b");
    let top = machine.top.display();
    machine.profile(
        "base2",
        &format!(
            "best-effort = [\"ipc\", \"pty\"]\nfilesystem.read = [\"{top}/a?\", \"{top}/b\"]\n"
        ),
    );
    machine.profile(
        "less",
        &format!(
            "extends = \"base2\"\nbest-effort = [\"!ipc\"]\nfilesystem.read = [\"!{top}/a?\"]\n"
        ),
    );
    let policy = machine.resolve("less").unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read b"]);
    assert_eq!(policy.best_effort.len(), 1);
}

#[test]
fn removing_what_was_not_inherited_names_the_nearest() {
    let machine = Machine::new();
    machine.profile("base2", "environment.pass = [\"LANG\"]\n");
    machine.profile("less", "extends = \"base2\"\nenvironment.pass = [\"!LANGG\"]\n");
    let found = mistakes(machine.resolve("less"));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("less.toml:2: `environment.pass` = \"!LANGG\""), "{found:?}");
    assert!(found[0].contains("did you mean `LANG`?"), "{found:?}");
    // What a file says itself is not inherited.
    machine.profile("own", "environment.pass = [\"LANG\", \"!LANG\"]\n");
    assert_eq!(mistakes(machine.resolve("own")).len(), 1);
}

#[test]
fn a_default_that_both_inherit_does_not_undo_what_one_of_them_sets() {
    let machine = Machine::new();
    machine.profile("root", "network.mode = \"off\"\n");
    machine.profile("with-net", "extends = \"root\"\nnetwork.mode = \"on\"\n");
    machine.profile("plain", "extends = \"root\"\n");
    for names in [["with-net", "plain"], ["plain", "with-net"]] {
        let policy = resolve(&many(&names), &Grants::default(), &machine.context).unwrap();
        assert_eq!(policy.network.mode, NetworkMode::On, "{names:?}");
    }
    machine.profile("off", "extends = \"root\"\nnetwork.mode = \"off\"\n");
    let policy = resolve(&many(&["with-net", "off"]), &Grants::default(), &machine.context);
    assert_eq!(policy.unwrap().network.mode, NetworkMode::Off, "set by the last one itself");
}

#[test]
fn sockets_are_a_word_or_a_list_and_lists_append() {
    let machine = Machine::new();
    let (a, b) = (machine.file("a.sock", ""), machine.file("b.sock", ""));
    let sockets = |value: serde_json::Value| json!({"network": {"unix-sockets": value}});
    let of = |sources: Vec<serde_json::Value>| {
        let source = Source::Many(sources.into_iter().map(Source::Inline).collect());
        resolve(&source, &Grants::default(), &machine.context).unwrap().network.unix_sockets
    };
    let UnixSockets::Paths(paths) = of(vec![sockets(json!([a])), sockets(json!([b]))]) else {
        panic!("no paths");
    };
    assert_eq!(paths.iter().map(|rule| &rule.path).collect::<Vec<_>>(), [&a, &b]);
    assert_eq!(of(vec![sockets(json!([a])), sockets(json!("none"))]), UnixSockets::None);
    assert_eq!(of(vec![sockets(json!("all"))]), UnixSockets::All);
    assert_eq!(
        of(vec![sockets(json!([format!("{}/no?", machine.top.display())]))]),
        UnixSockets::Inside
    );
    assert_eq!(of(vec![json!({})]), UnixSockets::Inside);
}

#[test]
fn profiles_that_extend_each_other_are_named_as_a_ring() {
    let machine = Machine::new();
    machine.profile("a", "extends = \"b\"\n");
    machine.profile("b", "extends = \"./c.toml\"\n");
    machine.profile("c", "extends = \"a\"\n");
    let found = mistakes(machine.resolve("a"));
    assert_eq!(found.len(), 1, "{found:?}");
    let folder = machine.top.join("config/profiles");
    let ring = ["a", "b", "c", "a"].map(|name| format!("{}/{name}.toml", folder.display()));
    assert!(found[0].contains(&ring.join(" -> ")), "{found:?}");
    machine.profile("self", "extends = \"self\"\n");
    assert!(matches!(
        machine.resolve("self").unwrap_err().mistakes(),
        [mistake] if matches!(&mistake.cause, Cause::Cycle { chain } if chain.len() == 2)
    ));
}

#[test]
fn a_profile_that_many_extend_is_read_once() {
    let machine = Machine::new();
    machine.profile("p0", "environment.pass = [\"LANG\"]\n");
    for level in 1..=40 {
        let below = level - 1;
        // Without memory this would read 2^40 files.
        machine.profile(&format!("p{level}"), &format!("extends = [\"p{below}\", \"p{below}\"]\n"));
    }
    assert_eq!(machine.resolve("p40").unwrap().environment.pass.len(), 1);
}

#[test]
fn a_path_is_taken_from_the_file_that_holds_it() {
    let machine = Machine::new();
    machine.file("site/common/net.toml", "network.mode = \"on\"\n");
    let site = machine.file("site/main.toml", "extends = \"./common/net.toml\"\n");
    assert_eq!(machine.resolve("./site/main.toml").unwrap().network.mode, NetworkMode::On);
    let policy = machine.resolve(site.to_str().unwrap()).unwrap();
    assert_eq!(policy.name, "main");
    let found = mistakes(machine.inline(json!({"extends": "./x.toml"})));
    assert!(found[0].contains("relative path in an inline table"), "{found:?}");
    assert!(machine.inline(json!({"extends": site})).is_ok());
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let machine = Machine::new();
    machine.profile("site", "");
    let found = mistakes(machine.resolve("workspce"));
    assert!(found[0].contains("did you mean `workspace`?"), "{found:?}");
    assert!(found[0].contains("`site`"), "{found:?}");
    // A name never leaves the folder.
    machine.file("config/x.toml", "");
    assert!(machine.resolve("..").is_err());
}

#[test]
fn a_shipped_name_cannot_be_taken() {
    let machine = Machine::new();
    machine.profile("base", "network.mode = \"on\"\n");
    for name in ["base", "online"] {
        let error = machine.resolve(name).unwrap_err();
        assert!(matches!(error.mistakes()[0].cause, Cause::ShippedName { .. }), "{error}");
    }
    let listed = user_profiles(&machine.context);
    assert_eq!(listed.len(), 1);
    assert!(listed[0].description.as_ref().unwrap_err().to_string().contains("shipped profile"));
}

#[test]
fn the_users_profiles_are_listed_with_what_is_wrong_with_them() {
    let machine = Machine::new();
    machine.profile("good", "description = \"fine\"\n");
    machine.profile("bad", "desc = 1\n");
    machine.file("config/profiles/.hidden.toml", "");
    machine.file("config/profiles/notes.txt", "");
    let listed = user_profiles(&machine.context);
    let names: Vec<&str> = listed.iter().map(|profile| profile.name.as_str()).collect();
    assert_eq!(names, ["bad", "good"]);
    assert_eq!(listed[1].description.as_deref().unwrap(), "fine");
    assert!(listed[0].description.is_err());
}

#[test]
fn mistakes_of_several_files_are_reported_together() {
    let machine = Machine::new();
    machine.profile("one", "wrte = 1\n[network]\nmod = 1\n");
    machine.profile("two", "x = [\n");
    let source = many(&["one", "two", "three"]);
    let found = mistakes(resolve(&source, &Grants::default(), &machine.context));
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[2].contains("two.toml:"), "{found:#?}");
}

#[test]
fn slips_of_syntax_never_become_a_half_read_profile() {
    let machine = Machine::new();
    for text in [
        "a = 1,\n",
        "// note\n",
        "extends = \"base\"\nextends = \"net\"\n",
        "[network\n",
        "network: on\n",
    ] {
        machine.profile("slip", text);
        let found = mistakes(machine.resolve("slip"));
        assert!(
            found[0].contains("slip.toml:") && found[0].contains("column"),
            "{text:?}: {found:?}"
        );
    }
    machine.file("config/profiles/slip.toml", "");
    assert!(machine.resolve("slip").unwrap().filesystem.rules.is_empty(), "empty grants nothing");
    std::fs::write(machine.top.join("config/profiles/slip.toml"), b"description = \"\xff\"")
        .unwrap();
    assert!(mistakes(machine.resolve("slip"))[0].contains("UTF-8"));
}

#[test]
fn names_are_joined_and_so_are_descriptions() {
    let machine = Machine::new();
    machine.profile("one", "description = \"First.\"\n");
    let source = Source::from_value(json!(["one", {"description": "Second."}])).unwrap();
    let policy = resolve(&source, &Grants::default(), &machine.context).unwrap();
    assert_eq!(policy.name, "one+inline");
    assert_eq!(policy.description, "First. Second.");
}
