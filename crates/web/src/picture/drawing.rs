//! SVG being written: shapes and text, every string escaped, every number with one decimal.

use std::fmt::Write as _;

use tesuji_play::report::escaped;

/// Where a text is held.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture being drawn, in units from the upper left corner.
pub(super) struct Drawing {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// The ink of an outline and how wide it is.
pub(super) type Outline<'s> = Option<(&'s str, f64)>;

impl Drawing {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Drawing {
        Drawing { width, height, title: escaped(title), body: String::new() }
    }

    pub(super) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        ));
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], ink: &str, width: f64) {
        self.put(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{ink}" stroke-width="{width:.1}" stroke-linecap="round"/>"#
        ));
    }

    pub(super) fn circle(&mut self, (x, y): (f64, f64), r: f64, fill: &str, outline: Outline) {
        let outline = stroke(outline);
        self.put(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="{fill}"{outline}/>"#
        ));
    }

    /// A path in units around the origin of the group that it stands in.
    pub(super) fn path(&mut self, path: &str, fill: &str, outline: Outline) {
        let outline = stroke(outline);
        self.put(format_args!(
            r#"<path d="{path}" fill="{fill}"{outline} stroke-linejoin="round" stroke-linecap="round"/>"#
        ));
    }

    /// A piece around a point, with a name for programs that read the picture.
    pub(super) fn piece(
        &mut self,
        (x, y): (f64, f64),
        side: &str,
        draw: impl FnOnce(&mut Drawing),
    ) {
        self.put(format_args!(r#"<g class="piece {side}" transform="translate({x:.1} {y:.1})">"#));
        draw(self);
        self.put(format_args!("</g>"));
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.put(format_args!(
            r##"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="#52565f">{text}</text>"##
        ));
    }

    fn put(&mut self, element: std::fmt::Arguments) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// The whole file.
    pub(super) fn finished(self) -> String {
        let Drawing { width, height, title, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#faf9f5\"/>\n{body}</svg>\n"
        )
    }
}

fn stroke(outline: Outline) -> String {
    outline.map_or(String::new(), |(ink, width)| {
        format!(r#" stroke="{ink}" stroke-width="{width:.1}""#)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A small check of the form: tags balance, and text and attributes hold no bare `<` or `&`.
    pub(crate) fn check(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a bare > in {}", &rest[..start]);
            let end = rest[start..].find('>').expect("an open tag") + start;
            let tag = &rest[start + 1..end];
            assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('<'), "{tag}");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut drawing = Drawing::new(100.0, 50.0, "</title><script>");
        drawing.text((1.0, 2.0), Anchor::Middle, "<b a=\"1\">&amp;'\u{0}\u{ffff}\n");
        let svg = drawing.finished();
        check(&svg);
        assert!(svg.contains(">&lt;b a=&quot;1&quot;&gt;&amp;amp;&apos;\u{fffd}\u{fffd} </text>"));
    }
}
