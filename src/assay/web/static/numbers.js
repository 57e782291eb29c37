// The rule of writing numbers of core/formatting.py, for what the browser writes itself: tooltips, ticks, the margin.
"use strict";

globalThis.numbers = (() => {
  const LARGE = 1e6, SMALL = 1e-4, MINUS = "\u2212";
  const minus = (text) => text.replace(/^-/, MINUS);
  const raised = (power) => String(power).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const grouped = (value, places) => value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  const plain = (size) => SMALL <= size && size < LARGE;
  const power = (value) => Number(value.toExponential(14).split("e")[1]);

  // so many significant digits, without needless zeros; whole digits are kept
  const significant = (value, digits = 4) => {
    if (value === null || value === undefined) return "";
    if (Number.isNaN(value)) return "undefined";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
    if (value === 0) return "0";
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e"), seen = Number(`${mantissa}e${exponent}`);
    if (!plain(Math.abs(seen))) return minus(`${trimmed(mantissa)}×10${raised(Number(exponent))}`);
    return minus(trimmed(grouped(value, Math.max(digits - 1 - power(seen), 0))));
  };

  // ticks of one axis: the decimals of their step, and one power of ten
  const tick = (value, step, largest) => {
    const of = largest === 0 || plain(largest) ? 0 : power(largest), unit = 10 ** of;
    const places = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)));
    if (of) return value === 0 ? "0" : minus(`${grouped(value / unit, places)}×10${raised(of)}`);
    return minus(grouped(value, places)).replace(new RegExp(`^${MINUS}(0(\\.0*)?)$`), "$1");
  };

  // what somebody typed, in all its digits; longer ones were worked out
  const given = (value) => significant(value, value.toExponential(11).split("e")[0].replace(/[-.]/g, "").replace(/0+$/, "").length <= 8 ? 12 : 6);
  return { significant, given, tick };
})();
