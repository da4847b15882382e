import { useMutation } from '@tanstack/react-query';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useAboutTexts } from './texts.ts';

/** Logs and state in one zip, for support. */
export function SupportBundle() {
  const { client } = useApp();
  const { support: messages } = useAboutTexts();
  const fault = useFaultText();
  const make = useMutation({
    mutationFn: async () => {
      const answer = await client.open('createSupportBundle', {});
      const name = `longshore-support-${new Date().toISOString().slice(0, 10)}.zip`;
      saveFile(await answer.blob(), name);
      return name;
    },
  });
  return (
    <section className="card settings-part" aria-labelledby="support-heading">
      <h2 id="support-heading">{messages.title}</h2>
      <p>{messages.text}</p>
      {make.error ? <Notice tone="bad">{fault(make.error)}</Notice> : null}
      {make.data ? <Notice tone="plain">{messages.done(make.data)}</Notice> : null}
      <div>
        <button type="button" className="button" disabled={make.isPending} onClick={() => make.mutate()}>
          {make.isPending ? messages.making : messages.make}
        </button>
      </div>
    </section>
  );
}

/** Saves a file as a browser download. */
function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // By then the browser has read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
