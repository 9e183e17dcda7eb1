//! Room for what a system computes once per configuration: made by the system, owned by the evaluator.

use std::any::Any;
use std::cell::{RefCell, RefMut};

/// What a system keeps between the evaluations of one instant: where its bodies are, for instance. A
/// system that needs nothing of the kind never sees it.
pub struct Scratch(RefCell<Box<dyn Any + Send>>);

impl Scratch {
    /// Wraps what a system made.
    pub fn new(content: Box<dyn Any + Send>) -> Self {
        Self(RefCell::new(content))
    }

    /// The content, if it is of this type and nobody is using it.
    #[inline]
    pub fn get<T: 'static>(&self) -> Option<RefMut<'_, T>> {
        let content = self.0.try_borrow_mut().ok()?;
        RefMut::filter_map(content, |content| content.downcast_mut::<T>()).ok()
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scratch")
    }
}
