//! Tests of the whole text: it is read back and asked.

mod asked;
mod hostile;
mod order;
mod reader;
mod rules;
mod sample;
mod shipped;
