//! The compiled part of the Python package `cardan`: models, runs, simulations and tables. The words of the interface are in
//! Python (`python/cardan`), generated from the registries that this module hands out.

mod analysis;
mod callbacks;
mod compiled;
mod convert;
mod errors;
mod event_callback;
mod force_callback;
mod interrupt;
mod laboratory;
mod operating_point;
mod python_system;
mod run_output;
mod schema;
mod settings;
mod simulation;
mod study;
mod view;

/// The compiled part of the Python package `cardan`.
#[pyo3::pymodule]
mod _cardan {
    #[pymodule_export]
    use super::compiled::Compiled;
    #[pymodule_export]
    use super::event_callback::EventView;
    #[pymodule_export]
    use super::force_callback::ForceView;
    #[pymodule_export]
    use super::laboratory::{examples, methods, parse_toml, spectrum};
    #[pymodule_export]
    use super::python_system::system_simulation;
    #[pymodule_export]
    use super::run_output::{open_results, resume, write_table};
    #[pymodule_export]
    use super::schema::{nearest, schema};
    #[pymodule_export]
    use super::simulation::{Inputs, Simulation, State};
    #[pymodule_export]
    use super::study::{
        StudySession, study_answers, study_cases, study_svgs, study_table, study_words,
    };
    #[pymodule_export]
    use super::view::{PageSource, view_folder};
}
