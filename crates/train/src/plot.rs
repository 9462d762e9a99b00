//! Line plots as SVG.

use tesuji_play::report::svg::{INK, SvgDrawing, TextAnchor, label_width};

/// A data series of a plot.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Half the length of each point's error bar; empty for none.
    pub errors: Vec<f64>,
}

impl Series {
    /// Creates a series without error bars.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, errors: Vec::new() }
    }

    /// The ends of the error bars.
    fn bars(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let bar = |(&(x, y), &error): (&(f64, f64), &f64)| (x, y - error, y + error);
        self.points.iter().zip(&self.errors).map(bar)
    }
}

const WIDTH: f64 = 640.0;
/// The height of the plot area.
const AREA: f64 = 256.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
/// Space for the title and the unit, and for each line of the legend.
const HEAD: f64 = 54.0;
const LEGEND: f64 = 18.0;
const BOTTOM: f64 = 50.0;
const PALE: &str = "#dde3e9";
/// Blue, orange, green and purple that color-blind readers can distinguish (Okabe and Ito, 2008).
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// Draws a plot. Points that are not finite are left out.
pub fn plot(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> String {
    let legend = legend(series);
    let top = HEAD + LEGEND * legend.last().map_or(0.0, |(_, line)| *line + 1.0);
    let frame = Frame::around(series, top);
    let mut drawing = SvgDrawing::new(WIDTH, top + AREA + BOTTOM, title);
    drawing.text(LEFT, 22.0, TextAnchor::Start, INK, title);
    frame.axes(&mut drawing, x_label, y_label);
    for (one, ink) in series.iter().zip(COLORS.iter().cycle()) {
        frame.series(&mut drawing, one, ink);
    }
    for ((series, (x, line)), ink) in series.iter().zip(&legend).zip(COLORS.iter().cycle()) {
        drawing.text(*x, 42.0 + LEGEND * line, TextAnchor::Start, ink, &series.name);
    }
    drawing.finish()
}

/// The positions of the names in the legend (x, line); empty for a single series.
fn legend(series: &[Series]) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (LEFT, 0.0);
    let place = |series: &Series| {
        let width = label_width(&series.name) + 16.0;
        if x > LEFT && x + width > WIDTH - RIGHT {
            (x, line) = (LEFT, line + 1.0);
        }
        x += width;
        (x - width, line)
    };
    if series.len() > 1 { series.iter().map(place).collect() } else { Vec::new() }
}

/// The visible part of the plane.
struct Frame {
    x: Axis,
    y: Axis,
    /// The top of the plot area.
    top: f64,
}

/// The range and the tick distance of one axis.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// An axis around all values with round ticks, about `ticks` of them.
    fn around(values: impl Iterator<Item = f64>, ticks: f64) -> Axis {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let step = round_step((high - low) / ticks);
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|n| self.low + f64::from(n) * self.step)
    }

    fn label(&self, tick: f64) -> String {
        let decimals = (-self.step.log10()).ceil().max(0.0) as usize;
        let text = format!("{tick:.decimals$}");
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
    fn around(series: &[Series], top: f64) -> Frame {
        let points = || series.iter().flat_map(|one| &one.points);
        let bars = series.iter().flat_map(Series::bars).flat_map(|(_, low, high)| [low, high]);
        let x = Axis::around(points().map(|point| point.0), 8.0);
        let y = Axis::around(points().map(|point| point.1).chain(bars), 5.0);
        Frame { x, y, top }
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let width = WIDTH - LEFT - RIGHT;
        (LEFT + width * self.x.share(x), self.top + AREA * (1.0 - self.y.share(y)))
    }

    fn axes(&self, drawing: &mut SvgDrawing, x_label: &str, y_label: &str) {
        for tick in self.y.ticks() {
            let y = self.place(self.x.low, tick).1;
            drawing.wide_line([LEFT, y, WIDTH - RIGHT, y], PALE, 1.0);
            drawing.text(LEFT - 8.0, y + 4.0, TextAnchor::End, INK, &self.y.label(tick));
        }
        for tick in self.x.ticks() {
            let (x, y) = self.place(tick, self.y.low);
            drawing.text(x, y + 18.0, TextAnchor::Middle, INK, &self.x.label(tick));
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        drawing.text(middle, self.top + AREA + 40.0, TextAnchor::Middle, INK, x_label);
        drawing.text(LEFT, self.top - 8.0, TextAnchor::Start, INK, y_label);
    }

    fn series(&self, drawing: &mut SvgDrawing, series: &Series, ink: &str) {
        let finite = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let places: Vec<(f64, f64)> = finite.map(|&(x, y)| self.place(x, y)).collect();
        drawing.polyline(&places, ink);
        for (x, low, high) in
            series.bars().filter(|(_, low, high)| low.is_finite() && high.is_finite())
        {
            let ((x, low), (_, high)) = (self.place(x, low), self.place(x, high));
            drawing.wide_line([x, low, x, high], ink, 1.0);
            for end in [low, high] {
                drawing.wide_line([x - 3.0, end, x + 3.0, end], ink, 1.0);
            }
        }
        // A polyline does not show a single point.
        if let [place] = places[..] {
            drawing.circle(place, 3.0, ink, None);
        }
    }
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
                &[Series { errors: vec![0.5; points.len()], ..Series::new("x", points) }],
            );
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
            let line = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            for place in line.split_whitespace() {
                let (x, y) = place.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{place}");
                assert!((HEAD - 0.1..=HEAD + AREA + 0.1).contains(&y), "{place}");
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!([0.3, 1.0, 1.7, 4.2, 9.0].map(round_step), [0.5, 1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::around([0.0, 55.0].into_iter(), 8.0);
        let labels: Vec<String> = axis.ticks().map(|tick| axis.label(tick)).collect();
        assert_eq!(labels, ["0", "10", "20", "30", "40", "50", "60"]);
    }
}
