//! The check of the processor's features, included from the source of the binary.

#[path = "../src/processor.rs"]
mod checked;

#[test]
fn a_binary_built_here_runs_here() {
    assert_eq!(checked::check(), Ok(()));
}

/// Our detection agrees with the standard library for every feature.
#[cfg(target_arch = "x86_64")]
#[test]
fn processor_features_are_detected_correctly() {
    let detected = [
        is_x86_feature_detected!("sse4.2"),
        is_x86_feature_detected!("popcnt"),
        is_x86_feature_detected!("avx"),
        is_x86_feature_detected!("fma"),
        is_x86_feature_detected!("bmi1"),
        is_x86_feature_detected!("avx2"),
        is_x86_feature_detected!("bmi2"),
        is_x86_feature_detected!("avx512f"),
        is_x86_feature_detected!("lzcnt"),
    ];
    for ((name, _, present), detected) in checked::features().into_iter().zip(detected) {
        assert_eq!(present, detected, "{name}");
    }
}

/// A feature is missing if the binary was compiled for it and the processor does not have it.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_missing_feature_is_named() {
    let features = [("avx2", true, false), ("bmi2", true, true), ("fma", false, false)];
    assert_eq!(checked::missing_of(&features), ["avx2"]);
}
