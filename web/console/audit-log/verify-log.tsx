import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ModalDialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/audit-log.ts';
import { en } from '../../messages/en/console/audit-log.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { QueryView } from '../ui/view-states.tsx';

const calls = defineCalls({
  verifyAuditLog: { method: 'GET', path: '/v1/teams/{team_id}/audit_log/verification', reply: { status: 200 } },
});

/** `12:9f86…` */
const headPattern = /^\s*(\d{1,15}):([0-9a-f]{64})\s*$/;

/** Checks the chain, and whether a head that was kept elsewhere is still part of it. */
export function VerifyLog({ onClose }: { readonly onClose: () => void }) {
  const { messages, number } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const team = useTeam();
  const api = useApi(calls);
  const [typed, setTyped] = useState('');
  const [, position, hash] = headPattern.exec(typed) ?? [];
  const isWrong = typed.trim() !== '' && position === undefined;
  const verification = useQuery({
    queryKey: ['team', team.id, 'audit-log', 'verification', position ?? '', hash ?? ''],
    queryFn: ({ signal }) =>
      api.call('verifyAuditLog', {
        params: { team_id: team.id },
        query: position === undefined || hash === undefined ? {} : { position: Number(position), hash },
        signal,
      }),
    gcTime: 0,
  });
  return (
    <ModalDialog title={messages.verify} closeLabel={shell.close} onLeave={onClose}>
      <div className="form">
        <QueryView query={verification}>
          {({ intact, entries, head, fault }) => (
            <>
              {intact ? (
                <Notice tone="plain">{messages.intact(number(entries), entries === 1)}</Notice>
              ) : (
                <Notice tone="bad">
                  {messages.broken} {fault}
                </Notice>
              )}
              {head.position === 0 ? null : (
                <div className="field">
                  <span className="audit-head-label">{messages.head}</span>
                  <p className="audit-head">
                    <code>{`${head.position}:${head.hash}`}</code>{' '}
                    <CopyButton text={`${head.position}:${head.hash}`} label={messages.copyHead} />
                  </p>
                  <p className="hint">{messages.headHint}</p>
                </div>
              )}
            </>
          )}
        </QueryView>
        <TextField
          label={messages.compare}
          aside={shell.optional}
          hint={messages.compareHint}
          error={isWrong ? messages.noHead : null}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ target: { value } }) => setTyped(value)}
        />
      </div>
    </ModalDialog>
  );
}
