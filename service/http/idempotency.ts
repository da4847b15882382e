import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Credential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';

/** Stored responses that make a creating call safe to retry (contract/conventions.md §7). */

const retentionHours = 24;
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

interface IdempotentRequest {
  /** The caller; a response is never given to another caller. Whether the credential is still valid has been checked before. */
  readonly credential: Credential;
  /** Of a sender without an account: the address, and the sender's own secret where one is shown (X-Sender-Secret). */
  readonly sender: { readonly ip: string; readonly secret: string | null };
  /** Method and path with its ids. */
  readonly call: string;
  /** The Idempotency-Key as sent. */
  readonly key: string;
  readonly body: unknown;
}

export interface IdempotentCalls {
  /**
   * Runs `make` once per key, in one transaction with the storing of its response: after a crash either both exist or
   * neither. A second request at the same time waits for the first. Errors: `idempotency_mismatch` when the key was
   * used with another body, and all errors of `make`, which store nothing.
   */
  once<T>(asked: IdempotentRequest, make: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /** Deletes what is older than 24 hours. */
  sweep(): Promise<void>;
}

export function createIdempotentCalls(db: Kysely<Database>, secret: Uint8Array, now: () => Date): IdempotentCalls {
  const scopeKey = Buffer.from(hkdfSync('sha256', secret, '', 'longshore idempotent scope', 32));
  // Codes are short, so a plain hash of one could be guessed from the table.
  const keyedHash = (...parts: readonly string[]): string =>
    createHmac('sha256', scopeKey).update(JSON.stringify(parts)).digest('base64url');
  const oldest = () => new Date(now().getTime() - retentionHours * 3_600_000);
  return {
    async once<T>(asked: IdempotentRequest, make: (db: Kysely<Database>) => Promise<T>): Promise<T> {
      const seal = responseSeal(secret, asked.key);
      const scope = `${subjectOf(asked, keyedHash)} ${asked.call}`;
      const row = { scope, key_hash: sha256(asked.key), body_hash: sha256(JSON.stringify(asked.body ?? null)) };
      return await inTransaction(db, async (trx) => {
        await trx
          .deleteFrom('idempotency_answers')
          .where('scope', '=', scope)
          .where('key_hash', '=', row.key_hash)
          .where('created_at', '<', oldest())
          .execute();
        // Waits here while another request with this key is under way.
        const claimed = await trx
          .insertInto('idempotency_answers')
          .values({ ...row, answer: null, created_at: now() })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (claimed.numInsertedOrUpdatedRows === 0n) {
          const stored = await trx
            .selectFrom('idempotency_answers')
            .select(['body_hash', 'answer'])
            .where('scope', '=', scope)
            .where('key_hash', '=', row.key_hash)
            .executeTakeFirstOrThrow();
          if (!stored.body_hash.equals(row.body_hash) || !stored.answer) throw new ApiError('idempotency_mismatch');
          return JSON.parse(seal.open(stored.answer)) as T;
        }
        const answer = await make(trx);
        await trx
          .updateTable('idempotency_answers')
          .set({ answer: seal.close(JSON.stringify(answer)) })
          .where('scope', '=', scope)
          .where('key_hash', '=', row.key_hash)
          .execute();
        return answer;
      });
    },
    async sweep() {
      await db.deleteFrom('idempotency_answers').where('created_at', '<', oldest()).execute();
    },
  };
}

/**
 * The owner of the response. Tokens of one package are distinguished by variant and by the user they were issued to.
 * Senders through a Portal have no account: they are identified by the code and their own secret, or by their address
 * where they show no secret.
 */
function subjectOf({ credential, sender }: IdempotentRequest, keyedHash: (...parts: readonly string[]) => string): string {
  switch (credential.kind) {
    case 'user':
      return `user ${credential.userId}`;
    case 'api_key':
      return `key ${credential.keyId}`;
    case 'package:write':
    case 'package:read':
    case 'package:manage':
      return `${credential.kind} ${credential.packageId} ${credential.userId ?? credential.linkId ?? credential.task?.taskId ?? ''}`;
    case 'transfer':
      return `transfer ${credential.transferId}`;
    case 'transfer:report':
      return `report ${credential.taskId}`;
    case 'gateway':
      return `gateway ${credential.gatewayId}`;
    case 'access_code':
    case 'link':
    case 'none': {
      const shown = credential.kind === 'access_code' ? credential.codes[0]! : credential.kind === 'link' ? credential.secret : '';
      const [by, own] = sender.secret === null ? ['address', sender.ip] : ['secret', sender.secret];
      return `${credential.kind} ${keyedHash(credential.kind, shown, by, own)}`;
    }
  }
}

/** Responses can contain secrets shown only once, so they are sealed under the service's secret and the caller's key. */
function responseSeal(secret: Uint8Array, key: string) {
  const derived = Buffer.from(hkdfSync('sha256', secret, key, 'longshore idempotent answer', 32));
  return {
    close(text: string): Buffer {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', derived, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed: Buffer): string {
      const decipher = createDecipheriv('aes-256-gcm', derived, sealed.subarray(0, 12));
      decipher.setAuthTag(sealed.subarray(12, 28));
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
