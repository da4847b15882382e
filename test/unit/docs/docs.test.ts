import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { actCommands } from '#main/cli/commands/act.ts';
import { adminCommand } from '#main/cli/commands/admin.ts';
import { agentCommand } from '#main/cli/commands/agent.ts';
import { automationCommand } from '#main/cli/commands/automation.ts';
import { getCommand } from '#main/cli/commands/get.ts';
import { loginCommand } from '#main/cli/commands/login.ts';
import { logoutCommand } from '#main/cli/commands/logout.ts';
import { lsCommand } from '#main/cli/commands/ls.ts';
import { sendCommand } from '#main/cli/commands/send.ts';
import { serviceCommand } from '#main/cli/commands/service.ts';
import { statusCommand } from '#main/cli/commands/status.ts';
import { verifyCommand } from '#main/cli/commands/verify.ts';
import { waitCommand } from '#main/cli/commands/wait.ts';
import { exitCodes, exitCodesHelp } from '#main/cli/exit-codes.ts';
import { settingRows } from '#main/config/agent-settings.ts';
import { anchorOf, headingsIn, linksIn, proseOf } from '#test/support/docs/markdown.ts';

/** What the documents say is what the project does. */

/** `team create`, `user list` and so on. */
const adminCommands = () => adminCommand().commands.flatMap((command) => [command, ...command.commands]);

const clientCommands = () => [
  sendCommand(() => {}),
  getCommand(() => {}),
  lsCommand(),
  verifyCommand(() => {}),
  waitCommand(() => {}),
  ...actCommands(() => {}),
  loginCommand(),
  logoutCommand(),
  statusCommand(),
  ...automationCommand(() => {}).commands,
];

/** Read where they are used. */
const variablesBesideOptions = ['LONGSHORE_BACKUP_PASSPHRASE', 'LONGSHORE_FAST', 'LONGSHORE_USER_PASSWORD', 'LONGSHORE_VAULT_KEY'];

const project = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(project, path), 'utf8');
const unread = ['**/node_modules/**', '**/dist/**', '**/.*/**'];
const operating = readdirSync(join(project, 'docs/operating'))
  .map((page) => read(`docs/operating/${page}`))
  .join('\n');
const documents = globSync('**/*.md', { cwd: project, exclude: unread })
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted();
const sources = globSync('**/*.{ts,tsx,cjs}', { cwd: project, exclude: unread }).map((path) => `/${path.replaceAll('\\', '/')}`);

describe('the list of dependencies', () => {
  it('is that of package.json', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
    const listed = [...read('docs/dependencies.md').matchAll(/^- `([^`]+)`: \S/gm)].map((match) => match[1]);
    expect(listed).toEqual(Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }));
  });
});

describe('the operator’s tables', () => {
  it.each([serviceCommand(), agentCommand(), ...adminCommands()].map((command) => [command.name(), command] as const))(
    'name every option of %s',
    (_, command) => {
      for (const option of command.options) {
        expect(operating).toContain(`\`${option.long}\``);
        // `…_FILE` stands beside the variable that it belongs to.
        const name = option.envVar?.replace(/_FILE$/, '');
        if (name) expect(operating).toContain(name);
      }
    },
  );
});

describe.each(documents.filter((path) => /^(?:docs\/operating|resources)\//.test(path)))('what an operator types, of %s', (document) => {
  const text = read(document);

  it('are variables that something reads', () => {
    const known = new Set(variablesBesideOptions);
    for (const command of [serviceCommand(), agentCommand(), ...adminCommands(), ...clientCommands()])
      for (const { envVar } of command.options) if (envVar) known.add(envVar);
    for (const [variable] of text.matchAll(/\b(?:(?:LONGSHORE|OTEL)_[A-Z_]*[A-Z]|(?:DATABASE|STORAGE|REALTIME)_URL(?:_FILE)?)\b/g))
      expect(known, `${document} names ${variable}`).toContain(variable.replace(/(?<=_URL)_FILE$/, ''));
  });

  it('are files of resources/ that are there', () => {
    for (const [path] of text.matchAll(/\bresources\/[\w@./-]*\w/g))
      expect(existsSync(join(project, path)), `${document} names ${path}`).toBe(true);
  });
});

it('the table of the agent’s settings is that which it is started by', () => {
  expect(read('docs/operating/agent.md')).toContain(settingRows().join('\n'));
});

describe('what the repository’s host reads', () => {
  const files = readdirSync(join(project, '.github'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yml'));

  it.each(files)('.github/%s is YAML', (name) => {
    expect(parseYaml(read(`.github/${name}`))).toBeTypeOf('object');
  });

  it('runs what a person runs: .ci/run, which may be executed', () => {
    const { jobs } = parseYaml(read('.github/workflows/ci.yml')) as { jobs: Record<string, { steps: { run?: string }[] }> };
    expect(Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toContain('.ci/run');
    expect(statSync(join(project, '.ci/run')).mode & 0o111).not.toBe(0);
  });
});

describe('the guide', () => {
  it('has the exit codes', () => {
    const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
    const rows = [...exitCodesHelp(names).matchAll(/^ {2}(\d+) +(.+)$/gm)].map(([, code, meaning]) => `| ${code} | ${meaning} |`);
    expect(rows).toHaveLength(names.length);
    for (const row of rows) expect(read('docs/guide.md')).toContain(row);
  });
});

describe.each(documents)('%s', (document) => {
  it('leads to files that are there', () => {
    for (const { target, anchor } of linksIn(read(document))) {
      const path = target === '' ? document : join(dirname(document), target);
      expect(existsSync(join(project, path)), `${document} leads to ${target}`).toBe(true);
      if (anchor === null) continue;
      const anchors = headingsIn(read(path)).map((heading) => anchorOf(heading.text));
      expect(anchors, `${document} leads to ${target}#${anchor}`).toContain(anchor);
    }
  });

  it('names sources that are there', () => {
    const named = [...proseOf(read(document)).matchAll(/`([^`\n]+)`/g)]
      .flatMap(([, code]) => code!.split(/\s+/))
      .filter((word) => /^[\w./-]+\.(?:tsx?|cjs)$/.test(word));
    const missing = named.filter((word) => {
      const end = `/${word.replace(/^(?:\.\.?\/)+/, '')}`;
      return !sources.some((source) => source.endsWith(end)) && !existsSync(join(project, word));
    });
    expect(missing, `${document} names what is not there`).toEqual([]);
  });

  it('uses options that exist', () => {
    const known = new Set(['--', '--once', '--data-dir', '--help', '--version']);
    for (const command of [serviceCommand(), agentCommand(), ...clientCommands(), ...adminCommands()]) {
      for (const option of command.options) known.add(option.long!);
    }
    // Only after a word of ours: other programs have options too.
    for (const [line] of read(document).matchAll(
      /^.*\blongshore (?:-- )?(?:service|agent|send|get|ls|status|wait|pause|resume|retry|cancel|login|logout|verify|automation|admin)\b.*$/gm,
    )) {
      for (const [flag] of line.matchAll(/(?<![\w-])--[a-z-]*/g)) expect(known, `${document}: ${line}`).toContain(flag);
    }
  });
});
