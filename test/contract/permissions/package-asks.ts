import type { Package, PackageState } from '#protocol/hosted/packages.ts';
import { newId } from '#service/ids.ts';
import { sampleTime, senderOf, type Upload } from '#test/support/service/sender.ts';
import type { Ask, Asks } from './ask.ts';
import type { Team, World } from './world.ts';

/** The calls that package tokens make, each on a package in the state in which it goes well. */

export interface PackageScene {
  readonly world: World;
  readonly team: Team;
  /** A package of the Team, new and empty, with its maker's management token. */
  readonly made: Package;
}

/** Nothing is told of what expires so late (service/notices/expiries.ts). */
const threeDays = 3 * 24 * 3_600_000;

const setState = async ({ world, made }: PackageScene, state: PackageState): Promise<void> => {
  const { db } = world.at.service.services;
  const [ended, now] = [state === 'expired' || state === 'archived', Date.now()];
  await db
    .updateTable('packages')
    .set({ state, expiry: new Date(ended ? now - 1_000 : now + threeDays) })
    .where('id', '=', made.id)
    .execute();
};

/** In that state, and nothing else to say. */
const when =
  (state: PackageState, ask: Ask = {}) =>
  async (scene: PackageScene): Promise<Ask> => {
    await setState(scene, state);
    return ask;
  };

/** While the inactive Team is active for a moment, since its uploads were begun before. */
async function during<T>({ world, team }: PackageScene, work: () => Promise<T>): Promise<T> {
  if (team !== world.idle) return await work();
  await world.setState(team, 'active');
  try {
    return await work();
  } finally {
    await world.setState(team, 'inactive');
  }
}

const bytes = Buffer.from('bytes');
const sender = ({ world, made }: PackageScene) => senderOf(world.at, made, { 'x-package-token': made.access_token });
const begun = (scene: PackageScene): Promise<Upload> => during(scene, () => sender(scene).begin('', 'a.mov', { size: bytes.length }));
const folder = { kind: 'directory', name: 'folder', path: '', last_modified: sampleTime };

const closing = async (scene: PackageScene, batch: boolean): Promise<Ask> => {
  const upload = await begun(scene);
  const etag = await during(scene, () => upload.put(0, bytes));
  const result = {
    chunk_extras: [{ part_number: '1', etag }],
    file_extras: { upload_id: upload.uploadId },
    size: bytes.length,
    chunk_size: upload.file.chunk_size,
  };
  const fileId = upload.file.id;
  return batch ? { body: { files: [{ file_id: fileId, ...result }] } } : { params: { file_id: fileId }, body: result };
};

const linkFields = { email: 'r@example.com' };

export const packageAsks: Asks<PackageScene> = {
  finalizePackage: () => ({}),
  getPackage: when('finalized'),
  updatePackage: when('finalized', { body: { name: 'Renamed' } }),
  setPackageExpiry: when('finalized', { body: { expiry: '2099-01-01T00:00:00.000Z', unlimited_storage: false } }),
  deletePackage: when('finalized'),
  archivePackage: when('expired'),
  unarchivePackage: when('archived'),
  async getPackageMetadata(scene) {
    const { db } = scene.world.at.service.services;
    const id = newId();
    const form = JSON.stringify({ name: 'Report', delivery_formats: ['json'], fields: [] });
    await db
      .insertInto('form_responses')
      .values({ id, portal_id: null, form_id: null, form, answers: '{}', created_at: new Date() })
      .execute();
    await db.updateTable('packages').set({ form_response_id: id }).where('id', '=', scene.made.id).execute();
    return {};
  },
  streamPackageEvents: when('finalized'),
  createFile: () => ({ body: folder }),
  createFiles: () => ({ body: { files: [folder] } }),
  createBatchBlueprints: () => ({ body: { count: 1 } }),
  recordFiles: () => ({ body: { files: [folder] } }),
  async createChunkBlueprints(scene) {
    const { file, uploadId } = await begun(scene);
    return { params: { file_id: file.id }, query: 'start=0&count=1', body: { upload_id: uploadId } };
  },
  async listUploadedChunks(scene) {
    const { file, uploadId } = await begun(scene);
    return { params: { file_id: file.id }, query: `upload_id=${encodeURIComponent(uploadId)}` };
  },
  finalizeFile: (scene) => closing(scene, false),
  finalizeFiles: (scene) => closing(scene, true),
  deleteFile: async (scene) => ({ params: { file_id: (await begun(scene)).file.id } }),
  listFiles: when('finalized'),
  getReceipt: when('finalized'),
  async downloadFile(scene) {
    const { file } = await during(scene, () => sender(scene).send('', 'a.mov', bytes));
    await setState(scene, 'finalized');
    return { params: { file_id: file.id } };
  },
  async previewFile(scene) {
    const { file } = await during(scene, () => sender(scene).send('', 'a.mov', bytes));
    await setState(scene, 'finalized');
    return { params: { file_id: file.id } };
  },
  async downloadFiles(scene) {
    const { file } = await during(scene, () => sender(scene).send('', 'a.mov', bytes));
    await setState(scene, 'finalized');
    return { body: { file_ids: [file.id] } };
  },
  async createZip(scene) {
    await during(scene, () => sender(scene).send('', 'a.mov', bytes));
    await setState(scene, 'finalized');
    return { body: { kind: 'zip_windows', ranges: [{ first: 0, last: 0 }] } };
  },
  createHandover: () => ({}),
  async putHandoverPart(scene) {
    const file = { kind: 'file', path: '', name: 'a.mov', size: bytes.length, last_modified: sampleTime };
    return { params: { handover_id: await putHandover(scene), part: '0' }, body: { files: [file] } };
  },
  getHandover: async (scene) => ({ params: { handover_id: await putHandover(scene) } }),
  cancelHandover: async (scene) => ({ params: { handover_id: await putHandover(scene) } }),
  async createTransfer(scene) {
    await setState(scene, 'finalized');
    // What every package token may bring, but for its own sake.
    return { body: { single_use: { provider: 'postlab', authorization: { team_id: 'key' } } } };
  },
  listTransfers: when('finalized'),
  createLink: when('finalized', { body: linkFields }),
  listLinks: when('finalized'),
  async deleteLink(scene) {
    const id = await putLink(scene);
    return { params: { link_id: id } };
  },
  listDownloads: when('finalized'),
  async mailLink(scene) {
    await setState(scene, 'finalized');
    return { params: { link_id: await putLink(scene) } };
  },
};

/** A link of the package, as finalizing makes it. */
export async function putLink({ world, made }: Pick<PackageScene, 'world' | 'made'>, secret = newId()): Promise<string> {
  const id = newId();
  await world.at.service.services.db
    .insertInto('links')
    .values({ id, package_id: made.id, secret, email: 'r@example.com', password_hash: null, access_limit: 0, created_at: new Date() })
    .execute();
  return id;
}

/** A code for the package's upload. */
async function putHandover({ world, made }: PackageScene): Promise<string> {
  const id = newId();
  const soon = new Date(Date.now() + 600_000);
  const claims = JSON.stringify({ packageId: made.id, variant: 'write', tokenId: newId(), linkId: null, userId: null });
  const times = { token_expires_at: soon, created_at: new Date(), expires_at: soon };
  await world.at.service.services.db
    .insertInto('handovers')
    .values({ id, package_id: made.id, code_digest: Buffer.from(id), claims, ...times })
    .execute();
  return id;
}
