//! probe
use cardan::exam::problems;
use cardan::{Settings, Simulation};
fn main() {
    let p = problems::andrews();
    for n in [4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000] {
        let h = 0.03 / n as f64;
        let mut s = Simulation::new(p.system.as_ref() as &dyn cardan::System, &Settings::new("generalized-alpha", h).rho(0.8), &p.initial).unwrap();
        println!("start {:?} betadd {}", s.start_report(), s.now().a[2]);
        let e0 = s.energy().unwrap().unwrap();
        let now = std::time::Instant::now();
        s.run_until(0.03).unwrap();
        let el = now.elapsed().as_secs_f64();
        let (r, e) = (s.residuals().unwrap(), s.energy().unwrap().unwrap()-e0);
        println!("n {n} t {} beta err {:.3e} phi {:?} E {:.2e} effort {:?} us/step {:.2}", s.now().t, s.now().q[2]-15.810771195153707097, r, e, s.effort(), el/n as f64*1e6);
    }
}
