import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tag } from '#protocol/hosted/tags.ts';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { PlusIcon, TagIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/tags.ts';
import { en } from '../../messages/en/console/tags.ts';
import { useMay, useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConfirmDialog, FormDialog } from '../ui/form-dialog.tsx';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import '../ui/rows.css';

const calls = defineCalls({
  listTags: { method: 'GET', path: '/v1/teams/{team_id}/tags', reply: { status: 200 } },
  createTag: { method: 'POST', path: '/v1/teams/{team_id}/tags', reply: { status: 201 } },
  updateTag: { method: 'PUT', path: '/v1/tags/{tag_id}', reply: { status: 200 } },
  deleteTag: { method: 'DELETE', path: '/v1/tags/{tag_id}', reply: { status: 204 } },
});

const tagsKey = (teamId: string) => ['team', teamId, 'tags'] as const;

type Open = { readonly action: 'make' } | { readonly action: 'rename' | 'delete'; readonly tag: Tag } | null;

/** The tags of a Team. */
export default function Tags() {
  const { messages, day } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const may = useMay()('tags.manage');
  const api = useApi(calls);
  const tags = useQuery({
    queryKey: tagsKey(team.id),
    queryFn: ({ signal }) => api.call('listTags', { params: { team_id: team.id }, signal }),
  });
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const makeButton = (
    <button type="button" className="button button-primary" onClick={() => setOpen({ action: 'make' })}>
      <PlusIcon /> {messages.make}
    </button>
  );
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        {may && tags.data?.length ? makeButton : null}
      </PageHeader>
      <QueryView query={tags}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<TagIcon />} title={messages.empty} text={messages.emptyText}>
              {may ? makeButton : null}
            </ViewState>
          ) : (
            <section className="panel">
              <KeysetList
                label={messages.list}
                items={found}
                keyOf={({ id }) => id}
                rowHeight={62}
                row={(tag) => (
                  <div className="row">
                    <div className="row-main">
                      <span className="row-name" dir="auto">
                        {tag.name}
                      </span>
                      <span className="row-facts">{messages.since(day(tag.created_at))}</span>
                    </div>
                    {may ? (
                      <MenuButton label={shell.moreFor(tag.name)}>
                        <MenuItem label={messages.rename} onChoose={() => setOpen({ action: 'rename', tag })} />
                        <MenuItem label={messages.delete} onChoose={() => setOpen({ action: 'delete', tag })} />
                      </MenuButton>
                    ) : null}
                  </div>
                )}
              />
            </section>
          )
        }
      </QueryView>
      {open?.action === 'make' ? <NameDialog tag={null} onClose={close} /> : null}
      {open?.action === 'rename' ? <NameDialog tag={open.tag} onClose={close} /> : null}
      {open?.action === 'delete' ? <DeleteDialog tag={open.tag} onClose={close} /> : null}
    </div>
  );
}

/** Makes a tag, or renames one. */
function NameDialog({ tag, onClose }: { readonly tag: Tag | null; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(calls);
  const cache = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(tag?.name ?? '');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    if (name.trim() === '') {
      setError(messages.noName);
      return false;
    }
    if (tag) await api.call('updateTag', { params: { tag_id: tag.id }, body: { name } });
    else await api.call('createTag', { params: { team_id: team.id }, body: { name } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.made(name)) });
    await cache.invalidateQueries({ queryKey: tagsKey(team.id) });
    return true;
  };
  return (
    <FormDialog
      small
      title={tag ? messages.renameTitle(tag.name) : messages.make}
      submit={tag ? shell.save : messages.make}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.name}
        hint={tag ? messages.renameHint : undefined}
        error={error}
        value={name}
        maxLength={limits.nameLength}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function DeleteDialog({ tag, onClose }: { readonly tag: Tag; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const cache = useQueryClient();
  const toast = useToast();
  const remove = async () => {
    await api.call('deleteTag', { params: { tag_id: tag.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.deleted(tag.name)) });
    await cache.invalidateQueries({ queryKey: tagsKey(team.id) });
  };
  return (
    <ConfirmDialog title={messages.deleteTitle(tag.name)} submit={messages.delete} onSubmit={remove} onClose={onClose}>
      <p>{messages.deleteText}</p>
    </ConfirmDialog>
  );
}
