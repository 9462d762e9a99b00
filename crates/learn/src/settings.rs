//! Settings that are declared once: each stands with its doc, its default and its range.

/// Declares the tables of a settings file. Behind the type of a field stands its default, and behind that, for numbers, the
/// least and the greatest. Fields that a file leaves out have their default, and names that it makes up are refused.
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $kind:ty = $default:expr $(, $range:expr)?;)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $name {
            /// Refuses a number outside of its range; `table` stands before its key.
            #[allow(clippy::unnecessary_cast, dead_code, unused_variables)]
            pub(crate) fn check_numbers(
                &self,
                table: &str,
            ) -> Result<(), tesuji_train::SettingsError> {
                tesuji_train::settings::check_ranges::<String>([$($((
                    format!("{table}{}", stringify!($field)),
                    self.$field as f64,
                    *$range.start(),
                    *$range.end(),
                ),)?)*])
            }
        }
    )*};
}

pub(crate) use settings;
