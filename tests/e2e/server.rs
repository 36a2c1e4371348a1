//! The MCP server: both eras of the protocol, and what a client is told.

use serde_json::json;

use crate::support::{
    Client, Era, Launcher, Setup, confined, everywhere, finish, refuses_to_start,
};

#[test]
fn both_eras_are_spoken() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = Client::start(setup.serve_command(json!({})), era);
        let list = client.request("tools/list", json!({}));
        let answer = client.answer(list);
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"sh_run") && names.contains(&"sh_allowed"), "{names:?}");
        client.run(json!({ "command": "echo", "args": ["a b"] })).printed("a b\n");
        client.run(json!({ "command": "nosuchtool" })).not_started(&["nosuchtool"]);
        client.run(json!({})).refused(&["`command`"]);
        client.closed().exited(0);
    }
}

#[test]
fn a_modern_client_discovers_and_gets_signed_results() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let discover = client.request("server/discover", json!({}));
    let answer = client.answer(discover);
    let versions = answer["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    let call = client.begin("sh_run", json!({ "command": "true" }));
    let answer = client.answer(call);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let server = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "tests", "{answer}");
}

#[test]
fn options_say_who_the_server_is_and_what_models_are_told() {
    let setup = Setup::plain();
    let identity = ["--name", "dev-tools", "--version", "1.2", "--instructions", "Git only."];
    let words = ["serve", "--allow", "git", "--launcher", "none"];
    let mut client = Client::start(setup.cofferdam(words.iter().chain(&identity)), Era::Modern);
    let discover = client.request("server/discover", json!({}));
    let answer = client.answer(discover);
    let server = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!((&server["name"], &server["version"]), (&json!("dev-tools"), &json!("1.2")));
    assert_eq!(answer["result"]["instructions"], "Git only.", "{answer}");
}

#[test]
fn the_list_of_tools_is_small_and_says_what_is_enforced() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let id = client.request("tools/list", json!({}));
        let answer = client.answer(id);
        let result = &answer["result"];
        assert!(result.to_string().len() <= 6 * 1024, "{} bytes", result.to_string().len());
        let tools = result["tools"].as_array().unwrap();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        let run = tool("sh_run");
        assert_eq!(run.get("annotations"), None, "{run}");
        let description = run["description"].as_str().unwrap();
        match setup.launcher {
            Launcher::None => assert!(description.contains("No sandbox"), "{description}"),
            launcher => assert!(description.contains(launcher.name()), "{description}"),
        }
        let hints = &tool("sh_allowed")["annotations"];
        assert!(hints["readOnlyHint"] == true && hints["idempotentHint"] == true, "{hints}");
    });
}

#[test]
fn an_unknown_tool_and_a_wrong_shape_are_errors_of_the_protocol() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = Client::start(setup.serve_command(json!({})), era);
        let id = client.begin("sh_nothing", json!({}));
        assert_eq!(client.answer(id)["error"]["code"], -32602);
        let id = client.begin("sh_run", json!([]));
        assert_eq!(client.answer(id)["error"]["code"], -32602);
        let id = client.request("no/such/method", json!({}));
        assert_eq!(client.answer(id)["error"]["code"], -32601);
        client.is_alive();
    }
}

#[test]
fn lines_that_are_no_messages_do_not_end_the_server() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    for line in ["", "not json", "{\"jsonrpc\":\"2.0\"", "[]", "null", "\u{feff}"] {
        client.send(line);
    }
    client.is_alive();
}

#[test]
fn only_the_protocol_is_on_stdout_and_diagnostics_are_on_stderr() {
    // The client checks every line of every test; here the commands do their best.
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.sh("echo out; echo err >&2; echo tty > /dev/tty");
        let payload = answer.ran();
        assert_eq!(payload["stdout"], "out\n", "{payload}");
        let stderr = payload["stderr"].as_str().unwrap();
        assert!(stderr.starts_with("err\n"), "{payload}");
        let ran = client.closed();
        assert_eq!(ran.exited(0).stdout, "");
    });
}

#[test]
fn a_server_without_a_launcher_says_so_in_one_line_with_the_remedy() {
    let setup = Setup::plain();
    let config = r#"{"name": "x", "tools": {"Shell": {"allow": ["true"]}}}"#;
    let ran = finish(setup.serve_config(config).spawn().unwrap());
    ran.exited(0).said(&["launcher", "auto"]);
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_confined_server_is_silent() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        client.run(json!({ "command": "true" })).exited(0);
        let ran = client.closed();
        assert_eq!(ran.exited(0).stderr, "");
    });
}

#[test]
fn options_of_the_command_line_make_the_same_server() {
    let setup = Setup::plain();
    let words = ["serve", "--allow", "echo", "--allow", "git", "--launcher", "auto"];
    let mut client = Client::start(setup.cofferdam(words), Era::Legacy);
    assert_eq!(client.call("sh_allowed", json!({})).text, "echo\ngit");
    client.run(json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
    let tool = r#"Shell#git={"allow": ["git"], "launcher": "none", "prefix": "git"}"#;
    let mut client = Client::start(setup.cofferdam(["serve", "--tool", tool]), Era::Legacy);
    assert_eq!(client.call("git_allowed", json!({})).text, "git");
    refuses_to_start(setup.cofferdam(["serve"]), &["allow"]);
}
