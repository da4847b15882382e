import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AgentTeam } from '#protocol/agent/session.ts';
import { limits } from '#protocol/limits.ts';
import { sentenceOf } from '../agent/failure.ts';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { FolderIcon, SendIcon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { addressesOf, isAbsolute, linesOf, nameFor } from './lists.ts';

/** Sends files and folders of the agent's machine to a Team. */
export function SendDialog({ teams, onClose }: { teams: readonly AgentTeam[]; onClose: () => void }) {
  const { client } = useApp();
  const bridge = desktopBridge();
  const [teamId, setTeamId] = useState(teams[0]?.id ?? '');
  const [pathsText, setPathsText] = useState('');
  const [name, setName] = useState<string | null>(null);
  const [recipientsText, setRecipientsText] = useState('');
  const [message, setMessage] = useState('');
  const [password, setPassword] = useState('');
  const [pathError, setPathError] = useState<string | null>(null);

  const paths = linesOf(pathsText);
  const recipients = addressesOf(recipientsText);
  const packageName = (name ?? nameFor(paths)).slice(0, limits.nameLength);

  const send = useMutation({
    mutationFn: () =>
      client.call('createUpload', {
        body: {
          team_id: teamId,
          paths,
          package_name: packageName,
          recipients,
          ...(message.trim() ? { package_description: message.trim() } : {}),
          ...(password ? { password } : {}),
        },
      }),
    onSuccess: onClose,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const partial = paths.find((path) => !isAbsolute(path));
    const problem =
      paths.length === 0 ? 'Say what to send.' : partial ? `“${partial}” is not a whole path. Begin at the root, as in /media/A001.` : null;
    setPathError(problem);
    if (!problem) send.mutate();
  };

  const pick = async () => {
    const picked = (await bridge?.pickPaths()) ?? [];
    if (picked.length > 0) setPathsText((before) => linesOf(`${before}\n${picked.join('\n')}`).join('\n'));
  };

  return (
    <Dialog title="Send files" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {send.error ? <Notice tone="bad">{sentenceOf(send.error)}</Notice> : null}
        <TextAreaField
          label="Files and folders"
          rows={3}
          required
          autoFocus
          spellCheck={false}
          className="input mono"
          placeholder="/media/A001"
          value={pathsText}
          onChange={(event) => setPathsText(event.target.value)}
          error={pathError}
          hint="Whole paths on the agent’s machine, one on each line."
        />
        {bridge ? (
          <button type="button" className="button" onClick={pick}>
            <FolderIcon /> Choose…
          </button>
        ) : null}
        {teams.length > 1 ? (
          <SelectField label="Team" value={teamId} onChange={(event) => setTeamId(event.target.value)}>
            {teams.map((team) => (
              <option key={team.id} value={team.id}>
                {team.name}
              </option>
            ))}
          </SelectField>
        ) : null}
        <TextField
          label="Package name"
          required
          maxLength={limits.nameLength}
          value={packageName}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Recipients"
          optional
          inputMode="email"
          autoComplete="off"
          value={recipientsText}
          onChange={(event) => setRecipientsText(event.target.value)}
          hint="E-mail addresses, parted by commas. Without any you get a link to pass on yourself."
        />
        {/* A field that is wrong must be seen: the browser cannot point at one in a closed part. */}
        <details
          className="more"
          onInvalidCapture={(event) => {
            event.currentTarget.open = true;
          }}
        >
          <summary>Message and password</summary>
          <div className="form">
            <TextAreaField
              label="Message"
              optional
              rows={3}
              maxLength={limits.textLength}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
            />
            <TextField
              label="Password for the link"
              optional
              type="password"
              autoComplete="new-password"
              minLength={limits.passwordLength.min}
              maxLength={limits.passwordLength.max}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              hint={`At least ${limits.passwordLength.min} characters. Tell it to the recipients yourself.`}
            />
          </div>
        </details>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-primary" disabled={send.isPending}>
            <SendIcon /> {send.isPending ? 'Looking at the files…' : sendLabel(teams, teamId)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function sendLabel(teams: readonly AgentTeam[], teamId: string): string {
  const team = teams.find((one) => one.id === teamId);
  return team ? `Send to ${team.name}` : 'Send';
}
