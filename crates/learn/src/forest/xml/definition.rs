//! The document type definition: its text, and the validation of a file's own definition.

use crate::excerpt::excerpt;

/// The definition of the thesis. Every file that we write contains it.
pub(super) const DEFINITION: &str = r#"<!DOCTYPE RandomForest [
  <!ELEMENT RandomForest ( RandomWoods )+ >
  <!ELEMENT RandomWoods ( TrainingAttributesList, ForestTree ) >
  <!ELEMENT TrainingAttributesList ( TrainingAttributes )+ >
  <!ELEMENT TrainingAttributes EMPTY>
  <!ELEMENT ForestTree ( TreeRoot ) >
  <!ELEMENT TreeRoot ( TreeNode | TreeLeaf )+ >
  <!ELEMENT TreeNode ( TreeNode | TreeLeaf )+ >
  <!ELEMENT TreeLeaf EMPTY >
  <!ATTLIST TrainingAttributes attributeIndxs CDATA "" >
  <!ATTLIST ForestTree decisionAttr CDATA "" >
  <!ATTLIST TreeRoot headerIndx CDATA "" >
  <!ATTLIST TreeNode branchValue CDATA "" >
  <!ATTLIST TreeNode headerIndx CDATA "" >
  <!ATTLIST TreeLeaf branchValue CDATA "" >
  <!ATTLIST TreeLeaf categoryValue CDATA "" >
]>"#;

/// The error for another type of document.
pub(super) const OTHER_DOCUMENT: &str =
    "not a forest; expected an XML document of type RandomForest";

/// The error for an entity declaration or reference.
pub(super) fn entity(found: &str) -> String {
    format!("entities are not allowed, found '{found}'; expected plain text")
}

/// Checks the content of `<!DOCTYPE …>`: the name of the root, and that every declaration is in the
/// definition, in any order and spacing. Entities and external files are never resolved.
pub(super) fn check(doctype: &str) -> Result<(), String> {
    let doctype = doctype.trim();
    let end = doctype.find(|c: char| c.is_whitespace() || c == '[').unwrap_or(doctype.len());
    let (name, rest) = doctype.split_at(end);
    if name != "RandomForest" {
        return Err(OTHER_DOCUMENT.to_string());
    }
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(());
    }
    match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(subset) => check_declarations(subset),
        None => Err("the document type refers to another file, which is never read; expected \
            none, or the forest definition inside '[…]'"
            .to_string()),
    }
}

fn check_declarations(subset: &str) -> Result<(), String> {
    let mut rest = subset.trim_start();
    while !rest.is_empty() {
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let (declaration, after) = match rest.find(end) {
            Some(at) => rest.split_at(at + end.len()),
            None => (rest, ""),
        };
        if !declaration.starts_with("<!--") {
            check_declaration(declaration)?;
        }
        rest = after.trim_start();
    }
    Ok(())
}

fn check_declaration(declaration: &str) -> Result<(), String> {
    if declaration.starts_with("<!ENTITY") || declaration.starts_with('%') {
        return Err(entity(&excerpt(declaration)));
    }
    let bare = without_spaces(declaration);
    match DEFINITION.lines().any(|line| without_spaces(line) == bare) {
        true if bare.starts_with("<!ELEMENT") || bare.starts_with("<!ATTLIST") => Ok(()),
        _ => Err(format!("'{}' is not in the forest definition", excerpt(declaration))),
    }
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> &str {
        text.trim_start_matches("<!DOCTYPE").trim_end_matches('>')
    }

    #[test]
    fn the_definition_is_valid_in_any_spacing_and_order() {
        assert_eq!(check(inside(DEFINITION)), Ok(()));
        assert_eq!(check(" RandomForest "), Ok(()));
        let other =
            "RandomForest[<!-- > -->\n<!ELEMENT TreeLeaf\n EMPTY><!ELEMENT ForestTree (TreeRoot)>]";
        assert_eq!(check(other), Ok(()));
    }

    #[test]
    fn other_doctypes_are_rejected() {
        const OTHER_FILE: &str = "another file, which is never read";
        const UNKNOWN: &str = "is not in the forest definition";
        for (doctype, words) in [
            ("html", OTHER_DOCUMENT),
            ("RandomForest SYSTEM \"a.dtd\"", OTHER_FILE),
            ("RandomForest PUBLIC \"a\" \"b\" []", OTHER_FILE),
            ("RandomForest [<!ENTITY a \"b\">]", "entities are not allowed"),
            ("RandomForest [%a;]", "entities are not allowed"),
            ("RandomForest [<!ATTLIST TreeRoot headerIndx CDATA \"1\">]", UNKNOWN),
            ("RandomForest [<!NOTATION a>]", UNKNOWN),
            ("RandomForest []>]", UNKNOWN),
            ("RandomForest [<!DOCTYPE RandomForest []", UNKNOWN),
        ] {
            let error = check(doctype).unwrap_err();
            assert!(error.contains(words), "{doctype}: {error}");
        }
    }
}
