//! Errors for names of parts of the wrong kind: the actual kind, and how to refer to it.

use super::{InputKey, Mechanism, ModelError, Owner, PartKind};

impl PartKind {
    fn article(self) -> &'static str {
        match self {
            Self::Body => "a body",
            Self::Flexible => "a flexible body",
            Self::Structure => "a structure",
            Self::Beam => "a beam",
            Self::Truss => "a truss",
            Self::Joint => "a joint",
            Self::Gear => "a gear",
            Self::Drive => "a drive",
            Self::Rolling => "a rolling disc",
            Self::Skate => "a skate",
            Self::Force => "a force",
            Self::Signal => "a signal",
            Self::State => "a state",
            Self::Input => "an input",
            Self::Event => "an event",
        }
    }

    /// The remedy where a body is expected.
    fn instead_of_body(self, name: &str) -> String {
        match self {
            Self::Beam => format!(
                "connect to it by a joint at one of its points: `{name}.start`, `{name}.end`"
            ),
            Self::Flexible => "connect to it by a joint at one of its points".into(),
            Self::Structure => "a structure has no points that bodies can be connected to".into(),
            Self::Joint | Self::Gear => "name one of the bodies it connects".into(),
            _ => "name a body, or `ground`".into(),
        }
    }
}

impl Mechanism {
    /// Every named part with its kind, in the order in which names are assigned.
    pub(super) fn parts(&self) -> impl Iterator<Item = (PartKind, &str)> {
        (self.bodies.iter().map(|x| (PartKind::Body, &x.name)))
            .chain(self.flexible.iter().map(|x| (PartKind::Flexible, &x.frame.name)))
            .chain(self.structures.iter().map(|x| (PartKind::Structure, &x.name)))
            .chain(self.beams.iter().map(|x| (PartKind::Beam, &x.name)))
            .chain(self.trusses.iter().map(|x| (PartKind::Truss, &x.name)))
            .chain(self.joints.iter().map(|x| (PartKind::Joint, &x.name)))
            .chain(self.custom_joints.iter().map(|x| (PartKind::Joint, &x.name)))
            .chain(self.gears.iter().map(|x| (PartKind::Gear, &x.name)))
            .chain(self.drives.iter().map(|x| (PartKind::Drive, &x.name)))
            .chain(self.rollings.iter().map(|x| (PartKind::Rolling, &x.name)))
            .chain(self.skates.iter().map(|x| (PartKind::Skate, &x.name)))
            .chain(self.forces.iter().map(|x| (PartKind::Force, &x.name)))
            .chain(self.signals.iter().map(|x| (PartKind::Signal, &x.name)))
            .chain(self.states.iter().map(|x| (PartKind::State, &x.name)))
            .chain(self.inputs.iter().map(|x| (PartKind::Input, &x.name)))
            .chain(self.events.iter().map(|x| (PartKind::Event, &x.name)))
            .map(|(kind, name)| (kind, name.as_str()))
    }

    fn kind_of(&self, name: &str) -> Option<PartKind> {
        // when nodes exist, the frame of a flexible body is also in the list of bodies
        self.parts().filter(|(_, part)| *part == name).map(|(kind, _)| kind).last()
    }

    /// The names of the points of a body, beam or flexible body, or of the ground.
    #[cfg(feature = "file")]
    pub(crate) fn points_of(&self, part: &str) -> Option<Vec<String>> {
        if part == "ground" {
            return Some(self.ground.iter().map(|(name, _)| name.clone()).collect());
        }
        if let Some(beam) = self.beams.iter().find(|x| x.name == part) {
            return Some(beam.station_names().map(String::from).collect());
        }
        if let Some(flexible) = self.flexible.iter().find(|x| x.frame.name == part) {
            return Some(flexible.modal.points.iter().map(|point| point.name.clone()).collect());
        }
        let body = self.bodies.iter().find(|x| x.name == part);
        body.map(|body| body.points.iter().map(|(name, _)| name.clone()).collect())
    }

    /// The error for a name that is not that of a body, joint or beam as required.
    pub(super) fn missing(
        &self,
        owner: &Owner,
        key: impl Into<InputKey>,
        what: &'static str,
        name: &str,
        nearest: Option<String>,
    ) -> ModelError {
        let Some(kind) = self.kind_of(name) else {
            return ModelError::missing(owner, key, what, name, nearest);
        };
        let remedy = match what {
            "body" => kind.instead_of_body(name),
            _ => format!("name a {what}"),
        };
        let reason = format!("`{name}` is {}, not a {what}: {remedy}", kind.article());
        ModelError::value(owner, reason).with_key(key)
    }
}
