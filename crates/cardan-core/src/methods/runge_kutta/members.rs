//! The list of members.

use super::{high_order, kennedy_carpenter, trapezoids};
use crate::methods::info::MethodInfo;

/// The members, one table for each origin.
pub(in crate::methods) const MEMBERS: [&[MethodInfo]; 3] =
    [trapezoids::MEMBERS, high_order::MEMBERS, kennedy_carpenter::MEMBERS];
