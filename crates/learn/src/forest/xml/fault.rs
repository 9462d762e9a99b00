//! Why a file is no forest. Each message is one line: what was wrong, where, what would be right.

use std::io;
use std::path::Path;

use super::{MOST_BYTES, MOST_ENTRIES, MOST_TREES};
use crate::forest::PatternError;

/// Why a forest could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum XmlError {
    /// What was read is no forest.
    #[error("{place}line {line}: {fault}", place = file.as_ref().map_or(String::new(), |file| format!("{file}: ")))]
    Refused {
        /// The file, where there is one.
        file: Option<String>,
        /// Where in it, counted from 1.
        line: usize,
        /// What is wrong.
        fault: Fault,
    },
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Unread {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {path}: {source}")]
    Unwritten {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

impl XmlError {
    pub(super) fn at(line: usize, fault: Fault) -> XmlError {
        XmlError::Refused { file: None, line, fault }
    }

    /// The same, with the name of the file in front.
    pub fn in_file(self, path: &Path) -> XmlError {
        match self {
            XmlError::Refused { line, fault, .. } => {
                XmlError::Refused { file: Some(path.display().to_string()), line, fault }
            }
            other => other,
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Fault {
    /// Too many bytes.
    #[error("the file is larger than {} MiB; expected a forest", MOST_BYTES >> 20)]
    TooLarge,
    /// Packed bytes that cannot be unpacked.
    #[error("packed with gzip and damaged ({why}); expected a whole file")]
    Packing {
        /// What is wrong with them.
        why: String,
    },
    /// Another encoding.
    #[error("not UTF-8; expected a forest in UTF-8")]
    Encoding,
    /// It is no XML.
    #[error("not well-formed XML: {why}")]
    Malformed {
        /// What the parser says.
        why: String,
    },
    /// It ends too early.
    #[error("the file ends inside {inside}; expected {expected}")]
    Ended {
        /// The element that is open.
        inside: &'static str,
        /// What may come.
        expected: String,
    },
    /// Another document. Nothing of it is quoted: it may be a file that its reader must not see.
    #[error("not a forest; expected an XML document of type RandomForest")]
    NotAForest,
    /// A definition in another file.
    #[error(
        "the document type refers to another file, which is never read; expected none, or the forest definition inside '[…]'"
    )]
    External,
    /// An entity.
    #[error("entities are not allowed, found '{found}'; expected plain text")]
    Entity {
        /// The declaration or reference.
        found: String,
    },
    /// Another declaration.
    #[error("'{found}' is not in the forest definition")]
    Declaration {
        /// The declaration.
        found: String,
    },
    /// Our processing instruction is wrong.
    #[error("the <?tesuji …?> instruction is wrong: {why}")]
    Particulars {
        /// What is wrong.
        why: String,
    },
    /// Something that is no element of the definition there.
    #[error("found {found} in {inside}; expected {expected}")]
    Unexpected {
        /// What is there.
        found: String,
        /// Where.
        inside: &'static str,
        /// What may be there.
        expected: String,
    },
    /// An attribute that the definition does not have.
    #[error("{element} has no attribute '{found}'; expected {expected}")]
    Attribute {
        /// The element.
        element: &'static str,
        /// The attribute.
        found: String,
        /// Those that it has.
        expected: String,
    },
    /// An attribute's value.
    #[error("{attribute} of {element} is '{found}'; expected {expected}")]
    Value {
        /// The element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// What it is.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// The attributes of a tree are no pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A question that was asked before.
    #[error("attribute index {index} is asked twice on one way down; expected each at most once")]
    Twice {
        /// The cell.
        index: u16,
    },
    /// Too many trees.
    #[error("more than {MOST_TREES} trees")]
    TooManyTrees,
    /// Too much memory would be needed.
    #[error(
        "the tables of the trees would have more than {MOST_ENTRIES} entries; expected fewer trees or attributes"
    )]
    TooManyEntries,
}
