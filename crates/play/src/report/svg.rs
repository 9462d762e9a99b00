//! SVG drawings, for all crates: shapes and real text, with all strings escaped. The browser lays
//! out the labels; a plotting library would measure them with fonts that may not be installed.

use std::fmt::Write as _;

/// The horizontal anchor of a text.
#[derive(Clone, Copy, Debug)]
pub enum TextAnchor {
    /// The start of the text.
    Start,
    /// The middle of the text.
    Middle,
    /// The end of the text.
    End,
}

/// Approximate width of a character of 13 px sans-serif text.
pub const CHARACTER: f64 = 7.8;

/// The color of labels.
pub const INK: &str = "#1f2933";
/// The color of grid lines and secondary labels.
pub const PALE: &str = "#c3cbd3";

/// An SVG picture under construction, in pixels from the top left corner.
pub struct SvgDrawing {
    width: f64,
    height: f64,
    title: String,
    background: &'static str,
    body: String,
}

/// The color and width of an outline.
pub type Stroke<'s> = Option<(&'s str, f64)>;

impl SvgDrawing {
    /// Creates an empty picture with a white background.
    pub fn new(width: f64, height: f64, title: &str) -> SvgDrawing {
        let (title, body) = (title.to_string(), String::new());
        SvgDrawing { width, height, title, background: "#ffffff", body }
    }

    /// Sets the background color.
    pub fn on(self, background: &'static str) -> SvgDrawing {
        SvgDrawing { background, ..self }
    }

    /// Draws a filled rectangle.
    pub fn rectangle(&mut self, place: [f64; 4], fill: &str) {
        self.framed(place, fill, None);
    }

    /// Draws a filled rectangle with an outline.
    pub fn framed(&mut self, [x, y, width, height]: [f64; 4], fill: &str, outline: Stroke<'_>) {
        let outline = stroke_attributes(outline);
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"{outline}/>"#
        ));
    }

    /// Draws a straight line.
    pub fn line(&mut self, points: [f64; 4], ink: &str) {
        self.wide_line(points, ink, 1.5);
    }

    /// Draws a straight line of the given width.
    pub fn wide_line(&mut self, [x1, y1, x2, y2]: [f64; 4], ink: &str, width: f64) {
        self.put(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{ink}" stroke-width="{width:.1}" stroke-linecap="round"/>"#
        ));
    }

    /// Draws straight lines from point to point.
    pub fn polyline(&mut self, points: &[(f64, f64)], ink: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.put(format_args!(
            r#"<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"/>"#
        ));
    }

    /// Draws a filled dot.
    pub fn dot(&mut self, x: f64, y: f64, ink: &str) {
        self.circle((x, y), 4.0, ink, None);
    }

    /// Draws a circle.
    pub fn circle(&mut self, (x, y): (f64, f64), r: f64, fill: &str, outline: Stroke<'_>) {
        let outline = stroke_attributes(outline);
        self.put(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="{fill}"{outline}/>"#
        ));
    }

    /// Draws a path in the coordinates of its group.
    pub fn path(&mut self, path: &str, fill: &str, outline: Stroke<'_>) {
        let outline = stroke_attributes(outline);
        self.put(format_args!(
            r#"<path d="{path}" fill="{fill}"{outline} stroke-linejoin="round" stroke-linecap="round"/>"#
        ));
    }

    /// Groups shapes around a point, with a class for programs that read the picture.
    pub fn group(&mut self, (x, y): (f64, f64), class: &str, draw: impl FnOnce(&mut SvgDrawing)) {
        self.put(format_args!(r#"<g class="{class}" transform="translate({x:.1} {y:.1})">"#));
        draw(self);
        self.put(format_args!("</g>"));
    }

    /// Draws a line of text.
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

    /// Draws text that rises to the right from its start.
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

    /// Returns the SVG file.
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

fn stroke_attributes(outline: Stroke<'_>) -> String {
    outline.map_or(String::new(), |(ink, width)| {
        format!(r#" stroke="{ink}" stroke-width="{width:.1}""#)
    })
}

/// Approximate width of a label.
pub fn label_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// Maps −1 … 0 … 1 to orange … white … blue, light enough for dark text; these colors remain
/// distinct for color-blind readers.
pub fn shade(value: f64) -> String {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) };
    let full: [f64; 3] = if value < 0.0 { [244.0, 165.0, 96.0] } else { [120.0, 176.0, 226.0] };
    let [r, g, b] = full.map(|channel| (255.0 + (channel - 255.0) * value.abs()).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Escapes text for XML. Characters that XML 1.0 cannot represent become U+FFFD.
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

    /// The picture is valid XML and contains no NaN or infinity.
    pub(crate) fn check(svg: &str) {
        let mut reader = quick_xml::Reader::from_str(svg);
        while reader.read_event().unwrap_or_else(|error| panic!("{error}: {svg}")) != Event::Eof {}
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn markup_in_text_is_escaped() {
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
