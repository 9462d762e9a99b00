//! Curves as SVG.

use std::fmt::Write as _;

/// A curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The half length of each point's error bar; empty for none.
    pub errors: Vec<f64>,
}

impl Curve {
    /// A curve without error bars.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), points, errors: Vec::new() }
    }

    /// The ends of the error bars.
    fn bars(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let bar = |(&(x, y), &error): (&(f64, f64), &f64)| (x, y - error, y + error);
        self.points.iter().zip(&self.errors).map(bar)
    }
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 54.0;
const BOTTOM: f64 = 50.0;
const INK: &str = "#1f2933";
const PALE: &str = "#dde3e9";
/// Blue, orange, green and purple that colour-blind people tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A plot of curves. Points that are not numbers are left out.
pub fn plot(title: &str, across: &str, up: &str, curves: &[Curve]) -> String {
    let frame = Frame::around(curves);
    let mut body = String::new();
    frame.axes(&mut body, across, up);
    for (curve, ink) in curves.iter().zip(COLOURS.iter().cycle()) {
        frame.curve(&mut body, curve, ink);
    }
    if curves.len() > 1 {
        legend(&mut body, curves);
    }
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{HEIGHT:.0}\" \
         viewBox=\"0 0 {WIDTH:.0} {HEIGHT:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" fill=\"{INK}\" font-size=\"15\">{title}</text>\n{body}</svg>\n"
    )
}

/// What part of the plane is shown.
struct Frame {
    x: Axis,
    y: Axis,
}

/// One direction: from where to where, and how far apart its marks are.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// Round marks around all values, about `marks` of them.
    fn around(values: impl Iterator<Item = f64>, marks: f64) -> Axis {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let step = round_step((high - low) / marks);
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    fn marks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|n| self.low + f64::from(n) * self.step)
    }

    fn label(&self, mark: f64) -> String {
        let decimals = (-self.step.log10()).ceil().max(0.0) as usize;
        let text = format!("{mark:.decimals$}");
        if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_string() } else { text }
    }
}

/// 1, 2 or 5 times a power of ten, at least `rough`.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

impl Frame {
    fn around(curves: &[Curve]) -> Frame {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        Frame {
            x: Axis::around(points().map(|point| point.0), 8.0),
            y: Axis::around(
                points().map(|point| point.1).chain(
                    curves.iter().flat_map(Curve::bars).flat_map(|(_, low, high)| [low, high]),
                ),
                5.0,
            ),
        }
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        (LEFT + width * self.x.share(x), HEIGHT - BOTTOM - height * self.y.share(y))
    }

    fn axes(&self, body: &mut String, across: &str, up: &str) {
        for mark in self.y.marks() {
            let (y, right) = (self.place(self.x.low, mark).1, WIDTH - RIGHT);
            let _ = writeln!(
                body,
                r#"<line x1="{LEFT}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="{PALE}"/>"#
            );
            text(body, LEFT - 8.0, y + 4.0, "end", &self.y.label(mark));
        }
        for mark in self.x.marks() {
            text(
                body,
                self.place(mark, self.y.low).0,
                HEIGHT - BOTTOM + 18.0,
                "middle",
                &self.x.label(mark),
            );
        }
        text(body, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0, "middle", across);
        text(body, LEFT, TOP - 8.0, "start", up);
    }

    fn curve(&self, body: &mut String, curve: &Curve, ink: &str) {
        let finite = curve.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let places: Vec<(f64, f64)> = finite.map(|&(x, y)| self.place(x, y)).collect();
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            body,
            r#"<polyline points="{}" fill="none" stroke="{ink}" stroke-width="2"/>"#,
            line.join(" ")
        );
        for (x, low, high) in
            curve.bars().filter(|(_, low, high)| low.is_finite() && high.is_finite())
        {
            let ((x, low), (_, high)) = (self.place(x, low), self.place(x, high));
            let _ = writeln!(
                body,
                r#"<path d="M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h6M{:.1} {high:.1}h6" stroke="{ink}"/>"#,
                x - 3.0,
                x - 3.0
            );
        }
        // A single point is no line.
        if let [(x, y)] = places[..] {
            let _ = writeln!(body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{ink}"/>"#);
        }
    }
}

fn legend(body: &mut String, curves: &[Curve]) {
    let mut right = WIDTH - RIGHT;
    for (curve, ink) in
        curves.iter().zip(COLOURS.iter().cycle()).collect::<Vec<_>>().into_iter().rev()
    {
        let _ = writeln!(
            body,
            r#"<text x="{right:.1}" y="{:.1}" text-anchor="end" fill="{ink}">{}</text>"#,
            TOP - 8.0,
            escaped(&curve.name)
        );
        right -= 8.0 * curve.name.chars().count() as f64 + 16.0;
    }
}

fn text(body: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = escaped(words);
    let _ = writeln!(
        body,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{INK}">{words}</text>"#
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_within_the_frame() {
        for points in [
            vec![],
            vec![(1.0, 3.0)],
            vec![(1.0, 0.0), (2.0, 0.0)],
            vec![(0.0, -17.5), (54.0, 33.3), (55.0, f64::NAN)],
            vec![(1.0, 1e-9), (2.0, 3e-9)],
            vec![(1.0, 1e12), (900.0, -4e12)],
        ] {
            let svg = plot(
                "a < b",
                "iteration",
                "score",
                &[Curve { errors: vec![0.5; points.len()], ..Curve::new("x", points) }],
            );
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
            let line = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            for place in line.split_whitespace() {
                let (x, y) = place.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{place}");
                assert!((TOP - 0.1..=HEIGHT - BOTTOM + 0.1).contains(&y), "{place}");
            }
        }
    }

    #[test]
    fn marks_are_round() {
        assert_eq!([0.3, 1.0, 1.7, 4.2, 9.0].map(round_step), [0.5, 1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::around([0.0, 55.0].into_iter(), 8.0);
        let labels: Vec<String> = axis.marks().map(|mark| axis.label(mark)).collect();
        assert_eq!(labels, ["0", "10", "20", "30", "40", "50", "60"]);
    }
}
