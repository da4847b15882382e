import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { agentCommand } from '#main/cli/commands/agent.ts';
import { serviceCommand } from '#main/cli/commands/service.ts';
import { parseConfig } from '#main/config/read-file.ts';
import { resolveConfig } from '#main/config/resolve.ts';

/** The files for operators name programs, paths, options and variables that are there. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(project, 'resources', path), 'utf8');
const options = [...agentCommand().options, ...serviceCommand().options];
const flags = new Set(options.map(({ long }) => long));
const variables = new Set(options.map(({ envVar }) => envVar));

it('the example of settings is understood', () => {
  const entries = parseConfig(read('agent.yaml'), 'agent.yaml');
  const { config } = resolveConfig({ value: () => undefined, source: () => 'default' }, { path: '/etc/longshore/agent.yaml', entries });
  expect(config).toMatchObject({ listen: { path: '/run/longshore/agent.sock' }, apiKeyFile: '/etc/longshore/api-key', logLevel: 'info' });
});

describe('the unit of systemd', () => {
  const unit = read('systemd/longshore-agent.service');
  it('starts the agent by options and variables that exist, with less right than its user', () => {
    const [, args = ''] = /^ExecStart=\S+ agent (.*)$/m.exec(unit) ?? [];
    for (const [flag] of args.matchAll(/--[\w-]+/g)) expect(flags).toContain(flag);
    for (const [name] of unit.matchAll(/LONGSHORE_\w+/g)) expect(variables).toContain(name);
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=', 'StateDirectory=longshore']) {
      expect(unit.split('\n')).toContain(line);
    }
  });
});

describe('the property list of launchd', () => {
  it('starts the agent by options that exist', () => {
    const plist = read('launchd/app.longshore.agent.plist');
    const words = [...plist.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word]) => word!);
    expect(words).toContain('agent');
    for (const word of words.filter((one) => one.startsWith('--'))) expect(flags).toContain(word);
  });
});

describe('the container files', () => {
  const dockerfile = read('docker/Dockerfile');
  it('copy rooms that are there, and every room that runs', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \S+ \/app\/(\S+) \.\/\S*$/gm)].map(([, path]) => path!);
    for (const path of copied) expect(existsSync(join(project, path)), path).toBe(true);
    const rooms = ['protocol', 'client', 'storage', 'service', 'engine', 'agent-api', 'main', 'renderer', 'web', 'resources'];
    expect(copied).toEqual(expect.arrayContaining(rooms));
    for (const [, path] of dockerfile.matchAll(/--config (\S+)/g)) expect(existsSync(join(project, path!)), path).toBe(true);
    expect(dockerfile).toContain('/app/main/cli/longshore.ts /usr/local/bin/longshore');
  });

  it('give options and variables that exist', () => {
    const { services } = load(read('docker/compose.yaml')) as {
      services: Record<
        string,
        { command?: string[]; environment?: Record<string, string>; build?: { context: string; dockerfile: string } }
      >;
    };
    expect(Object.keys(services)).toEqual(['database', 'service', 'agent']);
    for (const name of ['service', 'agent'] as const) {
      const { command = [], environment = {}, build } = services[name]!;
      const known = (name === 'service' ? serviceCommand() : agentCommand()).options;
      expect(command[0]).toBe(name);
      for (const flag of command.filter((word) => word.startsWith('--'))) expect(known.map(({ long }) => long)).toContain(flag);
      for (const variable of Object.keys(environment)) expect(known.map(({ envVar }) => envVar)).toContain(variable);
      expect(existsSync(join(project, build!.dockerfile))).toBe(true);
    }
  });
});
