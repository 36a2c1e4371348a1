//! The picture: bars for the cost of a start, and lines for the same against the host's memory.

use std::fmt::Write;

use crate::report::{Report, Row};
use crate::way::Kind;

const WIDTH: f64 = 860.0;
const LABELS: f64 = 250.0;
const BAR: f64 = 22.0;

/// One SVG with both parts. Minima, in milliseconds.
pub(crate) fn svg(reports: &[Report]) -> String {
    let mut body = String::new();
    let mut top = 30.0;
    if let Some(first) = reports.first() {
        top = bars(&mut body, first, top);
    }
    if reports.len() > 1 {
        top = lines(&mut body, reports, top + 40.0);
    }
    let height = top + 20.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// One bar for each way, on a logarithmic scale. Returns where the next part may begin.
fn bars(body: &mut String, report: &Report, top: f64) -> f64 {
    let scale = Scale::over(report.rows.iter().map(|row| row.least));
    text(body, LABELS, top, "start", "#000000", "start of /bin/true, minimum, ms (logarithmic)");
    let bottom = top + 14.0 + BAR * report.rows.len() as f64;
    scale.grid(body, top + 10.0, bottom);
    for (number, row) in report.rows.iter().enumerate() {
        let at = top + 14.0 + BAR * number as f64;
        let width = scale.at(row.least) - LABELS;
        text(body, LABELS - 8.0, at + 14.0, "end", "#000000", &row.name);
        let color = color(row);
        let _ = writeln!(
            body,
            "<rect x=\"{LABELS}\" y=\"{at:.1}\" width=\"{width:.1}\" height=\"{:.1}\" \
             fill=\"{color}\"/>",
            BAR - 5.0
        );
        let value = format!("{:.2}", row.least / 1000.0);
        text(body, LABELS + width + 6.0, at + 14.0, "start", "#000000", &value);
    }
    bottom + 20.0
}

/// One line for each way that was measured with every amount of memory.
fn lines<'a>(body: &mut String, reports: &'a [Report], top: f64) -> f64 {
    const HEIGHT: f64 = 260.0;
    let most_memory = reports.iter().map(|report| report.gib).max().unwrap_or(1).max(1) as f64;
    let names = ["C: fork", "posix_spawn", "library, none", "library, landlock, no namespaces"];
    let names = names.into_iter().chain(["library, landlock", "library, bubblewrap"]);
    let series: Vec<(&str, Vec<(f64, &'a Row)>)> = names
        .map(|name| {
            let found = |report: &'a Report| report.rows.iter().find(|row| row.name == name);
            let point = |report: &'a Report| found(report).map(|row| (report.gib as f64, row));
            (name, reports.iter().filter_map(point).collect())
        })
        .filter(|(_, points): &(_, Vec<_>)| points.len() == reports.len())
        .collect();
    let values = series.iter().flat_map(|(_, points)| points.iter().map(|(_, row)| row.least));
    let scale = Scale::over(values);
    text(body, LABELS, top, "start", "#000000", "the same against memory held by the host, GiB");
    let right = WIDTH - 250.0;
    let across = |gib: f64| LABELS + gib / most_memory * (right - LABELS);
    let down = |value: f64| top + 20.0 + HEIGHT * (1.0 - scale.part(value));
    for tick in scale.ticks() {
        let y = down(tick);
        let _ = writeln!(
            body,
            "<line x1=\"{LABELS}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" \
             stroke=\"#dddddd\"/>"
        );
        let label = format!("{} ms", tick / 1000.0);
        text(body, LABELS - 8.0, y + 4.0, "end", "#555555", &label);
    }
    for report in reports {
        let gib = report.gib;
        let x = across(gib as f64);
        text(body, x, top + HEIGHT + 38.0, "middle", "#555555", &gib.to_string());
    }
    for (name, points) in &series {
        let place =
            |(gib, row): &(f64, &Row)| format!("{:.1},{:.1}", across(*gib), down(row.least));
        let path: Vec<String> = points.iter().map(place).collect();
        let (_, last) = points[points.len() - 1];
        let color = color(last);
        let _ = writeln!(
            body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        text(body, right + 8.0, down(last.least) + 4.0, "start", color, name);
    }
    top + HEIGHT + 40.0
}

/// A logarithmic scale over whole steps of 1, 2 and 5.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = values
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        Scale { low: low * 0.7, high: high * 1.3 }
    }

    /// 0 at the low end, 1 at the high end.
    fn part(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln()
    }

    fn at(&self, value: f64) -> f64 {
        LABELS + self.part(value) * (WIDTH - LABELS - 70.0)
    }

    fn ticks(&self) -> Vec<f64> {
        let steps = (0..8).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(power)));
        steps.filter(|tick| (self.low..self.high).contains(tick)).collect()
    }

    fn grid(&self, body: &mut String, top: f64, bottom: f64) {
        for tick in self.ticks() {
            let x = self.at(tick);
            let _ = writeln!(
                body,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\" \
                 stroke=\"#dddddd\"/>"
            );
            let label = format!("{}", tick / 1000.0);
            text(body, x, bottom + 14.0, "middle", "#555555", &label);
        }
    }
}

fn color(row: &Row) -> &'static str {
    match row.kind {
        Kind::Bare => "#222222",
        Kind::Floor => "#9a9a9a",
        Kind::Own => "#1f77b4",
        Kind::Peer => "#d98b2b",
    }
}

fn text(body: &mut String, x: f64, y: f64, anchor: &str, color: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
    );
}
