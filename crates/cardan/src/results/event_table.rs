//! The events of a run as comma-separated values.

use super::csv::quoted;
use super::summary::{EventEntry, JointImpulse};

/// The first line: time in s, energy in J, impulses in N·s and N·m·s.
pub(super) const HEADER: &str = "time,event,message,energy_change,joint_impulses,redundant\n";

/// The table of events.
pub(super) fn text(events: &[EventEntry]) -> String {
    let mut text = HEADER.to_string();
    for event in events {
        let energy = event.energy_change.map_or_else(String::new, |x| x.to_string());
        let impulses: Vec<String> = event.impulses.iter().map(impulse).collect();
        let cells = [
            event.time.to_string(),
            quoted(&event.name),
            quoted(&event.messages.join("; ")),
            energy,
            quoted(&impulses.join("; ")),
            quoted(&event.redundant.join("; ")),
        ];
        text += &(cells.join(",") + "\n");
    }
    text
}

fn impulse(of: &JointImpulse) -> String {
    let vector = |[x, y, z]: [f64; 3]| format!("[{x:e}, {y:e}, {z:e}]");
    format!("{}: force {}, moment {}", of.joint, vector(of.force), vector(of.moment))
}
