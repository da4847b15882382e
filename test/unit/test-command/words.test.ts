import { describe, expect, it } from 'vitest';
import { declaredNames, environmentLeft, pageNames, refusalOf, refusalOfClass } from '#test/words.ts';

const names = (source: string): string[] => declaredNames('x.tsx', source).map(({ name }) => name);

describe('the words of names', () => {
  it('are looked for in every part of a name', () => {
    expect(refusalOf('createDownloadGatherer')).toMatchObject({ word: 'gatherer', better: 'batcher' });
    expect(refusalOf('LANE_COUNT')?.word).toBe('lane');
    expect(refusalOf('keep-turnstile')?.word).toBe('turnstile');
    expect(refusalOf('planet')).toBeNull();
  });

  it('say nothing alone that they may say within a longer name', () => {
    expect(refusalOf('place')?.word).toBe('place');
    expect(refusalOf('placeholder')).toBeNull();
    expect(refusalOf('howMany')).toBeNull();
  });

  it('may be those of a local variable, which nobody looks for', () => {
    const source =
      'const place = 1; function f(held: number) { const many = () => { const early = 1; }; } class C { constructor(public later: number) {} }';
    const refused = declaredNames('x.ts', source).filter(({ name, local }) => refusalOf(name, local));
    expect(refused.map(({ name }) => name)).toEqual(['place', 'later']);
    expect(refusalOf('laneFor', true)?.word).toBe('lane');
  });

  it('are narrower in engine and storage, for local variables too', () => {
    expect(refusalOf('keptBuffers', true, 'storage/local/data-plane.ts')?.word).toBe('kept');
    expect(refusalOf('lookAgain', false, 'engine/transfer/outage.ts')?.word).toBe('again');
    expect(refusalOf('keptBuffers', true, 'service/storage/open.ts')).toBeNull();
    expect(refusalOf('against', true, 'engine/transfer/outage.ts')).toBeNull();
  });

  it('are those that a file declares, not those that it takes from elsewhere', () => {
    expect(
      names(`
        import { shelf } from 'elsewhere';
        import type { Door } from 'elsewhere';
        export const { a, b: [c = shelf.lane, ...d], ...e } = shelf;
        function f<T>(g: T, { h }: { i: Door }, ...j: T[]): void {}
        class K { #l = 1; constructor(public m: number) {} get n() { return this.#l; } 'not-a-name' = 1; [o] = 2; }
        interface P { q: { r(): void }; 'wire-name': string }
        type S = P | T;
      `).toSorted(),
    ).toEqual(['K', 'P', 'S', 'a', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'l', 'm', 'n', 'q', 'r', 'constructor'].toSorted());
  });

  it('are those of classes and ids too', () => {
    const css = '.place-count > .tool:hover, a.b { margin: .5rem; color: #abc.x }\n@media (width > 1.5rem) { .c { } }';
    expect(pageNames('x.css', css).map(({ name }) => name)).toEqual(['place-count', 'tool', 'b', 'c']);
    expect(pageNames('x.tsx', '<p id="ways-title" className="x">').map(({ name }) => name)).toEqual(['ways-title']);
    expect(refusalOfClass('place-count')?.word).toBe('place');
    expect(refusalOfClass('ways-title')?.word).toBe('ways');
    expect(refusalOfClass('menu-group')).toBeNull();
  });
});

describe('a test file', () => {
  it('takes back what it has set of the environment, as the files that follow have its process', () => {
    // So that this file has none of it.
    const whole = (source: string): string => source.replaceAll('ENV', 'process.env').replaceAll('STUB', 'vi.stubEnv');
    const at = (source: string, file = 'test/unit/x.test.ts'): number => environmentLeft(file, whole(source));
    expect(at("const { HOME } = ENV; if (ENV['A'] === '1') run();")).toBe(-1);
    for (const left of ["ENV['A'] = '1'", 'ENV.A ??= home', 'delete ENV[name]', 'Object.assign(ENV, env)'])
      expect(at(`run(); ${left};`), left).toBe(7);
    expect(at("STUB('A', '1');")).toBe(0);
    expect(at("STUB('A', '1'); afterAll(() => void vi.unstubAllEnvs());")).toBe(-1);
    expect(at("ENV['A'] = '1'", 'test/support/x.ts')).toBe(-1);
  });
});
