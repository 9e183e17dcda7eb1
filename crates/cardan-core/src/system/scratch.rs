//! Storage for results that a system computes once per configuration: created by the system, owned by the evaluator.

use std::any::Any;
use std::cell::{RefCell, RefMut};

/// Results that a system keeps between the evaluations of one instant, for example the positions of its
/// bodies. Optional.
pub struct Scratch(RefCell<Box<dyn Any + Send>>);

impl Scratch {
    /// Wraps the storage that a system created.
    pub fn new(content: Box<dyn Any + Send>) -> Self {
        Self(RefCell::new(content))
    }

    /// The content, if it is of this type and not borrowed already.
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
