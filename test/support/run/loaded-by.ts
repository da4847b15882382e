import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';

const known = new Map<string, string[]>();

/** Where a file's imports lead that are there when it runs: files of the project, and names of packages. */
function importsOf(path: string): string[] {
  const imports = known.get(path) ?? readImports(path);
  known.set(path, imports);
  return imports;
}

function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const requests = [...staticImports, ...staticExports]
    // These alone are stripped with the types.
    .filter(({ start }) => !/^(?:import|export) type\b/.test(text.slice(start)))
    .flatMap((one) => ('moduleRequest' in one ? [one.moduleRequest] : one.entries.flatMap(({ moduleRequest }) => moduleRequest ?? [])));
  const named = [...requests, ...dynamicImports.map(({ moduleRequest }) => moduleRequest)]
    .map(({ start, end }) => text.slice(start, end))
    .filter((request) => request.startsWith("'"))
    .map((request) => request.slice(1, -1));
  // Workers and child processes.
  const started = [...text.matchAll(/'(\.\/[\w/-]+\.ts)'/g)].map((match) => match[1]!);
  return [...named, ...started].filter((name) => !name.startsWith('node:'));
}

/** All files of the project, and all packages, that programs load from their first files on. */
export function loadedBy(
  project: string,
  entries: readonly string[],
): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set<string>(entries);
  const packages = new Set<string>();
  for (const file of files) {
    if (!existsSync(join(project, file))) {
      files.delete(file);
      continue;
    }
    for (const name of importsOf(join(project, file))) {
      if (name.startsWith('.')) files.add(relative(project, join(project, dirname(file), name)));
      else if (name.startsWith('#')) files.add(name.slice(1));
      else packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
    }
  }
  return { files, packages };
}
