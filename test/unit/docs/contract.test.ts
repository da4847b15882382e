import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { anchorOf, headingsIn, linksIn, proseOf } from '#test/support/docs/markdown.ts';

/** The pages of `docs/contract` are whole, agree with the tables, and hold every section that the sources cite. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(project, 'docs/contract');
const read = (path: string): string => readFileSync(path, 'utf8');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

const prose = (name: string): string => proseOf(read(join(folder, name)));

const sectionsOf = (page: string): ReadonlySet<string> => new Set(headingsIn(prose(page)).flatMap(({ number }) => number ?? []));

/** `contract/portals.md §3, §4.2`: the page, and its sections. `docs/contract/portals.md` is a file, and needs none. */
const citation = /(docs\/)?contract\/([\w-]+\.md)((?:,? §\d+(?:\.\d+)*)*)/g;

interface Citation {
  readonly where: string;
  readonly page: string;
  readonly sections: readonly string[];
  /** Names the page as a file. */
  readonly isFile: boolean;
}

function citationsIn(text: string, where: string): Citation[] {
  // A comment's line may end in the middle of a citation.
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ');
  return [...joined.matchAll(citation)].map(([, prefix, page, rest]) => ({
    where,
    page: page!,
    sections: [...rest!.matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, number]) => number!),
    isFile: prefix !== undefined,
  }));
}

/** What is wrong with a citation, as a sentence; null where nothing is. */
function faultOf({ where, page, sections, isFile }: Citation): string | null {
  if (!pages.includes(page)) return `${where} cites contract/${page}, and there is no such page in docs/contract.`;
  if (sections.length === 0 && !isFile) return `${where} cites contract/${page} without a section: write contract/${page} §1.`;
  const missing = sections.find((section) => !sectionsOf(page).has(section));
  return missing === undefined ? null : `${where} cites contract/${page} §${missing}, and that page has no heading with this number.`;
}

const rooms = readdirSync(project, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !['node_modules', 'docs', 'dist'].includes(entry.name))
  .map(({ name }) => name);

const sources = rooms.flatMap((room) =>
  readdirSync(join(project, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|tsx|css|py|sh)$/.test(name) && !/(?:^|[\\/])(?:dist|node_modules)[\\/]/.test(name))
    .map((name) => join(project, room, name))
    .filter((path) => path !== fileURLToPath(import.meta.url)),
);

describe('citations of the contract', () => {
  it('lead to sections that are there', () => {
    const faults = sources.flatMap((path) => citationsIn(read(path), relative(project, path)).flatMap((found) => faultOf(found) ?? []));
    expect(faults).toEqual([]);
  });

  it('are of these pages, and of no document that readers do not have', () => {
    const old = /\b[Ii]nterface,? (?:§|opening)|\b[Dd]ecisions,? (?:"|Accounts)|\(decisions\)|; decisions\b|\band decisions\b/;
    const faults = sources.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (old.test(line) ? `${relative(project, path)}:${index + 1}: ${line.trim()}` : [])),
    );
    expect(faults).toEqual([]);
  });

  it('are found across lines and with several sections, and told apart from what is none', () => {
    const text = '/**\n * Packages (contract/packages.md §2,\n * §4.1) and zips: contract/zips.md\n * §1. See docs/contract/links.md.\n */';
    expect(citationsIn(text, 'a.ts')).toEqual([
      { where: 'a.ts', page: 'packages.md', sections: ['2', '4.1'], isFile: false },
      { where: 'a.ts', page: 'zips.md', sections: ['1'], isFile: false },
      { where: 'a.ts', page: 'links.md', sections: [], isFile: true },
    ]);
    const cited = { where: 'a.ts', page: 'packages.md', sections: [], isFile: false };
    expect(faultOf(cited)).toMatch(/without a section/);
    expect(faultOf({ ...cited, isFile: true })).toBeNull();
    expect(faultOf({ ...cited, page: 'nowhere.md', isFile: true })).toMatch(/no such page/);
    expect(faultOf({ ...cited, sections: ['99'] })).toMatch(/§99, and that page has no heading/);
  });
});

describe.each(pages)('docs/contract/%s', (page) => {
  const text = prose(page);
  const headings = headingsIn(text);

  it('has one title, and numbers its sections in order', () => {
    expect(headings.filter(({ depth }) => depth === 1)).toHaveLength(1);
    expect(headings[0]?.depth).toBe(1);
    if (page === 'README.md') return;
    const expected: string[] = [];
    const counts = [0, 0, 0];
    for (const { depth } of headings.slice(1)) {
      const level = depth - 2;
      counts[level]! += 1;
      counts.fill(0, level + 1);
      expected.push(counts.slice(0, level + 1).join('.'));
    }
    expect(headings.slice(1).map(({ number, text: title }) => number ?? title)).toEqual(expected);
  });

  it('leads to pages and sections that are there', () => {
    for (const { target, anchor } of linksIn(text)) {
      const path = target === '' ? join(folder, page) : join(folder, target);
      expect(existsSync(path), `${page} leads to ${target}`).toBe(true);
      if (anchor)
        expect(
          headingsIn(read(path)).map((heading) => anchorOf(heading.text)),
          `${page} leads to ${target}`,
        ).toContain(anchor);
    }
  });

  it('names sections that are there', () => {
    // `[portals](portals.md) §5`, and `§5` alone for the page itself.
    const named = /(?:(?:\]\(|contract\/)([\w-]+\.md)\)? )?(§\d+(?:\.\d+)*(?:, §\d+(?:\.\d+)*)*)/g;
    for (const [, target = page, list] of text.matchAll(named)) {
      for (const [, number] of list!.matchAll(/§(\d+(?:\.\d+)*)/g)) {
        expect([...sectionsOf(target)], `${page} names §${number} of ${target}`).toContain(number);
      }
    }
  });

  it('gives each error the status that it has', () => {
    for (const [, status, name] of text.matchAll(/(?<![\d,])([45]\d\d) `([a-z_]+)`/g)) {
      expect(Object.keys(errorCatalogue), `${page}: ${status} ${name}`).toContain(name);
      expect(`${errorCatalogue[name as ErrorName].status} ${name}`, page).toBe(`${status} ${name}`);
    }
  });
});

it('every page stands in the index', () => {
  const listed = [...prose('README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(pages.filter((name) => name !== 'README.md').toSorted());
});

it('the table of limits is that of the code', () => {
  const units: Readonly<Record<string, number>> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const rows = [...prose('conventions.md').matchAll(/^\| `(\w+)` \| ([\d,]+) ?(\w*) \|/gm)];
  expect(rows.length).toBeGreaterThan(20);
  for (const [, name, number, unit] of rows) {
    expect(`${name} ${Number(number!.replaceAll(',', '')) * units[unit!]!}`).toBe(`${name} ${limits[name as keyof typeof limits]}`);
  }
});
