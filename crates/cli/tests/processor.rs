//! The check of the processor, taken from the binary's source.

#[path = "../src/processor.rs"]
mod checked;

#[test]
fn a_binary_built_here_runs_here() {
    assert_eq!(checked::check(), Ok(()));
}

/// Our reading of the processor's answer agrees with the standard library's, feature by feature.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_processor_is_read_correctly() {
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

/// What is compiled in and not there is what is missing.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_missing_feature_is_named() {
    let features = [("avx2", true, false), ("bmi2", true, true), ("fma", false, false)];
    assert_eq!(checked::missing_of(&features), ["avx2"]);
}
