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
    /// Set a parameter of the model, a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// The form of all beams, instead of the model's: galerkin or finite-volume.
    #[arg(long, value_name = "FORM")]
    pub beams: Option<model::Form>,
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "METHOD,…", default_value = DEFAULT_METHODS)]
    pub methods: Vec<MethodChoice>,
    /// The steps; by default four, two, one and half times the model's.
    #[arg(long, num_args = 1.., value_delimiter = ',', conflicts_with = "substeps", value_name = "H,…")]
    pub steps: Vec<f64>,
    /// Steps over the number of stages, so that all methods do the same work.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "H/N,…")]
    pub substeps: Vec<f64>,
    /// Dissipation of those that take it and do not say their own, one or several values.
    #[arg(long, num_args = 1.., value_delimiter = ',', allow_negative_numbers = true)]
    pub rho: Vec<f64>,
    /// Which constraints a step enforces, one or several; the model's by default, or the method's own.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "position,…")]
    pub constraints: Vec<Formulation>,
    /// The time at which the motion ends; the model's by default.
    #[arg(long, allow_negative_numbers = true)]
    pub end: Option<f64>,
    /// Compare from this time on, when the start is forgotten.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Channels to compare instead of all positions, velocities, accelerations and reactions.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "CHANNEL,…")]
    pub channels: Vec<String>,
    /// What to compare with: METHOD@STEP, or a folder or file of results; by default a fine run of
    /// esdirk436 with constraints on accelerations.
    #[arg(long, value_name = "METHOD@STEP|FILE")]
    pub reference: Option<String>,
    /// The folder of data and pictures; compare/NAME by default. What is there of the same study is
    /// not computed again.
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: OverwriteOption,
    /// How many runs at once; as many as there are processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}
