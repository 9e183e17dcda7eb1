//! The example models of the study, with ends that keep it short.

use std::path::Path;

use crate::error::LabError;
use crate::examples;
use cardan::file::ModelFile;

/// A model and the length of the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccuracyModel {
    /// The name of the example.
    pub name: &'static str,
    /// The length of the motion, in seconds.
    pub length: f64,
}

/// A model of the study, or any other model file, to be run.
pub(crate) struct AccuracySubject {
    /// The name of the example, or the path of the file.
    pub name: String,
    /// The model, with changed parameters.
    pub file: ModelFile,
    /// The length of the motion, in seconds.
    pub length: f64,
}

impl AccuracySubject {
    /// An example of the study, or a model file with its own start and end.
    pub fn find(name: &str, set: &[(String, String)]) -> Result<Self, LabError> {
        let known = ACCURACY_MODELS.iter().find(|model| model.name == name);
        let path = Path::new(name);
        if known.is_none() && path.extension().is_none() {
            let known: Vec<&str> = ACCURACY_MODELS.iter().map(|model| model.name).collect();
            let known = known.join(", ");
            let reason =
                format!("`{name}` is not a model file and not in the study; its models: {known}");
            return Err(LabError::input(reason));
        }
        let file = examples::read(path, set)?;
        let length = known.map(|model| model.length).or_else(|| {
            let plan = &file.plan;
            plan.end.as_ref().map(|end| end.value - plan.start)
        });
        let Some(length) = length else {
            return Err(LabError::input(format!("`{name}` has no `end`")));
        };
        Ok(Self { name: name.into(), file, length })
    }
}

macro_rules! models {
    ($($name:literal $length:literal,)*) => {
        /// The models of the study. `membrane` is missing because of its size; its equations are those of `clamped_bar`.
        pub const ACCURACY_MODELS: &[AccuracyModel] =
            &[$(AccuracyModel { name: $name, length: $length }),*];
    };
}

models! {
    "pendulum" 2.0,
    "double_pendulum" 1.0,
    "slider_crank" 1.0,
    "four_bars" 2.0,
    "andrews" 0.03,
    "car_axis" 1.0,
    "pendulum_spatial" 2.0,
    "heavy_top" 0.5,
    "slider_crank_spatial" 2.0,
    "bricard" 2.0,
    "flyball" 2.0,
    "andrews_spatial" 0.03,
    "rolling_disc" 2.0,
    "sdof" 10.0,
    "oscillator" 100.0,
    "stiff_soft" 5.0,
    "spring_pendulum" 3.0,
    "truss_pendulum" 3.0,
    "forced_oscillator" 50.0,
    "rollup" 1.0,
    "bend_45" 0.2,
    "princeton" 0.1,
    "spin_up" 3.0,
    "right_angle_cantilever" 3.0,
    "flying_spaghetti" 2.0,
    "slider_crank_beam" 0.3,
    "flexible_four_bar" 1.0,
    "lateral_buckling" 0.2,
    "rotating_shaft" 0.2,
    "flexible_slider_crank" 0.02,
    "clamped_bar" 1e-4,
    "servo_arm" 2.0,
    "inverted_pendulum" 2.0,
    "quarter_car" 2.0,
    "hydraulic_cylinder" 1.0,
    "dc_motor" 1.0,
    "clutch" 2.0,
    "falling_drag" 2.0,
}
