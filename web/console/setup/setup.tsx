import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ProviderName, providerNames } from '#protocol/providers.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { PlugIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/setup.ts';
import { en } from '../../messages/en/console/setup.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { providerOf } from '../integrations/connection-draft.ts';
import { useProviderLabel } from '../integrations/use-provider-label.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { loadSetup } from './load-setup.ts';
import { readMarkdown, topLevelOf } from './markdown.ts';
import { MarkdownBlocks } from './markdown-blocks.tsx';
import './setup.css';

const isProvider = (name: string): name is ProviderName => (providerNames as readonly string[]).includes(name);

/** What to make at a provider and which permissions to give, from the documentation. */
export default function Setup({ params }: ViewProps) {
  const { messages } = useTexts({ en, de });
  const labelOf = useProviderLabel();
  const team = useTeam();
  const name = params['provider']!;
  const known = isProvider(name);
  return (
    <div className="view setup-view">
      <PageHeader
        title={known ? messages.title(labelOf(providerOf(name).label)) : messages.unknown}
        back={{ href: `/t/${team.id}/integrations`, label: messages.back }}
      />
      <SelectField
        label={messages.provider}
        value={known ? name : ''}
        onChange={(event) => goTo(`/t/${team.id}/integrations/setup/${event.target.value}`, { replace: true })}
      >
        {known ? null : <option value="" />}
        {providerNames.map((one) => (
          <option key={one} value={one}>
            {labelOf(providerOf(one).label)}
          </option>
        ))}
      </SelectField>
      {known ? <Page key={name} provider={name} /> : <ViewState icon={<PlugIcon />} title={messages.unknown} text={messages.unknownText} />}
    </div>
  );
}

/** The bucket in the examples of the documentation. */
const exampleBucket = 'arn:aws:s3:::dailies';

function Page({ provider }: { readonly provider: ProviderName }) {
  const { messages, language } = useTexts({ en, de });
  const [bucket, setBucket] = useState('');
  const page = useQuery({
    queryKey: ['setup', provider, language],
    queryFn: () => loadSetup(provider, language),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const blocks = useMemo(() => readMarkdown(page.data ?? ''), [page.data]);
  const wanted = bucket.trim();
  return (
    <QueryView query={page}>
      {(text) => (
        <>
          {text.includes(exampleBucket) ? (
            <TextField
              label={messages.bucket}
              hint={messages.bucketHint}
              value={bucket}
              maxLength={63}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setBucket(event.target.value)}
            />
          ) : null}
          <article className="panel setup">
            <MarkdownBlocks
              blocks={blocks}
              topLevel={topLevelOf(blocks)}
              inCode={(code) => (wanted === '' ? code : code.replaceAll(exampleBucket, () => `arn:aws:s3:::${wanted}`))}
              copyLabel={messages.copy}
            />
          </article>
        </>
      )}
    </QueryView>
  );
}
