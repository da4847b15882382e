import { ImageRefused } from '../image-refused.ts';
import { checkDashes, partsOf } from './dashes.ts';
import { declarationsIn } from './declarations.ts';
import type { Element } from './markup.ts';

/** Elements that a drawing may come to once its copies, clips and masks are drawn. */
const maxDrawn = 20_000;
/** As many as these take as long as a mask, whose layer is as large as the picture, and as each part of a line that is dashed. */
const weights = { mask: 50, dashed: 15 } as const;
/** Clips that are cut by clips themselves, one in another. */
const maxClipDepth = 4;
/** What is drawn again for everything that refers to it. */
const redrawn: ReadonlySet<string> = new Set(['mask', 'clipPath', 'symbol']);

const elementsIn = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');
const all = (element: Element): Element[] => [element, ...elementsIn(element).flatMap(all)];

const tooLarge = (): ImageRefused => new ImageRefused('grows too large when it is drawn');

interface Size {
  readonly drawn: number;
  /** How deep clips lie in it, one in another. */
  readonly depth: number;
}

/**
 * Refuses drawings that grow when they are drawn, since they would hold up everybody who looks at them: copies of copies, masks
 * within masks, clips within many clips, and large parts that are copied or cut with often, fine dashes. Errors: `ImageRefused`.
 */
export function checkUses(root: Element): void {
  const elements = all(root);
  const byId = new Map(elements.map((element) => [element.attributes.get('id') ?? '', element]));
  const declared = declarationsIn(elements, (id) => {
    const target = byId.get(id);
    return target?.name === 'mask' || target?.name === 'clipPath' ? target : undefined;
  });
  const copiedBy = (element: Element): Element[] => {
    const target = element.name === 'use' ? byId.get(element.attributes.get('href')?.slice(1) ?? '') : undefined;
    return target ? all(target) : [];
  };
  const withCopies = (element: Element): Element[] => all(element).flatMap((inner) => [inner, ...copiedBy(inner)]);

  let copies = 0;
  for (const element of elements) {
    const copied = copiedBy(element);
    if (copied.some(({ name }) => name === 'use')) throw new ImageRefused('has copies of copies');
    copies += copied.length;
    if (copies > maxDrawn) throw tooLarge();
  }
  for (const element of elements) {
    if (!redrawn.has(element.name)) continue;
    const hasMask = withCopies(element).some((inner) => [...declared(inner).cuts].some(({ name }) => name === 'mask'));
    if (hasMask) throw new ImageRefused('has masks within masks');
  }

  checkDashes(elements);
  const lines = new Map<Element, number>();
  const lineParts = (element: Element): number => {
    const parts = lines.get(element) ?? partsOf(element);
    lines.set(element, parts);
    return parts;
  };
  const sizes = new Map<Element, Size | 'asked'>();
  const sizeOf = (element: Element): Size => {
    const known = sizes.get(element);
    if (known === 'asked') throw new ImageRefused('has a clip that is cut by itself');
    if (known) return known;
    sizes.set(element, 'asked');
    let drawn = 0;
    let depth = 0;
    for (const part of withCopies(element)) {
      drawn += 1;
      const { cuts, isDashed } = declared(part);
      if (isDashed) drawn += weights.dashed * withCopies(part).reduce((sum, inner) => sum + lineParts(inner), 0);
      for (const cut of cuts) {
        const size = sizeOf(cut);
        drawn += size.drawn + (cut.name === 'mask' ? weights.mask : 0);
        depth = Math.max(depth, size.depth + (cut.name === 'mask' ? 0 : 1));
      }
    }
    if (depth > maxClipDepth) throw new ImageRefused('has clips within clips');
    if (drawn > maxDrawn) throw tooLarge();
    const size = { drawn, depth };
    sizes.set(element, size);
    return size;
  };
  sizeOf(root);
}
