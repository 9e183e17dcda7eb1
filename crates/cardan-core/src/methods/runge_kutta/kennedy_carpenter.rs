//! L-stable members with an embedded error estimate (Kennedy and Carpenter 2016).

use super::formula::{FAMILY, RungeKutta};
use super::tableau::{EmbeddedFormula, Tableau};
use crate::methods::info::{MethodInfo, Stability};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "esdirk324",
        title: "ESDIRK3(2)4L[2]SA: order 3 in three stages",
        order: 3,
        typical_use: "short runs with strong filtering; it damps low frequencies too",
        build: |values| {
            let g = 0.435_866_521_508_458_999_42;
            let rows = [
                &[g, g][..],
                &[0.257_648_246_066_427_245_80, -0.093_514_767_574_886_245_216, g],
                &[
                    0.187_641_024_346_723_825_16,
                    -0.595_297_473_576_954_948_05,
                    0.971_789_927_721_772_123_47,
                    g,
                ],
            ];
            let embedded = [
                0.108_896_617_615_864_454_16,
                -0.915_325_811_870_712_753_48,
                1.271_273_597_302_152_167_8,
                0.535_155_596_952_696_131_48,
            ];
            Ok(RungeKutta::boxed(pair(&rows, &embedded, 2, 3.4), values))
        },
        ..L_STABLE
    },
    MethodInfo {
        name: "esdirk325",
        title: "ESDIRK3(2)5L[2]SA: order 3 in four stages",
        order: 3,
        typical_use: "high accuracy on smooth motions",
        build: |values| {
            let g = 0.225;
            let (three, four) = (0.271_599_025_766_973_192_99, 0.223_743_686_707_645_816_77);
            let five = 0.175_545_502_129_405_228_55;
            let rows = [
                &[g, g][..],
                &[three, three, g],
                &[four, four, -0.072_487_373_415_291_633_54, g],
                &[five, five, -0.346_858_200_026_006_224_29, 0.770_767_195_767_195_767_2, g],
            ];
            let first = 0.184_351_222_016_059_205_03;
            let embedded = [
                first,
                first,
                -0.278_208_184_050_986_968_48,
                0.696_862_012_543_323_681_13,
                0.212_643_727_475_544_877_3,
            ];
            Ok(RungeKutta::boxed(pair(&rows, &embedded, 2, 2.0), values))
        },
        ..L_STABLE
    },
    MethodInfo {
        name: "esdirk436",
        title: "ESDIRK4(3)6L[2]SA₂: order 4 in five stages",
        order: 4,
        typical_use: "the highest accuracy on smooth motions",
        build: |values| {
            let g = 31.0 / 125.0;
            let three = -360_286_518_617.0 / 7_014_585_480_527.0;
            let four = -506_388_693_497.0 / 5_937_754_990_171.0;
            let five = -7_628_305_438_933.0 / 11_061_539_393_788.0;
            let six = -12_917_657_251.0 / 5_222_094_901_039.0;
            let rows = [
                &[g, g][..],
                &[three, three, g],
                &[four, four, 7_149_918_333_491.0 / 13_390_931_526_268.0, g],
                &[
                    five,
                    five,
                    21_592_626_537_567.0 / 14_352_247_503_901.0,
                    11_630_056_083_252.0 / 17_263_101_053_231.0,
                    g,
                ],
                &[
                    six,
                    six,
                    5_602_338_284_630.0 / 15_643_096_342_197.0,
                    9_002_339_615_474.0 / 18_125_249_312_447.0,
                    -2_420_307_481_369.0 / 24_731_958_684_496.0,
                    g,
                ],
            ];
            let first = -1_007_911_106_287.0 / 12_117_826_057_527.0;
            let embedded = [
                first,
                first,
                17_694_008_993_113.0 / 35_931_961_998_873.0,
                5_816_803_040_497.0 / 11_256_217_655_929.0,
                -538_664_890_905.0 / 7_490_061_179_786.0,
                2_032_560_730_450.0 / 8_872_919_773_257.0,
            ];
            Ok(RungeKutta::boxed(pair(&rows, &embedded, 3, 28.0), values))
        },
        ..L_STABLE
    },
];

/// The fields that all members share.
const L_STABLE: MethodInfo = MethodInfo {
    stability: Stability::L,
    source: "Kennedy, Carpenter 2016; Zhang, Zhang, Zanoni, Masarati 2022",
    ..FAMILY
};

/// A pair with an embedded method of this order; its own is one more.
fn pair(rows: &[&[f64]], embedded: &[f64], order: u32, factor: f64) -> Tableau {
    let rows = rows.iter().map(|row| row.to_vec()).collect();
    let embedded = EmbeddedFormula { weights: embedded.to_vec(), order, factor };
    Tableau { embedded: Some(embedded), ..Tableau::new(rows, order + 1) }
}
