//! Reads a file element by element. Skips what is safe to skip and rejects the rest: text,
//! entities, external files.

use std::borrow::Cow;
use std::fmt::Display;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::metadata::{Metadata, TARGET};
use super::{NOT_UTF8, definition, error_at, line_of};
use crate::excerpt::excerpt;
use crate::model::ModelError;

type Result<T> = std::result::Result<T, ModelError>;

/// A pull parser over a file.
pub(super) struct Elements<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The byte offset of the last token.
    place: usize,
    /// Its line.
    line: usize,
    /// The open elements, outermost first.
    open: Vec<&'static str>,
    /// Our processing instruction and its line, if it was found.
    pub metadata: Option<(usize, Metadata)>,
}

/// A start tag.
pub(super) struct StartTag<'a> {
    /// Its name, one of the definition's.
    pub name: &'static str,
    /// Its line.
    pub line: usize,
    tag: BytesStart<'a>,
}

impl<'a> Elements<'a> {
    pub(super) fn new(text: &'a str) -> Elements<'a> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(text);
        reader.config_mut().enable_all_checks(true);
        reader.config_mut().expand_empty_elements = true;
        Elements { text, reader, place: 0, line: 1, open: Vec::new(), metadata: None }
    }

    /// Reads the prolog and the root. Before the root, the file may be any file that the user must
    /// not read, so errors quote nothing from it.
    pub(super) fn root(&mut self) -> Result<StartTag<'a>> {
        const OTHER: &str = definition::OTHER_DOCUMENT;
        let mut defined = false;
        loop {
            match self.event().map_err(|_| error_at(self.line, OTHER))? {
                Event::Start(tag) if tag.name().0 == "RandomForest" => {
                    return Ok(self.tag("RandomForest", tag));
                }
                Event::Decl(declaration) if self.place == 0 => {
                    if let Some(Ok(name)) = declaration.encoding()
                        && !["utf-8", "us-ascii"].contains(&&*name.to_ascii_lowercase())
                    {
                        return Err(error_at(self.line, NOT_UTF8));
                    }
                }
                Event::DocType(doctype) if !defined => {
                    defined = true;
                    definition::check(&doctype).map_err(|what| error_at(self.line, what))?;
                }
                Event::PI(instruction) if instruction.target() == TARGET => {
                    if self.metadata.is_some() {
                        return Err(self.unexpected("a second <?tesuji …?>", "only one"));
                    }
                    let read = Metadata::read(instruction.content());
                    let read = read.map_err(|what| error_at(self.line, what))?;
                    self.metadata = Some((self.line, read));
                }
                Event::Eof => return Err(self.ended("RandomForest")),
                other if is_skipped(&other) => {}
                _ => return Err(error_at(self.line, OTHER)),
            }
        }
    }

    /// Checks that nothing follows the root.
    pub(super) fn end(&mut self) -> Result<()> {
        self.next("nothing after RandomForest").map(drop)
    }

    /// The next child of the current element, which must have the expected name or one of several
    /// joined by ` or `; `None` at the end of the current element, which must have at least one
    /// child.
    pub(super) fn child(
        &mut self,
        expected: &'static str,
        is_first: bool,
    ) -> Result<Option<StartTag<'a>>> {
        let child = self.next(expected)?;
        match child {
            None if is_first => return Err(self.unexpected("nothing", expected)),
            None => drop(self.open.pop()),
            Some(_) => {}
        }
        Ok(child)
    }

    /// The next child of the current element, which must have this name.
    pub(super) fn required(&mut self, name: &'static str) -> Result<StartTag<'a>> {
        self.next(name)?.ok_or_else(|| self.unexpected("its end", name))
    }

    /// Reads the end of the current element.
    pub(super) fn close(&mut self) -> Result<()> {
        self.next("its end")?;
        self.open.pop();
        Ok(())
    }

    /// The next start tag, which must have an expected name; `None` at an end tag.
    fn next(&mut self, expected: &'static str) -> Result<Option<StartTag<'a>>> {
        loop {
            let found = match self.event()? {
                event if is_skipped(&event) => continue,
                Event::Start(tag) | Event::Empty(tag) => {
                    let found = tag.name().0;
                    if let Some(name) = expected.split(" or ").find(|&name| name == found) {
                        return Ok(Some(self.tag(name, tag)));
                    }
                    match definition::DEFINITION.contains(&format!("<!ELEMENT {found} ")) {
                        true if self.open.is_empty() => format!("a second element {found}"),
                        true => found.to_string(),
                        false => format!("'<{}'", excerpt(found)),
                    }
                }
                Event::End(_) => return Ok(None),
                Event::Eof if self.open.is_empty() => return Ok(None),
                Event::Eof => return Err(self.ended(expected)),
                Event::GeneralRef(name) => {
                    let found = format!("&{};", excerpt(&name));
                    return Err(error_at(self.line, definition::entity(&found)));
                }
                Event::Text(text) => format!("the text '{}'", excerpt(text.trim())),
                Event::CData(_) => "<![CDATA[".to_string(),
                Event::PI(_) => "<?tesuji …?>".to_string(),
                Event::DocType(_) => "<!DOCTYPE".to_string(),
                Event::Decl(_) => "<?xml …?>".to_string(),
                Event::Comment(_) => continue,
            };
            return Err(self.unexpected(&found, expected));
        }
    }

    /// The next event; updates offset and line.
    fn event(&mut self) -> Result<Event<'a>> {
        let start = self.reader.buffer_position();
        self.advance_to(start);
        let event = self.reader.read_event();
        match &event {
            Ok(Event::Text(text)) => {
                let blanks = text.len() - text.trim_start().len();
                self.advance_to(start + blanks as u64);
            }
            Ok(_) => {}
            Err(_) => self.advance_to(self.reader.error_position()),
        }
        event.map_err(|error| malformed(self.line, &error))
    }

    fn advance_to(&mut self, place: u64) {
        let place = (place as usize).min(self.text.len());
        if place > self.place {
            self.line += line_of(&self.text.as_bytes()[self.place..place], place) - 1;
            self.place = place;
        }
    }

    fn tag(&mut self, name: &'static str, tag: BytesStart<'a>) -> StartTag<'a> {
        self.open.push(name);
        StartTag { name, line: self.line, tag }
    }

    fn inside(&self) -> &'static str {
        self.open.last().copied().unwrap_or("the file")
    }

    fn unexpected(&self, found: &str, expected: &str) -> ModelError {
        let inside = self.inside();
        error_at(self.line, format!("found {found} in {inside}; expected {expected}"))
    }

    fn ended(&self, expected: &str) -> ModelError {
        let inside = self.inside();
        error_at(self.line, format!("the file ends inside {inside}; expected {expected}"))
    }
}

