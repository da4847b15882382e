/** Multiplies in the field of 256 elements that QR codes use (x⁸ + x⁴ + x³ + x² + 1). */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> bit) & 1) * a);
  return product;
}

/** The product of (x - 2⁰), (x - 2¹) and so on, highest power first, without its leading 1. */
function divisorOf(degree: number): number[] {
  const divisor = Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at]!, root) ^ (divisor[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return divisor;
}

/** The codewords by which a reader finds and mends damage (Reed-Solomon). */
export function errorCorrection(data: readonly number[], count: number): number[] {
  const divisor = divisorOf(count);
  const rest = Array<number>(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    for (const [at, one] of divisor.entries()) rest[at]! ^= multiply(one, factor);
  }
  return rest;
}
