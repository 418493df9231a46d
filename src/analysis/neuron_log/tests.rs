//! Names and small timelines.

use super::*;

#[test]
fn operators_lose_the_number_of_the_instruction() {
    let check = |name: &str, want: &str| assert_eq!(operator_name(name), want, "{name}");
    check("aten__addmm_dot.36", "aten__addmm_dot");
    check("Sequential_1/Linear[0]/aten__addmm_dot.36", "aten__addmm_dot");
    check("%dot.36 = dot(%p4.35, %transpose.34)", "dot");
    check("%tanh.5", "tanh");
    check("fused_3", "fused_3");
    check("dot", "dot");
    check(".5", ".5");
}
