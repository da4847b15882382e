import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agentOptions, configOf } from '#main/config/agent-options.ts';
import { agentSettingNames, agentSettings, keyOf } from '#main/config/agent-settings.ts';
import { parseConfig } from '#main/config/read-file.ts';
import { apiKeyOf, printedConfig, type Resolved } from '#main/config/resolve.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

interface Sources {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: string;
}

async function resolve({ flags = [], environment = {}, file }: Sources): Promise<Resolved> {
  const command = new Command('agent').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of agentOptions()) command.addOption(option);
  const path = join(folder.path, 'agent.yaml');
  if (file !== undefined) await writeFile(path, file);
  // Commander reads the process's own variables.
  for (const name of agentSettingNames) {
    const { variable } = agentSettings[name];
    vi.stubEnv(variable, environment[variable]);
  }
  try {
    return await configOf(
      command.action(() => undefined).parse(flags, { from: 'user' }),
      file === undefined ? undefined : 'agent.yaml',
      folder.path,
    );
  } finally {
    vi.unstubAllEnvs();
  }
}

/** A value for each setting that differs by its source. */
const values: Record<(typeof agentSettingNames)[number], readonly [flag: string, environment: string, file: string]> = {
  listen: ['127.0.0.1:1', '127.0.0.1:2', '127.0.0.1:3'],
  requireToken: ['yes', 'no', 'yes'],
  serviceUrl: ['https://flag.example', 'https://environment.example', 'https://file.example'],
  apiKey: ['flag', 'environment', ''],
  apiKeyFile: ['/flag', '/environment', '/file'],
  dataDir: ['/flag', '/environment', '/file'],
  allowHost: ['flag', 'environment', 'file'],
  allowFolder: ['/media', '/srv/in', '/mnt/nas'],
  otlpUrl: ['http://flag:4318', 'http://environment:4318', 'http://file:4318'],
  otlpHeaders: ['a=flag', 'a=environment', ''],
  traceRatio: ['0.1', '0.2', '0.3'],
  logLevel: ['debug', 'info', 'error'],
};

describe('flags outweigh the environment, that the file, and that the defaults', () => {
  it.each(agentSettingNames)('%s', async (name) => {
    const [flag, environment, file] = values[name];
    const { secret, variable, show, fallback } = agentSettings[name] as {
      [K in keyof (typeof agentSettings)['dataDir']]: (typeof agentSettings)['dataDir'][K];
    };
    const key = keyOf(name);
    const all = {
      flags: [`--${key.replaceAll('_', '-')}`, flag],
      environment: { [variable]: environment },
      ...(secret ? {} : { file: `\n${key}: ${file}\n` }),
    };
    const shown = async (sources: Sources) => {
      const { config, origins } = await resolve(sources);
      return [secret ? config[name] : show(config[name] as never), origins[name].kind];
    };
    expect(await shown(all)).toEqual([flag, 'flag']);
    expect(await shown({ ...all, flags: [] })).toEqual([environment, 'environment']);
    if (!secret) expect(await shown({ file: all.file! })).toEqual([file, 'file']);
    expect(await shown({})).toEqual([secret ? undefined : show(fallback as never), 'default']);
  });
});

describe('the file', () => {
  it('has paths relative to itself, and ~', async () => {
    const { config } = await resolve({ file: 'data_dir: data\napi_key_file: ~/key\n' });
    expect(config.dataDir).toBe(join(folder.path, 'data'));
    expect(config.apiKeyFile).toMatch(/^\/.*\/key$/);
    expect(config.apiKeyFile).not.toContain('~');
  });

  it.each([
    ['serviceurl: https://a.example', /line 1: there is no setting "serviceurl"\. Write service_url\./],
    ['# one\nservice-url: https://a.example', /line 2: there is no setting "service-url"\. Write service_url\./],
    ['require_token: maybe', /require_token cannot be "maybe"\. Give yes or no/],
    ['colour: red', /There are listen, require_token, service_url, api_key_file, /],
    ['listen: nowhere', /line 1: listen cannot be "nowhere"\. Give HOST:PORT/],
    ['listen: unix:relative.sock', /Give an absolute path after unix:/],
    ['service_url: files.example.com', /begins with http/],
    ['log_level: loud', /log_level cannot be "loud"\. Allowed choices are silent, error/],
    ['allow_host: [good, "http://bad"]', /allow_host cannot be .*Give names of hosts/],
    ['allow_host: []', /allow_host has no value/],
    ['data_dir: [a, b]', /data_dir takes one value/],
    ['data_dir:', /data_dir has no value/],
    ['api_key: ls_hush', /api_key does not belong in this file.*name that by api_key_file/],
  ])('%j is refused with what to write instead, and no secret', async (file, message) => {
    const refusal = await resolve({ file }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'CommandError', code: 2, message: expect.stringMatching(message) });
    expect((refusal as Error).message).not.toContain('hush');
  });

  it('takes several flags, a text with commas, and a list', async () => {
    const several = ['a.example', 'b.example'];
    expect((await resolve({ flags: ['--allow-host', ...several] })).config.allowHost).toEqual(several);
    expect((await resolve({ environment: { LONGSHORE_ALLOW_HOST: 'a.example, b.example' } })).config.allowHost).toEqual(several);
    expect((await resolve({ file: 'allow_host: [a.example, b.example]' })).config.allowHost).toEqual(several);
  });
});

describe('the API key', () => {
  it('is that of the weightier source, be it a key or a file', async () => {
    const file = join(folder.path, 'key');
    await writeFile(file, 'of the file\n');
    const environment = { LONGSHORE_API_KEY: 'of the environment' };
    expect(apiKeyOf(await resolve({ flags: ['--api-key-file', file], environment }))).toBe('of the file');
    expect(apiKeyOf(await resolve({ environment: { ...environment, LONGSHORE_API_KEY_FILE: file } }))).toBe('of the environment');
    expect(apiKeyOf(await resolve({ file: 'api_key_file: key', environment }))).toBe('of the environment');
    expect(apiKeyOf(await resolve({ file: 'api_key_file: key' }))).toBe('of the file');
    expect(apiKeyOf(await resolve({}))).toBeUndefined();
  });
});

describe('what is printed', () => {
  it('is a file that gives the same again, with where each value comes from, and no secret', async () => {
    const first = await resolve({
      flags: ['--listen', '[::1]:8090', '--allow-host', 'a.example', 'b.example'],
      environment: { LONGSHORE_API_KEY: 'ls_hush', LONGSHORE_LOG_LEVEL: 'info' },
      file: '\nservice_url: https://files.example.com\ndata_dir: a folder\n',
    });
    const printed = printedConfig(first);
    expect(printed).not.toContain('hush');
    expect(printed).toMatch(/^listen: "\[::1\]:8090" +# --listen$/m);
    expect(printed).toMatch(/^# api_key: \(not shown\) +# LONGSHORE_API_KEY$/m);
    expect(printed).toMatch(/^service_url: https:\/\/files\.example\.com +# .*agent\.yaml, line 2$/m);
    expect(printed).toMatch(/^# api_key_file: +# default$/m);
    expect(parseConfig(printed, 'f').entries.map(({ key }) => key)).toEqual([
      'listen',
      'require_token',
      'service_url',
      'data_dir',
      'allow_host',
      'trace_ratio',
      'log_level',
    ]);
    const again = await resolve({ file: printed });
    expect(again.config).toEqual({ ...first.config, apiKey: undefined });
  });
});
