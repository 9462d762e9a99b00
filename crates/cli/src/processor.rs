//! Checks that the processor has the features that the binary was compiled for: otherwise the
//! program would die of an illegal instruction.

/// Returns an error if a feature that the binary was compiled for is missing.
pub(crate) fn check() -> Result<(), String> {
    let missing = missing_of(&features());
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "processor: lacks {}, which this build of tesuji needs; expected a build for this processor \
         (cargo build --release) or a portable build (cargo xtask dist)",
        missing.join(", ")
    ))
}

/// The compiled-in features that the processor lacks. The macro of the standard library answers
/// "yes" for every compiled-in feature, so [`features`] queries the processor directly.
pub(crate) fn missing_of(features: &[Feature]) -> Vec<&'static str> {
    let missing = features.iter().filter(|(_, compiled_in, present)| *compiled_in && !present);
    missing.map(|(name, _, _)| *name).collect()
}

/// A feature: its name, whether it is compiled in, whether the processor has it.
pub(crate) type Feature = (&'static str, bool, bool);

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn features() -> [Feature; 0] {
    []
}

/// The features that compilers use (Intel's manual, volume 2A, CPUID).
#[cfg(target_arch = "x86_64")]
pub(crate) fn features() -> [Feature; 9] {
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
