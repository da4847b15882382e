import { isUtf8 } from 'node:buffer';
import { limits } from '#protocol/limits.ts';
import { type CheckedImage, ImageRefused } from '../image-refused.ts';
import { droppedElements, keptAttributes, keptElements } from './kept.ts';
import { type Element, readMarkup, writeMarkup } from './markup.ts';
import { plainStyle } from './style.ts';
import { checkUses } from './uses.ts';

const namespace = 'http://www.w3.org/2000/svg';

/**
 * Makes an SVG anew of shapes, texts, gradients, clips and masks alone. What can run, move, load or link is refused
 * where a drawing would look different without it; notes of drawing programs are left out. Errors: `ImageRefused`.
 */
export function checkSvg(bytes: Buffer): CheckedImage {
  if (bytes.length > limits.svgBytes) throw new ImageRefused(`is an SVG of more than ${limits.svgBytes / 1024} KiB`);
  if (!isUtf8(bytes)) throw new ImageRefused('is an SVG that is not written in UTF-8');
  const root = readMarkup(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (root.name !== 'svg') throw new ImageRefused('is neither PNG, JPEG, WebP nor SVG, whatever its name says');
  const clean = cleanElement(root);
  checkUses(clean);
  const drawn = { ...clean, attributes: new Map([['xmlns', namespace], ...clean.attributes]) };
  return { type: 'image/svg+xml', ...sizeOf(clean), bytes: Buffer.from(writeMarkup(drawn)) };
}

function cleanElement({ name, attributes, children }: Element): Element {
  const cleaned = children.flatMap((child): (Element | string)[] => {
    // Space between shapes shows nothing.
    if (typeof child === 'string') return ['text', 'tspan', 'style'].includes(name) ? [child] : [];
    if (droppedElements.has(child.name) || child.name.includes(':')) return [];
    if (!keptElements.has(child.name)) throw new ImageRefused(`has an element that is not taken in an SVG: ${child.name.slice(0, 40)}`);
    return [cleanElement(child)];
  });
  if (name === 'style') {
    if (cleaned.some((child) => typeof child !== 'string')) throw new ImageRefused('has elements within its style');
    checkStyle(cleaned.join(''));
    checkDrawnStyle(cleaned.join(''));
  }
  return { name, attributes: cleanAttributes(attributes), children: cleaned };
}

function cleanAttributes(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const cleaned = new Map<string, string>();
  for (const [key, value] of attributes) {
    if (/^on/i.test(key)) throw new ImageRefused(`has a script in it (${key.slice(0, 40)})`);
    if (key === 'href' || key === 'xlink:href') {
      if (!/^#[\w.-]+$/.test(value)) throw new ImageRefused('refers to something outside of itself');
      cleaned.set('href', value);
    } else if (keptAttributes.has(key)) {
      checkStyle(value);
      if (key === 'style') checkDrawnStyle(value);
      cleaned.set(key, value);
    }
  }
  return cleaned;
}

/** Styles may refer to parts of the drawing, and to nothing else. Without rules (`@`) and escapes, nothing can hide in them. */
function checkStyle(style: string): void {
  const others = style.replaceAll(/url\(\s*(["']?)#[\w.-]+\1\s*\)/gi, '');
  if (/[@\\]|url\(|image\(|image-set\(|src\(|cross-fade\(|element\(|expression\(/i.test(others)) {
    throw new ImageRefused('has a style that refers to something outside of itself');
  }
}

/** As elements they are not taken either: a blur of a blur of the whole takes longer than anybody waits. */
function checkDrawnStyle(style: string): void {
  if (/filter\s*:(?!\s*none\s*(?:;|\}|$))/i.test(plainStyle(style))) throw new ImageRefused('has a filter in its style');
  // The outline of a shape is an attribute of it, where it can be measured.
  if (/\b(?:path|shape)\(/i.test(style)) throw new ImageRefused('has a path in its style');
}

/** The size in pixels, as far as the drawing says one; it can be shown at any. */
function sizeOf({ attributes }: Element): { readonly width: number; readonly height: number } {
  const box = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const lengthOf = (name: 'width' | 'height'): number => {
    const own = /^\s*([\d.]+)\s*(?:px)?\s*$/.exec(attributes.get(name) ?? '')?.[1];
    const length = Number(own ?? (name === 'width' ? box[2] : box[3]));
    return length > 0 ? Math.min(limits.imageSide, Math.max(1, Math.round(length))) : name === 'width' ? 300 : 150;
  };
  return { width: lengthOf('width'), height: lengthOf('height') };
}
