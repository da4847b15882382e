import { ImageRefused } from '../image-refused.ts';
import type { Element } from './markup.ts';

/** Elements that a drawing may come to once its copies are drawn. */
const maxDrawn = 20_000;
/** What is drawn again for everything that refers to it. */
const redrawn: ReadonlySet<string> = new Set(['mask', 'clipPath', 'symbol']);

const elementsIn = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');
const all = (element: Element): Element[] => [element, ...elementsIn(element).flatMap(all)];

/**
 * Refuses drawings that grow when they are drawn: copies of copies, masks within masks, and large parts that are
 * copied often. Errors: `ImageRefused`.
 */
export function checkUses(root: Element): void {
  const elements = all(root);
  const byId = new Map(elements.map((element) => [element.attributes.get('id') ?? '', element]));
  let drawn = elements.length;
  for (const element of elements) {
    if (redrawn.has(element.name) && all(element).some((inner) => inner !== element && inner.attributes.has('mask'))) {
      throw new ImageRefused('has masks within masks');
    }
    if (element.name !== 'use') continue;
    const target = byId.get(element.attributes.get('href')?.slice(1) ?? '');
    const copied = target ? all(target) : [];
    if (copied.some(({ name }) => name === 'use')) throw new ImageRefused('has copies of copies');
    drawn += copied.length;
    if (drawn > maxDrawn) throw new ImageRefused('grows too large when it is drawn');
  }
}
