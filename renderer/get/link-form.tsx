import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { LinkPreview } from '#protocol/agent/previews.ts';
import { deepLinkScheme, openPlace } from '#protocol/deep-link.ts';
import { TextField } from '#ui/field.tsx';
import { DownloadIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';
import { CancelButton } from '../ui/dialog.tsx';
import { codeAsked, LinkCode } from './link-code.tsx';

/** An opened link, and the password that was used. */
export interface OpenedLink {
  readonly url: string;
  /** Empty where it has no password. */
  readonly password: string;
  readonly preview: LinkPreview;
}

interface LinkFormProps {
  readonly url: string;
  readonly onUrl: (url: string) => void;
  readonly onOpen: (opened: OpenedLink) => void;
  /** What was entered leads to another form. */
  readonly onLeft: () => void;
}

/** A download link, and its password if it has one. */
export function LinkForm({ url, onUrl, onOpen, onLeft }: LinkFormProps) {
  const { client } = useApp();
  const { messages } = useLocale();
  const fault = useFaultText();
  const { get: texts } = messages;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const link = () => ({ url: url.trim(), ...(password ? { password } : {}) });
  const look = useMutation({
    mutationFn: () => client.call('previewLink', { body: { ...link(), ...(code ? { code } : {}) } }),
    onSuccess: (preview) => onOpen({ url: url.trim(), password, preview }),
  });
  const { mutate } = look;

  const locked = look.error instanceof AgentCallError && look.error.is('link_password_wrong');
  const wantsPassword = password !== '' || locked;
  const asked = codeAsked(look.error);
  const wantsCode = asked !== 'none' || (code !== '' && look.isPending);
  return (
    <form
      className="form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        // What a page of the service shows for going on here.
        if (!url.trim().startsWith(`${deepLinkScheme}:`)) return mutate();
        location.hash = openPlace(url.trim());
        onLeft();
      }}
    >
      {look.error && asked !== 'missing' ? (
        <Notice tone={locked && password === '' ? 'plain' : 'bad'}>
          {locked ? (password === '' ? texts.protected : texts.passwordWrong) : fault(look.error)}
        </Notice>
      ) : null}
      <TextField
        label={texts.link}
        type="url"
        required
        autoFocus={!wantsPassword && !wantsCode}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://…/d/…?secret=…"
        value={url}
        onChange={(event) => {
          onUrl(event.target.value);
          setCode('');
          look.reset();
        }}
      />
      {wantsPassword ? (
        <TextField
          label={texts.password}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      ) : null}
      {wantsCode ? <LinkCode mail={() => client.call('mailLinkCode', { body: link() })} value={code} onChange={setCode} /> : null}
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={look.isPending}>
          <DownloadIcon /> {look.isPending ? texts.looking : texts.look}
        </button>
      </div>
    </form>
  );
}
