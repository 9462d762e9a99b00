//! A validator for the part of JSON Schema that the API description uses. Unsupported keywords are
//! reported as faults.

use serde_json::Value;

/// Keywords without effect on values.
const REMARKS: [&str; 1] = ["description"];

/// Validates a value; returns the faults with their paths.
pub(crate) fn faults(description: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut check = Check { description, faults: Vec::new() };
    check.value("$", schema, value);
    check.faults
}

struct Check<'d> {
    description: &'d Value,
    faults: Vec<String>,
}

impl Check<'_> {
    fn fault(&mut self, place: &str, what: impl std::fmt::Display) {
        if self.faults.len() < 20 {
            self.faults.push(format!("{place}: {what}"));
        }
    }

    fn value(&mut self, place: &str, schema: &Value, value: &Value) {
        let Some(words) = schema.as_object() else { return self.fault(place, "no schema") };
        for (word, rule) in words {
            match word.as_str() {
                "$ref" => match self.schema_of(rule) {
                    Some(named) => self.value(place, &named, value),
                    None => self.fault(place, format!("{rule} is nowhere")),
                },
                "type" => self.kind(place, rule, value),
                "enum" if !list(rule).contains(value) => {
                    self.fault(place, format!("{value} is none of {rule}"));
                }
                "anyOf" => self.any(place, rule, value),
                "allOf" => list(rule).iter().for_each(|part| self.value(place, part, value)),
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(&format!("{place}[{number}]"), rule, item);
                    }
                }
                "required" => self.required(place, rule, value),
                "properties" => self.properties(place, rule, value),
                "minimum" | "maximum" | "minItems" | "maxItems" | "minLength" | "maxLength" => {
                    self.bound(place, word, rule, value);
                }
                "enum" => {}
                word if REMARKS.contains(&word) => {}
                other => {
                    self.fault(place, format!("the schema uses {other}, which is not checked"))
                }
            }
        }
    }

    fn schema_of(&self, reference: &Value) -> Option<Value> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        self.description.pointer(pointer).cloned()
    }

    fn kind(&mut self, place: &str, rule: &Value, value: &Value) {
        let fits = |kind: &Value| match kind.as_str().unwrap_or_default() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        };
        let fits = match rule {
            Value::Array(kinds) => kinds.iter().any(fits),
            kind => fits(kind),
        };
        if !fits {
            let shown: String = value.to_string().chars().take(60).collect();
            self.fault(place, format!("{shown} is no {rule}"));
        }
    }

    fn any(&mut self, place: &str, rule: &Value, value: &Value) {
        let fits = |part: &Value| faults(self.description, part, value).is_empty();
        if !list(rule).iter().any(fits) {
            let shown: String = value.to_string().chars().take(60).collect();
            self.fault(place, format!("{shown} fits nothing of anyOf"));
        }
    }

    fn required(&mut self, place: &str, rule: &Value, value: &Value) {
        let Some(object) = value.as_object() else { return };
        for name in list(rule).iter().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                self.fault(place, format!("{name} is missing"));
            }
        }
    }

    fn properties(&mut self, place: &str, rule: &Value, value: &Value) {
        let Some(object) = value.as_object() else { return };
        for (name, schema) in rule.as_object().into_iter().flatten() {
            if let Some(value) = object.get(name) {
                self.value(&format!("{place}.{name}"), schema, value);
            }
        }
    }

    fn bound(&mut self, place: &str, word: &str, rule: &Value, value: &Value) {
        let size = match (word, value) {
            ("minimum" | "maximum", value) => value.as_f64(),
            ("minItems" | "maxItems", Value::Array(items)) => Some(items.len() as f64),
            ("minLength" | "maxLength", Value::String(text)) => Some(text.chars().count() as f64),
            _ => None,
        };
        let (Some(size), Some(bound)) = (size, rule.as_f64()) else { return };
        if (word.starts_with("min") && size < bound) || (word.starts_with("max") && size > bound) {
            self.fault(place, format!("{size} is beyond the {word} of {bound}"));
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
