//! The list of the kinds of elements, used by sums, energies, channels, inputs, limits and names. A new kind
//! needs its own file and one line here.

use super::{BeamElement, Bushing, CustomElement, Friction, Load, Spring};
use crate::model::element::Element;
use cardan_core::system::Failure;

/// An operation on every element of every kind.
pub(in crate::model) trait Visitor {
    fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $field:ident: $type:ty;)*) => {
        /// The elements of a model, one list per kind.
        #[derive(Clone, Debug, Default)]
        pub(in crate::model) struct Elements {
            $($(#[$doc])* pub $field: Vec<$type>,)*
        }

        /// The kinds of elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::model) enum ElementKind {
            $($(#[$doc])* $kind,)*
        }

        impl Elements {
            /// Visits all elements, kind by kind.
            #[inline]
            pub fn visit(&self, visitor: &mut impl Visitor) -> Result<(), Failure> {
                $(for element in &self.$field {
                    visitor.visit(element)?;
                })*
                Ok(())
            }

            /// Visits all elements that are not switched off, kind by kind.
            pub fn visit_without(
                &self,
                is_off: impl Fn(ElementKind, usize) -> bool,
                visitor: &mut impl Visitor,
            ) -> Result<(), Failure> {
                $(for (i, element) in self.$field.iter().enumerate() {
                    if !is_off(ElementKind::$kind, i) {
                        visitor.visit(element)?;
                    }
                })*
                Ok(())
            }

            /// The element with an index within its kind.
            pub fn get(&self, kind: ElementKind, index: usize) -> &dyn Element {
                match kind {
                    $(ElementKind::$kind => &self.$field[index],)*
                }
            }

            /// The number of elements of a kind.
            pub fn count(&self, kind: ElementKind) -> usize {
                match kind {
                    $(ElementKind::$kind => self.$field.len(),)*
                }
            }
        }
    };
}

kinds! {
    /// Beam elements with two nodes.
    Beam2 beams2: BeamElement<2, 1>;
    /// Beam elements with three nodes.
    Beam3 beams3: BeamElement<3, 2>;
    /// Springs, dampers and motors.
    Spring springs: Spring;
    /// Bushings.
    Bushing bushings: Bushing;
    /// Forces and torques as functions of time.
    Load loads: Load;
    /// Friction from the reactions of joints.
    Friction frictions: Friction;
    /// Custom elements.
    Custom customs: CustomElement;
}
