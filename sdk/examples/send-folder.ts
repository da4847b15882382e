/**
 * Sends files and folders as one package, and prints its link.
 *
 *   node send-folder.ts PATH…
 *
 * The agent: LONGSHORE_AGENT_URL (default http://127.0.0.1:8090), LONGSHORE_AGENT_TOKEN where it requires a token.
 */
import { basename, resolve } from 'node:path';
import { agentAt, followTransfer } from '@longshore/sdk';

const paths = process.argv.slice(2).map((path) => resolve(path));
if (paths.length === 0) throw new Error('Give the files and folders to send.');

const agent = agentAt(process.env.LONGSHORE_AGENT_URL ?? 'http://127.0.0.1:8090', { token: process.env.LONGSHORE_AGENT_TOKEN });

const { teams } = await agent.call('getLogin', {});
const team = teams[0];
if (!team) throw new Error('The agent is signed in to no Team.');

const body = { team_id: team.id, paths, package_name: basename(paths[0]!), recipients: [] };
const sent = await followTransfer(agent, () => agent.call('createUpload', { body }), {
  onChange: ({ files, total_files, bytes, total_bytes }) =>
    console.error(`${files} of ${total_files} files, ${bytes} of ${total_bytes} bytes`),
});
if (sent.state !== 'complete') throw new Error(sent.error?.message ?? `The transfer is ${sent.state}.`);
console.log(sent.url);
