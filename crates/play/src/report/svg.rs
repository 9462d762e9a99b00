//! A drawing in SVG, for all crates: shapes and real text, every string escaped. Plotters would measure
//! labels by fonts that may not be there; here the reader's browser lays them out.

use std::fmt::Write as _;

/// Where a text is held.
#[derive(Clone, Copy, Debug)]
pub enum TextAnchor {
    /// At its beginning.
    Start,
    /// In the middle.
    Middle,
    /// At its end.
    End,
}

/// Roughly how wide a character of 13 px sans-serif text is.
pub const CHARACTER: f64 = 7.8;

/// The ink of labels, and that of lines and lesser labels.
pub const INK: &str = "#1f2933";
/// See [`INK`].
pub const PALE: &str = "#c3cbd3";

/// A picture being drawn, in pixels from the upper left corner.
pub struct SvgDrawing {
    width: f64,
    height: f64,
    title: String,
    background: &'static str,
    body: String,
}

/// The ink of an outline and how wide it is.
pub type Stroke<'s> = Option<(&'s str, f64)>;

impl SvgDrawing {
    /// An empty one on white.
    pub fn new(width: f64, height: f64, title: &str) -> SvgDrawing {
        let (title, body) = (title.to_string(), String::new());
        SvgDrawing { width, height, title, background: "#ffffff", body }
    }

    /// The same on another color.
    pub fn on(self, background: &'static str) -> SvgDrawing {
        SvgDrawing { background, ..self }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, place: [f64; 4], fill: &str) {
        self.framed(place, fill, None);
    }

    /// A filled rectangle with an outline.
    pub fn framed(&mut self, [x, y, width, height]: [f64; 4], fill: &str, outline: Stroke<'_>) {
        let outline = stroke(outline);
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"{outline}/>"#
        ));
    }

    /// A straight line.
    pub fn line(&mut self, points: [f64; 4], ink: &str) {
        self.wide_line(points, ink, 1.5);
    }

    /// A straight line of this width.
    pub fn wide_line(&mut self, [x1, y1, x2, y2]: [f64; 4], ink: &str, width: f64) {
        self.put(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{ink}" stroke-width="{width:.1}" stroke-linecap="round"/>"#
        ));
    }

    /// Straight lines from point to point.
    pub fn polyline(&mut self, points: &[(f64, f64)], ink: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.put(format_args!(
            r#"<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"/>"#
        ));
    }

    /// A filled dot.
    pub fn dot(&mut self, x: f64, y: f64, ink: &str) {
        self.circle((x, y), 4.0, ink, None);
    }

    /// A circle.
    pub fn circle(&mut self, (x, y): (f64, f64), r: f64, fill: &str, outline: Stroke<'_>) {
        let outline = stroke(outline);
        self.put(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="{fill}"{outline}/>"#
        ));
    }

    /// A path in units around the origin of the group that it stands in.
    pub fn path(&mut self, path: &str, fill: &str, outline: Stroke<'_>) {
        let outline = stroke(outline);
        self.put(format_args!(
            r#"<path d="{path}" fill="{fill}"{outline} stroke-linejoin="round" stroke-linecap="round"/>"#
        ));
    }

    /// Shapes around a point, with a class for programs that read the picture.
    pub fn group(&mut self, (x, y): (f64, f64), class: &str, draw: impl FnOnce(&mut SvgDrawing)) {
        self.put(format_args!(r#"<g class="{class}" transform="translate({x:.1} {y:.1})">"#));
        draw(self);
        self.put(format_args!("</g>"));
    }

    /// A line of text.
    pub fn text(&mut self, x: f64, y: f64, anchor: TextAnchor, ink: &str, text: &str) {
        let text = escaped(text);
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        self.put(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{ink}">{text}</text>"#
        ));
    }

    /// Text that climbs to the right from where it starts.
    pub fn slanted(&mut self, x: f64, y: f64, ink: &str, text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            r#"<text transform="translate({x:.1} {y:.1}) rotate(-45)" fill="{ink}">{text}</text>"#
        ));
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// The whole file.
    pub fn finish(self) -> String {
        let SvgDrawing { width, height, title, background, body } = self;
        let title = escaped(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <title>{title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>\n{body}</svg>\n"
        )
    }
}

fn stroke(outline: Stroke<'_>) -> String {
    outline.map_or(String::new(), |(ink, width)| {
        format!(r#" stroke="{ink}" stroke-width="{width:.1}""#)
    })
}

/// Roughly how wide a label is.
pub fn label_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// −1 … 0 … 1 as orange … white … blue, light enough for dark text; a pair that colour-blind people tell apart.
pub fn shade(value: f64) -> String {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) };
    let full: [f64; 3] = if value < 0.0 { [244.0, 165.0, 96.0] } else { [120.0, 176.0, 226.0] };
    let [r, g, b] = full.map(|channel| (255.0 + (channel - 255.0) * value.abs()).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text that may stand in XML. Characters that XML 1.0 cannot hold in any form become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c < ' ' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
pub(super) mod tests {
    use quick_xml::events::Event;

    use super::*;

    /// It is XML, and every number in it is one.
    pub(crate) fn check(svg: &str) {
        let mut reader = quick_xml::Reader::from_str(svg);
        while reader.read_event().unwrap_or_else(|error| panic!("{error}: {svg}")) != Event::Eof {}
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut drawing = SvgDrawing::new(100.0, 50.0, "</title><script>");
        drawing.text(1.0, 2.0, TextAnchor::Middle, INK, "<b a=\"1\">&amp;'\u{0}\u{ffff}\n");
        drawing.slanted(1.0, 2.0, INK, "]]>");
        let svg = drawing.finish();
        check(&svg);
        assert!(
            svg.contains("&lt;b a=&quot;1&quot;&gt;&amp;amp;&apos;\u{fffd}\u{fffd} </text>"),
            "{svg}"
        );
    }

    #[test]
    fn shades() {
        assert_eq!([-2.0, 0.0, f64::NAN].map(shade), ["#f4a560", "#ffffff", "#ffffff"]);
        assert_eq!(shade(1.0), "#78b0e2");
    }
}
