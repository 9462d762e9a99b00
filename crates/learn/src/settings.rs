//! Tables of settings files.

/// A struct that is a table of a settings file. Each field has its default beside it, and other keys are refused.
macro_rules! settings {
    ($($(#[$of:meta])* pub struct $name:ident {
        $($(#[$about:meta])* pub $field:ident: $kind:ty = $usual:expr,)*
    })*) => {$(
        $(#[$of])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$about])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $usual,)* }
            }
        }
    )*};
}
pub(crate) use settings;
