/** The linear light of an sRGB channel (0 to 255), as WCAG 2 defines it. */
function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** The luminance of `#rrggbb`, from 0 (black) to 1 (white). */
export function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => channel(Number.parseInt(colour.slice(at, at + 2), 16)));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Black or white, whichever has the better contrast on a colour. One of them always has 4.5 or more. */
export function inkOn(colour: string): '#000000' | '#ffffff' {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff';
}
