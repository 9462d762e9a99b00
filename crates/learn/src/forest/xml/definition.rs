//! The document type definition: its text, and the check of one that a file brings along.

use super::fault::Fault;
use crate::excerpt::excerpt;

/// The definition of the thesis, as every file that we write carries it.
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

/// Checks what stands between `<!DOCTYPE` and its `>`: the name of our root, and no declaration that is not in the
/// definition, in any order and however spaced. Entities and other files are never followed.
pub(super) fn check(doctype: &str) -> Result<(), Fault> {
    let doctype = doctype.trim();
    let end = doctype.find(|c: char| c.is_whitespace() || c == '[').unwrap_or(doctype.len());
    let (name, rest) = doctype.split_at(end);
    if name != "RandomForest" {
        return Err(Fault::NotAForest);
    }
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(());
    }
    match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(subset) => check_declarations(subset),
        None => Err(Fault::External),
    }
}

fn check_declarations(subset: &str) -> Result<(), Fault> {
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

fn check_declaration(declaration: &str) -> Result<(), Fault> {
    if declaration.starts_with("<!ENTITY") || declaration.starts_with('%') {
        return Err(Fault::Entity { found: excerpt(declaration) });
    }
    let bare = without_spaces(declaration);
    match DEFINITION.lines().any(|line| without_spaces(line) == bare) {
        true if bare.starts_with("<!ELEMENT") || bare.starts_with("<!ATTLIST") => Ok(()),
        _ => Err(Fault::Declaration { found: excerpt(declaration) }),
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
    fn the_definition_itself_is_right_in_any_spacing_and_order() {
        assert_eq!(check(inside(DEFINITION)), Ok(()));
        assert_eq!(check(" RandomForest "), Ok(()));
        let other =
            "RandomForest[<!-- > -->\n<!ELEMENT TreeLeaf\n EMPTY><!ELEMENT ForestTree (TreeRoot)>]";
        assert_eq!(check(other), Ok(()));
    }

    #[test]
    fn everything_else_is_refused() {
        let refused = |doctype: &str| check(doctype).unwrap_err();
        assert!(matches!(refused("html"), Fault::NotAForest));
        assert!(matches!(refused("RandomForest SYSTEM \"a.dtd\""), Fault::External));
        assert!(matches!(refused("RandomForest PUBLIC \"a\" \"b\" []"), Fault::External));
        assert!(matches!(refused("RandomForest [<!ENTITY a \"b\">]"), Fault::Entity { .. }));
        assert!(matches!(refused("RandomForest [%a;]"), Fault::Entity { .. }));
        let changed = "RandomForest [<!ATTLIST TreeRoot headerIndx CDATA \"1\">]";
        assert!(matches!(refused(changed), Fault::Declaration { .. }));
        assert!(matches!(refused("RandomForest [<!NOTATION a>]"), Fault::Declaration { .. }));
        assert!(matches!(refused("RandomForest []>]"), Fault::Declaration { .. }));
        assert!(matches!(
            refused("RandomForest [<!DOCTYPE RandomForest []"),
            Fault::Declaration { .. }
        ));
    }
}
