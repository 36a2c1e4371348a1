//! The table of one measurement.

use std::time::Duration;

use crate::Cost;
use crate::arguments::Arguments;
use crate::rounds::Measured;
use crate::way::Kind;

pub(crate) struct Report {
    pub(crate) gib: u64,
    pub(crate) rows: Vec<Row>,
}

/// One way, in microseconds.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) least: f64,
    pub(crate) median: f64,
    blocked: Option<f64>,
    cpu: f64,
    /// The median over rounds to the bare start of the same round.
    ratio: f64,
    /// Minimum to minimum: on a busy machine the steadier one.
    least_ratio: f64,
}

impl Report {
    pub(crate) fn new(gib: u64, measured: Vec<Measured>) -> Report {
        let bare: Vec<f64> = micros(&measured[0].costs, |cost| Some(cost.wall));
        let row = |way: &Measured| {
            let wall = micros(&way.costs, |cost| Some(cost.wall));
            let ratios = wall.iter().zip(&bare).map(|(own, bare)| own / bare).collect();
            Row {
                name: way.name.clone(),
                kind: way.kind,
                least: least(&wall),
                median: median(wall.clone()),
                blocked: Some(micros(&way.costs, |cost| cost.blocked))
                    .filter(|blocked| !blocked.is_empty())
                    .map(median),
                cpu: median(micros(&way.costs, |cost| Some(cost.cpu))),
                ratio: median(ratios),
                least_ratio: least(&wall) / least(&bare),
            }
        };
        Report { gib, rows: measured.iter().map(row).collect() }
    }

    pub(crate) fn print(&self, arguments: &Arguments) {
        let command = arguments.command.join(" ");
        println!("\n{} rounds of {command}, host holds {} GiB", arguments.rounds, self.gib);
        println!(
            "{:<38} {:>8} {:>9} {:>8} {:>8} {:>7} {:>9}",
            "", "min us", "median us", "blocked", "cpu us", "ratio", "min ratio"
        );
        for row in &self.rows {
            let blocked = row.blocked.map_or_else(String::new, |time| format!("{time:.0}"));
            println!(
                "{:<38} {:>8.0} {:>9.0} {blocked:>8} {:>8.0} {:>7.2} {:>9.2}",
                row.name, row.least, row.median, row.cpu, row.ratio, row.least_ratio
            );
        }
        self.compare("library, bubblewrap", "bwrap by hand");
        self.compare("library, none", "C: vfork");
    }

    fn compare(&self, one: &str, other: &str) {
        let row = |name: &str| self.rows.iter().find(|row| row.name == name);
        if let (Some(first), Some(second)) = (row(one), row(other)) {
            let (least, cpu) = (first.least / second.least, first.cpu / second.cpu);
            let median = first.median / second.median;
            println!("{one} / {other}: min {least:.2}, median {median:.2}, cpu {cpu:.2}");
        }
    }
}

fn micros(costs: &[Cost], what: impl Fn(&Cost) -> Option<Duration>) -> Vec<f64> {
    costs.iter().filter_map(what).map(|time| time.as_secs_f64() * 1e6).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
