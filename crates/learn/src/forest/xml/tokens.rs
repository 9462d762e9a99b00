//! The elements of a file one after another, with everything that is safe to skip left out and everything that is
//! not refused: text, entities, other files.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::definition;
use super::fault::{Fault, XmlError};
use super::line_of;
use super::particulars::{Particulars, TARGET};
use crate::excerpt::excerpt;

type Result<T> = std::result::Result<T, XmlError>;

/// The elements of the definition.
const ELEMENTS: [&str; 8] = [
    "RandomForest",
    "RandomWoods",
    "TrainingAttributesList",
    "TrainingAttributes",
    "ForestTree",
    "TreeRoot",
    "TreeNode",
    "TreeLeaf",
];

/// A walk through a file.
pub(super) struct Tokens<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// Where the token begins that was read last.
    place: usize,
    /// Its line.
    line: usize,
    /// Our instruction and its line, once it was met.
    pub particulars: Option<(usize, Particulars)>,
}

/// What matters in a file.
pub(super) enum Token<'a> {
    /// An element begins.
    Open(Opened<'a>),
    /// The current element ends.
    Close,
    /// The file ends.
    End,
}

/// An element that begins.
pub(super) struct Opened<'a> {
    /// Its name, one of the definition.
    pub name: &'static str,
    /// Its line.
    pub line: usize,
    tag: BytesStart<'a>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Tokens<'a> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(text);
        reader.config_mut().enable_all_checks(true);
        reader.config_mut().expand_empty_elements = true;
        Tokens { text, reader, place: 0, line: 1, particulars: None }
    }

    /// Everything before the root, and the root. Until it is met, this may be a file of any kind,
    /// and no error quotes it.
    pub(super) fn root(&mut self) -> Result<Opened<'a>> {
        let mut defined = false;
        loop {
            let event = self.event().map_err(|_| self.refused(Fault::NotAForest))?;
            match event {
                Event::Start(tag) if tag.name().0 == "RandomForest" => {
                    return Ok(self.opened("RandomForest", tag));
                }
                Event::Start(_) => return Err(self.refused(Fault::NotAForest)),
                Event::Decl(declaration) if self.place == 0 => {
                    self.encoding(declaration.encoding())?;
                }
                Event::DocType(doctype) if !defined => {
                    defined = true;
                    definition::check(&doctype).map_err(|fault| self.refused(fault))?;
                }
                Event::PI(instruction) if instruction.target() == TARGET => {
                    self.instruct(instruction.content())?;
                }
                other => match self.token(other, "the file", "RandomForest") {
                    Ok(Some(Token::End)) => return Err(self.ended("the file", "RandomForest")),
                    Ok(_) => continue,
                    Err(_) => return Err(self.refused(Fault::NotAForest)),
                },
            }
        }
    }

    /// Keeps what our instruction says.
    fn instruct(&mut self, content: &str) -> Result<()> {
        if self.particulars.is_some() {
            return Err(self.unexpected("a second <?tesuji …?>", "the file", "only one"));
        }
        let read = Particulars::read(content).map_err(|fault| self.refused(fault))?;
        self.particulars = Some((self.line, read));
        Ok(())
    }

    /// Nothing more comes after the root.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.next("the file", "nothing after RandomForest")? {
            Token::Open(opened) => {
                let found = format!("a second element {}", opened.name);
                Err(self.unexpected(&found, "the file", "nothing after RandomForest"))
            }
            Token::Close | Token::End => Ok(()),
        }
    }

    /// The next element in the current one, which must be the expected one or one of those joined by ` or `; `None`
    /// where the current one ends.
    pub(super) fn child(
        &mut self,
        inside: &'static str,
        expected: &'static str,
    ) -> Result<Option<Opened<'a>>> {
        match self.next(inside, expected)? {
            Token::Open(opened) if expected.split(" or ").any(|name| name == opened.name) => {
                Ok(Some(opened))
            }
            Token::Open(opened) => Err(self.unexpected(opened.name, inside, expected)),
            Token::Close => Ok(None),
            Token::End => Err(self.ended(inside, expected)),
        }
    }

    /// The next element in the current one, which must be this.
    pub(super) fn required(
        &mut self,
        inside: &'static str,
        name: &'static str,
    ) -> Result<Opened<'a>> {
        match self.child(inside, name)? {
            Some(opened) => Ok(opened),
            None => Err(self.unexpected("its end", inside, name)),
        }
    }

    /// The end of the current element.
    pub(super) fn close(&mut self, inside: &'static str) -> Result<()> {
        match self.next(inside, "its end")? {
            Token::Close => Ok(()),
            Token::Open(opened) => Err(self.unexpected(opened.name, inside, "its end")),
            Token::End => Err(self.ended(inside, "its end")),
        }
    }

    /// The fault of an element that lacks children.
    pub(super) fn empty(&self, inside: &'static str, expected: &str) -> XmlError {
        self.unexpected("nothing", inside, expected)
    }

    fn next(&mut self, inside: &'static str, expected: &str) -> Result<Token<'a>> {
        loop {
            let event = self.event()?;
            if let Some(token) = self.token(event, inside, expected)? {
                return Ok(token);
            }
        }
    }

    /// What an event means; `None` for what is skipped.
    fn token(
        &self,
        event: Event<'a>,
        inside: &'static str,
        expected: &str,
    ) -> Result<Option<Token<'a>>> {
        let found = match event {
            Event::Start(tag) | Event::Empty(tag) => {
                match ELEMENTS.into_iter().find(|&name| name == tag.name().0) {
                    Some(name) => return Ok(Some(Token::Open(self.opened(name, tag)))),
                    None => format!("'<{}'", excerpt(tag.name().0)),
                }
            }
            Event::End(_) => return Ok(Some(Token::Close)),
            Event::Eof => return Ok(Some(Token::End)),
            Event::Comment(_) => return Ok(None),
            Event::PI(instruction) if instruction.target() != TARGET => return Ok(None),
            Event::Text(text) if text.trim().is_empty() => return Ok(None),
            Event::GeneralRef(name) => {
                let found = format!("&{};", excerpt(&name));
                return Err(self.refused(Fault::Entity { found }));
            }
            Event::Text(text) => format!("the text '{}'", excerpt(text.trim())),
            Event::CData(_) => "<![CDATA[".to_string(),
            Event::PI(_) => "<?tesuji …?>".to_string(),
            Event::DocType(_) => "<!DOCTYPE".to_string(),
            Event::Decl(_) => "<?xml …?>".to_string(),
        };
        Err(self.unexpected(&found, inside, expected))
    }

    /// The next event; its place and line are noted.
    fn event(&mut self) -> Result<Event<'a>> {
        let start = self.reader.buffer_position();
        self.stand_at(start);
        match self.reader.read_event() {
            Ok(Event::Text(text)) => {
                let blanks = text.len() - text.trim_start().len();
                self.stand_at(start + blanks as u64);
                Ok(Event::Text(text))
            }
            Ok(event) => Ok(event),
            Err(error) => {
                self.stand_at(self.reader.error_position());
                Err(self.refused(Fault::Malformed { why: excerpt(&error.to_string()) }))
            }
        }
    }

    fn stand_at(&mut self, place: u64) {
        let place = (place as usize).min(self.text.len());
        if place > self.place {
            self.line += line_of(&self.text.as_bytes()[self.place..place], place) - 1;
            self.place = place;
        }
    }

    fn encoding<E>(&self, declared: Option<std::result::Result<Cow<'_, str>, E>>) -> Result<()> {
        match declared {
            Some(Ok(name)) if !["utf-8", "us-ascii"].contains(&&*name.to_ascii_lowercase()) => {
                Err(self.refused(Fault::Encoding))
            }
            _ => Ok(()),
        }
    }

    fn opened(&self, name: &'static str, tag: BytesStart<'a>) -> Opened<'a> {
        Opened { name, line: self.line, tag }
    }

    fn refused(&self, fault: Fault) -> XmlError {
        XmlError::at(self.line, fault)
    }

    fn unexpected(&self, found: &str, inside: &'static str, expected: &str) -> XmlError {
        let (found, expected) = (found.to_string(), expected.to_string());
        self.refused(Fault::Unexpected { found, inside, expected })
    }

    fn ended(&self, inside: &'static str, expected: &str) -> XmlError {
        self.refused(Fault::Ended { inside, expected: expected.to_string() })
    }
}

