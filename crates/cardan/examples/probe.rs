//! probe
use cardan::exam::*;
use cardan::{Settings, Formulation};
use cardan::methods;
fn main() {
    let hs: Vec<f64> = [40.,80.,160.,320.,640.,1280.].iter().map(|n| 1.0/n).collect();
    for p in problems::all().iter().chain(&[problems::OffsetTop::problem()]) {
        for info in methods::all() {
            for f in Formulation::ALL {
                if p.system.holonomic()==0 && f != Formulation::Position { continue; }
                let s = Settings::new(info.name, 1.0).constraints(f);
                match grade(p, &s, info, || info.build(&[]).unwrap(), &hs) {
                    Ok(g) => println!("{:24} {:18} {:12} ord {:5.2} {:5.2} {:5.2} {:5.2} | {:5.2} {:5.2}  err {:.1e} {:.1e} {:.1e} {:.1e}|{:.1e} {:.1e} pos {:.0e} vel {:.0e} E {:.0e} sol {:.1?}",
                        p.name, info.name, f.name(), g.orders.q,g.orders.v,g.orders.a,g.orders.multipliers,g.orders.consistent_a,g.orders.consistent_multipliers,
                        g.errors.q,g.errors.v,g.errors.a,g.errors.multipliers,g.errors.consistent_a,g.errors.consistent_multipliers,g.position_residual,g.velocity_residual,g.energy_error,g.solves_per_step),
                    Err(e) => println!("{:24} {:18} {:12} {e}", p.name, info.name, f.name()),
                }
            }
        }
    }
}
