//! A step allocates nothing once the pivots are chosen: counted by the allocator itself.

use std::alloc::{GlobalAlloc, Layout, System as Default};
use std::cell::Cell;

use cardan::exam::problems;
use cardan::methods::{self, Permission};
use cardan::system::System;
use cardan::{Formulation, Settings, Simulation};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    ALLOCATIONS.with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system allocator.
#[expect(unsafe_code, reason = "an allocator can only be counted by being one")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Default.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Default.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { Default.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_allocate_nothing() {
    // the allocator does count
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert_eq!(ALLOCATIONS.get(), before + 1);

    for problem in
        problems::all().iter().chain([&problems::OffsetTop::problem(), &problems::andrews()])
    {
        let system: &dyn System = problem.system.as_ref();
        // Andrews lives on milliseconds
        let h = if problem.name == "andrews" { 1e-5 } else { 1e-2 };
        for info in methods::all() {
            for constraints in Formulation::ALL {
                if info.permission(constraints) != Permission::Allowed {
                    continue;
                }
                let settings = Settings::new(info.name, h).constraints(constraints);
                let mut run = Simulation::new(system, &settings, &problem.initial).unwrap();
                (0..5).for_each(|_| run.step().unwrap());
                let before = ALLOCATIONS.get();
                (0..50).for_each(|_| run.step().unwrap());
                let allocations = ALLOCATIONS.get() - before;
                assert_eq!(allocations, 0, "{} {} {constraints}", problem.name, info.name);
            }
        }
    }
}
