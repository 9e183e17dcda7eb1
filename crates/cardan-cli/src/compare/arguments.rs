//! The options of `cardan compare`.

use std::path::PathBuf;

use cardan::methods::MethodChoice;
use cardan::stage::Formulation;
use cardan_lab::examples::parse_setting;

use crate::model;
use crate::overwrite_option::OverwriteOption;

/// The methods that are compared by default.
const DEFAULT_METHODS: &str = "generalized-alpha,lms2,lms3,lms4,bathe,msstc4,esdirk325,esdirk436";
#[derive(clap::Args)]
pub struct Arguments {
    /// The model file (TOML), or the name of an example (`cardan new` lists them).
    pub model: PathBuf,
    /// Set a parameter of the model to a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// The form of all beam elements, galerkin or finite-volume, instead of that in the model file.
    #[arg(long, value_name = "FORM")]
    pub beams: Option<model::Form>,
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "METHOD,…", default_value = DEFAULT_METHODS)]
    pub methods: Vec<MethodChoice>,
    /// The step sizes in s; by default four, two, one and half times that of the model.
    #[arg(long, num_args = 1.., value_delimiter = ',', conflicts_with = "substeps", value_name = "H,…")]
    pub steps: Vec<f64>,
    /// Step sizes divided by the number of stages, so that all methods do the same work.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "H/N,…")]
    pub substeps: Vec<f64>,
    /// One or several values of the parameter rho, for methods that have it and for which none is given.
    #[arg(long, num_args = 1.., value_delimiter = ',', allow_negative_numbers = true)]
    pub rho: Vec<f64>,
    /// One or several constraint formulations: position, stabilized, acceleration. By default that of the model, or
    /// else that of the method.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "position,…")]
    pub constraints: Vec<Formulation>,
    /// The end time in s; that of the model by default.
    #[arg(long, allow_negative_numbers = true)]
    pub end: Option<f64>,
    /// Compare from this time in s on, after the initial transient.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Channels to compare instead of all positions, velocities, accelerations and reactions.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "CHANNEL,…")]
    pub channels: Vec<String>,
    /// The reference: METHOD@STEP, or a folder or file of results; by default a fine run of esdirk436 with the
    /// acceleration formulation.
    #[arg(long, value_name = "METHOD@STEP|FILE")]
    pub reference: Option<String>,
    /// The folder for data and pictures; compare/NAME by default. Cases that the same program has stored there are
    /// not computed again.
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: OverwriteOption,
    /// The number of runs at once; the number of processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}
