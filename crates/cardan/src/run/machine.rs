//! The processor features that may change the last digits of results.

use serde::{Deserialize, Serialize};

/// The kind of machine that computed something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The architecture: "x86_64".
    pub architecture: String,
    /// The operating system: "linux".
    pub system: String,
    /// Features of the processor that the mathematical library and the solvers use.
    pub features: Vec<String>,
}

impl Machine {
    /// The machine on which the program runs.
    pub fn current() -> Self {
        Self {
            architecture: std::env::consts::ARCH.into(),
            system: std::env::consts::OS.into(),
            features: features().into_iter().map(String::from).collect(),
        }
    }

    /// How another machine differs, if it does: "avx512f is missing here".
    pub(super) fn difference(&self, here: &Self) -> Option<String> {
        if (&self.architecture, &self.system) != (&here.architecture, &here.system) {
            return Some(format!(
                "it was written on {} {}, and this is {} {}",
                self.system, self.architecture, here.system, here.architecture
            ));
        }
        let without = |one: &[String], two: &[String]| {
            let list: Vec<&str> =
                one.iter().filter(|x| !two.contains(x)).map(String::as_str).collect();
            list.join(", ")
        };
        let (missing, new) =
            (without(&self.features, &here.features), without(&here.features, &self.features));
        match (missing.is_empty(), new.is_empty()) {
            (true, true) => None,
            (false, _) => Some(format!("this processor does not have {missing}")),
            (true, false) => Some(format!("this processor also has {new}")),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let all = detected!("sse4.1" "avx" "avx2" "fma" "avx512f" "avx512dq" "avx512vl");
    all.into_iter().filter(|(_, is_here)| *is_here).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let all = detected!("neon" "sve" "sve2");
    all.into_iter().filter(|(_, is_here)| *is_here).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_additional_features_are_named() {
        let here = Machine {
            architecture: "x86_64".into(),
            system: "linux".into(),
            features: vec!["avx2".into(), "fma".into()],
        };
        assert_eq!(here.difference(&here), None);
        let with = |features: &[&str]| Machine {
            features: features.iter().map(|x| (*x).into()).collect(),
            ..here.clone()
        };
        let difference = |there: Machine| there.difference(&here).unwrap_or_default();
        assert!(difference(with(&["avx2", "avx512f", "fma"])).contains("not have avx512f"));
        assert!(difference(with(&["avx2"])).contains("also has fma"));
        let other = Machine { architecture: "aarch64".into(), ..here.clone() };
        assert!(difference(other).contains("aarch64"));
    }
}
