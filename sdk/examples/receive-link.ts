/**
 * Downloads the package behind a link into a folder, and prints the folder.
 *
 *   node receive-link.ts LINK FOLDER
 *
 * The agent: LONGSHORE_AGENT_URL (default http://127.0.0.1:8090), LONGSHORE_AGENT_TOKEN where it requires a token.
 */
import { resolve } from 'node:path';
import { AgentCallError, agentAt, followTransfer } from '@longshore/sdk';

const [url, folder] = process.argv.slice(2);
if (url === undefined || folder === undefined) throw new Error('Give a download link and a folder.');

const agent = agentAt(process.env.LONGSHORE_AGENT_URL ?? 'http://127.0.0.1:8090', { token: process.env.LONGSHORE_AGENT_TOKEN });

try {
  const got = await followTransfer(agent, () => agent.call('createDownload', { body: { url, dst_folder: resolve(folder) } }));
  if (got.state !== 'complete') throw new Error(got.error?.message ?? `The transfer is ${got.state}.`);
  console.log(`${got.total_files} files in ${got.dst_folder}`);
} catch (error) {
  // Each error of the catalogue has a name, which stays the same in later versions.
  if (!(error instanceof AgentCallError) || !error.is('link_password_wrong')) throw error;
  console.error('This link needs its password: give it as `link_password` in the body.');
  process.exitCode = 1;
}
