import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import type { FreshProof, Mfa, Passkey } from '#protocol/hosted/mfa.ts';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useAccount } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView } from '../ui/view-states.tsx';
import { mfaKey, securityCalls } from './calls.ts';
import { ConfirmTotp } from './confirm-totp.tsx';
import { NamePasskey } from './name-passkey.tsx';
import { makePasskey } from './passkey.ts';
import { Passkeys } from './passkeys.tsx';
import { ProveDialog } from './prove-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import '../ui/rows.css';
import './security.css';

/** What is asked or shown over the view. */
type Step =
  | { readonly kind: 'prove'; readonly action: Action }
  | { readonly kind: 'confirm_totp'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'name_passkey'; readonly options: Record<string, unknown> }
  | { readonly kind: 'rename_passkey'; readonly passkey: Passkey }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

/** What the person wants to do once they have proved themselves. */
type Action =
  | { readonly kind: 'add_totp' | 'remove_totp' | 'add_passkey' | 'new_codes' }
  | { readonly kind: 'remove_passkey'; readonly passkey: Passkey };

/** A person's own second factors. */
export default function Security() {
  const { messages } = useTexts({ en, de });
  const api = useApi(securityCalls);
  const mfa = useQuery({ queryKey: mfaKey, queryFn: ({ signal }) => api.call('getMfa', { signal }) });
  return (
    <div className="view security">
      <PageHeader title={messages.title} text={messages.text} back={{ href: '/profile', label: messages.back }} />
      <QueryView query={mfa}>{(data) => <Factors mfa={data} />}</QueryView>
    </div>
  );
}

/** Words of this view for a toast. */
const said = (words: (messages: ReturnType<typeof useTexts<typeof en>>['messages']) => string): ReactElement =>
  textIn({ en, de }, ({ messages }) => words(messages));

function Factors({ mfa }: { readonly mfa: Mfa }) {
  const { messages } = useTexts({ en, de });
  const { user } = useAccount();
  const api = useApi(securityCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [step, setStep] = useState<Step | null>(null);
  const prove = (action: Action) => setStep({ kind: 'prove', action });
  /** A dialog closes itself after its work; by then the next step may have taken its place. */
  const close = (closing: Step) => setStep((now) => (now === closing ? null : now));
  const done = async (told: ReactElement | null, codes: readonly string[] = []): Promise<void> => {
    await cache.invalidateQueries({ queryKey: mfaKey });
    if (codes.length > 0) setStep({ kind: 'codes', codes });
    else if (told) toast({ text: told });
  };

  const act = async (action: Action, body: FreshProof): Promise<void> => {
    switch (action.kind) {
      case 'add_totp':
        return setStep({ kind: 'confirm_totp', ...(await api.call('startTotp', { body })) });
      case 'remove_totp':
        await api.call('removeTotp', { body });
        return await done(said(({ totp }) => totp.removed));
      case 'add_passkey':
        return setStep({ kind: 'name_passkey', ...(await api.call('startPasskey', { body })) });
      case 'remove_passkey':
        await api.call('removePasskey', { params: { passkey_id: action.passkey.id }, body });
        return await done(said(({ passkeys }) => passkeys.removed));
      case 'new_codes':
        return await done(null, (await api.call('createRecoveryCodes', { body })).recovery_codes);
    }
  };

  return (
    <>
      <Section title={messages.totp.title} text={mfa.totp ? messages.totp.on : messages.totp.off}>
        <button type="button" className="button" onClick={() => prove({ kind: 'add_totp' })}>
          {mfa.totp ? messages.totp.replace : messages.totp.add}
        </button>
        {mfa.totp ? (
          <button type="button" className="button" onClick={() => prove({ kind: 'remove_totp' })}>
            {messages.totp.remove}
          </button>
        ) : null}
      </Section>
      <Passkeys
        passkeys={mfa.passkeys}
        onAdd={() => prove({ kind: 'add_passkey' })}
        onRename={(passkey) => setStep({ kind: 'rename_passkey', passkey })}
        onRemove={(passkey) => prove({ kind: 'remove_passkey', passkey })}
      />
      {mfa.enabled ? (
        <Section title={messages.recovery.title} text={messages.recovery.left(mfa.recovery_codes_left)}>
          <button type="button" className="button" onClick={() => prove({ kind: 'new_codes' })}>
            {messages.recovery.renew}
          </button>
        </Section>
      ) : null}
      {step?.kind === 'prove' ? (
        <ProveDialog
          mfa={mfa}
          {...messages.prove[step.action.kind]}
          danger={step.action.kind === 'remove_totp' || step.action.kind === 'remove_passkey'}
          onProved={(proof) => act(step.action, proof)}
          onClose={() => close(step)}
        />
      ) : null}
      {step?.kind === 'confirm_totp' ? (
        <ConfirmTotp
          secret={step.secret}
          uri={step.uri}
          onConfirm={async (code) =>
            done(
              said(({ totp }) => totp.added),
              (await api.call('confirmTotp', { body: { code } })).recovery_codes,
            )
          }
          onClose={() => close(step)}
        />
      ) : null}
      {step?.kind === 'name_passkey' ? (
        <NamePasskey
          title={messages.passkeys.add}
          submit={messages.passkeys.make}
          name=""
          onName={async (name) => {
            const response = await makePasskey(step.options);
            await done(
              said(({ passkeys }) => passkeys.added),
              (await api.call('addPasskey', { body: { name, response } })).recovery_codes,
            );
          }}
          onClose={() => close(step)}
        />
      ) : null}
      {step?.kind === 'rename_passkey' ? (
        <NamePasskey
          title={messages.passkeys.rename}
          submit={messages.passkeys.save}
          name={step.passkey.name}
          onName={async (name) => {
            await api.call('renamePasskey', { params: { passkey_id: step.passkey.id }, body: { name } });
            await done(said(({ passkeys }) => passkeys.renamed));
          }}
          onClose={() => close(step)}
        />
      ) : null}
      {step?.kind === 'codes' ? <RecoveryCodes codes={step.codes} account={user.email} onClose={() => close(step)} /> : null}
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Section({ title, text, children }: SectionProps) {
  return (
    <section className="panel security-section">
      <h2>{title}</h2>
      <p className="hint">{text}</p>
      <div className="security-acts">{children}</div>
    </section>
  );
}
