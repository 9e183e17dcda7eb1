//! A system that is borrowed or shared, so that a simulation can serve both.

use std::sync::Arc;

use super::System;

/// A reference to a system.
#[derive(Clone)]
pub enum Handle<'s> {
    /// Borrowed from the caller.
    Borrowed(&'s dyn System),
    /// Shared; such a simulation owns all it needs.
    Shared(Arc<dyn System>),
}

impl Handle<'_> {
    /// The system.
    pub fn get(&self) -> &dyn System {
        match self {
            Self::Borrowed(system) => *system,
            Self::Shared(system) => system.as_ref(),
        }
    }
}

impl<'s, S: System> From<&'s S> for Handle<'s> {
    fn from(system: &'s S) -> Self {
        Self::Borrowed(system)
    }
}

impl<'s> From<&'s dyn System> for Handle<'s> {
    fn from(system: &'s dyn System) -> Self {
        Self::Borrowed(system)
    }
}

impl<S: System + 'static> From<Arc<S>> for Handle<'_> {
    fn from(system: Arc<S>) -> Self {
        Self::Shared(system)
    }
}

impl From<Arc<dyn System>> for Handle<'_> {
    fn from(system: Arc<dyn System>) -> Self {
        Self::Shared(system)
    }
}

impl std::fmt::Debug for Handle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}