impl Opened<'_> {
    /// The values of these attributes, empty where they are missing, as the definition says. Others are refused.
    pub(super) fn attributes<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Result<[Cow<'_, str>; N]> {
        let mut values = [const { Cow::Borrowed("") }; N];
        for attribute in self.tag.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(&error))?;
            let name = attribute.key.0;
            let Some(place) = names.iter().position(|&known| known == name) else {
                let expected = if N == 0 { "none".to_string() } else { names.join(" and ") };
                let (element, found) = (self.name, excerpt(name));
                return Err(self.refused(Fault::Attribute { element, found, expected }));
            };
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            values[place] = value.map_err(|error| self.malformed(&error))?;
        }
        Ok(values)
    }

    /// The fault of a wrong value.
    pub(super) fn value(&self, attribute: &'static str, found: &str, expected: &str) -> XmlError {
        let (found, expected) = (excerpt(found.trim()), expected.to_string());
        self.refused(Fault::Value { element: self.name, attribute, found, expected })
    }

    pub(super) fn refused(&self, fault: Fault) -> XmlError {
        XmlError::at(self.line, fault)
    }

    fn malformed(&self, error: &dyn std::fmt::Display) -> XmlError {
        self.refused(Fault::Malformed { why: excerpt(&error.to_string()) })
    }
}
