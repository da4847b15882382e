import { useState } from 'react';
import { isEmailAddress } from '#protocol/email.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { TextAreaField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/portals.ts';
import { en } from '../../messages/en/console/portals.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NoMailNotice } from '../ui/no-mail-notice.tsx';
import { useToast } from '../ui/toasts.tsx';
import { portalCalls } from './calls.ts';

/** Addresses as people paste them: one a line, with commas, or with names before them. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,;]+/)
      .map((one) => (/<([^<>]+)>/.exec(one)?.[1] ?? one).trim())
      .filter((one) => one !== ''),
  ),
];

/** Asks people by mail to send files through a Portal. */
export function RequestDialog({ portal, onClose }: { readonly portal: Portal; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const api = useApi(portalCalls);
  const toast = useToast();
  const [people, setPeople] = useState('');
  const [message, setMessage] = useState('');
  const [judged, setJudged] = useState(false);
  const recipients = addressesIn(people);
  const wrong = recipients.find((one) => !isEmailAddress(one));
  const problem =
    recipients.length === 0
      ? messages.missing
      : wrong !== undefined
        ? messages.wrongPeople(wrong)
        : recipients.length > limits.portalRequestRecipients
          ? messages.tooMany
          : null;
  const submit = async (): Promise<boolean> => {
    setJudged(true);
    if (problem !== null) return false;
    const { recipients: told } = await api.call('requestFiles', { params: { portal_id: portal.id }, body: { recipients, message } });
    toast({ text: textIn({ en, de }, ({ messages, number }) => messages.asked(number(told.length), told.length === 1)) });
    return true;
  };
  return (
    <FormDialog title={messages.requestOf(portal.name)} submit={messages.send} onSubmit={submit} onClose={onClose}>
      <p className="hint">{messages.requestText}</p>
      <NoMailNotice />
      {portal.has_access_code ? <p className="notice notice-warn">{messages.requestCode}</p> : null}
      <TextAreaField
        label={messages.people}
        hint={messages.peopleHint}
        error={judged ? problem : null}
        aria-required
        spellCheck={false}
        value={people}
        onChange={(event) => setPeople(event.target.value)}
      />
      <TextAreaField
        label={messages.message}
        aside={shell.optional}
        hint={messages.messageHint}
        maxLength={limits.textLength}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
    </FormDialog>
  );
}