/// Whether an event has no meaning.
fn is_skipped(event: &Event<'_>) -> bool {
    match event {
        Event::Comment(_) => true,
        Event::PI(instruction) => instruction.target() != TARGET,
        Event::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn malformed(line: usize, error: &dyn Display) -> ModelError {
    error_at(line, format!("not well-formed XML: {}", excerpt(&error.to_string())))
}

impl StartTag<'_> {
    /// The values of these attributes; by the definition, missing ones are empty. Other attributes
    /// are errors.
    pub(super) fn attributes<const N: usize>(&self, names: [&str; N]) -> Result<[Cow<'_, str>; N]> {
        let mut values = [const { Cow::Borrowed("") }; N];
        for attribute in self.tag.attributes() {
            let attribute = attribute.map_err(|error| malformed(self.line, &error))?;
            let Some(place) = names.iter().position(|&known| known == attribute.key.0) else {
                let (element, found) = (self.name, excerpt(attribute.key.0));
                let expected = if N == 0 { "none".to_string() } else { names.join(" and ") };
                let what = format!("{element} has no attribute '{found}'; expected {expected}");
                return Err(error_at(self.line, what));
            };
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            values[place] = value.map_err(|error| malformed(self.line, &error))?;
        }
        Ok(values)
    }

    /// The error for an invalid value.
    pub(super) fn invalid_value(&self, attribute: &str, found: &str, expected: &str) -> ModelError {
        let (element, found) = (self.name, excerpt(found.trim()));
        error_at(self.line, format!("{attribute} of {element} is '{found}'; expected {expected}"))
    }
}
