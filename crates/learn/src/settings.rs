//! A macro that declares settings with their documentation, default and range.

/// Declares the tables of a settings file. After the type of a field come its default and, for
/// numbers, its range. Missing fields get their default, and unknown fields are errors.
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
            /// Returns an error for a number outside its range; `table` is the prefix of its key.
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
