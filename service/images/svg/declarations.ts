import { type Element, textIn } from './markup.ts';
import { plainStyle, rulesOf } from './style.ts';

/** What is declared of an element that makes it dear to draw. */
export interface Declared {
  /** The masks and clips that it is cut by. */
  readonly cuts: ReadonlySet<Element>;
  /** Whether its lines are dashed, and with them those of what is within. */
  readonly isDashed: boolean;
}

const idsIn = (declarations: string): string[] => [...declarations.matchAll(/url\(#([\w.-]+)\)/gi)].map((match) => match[1]!);

/**
 * What may be declared of an element: by its attributes, its style, and the drawing's style sheets.
 *
 * @param elements all of the drawing
 * @param cutOf the mask or clip of an id
 */
export function declarationsIn(elements: readonly Element[], cutOf: (id: string) => Element | undefined): (element: Element) => Declared {
  const declaredBy = (declarations: string): Declared => ({
    cuts: new Set(idsIn(declarations).flatMap((id) => cutOf(id) ?? [])),
    isDashed: /stroke-dasharray(?!\s*:\s*none)/i.test(declarations),
  });
  const together = (all: readonly Declared[]): Declared => ({
    cuts: new Set(all.flatMap(({ cuts }) => [...cuts])),
    isDashed: all.some(({ isDashed }) => isDashed),
  });

  const byClass = new Map<string | null, Declared[]>();
  const rule = (classNames: Iterable<string | null>, declarations: string): void => {
    const declared = declaredBy(declarations);
    if (declared.cuts.size === 0 && !declared.isDashed) return;
    for (const className of classNames) {
      const others = byClass.get(className);
      if (others) others.push(declared);
      else byClass.set(className, [declared]);
    }
  };
  for (const element of elements) {
    const style = plainStyle(element.attributes.get('style') ?? '');
    // A variable is for what is within, too.
    if (style.includes('--')) rule([null], style);
    if (element.name !== 'style') continue;
    for (const [classNames, declarations] of rulesOf(plainStyle(textIn(element)))) rule(classNames, declarations);
  }
  const merged = new Map([...byClass].map(([className, all]) => [className, together(all)]));

  const known = new Map<Element, Declared>();
  return (element) => {
    const before = known.get(element);
    if (before) return before;
    const { attributes } = element;
    const own = ['clip-path', 'mask', 'stroke-dasharray'].map((name) => (attributes.has(name) ? `${name}:${attributes.get(name)}` : ''));
    const classes = new Set((attributes.get('class') ?? '').split(/\s+/));
    const ruled = [null, ...classes].flatMap((className) => merged.get(className) ?? []);
    const declared = together([declaredBy(plainStyle([...own, attributes.get('style') ?? ''].join(';'))), ...ruled]);
    known.set(element, declared);
    return declared;
  };
}
