import { ImageRefused } from '../image-refused.ts';
import { type Element, textIn } from './markup.ts';
import { plainStyle } from './style.ts';

const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;
const numbersIn = (text: string): number[] => (text.match(number) ?? []).map(Number);

const sizes = ['viewBox', 'width', 'height', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'dx', 'dy', 'cx', 'cy', 'r', 'rx', 'ry', 'font-size'];
const outlines = ['d', 'points', 'pathLength', 'textLength'];
/** A pattern of dashes is no shorter than this part of the longest length in a drawing. */
const finest = 1 / 500;

/** A circle has so many, though it says none of them. */
const fewest = 3;

/** How many parts of a line an element has, at most: it is cut into dashes part by part. */
export const partsOf = (element: Element): number =>
  fewest + outlines.reduce((sum, name) => sum + numbersIn(element.attributes.get(name) ?? '').length, 0) + textIn(element).length;

/**
 * Refuses dashes that are so fine that a line may come to a million of them. By lengths in their own units, in which dashes
 * and lines grow alike. Errors: `ImageRefused`.
 *
 * @param elements all of the drawing
 */
export function checkDashes(elements: readonly Element[]): void {
  const styles = elements.flatMap((element) => {
    const style = plainStyle(element.attributes.get('style') ?? '');
    return element.name === 'style' ? [style, plainStyle(textIn(element))] : [style];
  });
  const declared = styles.flatMap((style) => [...style.matchAll(/stroke-dasharray\s*:([^;{}]*)/gi)].map((match) => match[1]!));
  const patterns = [...elements.flatMap(({ attributes }) => attributes.get('stroke-dasharray') ?? []), ...declared]
    .map((pattern) => pattern.replace(/!\s*important\s*$/i, '').trim())
    .filter((pattern) => !/^(?:none|inherit|initial|unset)?$/i.test(pattern));
  if (patterns.length === 0) return;
  // Where lines grow and their dashes do not, nothing is known of them.
  const isFixed = (text: string): boolean => /vector-effect/i.test(text);
  if (styles.some(isFixed) || elements.some(({ attributes }) => attributes.has('vector-effect'))) throw tooFine();
  let longest = 0;
  const measure = (text: string): void => {
    for (const length of numbersIn(text)) longest = Math.max(longest, Math.abs(length));
  };
  for (const { attributes } of elements) {
    // With a box of its own, what it is shown at says nothing of what is in it.
    const isShownAt = (name: string): boolean => attributes.has('viewBox') && (name === 'width' || name === 'height');
    for (const name of [...sizes, ...outlines]) if (!isShownAt(name)) measure(attributes.get(name) ?? '');
  }
  for (const style of styles) measure(style);
  for (const pattern of patterns) {
    // Of other units it is not known how long they are.
    const isPlain = /^[\d\s.,+e-]*$/i.test(pattern.replaceAll(/px\b/gi, ''));
    const length = numbersIn(pattern).reduce((sum, one) => sum + one, 0);
    if (!isPlain || (length !== 0 && length < longest * finest)) throw tooFine();
  }
}

const tooFine = (): ImageRefused => new ImageRefused('has dashes that are too fine for its size');
