import type { Automations } from '#engine/automations/automations.ts';
import { textOf } from '#engine/automations/rules/automations-yaml.ts';
import { namesTeams, withTeamIds } from '#engine/automations/rules/team-names.ts';
import type { Gateway } from '#engine/gateway/gateway.ts';
import type { Log } from '#engine/ports.ts';
import type { CreateMount } from '#protocol/agent/mounts.ts';
import type { WrittenMount } from './config/mounts.ts';
import type { Provisioning } from './config/read-file.ts';

interface ProvisionPorts {
  readonly automations: Pick<Automations, 'import'>;
  readonly gateway: Pick<Gateway, 'list' | 'create' | 'update'>;
  /** Those that the agent is signed in to; rejects where it is not. */
  readonly teams: () => Promise<Parameters<typeof withTeamIds>[1]>;
  readonly log: Log;
  /** Calls back once after this time; the returned function cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** One thing that the file wants to be there. */
interface Wanted {
  /** For messages: `automation "Renders"`. */
  readonly what: string;
  readonly line: number;
  /** Returns what was done, `null` where all is as it should be. */
  apply(): Promise<'made' | 'changed' | null>;
}

/** How long until what could not be made is tried again: a disk or the network may come after the agent. */
const retryMs = 60_000;

/**
 * Makes what the configuration file wants to be there, each thing by itself and found by its name or folder, so that a
 * start that finds all of it changes nothing. What cannot be made yet, such as for a folder whose disk is not there or a
 * service that does not answer, is logged with its line, and tried again every minute; the agent works meanwhile.
 */
export function provision(wanted: Provisioning & { readonly file: string }, ports: ProvisionPorts): { close(): void } {
  const { log, after } = ports;
  const told = new Map<Wanted, string>();
  // Mounts first: an automation's folder may not overlap one.
  let pending: Wanted[] = [...wanted.mounts.map((mount) => wantedMount(mount, ports)), ...wantedAutomations(wanted, ports)];
  let closed = false;
  let cancel = (): void => {};
  void attempt();
  return {
    close() {
      closed = true;
      cancel();
    },
  };

  async function attempt(): Promise<void> {
    const failed: Wanted[] = [];
    for (const one of pending) {
      if (closed) return;
      try {
        const done = await one.apply();
        if (done) log.info({}, `${wanted.file}, line ${one.line}: the ${one.what} is ${done}`);
      } catch (error) {
        failed.push(one);
        report(one, error);
      }
    }
    pending = failed;
    if (pending.length > 0 && !closed) cancel = after(retryMs, () => void attempt());
  }

  /** Once for each reason, not every minute. */
  function report(one: Wanted, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (told.get(one) === message) return;
    told.set(one, message);
    log.warn({}, `${wanted.file}, line ${one.line}: the ${one.what} cannot be made yet: ${message}`);
  }
}

function wantedAutomations({ automations: written }: Provisioning, { automations }: Pick<ProvisionPorts, 'automations'>): Wanted[] {
  return written.map((one) => ({
    what: `automation "${one.name}"`,
    line: one.line,
    async apply() {
      const { created, updated } = await automations.import(textOf(one));
      if (created > 0) return 'made';
      return updated > 0 ? 'changed' : null;
    },
  }));
}

function wantedMount(written: WrittenMount, { gateway, teams }: Pick<ProvisionPorts, 'gateway' | 'teams'>): Wanted {
  return {
    what: `mount ${written.fields.path}`,
    line: written.line,
    async apply() {
      const named = [written];
      const [{ fields }] = (namesTeams(named) ? withTeamIds(named, await teams()) : named) as unknown as [{ fields: CreateMount }];
      const ofTeam = gateway.list().filter((mount) => mount.team_id === fields.team_id);
      const there = ofTeam.find(({ path }) => path === fields.path) ?? ofTeam.find(({ name }) => name === fields.name);
      if (!there) {
        await gateway.create(fields);
        return 'made';
      }
      const change = {
        ...(there.path !== fields.path && { path: fields.path }),
        ...(fields.read_only !== undefined && there.read_only !== fields.read_only && { read_only: fields.read_only }),
      };
      if (Object.keys(change).length === 0) return null;
      await gateway.update(there.id, change);
      return 'changed';
    },
  };
}
