//! The programs of the documentation, compiled and run as tests.

#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/mechanisms.md")]
    struct BuildingAMechanism;
    #[doc = include_str!("../../docs/system.md")]
    struct WritingASystem;
    #[doc = include_str!("../../docs/elements.md")]
    struct ForcesOfYourOwn;
    #[doc = include_str!("../../docs/signals.md")]
    struct SignalsStatesAndInputs;
    #[doc = include_str!("../../docs/events.md")]
    struct EventsAndEquilibrium;
    #[doc = include_str!("../../docs/integrators.md")]
    struct MethodsOfYourOwn;
}
