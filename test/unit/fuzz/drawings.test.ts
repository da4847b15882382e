import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImageRefused } from '#service/images/image-refused.ts';
import { checkSvg } from '#service/images/svg/check-svg.ts';
import { fuzz, fuzzTimeout } from '#test/support/faults/fuzz.ts';

/** What a browser would draw of an SVG, counted by following each reference, beside what the check of uploads lets through. */

/** How a part of a drawing says that a clip cuts it. `id` is the clip's, `to` the part's own. */
const declarations: readonly ((id: string, to: string) => { readonly has: string; readonly sheet?: string })[] = [
  (id) => ({ has: `clip-path="url(#${id})"` }),
  (id) => ({ has: `clip-path="URL( '#${id}' )"` }),
  (id) => ({ has: `style="fill:none;clip-path:url(#${id})"` }),
  (id) => ({ has: `style="/* ; */ clip-path : url(&quot;#${id}&quot;)"` }),
  (id) => ({ has: `style="--a:url(#${id});clip-path:var(--a)"` }),
  (id, to) => ({ has: `class="a ${to}"`, sheet: `.${to}{clip-path:url(#${id})}` }),
  (id, to) => ({ has: `class="${to}"`, sheet: `.b , .${to} {fill:red;clip-path:url("#${id}")}` }),
  (id, to) => ({ has: `class="${to}"`, sheet: `.b{font-family:"}.b{"}rect.${to}{clip-path:url(#${id})}` }),
  (id, to) => ({ has: `class="${to}"`, sheet: `.b{/*}.b{*/}.${to}{/*}.b{*/clip-path/**/:url(#${id})}` }),
  (id, to) => ({ has: `id="${to}"`, sheet: `#${to}{clip-path:url(#${id})}` }),
  (id, to) => ({ has: `class="${to}"`, sheet: `.b{fill:red;.b,.${to}{clip-path:url(#${id})}}.b{}` }),
];

interface Part {
  /** Which of the clips before its own cuts it; none where there is no such one. */
  readonly cut: number;
  readonly declared: number;
}

const form = fc.nat({ max: declarations.length - 1 });
// Few forms in one drawing, so that none is found by another's.
const drawing = fc.array(form, { minLength: 1, maxLength: 2 }).chain((forms) => {
  const part = fc.record({ cut: fc.integer({ min: -1, max: 8 }), declared: fc.constantFrom(...forms) });
  return fc.array(fc.array(part, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 8 });
});

function written(clips: readonly (readonly Part[])[]): string {
  const sheets: string[] = [];
  const shapes = clips.map((parts, clip) => {
    const rects = parts.map(({ cut, declared }, index) => {
      if (cut < 0 || cut >= clip) return '<rect/>';
      const { has, sheet = '' } = declarations[declared]!(`c${cut}`, `p${clip}-${index}`);
      sheets.push(sheet);
      return `<rect ${has}/>`;
    });
    return `<clipPath id="c${clip}">${rects.join('')}</clipPath>`;
  });
  const seen = `<rect clip-path="url(#c${clips.length - 1})"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>${sheets.join('')}</style>${shapes.join('')}${seen}</svg>`;
}

/** Elements that the last clip comes to, and how deep clips lie in it. */
function drawn(clips: readonly (readonly Part[])[]): { readonly elements: number; readonly depth: number } {
  const sizes: { elements: number; depth: number }[] = [];
  for (const [clip, parts] of clips.entries()) {
    const cuts = parts.flatMap(({ cut }) => (cut >= 0 && cut < clip ? [sizes[cut]!] : []));
    sizes.push({
      elements: cuts.reduce((sum, { elements }) => sum + elements, parts.length),
      depth: 1 + Math.max(0, ...cuts.map(({ depth }) => depth)),
    });
  }
  return sizes.at(-1)!;
}

test(
  'a drawing that is taken comes to no more elements than it may, and its clips lie no deeper, however that is declared',
  async () => {
    await fuzz(drawing, (clips) => {
      try {
        checkSvg(Buffer.from(written(clips)));
      } catch (error) {
        expect(error).toBeInstanceOf(ImageRefused);
        return;
      }
      const { elements, depth } = drawn(clips);
      expect(elements).toBeLessThanOrEqual(20_000);
      expect(depth).toBeLessThanOrEqual(4);
    });
  },
  fuzzTimeout,
);

test(
  'one whose few clips do not lie in one another is taken, however that is declared',
  async () => {
    const flat = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 20 });
    await fuzz(flat, (declared) => {
      const shapes = declared.map((one, index) => ({ ...declarations[one]!(`c${index % 3}`, `p${index}`) }));
      const clips = [0, 1, 2].map((clip) => `<clipPath id="c${clip}"><path d="M0 0H9"/></clipPath>`).join('');
      const sheet = shapes.map(({ sheet = '' }) => sheet).join('');
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>${sheet}</style>${clips}${shapes.map(({ has }) => `<rect ${has}/>`).join('')}</svg>`;
      // A variable is taken for one of all parts, also of the clips themselves.
      if (declared.includes(4)) return;
      expect(checkSvg(Buffer.from(svg)).type).toBe('image/svg+xml');
    });
  },
  fuzzTimeout,
);
