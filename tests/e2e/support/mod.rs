//! What all tests share: a place of their own, users and launchers, the program, an MCP client, and
//! things to fail at.

mod answer;
mod client;
mod deadline;
mod elsewhere;
#[cfg(feature = "http")]
mod http;
mod launcher;
mod place;
mod processes;
mod program;
mod remote;
mod setup;
mod terminal;
mod user;

pub(crate) use answer::Answer;
pub(crate) use client::{Client, Era, touch};
pub(crate) use deadline::{LIMIT, eventually};
pub(crate) use elsewhere::no_mounts;
#[cfg(feature = "http")]
pub(crate) use http::{HttpServer, Reply, Session as HttpSession, run as http_run};
pub(crate) use launcher::Launcher;
pub(crate) use place::Place;
pub(crate) use processes::Sleep;
pub(crate) use program::{PATH, Ran, finish, refuses_to_start};
pub(crate) use remote::{Datagrams, Listener};
pub(crate) use setup::{
    Setup, confined, everywhere, ignored, under, with_namespaces, with_programs,
};
pub(crate) use terminal::Terminal;
pub(crate) use user::{User, users};
