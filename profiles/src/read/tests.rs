use super::*;

fn mistakes(toml: &str) -> Vec<String> {
    let root = Node::from_toml(toml, "x.toml").unwrap();
    read(&root, "x.toml").1.iter().map(Mistake::to_string).collect()
}

fn mistake(toml: &str) -> String {
    let found = mistakes(toml);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn a_whole_profile_is_read() {
    let toml = r#"
        description = "all keys"
        extends = "base"
        best-effort = ["protect"]
        syscalls.allow = ["debug"]
        filesystem = { read = ["/r"], write = ["${tmp}"], deny = ["/d"], protect = ["/p"], devices = ["/dev/dri?"] }
        network = { mode = "on", unix-sockets = ["/run/x"] }
        environment = { path = ["/b"], pass = ["LC_*"], set = { A = "b" } }
        limits = { memory = "1G", processes = 10, open-files = 20, file-size = 0, cpu-seconds = 30 }
    "#;
    let (draft, mistakes) = read(&Node::from_toml(toml, "x").unwrap(), "x");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    assert_eq!(draft.extends[0].value, "base");
    assert_eq!(draft.list(List::Write)[0].value, "${tmp}");
    assert_eq!(draft.mode.as_ref().unwrap().value, NetworkMode::On);
    assert_eq!(draft.sockets.as_ref().unwrap().value, Sockets::Listed);
    assert_eq!(draft.limits[&Limit::Memory].value, 1 << 30);
    assert_eq!(draft.limits[&Limit::FileSize].value, 0);
}

#[test]
fn a_misspelt_key_is_named_with_its_place_the_nearest_and_all_valid_ones() {
    assert_eq!(
        mistake("[filesystem]\nwrte = []\n"),
        "x.toml:2: `filesystem.wrte`: unknown key; did you mean `write`? valid here: `deny`, \
         `devices`, `protect`, `read`, `write`"
    );
    assert!(
        mistake("network.mod = \"on\"")
            .contains("`network.mod`: unknown key; did you mean `mode`?")
    );
    assert!(mistake("[syscalls]\ndeny = []").contains("`syscalls.deny`"));
}

#[test]
fn a_key_of_another_table_is_named_with_that_table() {
    assert!(mistake("write = [\"/x\"]").contains("did you mean `filesystem.write`?"));
}

#[test]
fn a_wrong_type_names_key_value_and_what_is_valid() {
    assert_eq!(
        mistake("filesystem.write = \"x\""),
        "x.toml:1: `filesystem.write` = \"x\": this is a string, not a list of strings"
    );
    assert!(mistake("filesystem.read = [1]").contains("`filesystem.read` = 1: this is an integer"));
    assert!(mistake("network = true").contains("this is a boolean, not a table"));
    assert!(mistake("extends = {}").contains("a string or a list of strings"));
    assert!(mistake("environment.set.A = 1979-05-27").contains("this is a date, not a string"));
}

#[test]
fn all_mistakes_of_a_file_are_reported_together_in_the_order_of_the_file() {
    let found = mistakes(
        "descripton = 1\n[network]\nmode = \"onn\"\n[limits]\nmemory = -1\nprocesses = 0\n\
         [environment]\npass = [\"A=B\", \"*\", \"A*B\", \"HOME\"]\nset = { TMPDIR = \"/x\" }\n",
    );
    assert_eq!(found.len(), 9, "{found:#?}");
    let lines: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    assert!(found[1].contains("did you mean `on`? valid here: `off`, `on`"), "{}", found[1]);
}

#[test]
fn paths_are_written_in_full() {
    assert!(mistake("filesystem.read = [\"usr\"]").contains("not an absolute path"));
    assert!(mistake("filesystem.read = [\"~/x\"]").contains("write `${home}`"));
    assert!(mistake("filesystem.deny = [\"/a/../b\"]").contains("`..` in a path"));
    assert!(mistake("filesystem.read = [\"${home}/..?\"]").contains("`..` in a path"));
    assert!(mistake("filesystem.read = [\"/a\\u0000\"]").contains("NUL"));
    assert!(mistake("filesystem.read = [\"\"]").contains("an empty entry"));
    assert!(mistakes("filesystem.read = [\"/a/..b\", \"/a/b..\", \"${home}/.x\"]").is_empty());
}

#[test]
fn wildcards_stand_only_where_they_grant() {
    assert!(
        mistakes("filesystem = { read = [\"/etc/java*\"], devices = [\"/dev/nvidia*\"] }")
            .is_empty()
    );
    assert!(mistake("filesystem.deny = [\"/home/*/x\"]").contains("what comes later"));
    assert!(mistake("filesystem.write = [\"/srv/*\"]").contains("what comes later"));
}

#[test]
fn the_scratch_folder_stands_alone_in_write_or_within_values() {
    assert!(
        mistakes("filesystem.write = [\"${tmp}\"]\nenvironment.set.X = \"${tmp}/x\"").is_empty()
    );
    assert!(mistake("filesystem.read = [\"${tmp}\"]").contains("stands alone"));
    assert!(mistake("filesystem.write = [\"${tmp}/x\"]").contains("stands alone"));
}

#[test]
fn best_effort_lists_promises() {
    assert!(mistake("best-effort = [\"protekt\"]").contains("did you mean `protect`?"));
}

#[test]
fn an_inline_table_is_read_by_the_same_rules() {
    let json =
        serde_json::json!({"filesystem": {"wrte": ["x"], "read": "x"}, "limits": {"memory": 1.5}});
    let (_, mistakes) = read(&Node::from_json(&json), "inline");
    let found: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(
        found[1].starts_with("inline: `filesystem.wrte`: unknown key")
            || found[0].starts_with("inline: `filesystem.wrte`")
    );
}
