//! The one list of methods, and the lookup by name.

use super::choice::MethodChoice;
use super::error::SettingsError;
use super::info::MethodInfo;
use super::method::Method;
use super::parameters::{ParameterDomain, ParameterValue};
use super::{
    bdf2, conditionally_explicit, explicit, generalized_alpha, hht_add, multistep, runge_kutta,
    single_step, trbdf2,
};
use crate::suggestion;

/// The families, each a table of members.
const FAMILIES: &[&[MethodInfo]] = &[
    generalized_alpha::MEMBERS,
    hht_add::MEMBERS,
    bdf2::MEMBERS,
    multistep::MEMBERS,
    single_step::MEMBERS,
    trbdf2::MEMBERS,
    conditionally_explicit::MEMBERS,
    explicit::MEMBERS,
];

/// Every standard method.
pub fn all() -> impl Iterator<Item = &'static MethodInfo> {
    FAMILIES.iter().chain(&runge_kutta::MEMBERS).flat_map(|family| family.iter())
}

/// The possible words of a parameter, over all methods that have it.
pub fn words(parameter: &str) -> Vec<&'static str> {
    let mut all = Vec::new();
    for known in self::all().flat_map(|info| info.parameters).filter(|p| p.name == parameter) {
        if let ParameterDomain::Word(words) = known.domain {
            all.extend(words.iter().copied());
        }
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|word| seen.insert(*word));
    all
}

/// A standard method by its name or an alias.
pub fn find(name: &str) -> Option<&'static MethodInfo> {
    all().find(|method| method.name == name || method.aliases.contains(&name))
}

/// A set of methods: the standard ones, and those that a user adds. [`Settings`](crate::Settings) contain one.
///
/// ```
/// use cardan_core::Settings;
/// use cardan_core::methods::{MethodInfo, Registry, find};
///
/// // an existing formula with a new name
/// let mine = MethodInfo { name: "mine", aliases: &[], ..*find("lms3").unwrap() };
/// let registry = Registry::standard().with(mine);
/// assert_eq!(registry.all().count(), Registry::standard().all().count() + 1);
/// let settings = Settings::with_registry(&registry, &"mine:rho=0.7".parse()?, 1e-3);
/// # assert_eq!(settings.method, "mine");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    added: Vec<MethodInfo>,
}

impl Registry {
    /// The standard methods.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Adds a method. It replaces a method of the same name, or one that has this name as an alias.
    pub fn with(mut self, info: MethodInfo) -> Self {
        self.added.retain(|other| other.name != info.name);
        self.added.push(info);
        self
    }

    /// Every method, each name once.
    pub fn all(&self) -> impl Iterator<Item = &MethodInfo> {
        let is_kept = |info: &&MethodInfo| self.added.iter().all(|own| own.name != info.name);
        let own: &[MethodInfo] = &self.added;
        FAMILIES
            .iter()
            .chain(&runge_kutta::MEMBERS)
            .flat_map(|family| family.iter())
            .filter(is_kept)
            .chain(own)
    }

    /// A method by its name or an alias; names have priority over aliases, and later methods over earlier ones.
    pub fn find(&self, name: &str) -> Option<&MethodInfo> {
        let added = || self.added.iter().rev();
        let by_name = added().find(|info| info.name == name);
        let by_name = by_name.or_else(|| all().find(|info| info.name == name));
        by_name
            .or_else(|| added().find(|info| info.aliases.contains(&name)))
            .or_else(|| all().find(|info| info.aliases.contains(&name)))
    }

    /// A method with its parameters, checked.
    pub fn build(
        &self,
        choice: &MethodChoice,
    ) -> Result<(&MethodInfo, Box<dyn Method>), SettingsError> {
        let info = self.find(&choice.method).ok_or_else(|| self.unknown(&choice.method))?;
        Ok((info, info.build(&choice.parameters)?))
    }

    /// The error of an unknown method.
    pub(super) fn unknown(&self, name: &str) -> SettingsError {
        let names =
            self.all().flat_map(|x| std::iter::once(x.name).chain(x.aliases.iter().copied()));
        SettingsError::UnknownMethod {
            name: name.into(),
            nearest: suggestion::nearest(name, names),
            known: self.names(|_| true),
        }
    }

    /// The names of those methods that have a property, for messages.
    pub(crate) fn names(&self, has: impl Fn(&MethodInfo) -> bool) -> String {
        let names: Vec<_> = self.all().filter(|info| has(info)).map(|info| info.name).collect();
        names.join(", ")
    }
}

impl MethodChoice {
    /// The standard method with its parameters checked; [`Registry::build`] also finds added ones.
    pub fn build(&self) -> Result<(&'static MethodInfo, Box<dyn Method>), SettingsError> {
        let unknown = || Registry::standard().unknown(&self.method);
        let info = find(&self.method).ok_or_else(unknown)?;
        Ok((info, info.build(&self.parameters)?))
    }

    /// One choice per value of a parameter; the choice itself if the parameter is given already, the method does
    /// not have it, or there are no values.
    pub fn with_each(&self, registry: &Registry, name: &str, values: &[f64]) -> Vec<Self> {
        let is_given = self.parameters.iter().any(|(given, _)| given == name);
        let is_taken = registry.find(&self.method).is_some_and(|info| info.takes(name));
        if is_given || !is_taken || values.is_empty() {
            return vec![self.clone()];
        }
        let with = |value: &f64| {
            let mut choice = self.clone();
            choice.parameters.push((name.into(), ParameterValue::Number(*value)));
            choice
        };
        values.iter().map(with).collect()
    }
}

impl PartialEq for Registry {
    fn eq(&self, other: &Self) -> bool {
        self.added.iter().map(|x| x.name).eq(other.added.iter().map(|x| x.name))
    }
}
