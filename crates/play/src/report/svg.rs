//! A drawing in SVG, written by hand: shapes and real text, every string escaped. Plotters would measure
//! labels by fonts that may not be there; here the reader's browser lays them out.

use std::fmt::Write as _;

/// Where a text is held.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
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
pub struct Drawing {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Drawing {
    /// An empty one.
    pub fn new(width: f64, height: f64, title: &str) -> Drawing {
        Drawing { width, height, title: title.to_string(), body: String::new() }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        );
    }

    /// A straight line.
    pub fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], ink: &str) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{ink}" stroke-width="1.5"/>"#
        );
    }

    /// A filled dot.
    pub fn dot(&mut self, x: f64, y: f64, ink: &str) {
        let _ = writeln!(self.body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{ink}"/>"#);
    }

    /// A line of text.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, ink: &str, text: &str) {
        let (anchor, text) = (anchor.name(), escaped(text));
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{ink}">{text}</text>"#
        );
    }

    /// Text that climbs to the right from where it starts.
    pub fn slanted(&mut self, x: f64, y: f64, ink: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x:.1} {y:.1}) rotate(-45)" fill="{ink}">{text}</text>"#
        );
    }

    /// The whole file.
    pub fn finished(self) -> String {
        let Drawing { width, height, title, body } = self;
        let title = escaped(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <title>{title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
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
    use super::*;

    /// A small check of the form: tags balance, and text and attributes hold no bare `<` or `&`.
    pub(crate) fn check(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            let text = &rest[..start];
            assert!(!text.contains('>'), "a bare > in {text}");
            check_references(text);
            let end = rest[start..].find('>').expect("an open tag") + start;
            let tag = &rest[start + 1..end];
            assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('<'), "{tag}");
            check_references(tag);
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
        assert!(!svg.chars().any(|c| c < ' ' && c != '\n'));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    fn check_references(text: &str) {
        for part in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(known.iter().any(|known| part.starts_with(known)), "a bare & before {part}");
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut drawing = Drawing::new(100.0, 50.0, "</title><script>");
        drawing.text(1.0, 2.0, Anchor::Middle, INK, "<b a=\"1\">&amp;'\u{0}\u{ffff}\n");
        drawing.slanted(1.0, 2.0, INK, "]]>");
        let svg = drawing.finished();
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
