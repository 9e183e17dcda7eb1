//! A system that is borrowed or shared: a simulation accepts both.

use std::sync::Arc;

use super::System;

/// A reference to a system.
#[derive(Clone)]
pub enum SystemHandle<'s> {
    /// Borrowed from the caller.
    Borrowed(&'s dyn System),
    /// Shared; the simulation then has no borrowed data.
    Shared(Arc<dyn System>),
}

impl SystemHandle<'_> {
    /// The system.
    pub fn get(&self) -> &dyn System {
        match self {
            Self::Borrowed(system) => *system,
            Self::Shared(system) => system.as_ref(),
        }
    }
}

impl<'s, S: System> From<&'s S> for SystemHandle<'s> {
    fn from(system: &'s S) -> Self {
        Self::Borrowed(system)
    }
}

impl<'s> From<&'s dyn System> for SystemHandle<'s> {
    fn from(system: &'s dyn System) -> Self {
        Self::Borrowed(system)
    }
}

impl<S: System + 'static> From<Arc<S>> for SystemHandle<'_> {
    fn from(system: Arc<S>) -> Self {
        Self::Shared(system)
    }
}

impl From<Arc<dyn System>> for SystemHandle<'_> {
    fn from(system: Arc<dyn System>) -> Self {
        Self::Shared(system)
    }
}

impl std::fmt::Debug for SystemHandle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}
