import { type FormEvent, useId, useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { AutomationQuestion } from '#protocol/agent/automations/history.ts';
import { type Answers, firstAnswers, formValues, problemOf } from '#protocol/form-rules.ts';
import { focusFirstError } from '#ui/field.tsx';
import { FormFields } from '#ui/form/form-fields.tsx';
import { SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../../transfers/actions/transfer-actions.tsx';
import { useAnswer, useQuestions } from './queries.ts';

/** What an automation asks a person: the fields of its Portal's form that could not be filled in. */
export function Questions({ automation }: { automation: Automation }) {
  const { messages } = useFormat();
  const { needs: texts } = messages.automations;
  const fault = useFaultText();
  const { data, error, refetch } = useQuestions(automation.id);
  return (
    <section className="panel questions" aria-labelledby="questions-heading">
      <h2 id="questions-heading">{texts.title}</h2>
      <p className="hint">{texts.text}</p>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => void refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {!data && !error ? <p className="hint">{messages.app.loading}</p> : null}
      <div className="question-list">
        {data?.map((question) => (
          <Question key={question.id} automation={automation} question={question} />
        ))}
      </div>
    </section>
  );
}

function Question({ automation, question }: { automation: Automation; question: AutomationQuestion }) {
  const { messages, number, moment } = useFormat();
  const { needs: texts } = messages.automations;
  const { notify } = useTransferActions();
  const fault = useFaultText();
  const heading = useId();
  const answer = useAnswer(automation.id);
  const { id, fields, asked_at: asked } = question;
  const entry = question.entry === '' ? texts.everything : question.entry;
  const [answers, setAnswers] = useState<Answers>(() => firstAnswers(fields));
  const [judged, setJudged] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setJudged(true);
    if (fields.some((field) => problemOf(field, answers[field.name] ?? ''))) {
      focusFirstError(event.currentTarget);
      return;
    }
    answer.mutate(
      { question: id, form: formValues(fields, answers) },
      {
        onSuccess: () =>
          notify({
            tone: 'plain',
            text: (format) =>
              format.messages.automations.needs.answered(
                question.entry === '' ? format.messages.automations.needs.everything : question.entry,
              ),
          }),
      },
    );
  };
  return (
    <form className="form question" aria-labelledby={heading} onSubmit={submit} noValidate>
      <h3 id={heading} dir="auto">
        {texts.of(entry)} <span className="hint">{texts.asked(moment(asked))}</span>
      </h3>
      {answer.error ? <Notice tone="bad">{fault(answer.error)}</Notice> : null}
      <FormFields
        fields={fields}
        answers={answers}
        onAnswer={(field, value) => setAnswers((before) => ({ ...before, [field]: value }))}
        judged={judged}
        messages={messages.send.form}
        number={number}
      />
      <div>
        <button type="submit" className="button button-primary" disabled={answer.isPending}>
          <SendIcon /> {answer.isPending ? texts.sending : texts.send}
        </button>
      </div>
    </form>
  );
}
