/** A text that is read from the Markdown of `docs/`, as far as these pages use it. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly parts: readonly Inline[] }
  /** Of pages that are not shown here only the words are kept: `href` is an address of the web. */
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly Inline[] };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] };
type Cell = readonly Inline[];

const codeMark = /^```(.*)$/;
const heading = /^(#{1,6}) (.+)$/;
const item = /^(?:([-*])|(\d+)\.) +/;
const isTable = (line: string | undefined): boolean => line?.startsWith('|') ?? false;
const startsBlock = (line: string): boolean => line === '' || codeMark.test(line) || heading.test(line) || item.test(line) || isTable(line);

/** Reads the blocks of a page. */
export function readMarkdown(text: string): Block[] {
  return blocksOf(text.replaceAll('\r\n', '\n').split('\n'));
}

/** The level of the highest heading. */
export const topLevelOf = (blocks: readonly Block[]): number =>
  Math.min(...blocks.flatMap((block) => (block.kind === 'heading' ? [block.level] : [])), 6);

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const [, language] = codeMark.exec(line) ?? [];
    const [, marks, title] = heading.exec(line) ?? [];
    if (line.trim() === '') at += 1;
    else if (language !== undefined) {
      const end = lines.indexOf('```', at + 1);
      const stop = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', language, text: lines.slice(at + 1, stop).join('\n') });
      at = stop + 1;
    } else if (marks !== undefined && title !== undefined) {
      blocks.push({ kind: 'heading', level: marks.length, parts: inlineOf(title) });
      at += 1;
    } else if (isTable(line)) {
      const stop = endOf(lines, at, (one) => !isTable(one));
      const [head, , ...rows] = lines.slice(at, stop).map(cellsOf);
      blocks.push({ kind: 'table', head: head ?? [], rows });
      at = stop;
    } else if (item.test(line)) {
      const ordered = /^\d/.test(line);
      const stop = endOfList(lines, at);
      blocks.push({ kind: 'list', ordered, items: itemsOf(lines.slice(at, stop)) });
      at = stop;
    } else {
      const stop = endOf(lines, at + 1, startsBlock);
      blocks.push({ kind: 'paragraph', parts: inlineOf(lines.slice(at, stop).join(' ')) });
      at = stop;
    }
  }
  return blocks;
}

function endOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index >= from && isEnd(line));
  return end === -1 ? lines.length : end;
}

/** A list goes on through its items, and through what is indented below them. */
function endOfList(lines: readonly string[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (item.test(line) || /^\s+\S/.test(line)) end = at + 1;
    else if (line.trim() !== '') break;
  }
  return end;
}

function itemsOf(lines: readonly string[]): Block[][] {
  const items: string[][] = [];
  for (const line of lines) {
    if (item.test(line)) items.push([line.replace(item, '')]);
    else items.at(-1)?.push(line.replace(/^ {1,3}/, ''));
  }
  return items.map(blocksOf);
}

/** The cells of a row; a bar within code is none of the table's. */
function cellsOf(row: string): Cell[] {
  const cells = row.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? [];
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|')).map(inlineOf);
}

const marked = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/;

export function inlineOf(text: string): Inline[] {
  const found = marked.exec(text);
  if (!found) return text === '' ? [] : [{ kind: 'text', text }];
  const [whole, code, strong, emphasis, label, href = ''] = found;
  const before = inlineOf(text.slice(0, found.index));
  const after = inlineOf(text.slice(found.index + whole.length));
  return [...before, ...part(), ...after];

  function part(): Inline[] {
    if (code !== undefined) return [{ kind: 'code', text: code }];
    if (strong !== undefined) return [{ kind: 'strong', parts: inlineOf(strong) }];
    if (emphasis !== undefined) return [{ kind: 'emphasis', parts: inlineOf(emphasis) }];
    const parts = inlineOf(label ?? '');
    return href.startsWith('https://') ? [{ kind: 'link', href, parts }] : parts;
  }
}

/** What stands below a heading of the second level, without that heading. */
export function sectionOf(text: string, title: string): string {
  const lines = text.split('\n');
  const begin = lines.indexOf(`## ${title}`);
  if (begin === -1) throw new Error(`There is no section ${title}.`);
  return lines
    .slice(
      begin + 1,
      endOf(lines, begin + 1, (line) => line.startsWith('## ')),
    )
    .join('\n');
}
