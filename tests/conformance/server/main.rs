//! The server that the conformance suite tests: its own fixtures, and beside them a `ShellPack`, over
//! the HTTP of this library. `tests/conformance/run` starts it.

#![expect(clippy::print_stderr, reason = "it tells where it listens")]

mod fixtures;
mod handler;
mod news;
mod questions;

use std::error::Error;
use std::sync::Arc;

use cofferdam::{HttpAccess, HttpListener, HttpOptions, PackOptions, Runner, ShellPack};

use fixtures::Fixtures;
use handler::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let fixtures = Arc::new(Fixtures::read()?);
    let shell = ShellPack::new(Runner::builder().allow_any().build()?, PackOptions::default());
    let options = HttpOptions::new("127.0.0.1:0".parse()?).access(HttpAccess::Open);
    let listener = HttpListener::bind(&options)?;
    eprintln!("listening on {}", listener.url());
    let clients = shell.clone();
    let handler =
        move || Server { fixtures: fixtures.clone(), shell: clients.for_another_client() };
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    listener.serve(handler, stop, shell.shut_down()).await?;
    Ok(())
}
