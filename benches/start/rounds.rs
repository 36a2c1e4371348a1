//! The rounds: every way once, again and again.

use crate::Cost;
use crate::arguments::Arguments;
use crate::way::{Kind, Ways};

/// All costs of one way, one for each round.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) costs: Vec<Cost>,
}

pub(crate) fn run(ways: &mut Ways, arguments: &Arguments) -> Vec<Measured> {
    /// These fill the caches.
    const WARM_UP: usize = 2;
    let mut measured: Vec<Measured> = ways
        .iter()
        .map(|way| Measured { name: way.name.clone(), kind: way.kind, costs: Vec::new() })
        .collect();
    for round in 0..arguments.rounds + WARM_UP {
        for (way, measured) in ways.iter_mut().zip(&mut measured) {
            let cost = way.start(&arguments.command);
            if round >= WARM_UP {
                measured.costs.push(cost);
            }
        }
    }
    measured
}
