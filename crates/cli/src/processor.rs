//! A build for a newer processor would die of an illegal instruction on an older one; here it says so
//! instead.

use crate::failure::Failure;

/// Whether this processor has everything that the binary was compiled for.
pub(crate) fn check() -> Result<(), Failure> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::Undone(format!(
        "this tesuji was built for a processor with {}, which this one lacks; build it here with cargo build --release, or take a portable build (cargo xtask dist)",
        missing.join(", ")
    )))
}

#[cfg(not(target_arch = "x86_64"))]
fn missing() -> Vec<&'static str> {
    Vec::new()
}

/// Features that are compiled in and not there. The standard library's own test answers "yes" to every
/// feature that is compiled in, so the processor is asked directly.
#[cfg(target_arch = "x86_64")]
fn missing() -> Vec<&'static str> {
    features()
        .into_iter()
        .filter(|&(_, compiled_in, present)| compiled_in && !present)
        .map(|(name, _, _)| name)
        .collect()
}

/// Name, whether it is compiled in, whether the processor has it (Intel's manual, volume 2A, CPUID).
#[cfg(target_arch = "x86_64")]
fn features() -> [(&'static str, bool, bool); 9] {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let basic = __cpuid(1).ecx;
    let newer = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let extended =
        if __cpuid(0x8000_0000).eax > 0x8000_0000 { __cpuid(0x8000_0001).ecx } else { 0 };
    let has = |word: u32, bit: u32| word >> bit & 1 != 0;
    [
        ("sse4.2", cfg!(target_feature = "sse4.2"), has(basic, 20)),
        ("popcnt", cfg!(target_feature = "popcnt"), has(basic, 23)),
        ("avx", cfg!(target_feature = "avx"), has(basic, 28)),
        ("fma", cfg!(target_feature = "fma"), has(basic, 12)),
        ("bmi1", cfg!(target_feature = "bmi1"), has(newer, 3)),
        ("avx2", cfg!(target_feature = "avx2"), has(newer, 5)),
        ("bmi2", cfg!(target_feature = "bmi2"), has(newer, 8)),
        ("avx512f", cfg!(target_feature = "avx512f"), has(newer, 16)),
        ("lzcnt", cfg!(target_feature = "lzcnt"), has(extended, 5)),
    ]
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    /// Our reading of the processor's answer agrees with the standard library's, feature by feature.
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
        for ((name, _, present), detected) in super::features().into_iter().zip(detected) {
            assert_eq!(present, detected, "{name}");
        }
        assert!(super::check().is_ok());
    }
}
