import { de } from '../../messages/de/console/profile.ts';
import { en } from '../../messages/en/console/profile.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { Email } from './email.tsx';
import { Password } from './password.tsx';
import { Person } from './person.tsx';
import { Sessions } from './sessions.tsx';
import './profile.css';

/** The person's own account. */
export default function Profile() {
  const { messages } = useTexts({ en, de });
  return (
    <div className="view profile">
      <PageHeader title={messages.title} />
      <Person />
      <Email />
      <Password />
      <section className="panel">
        <h2>{messages.security.title}</h2>
        <p className="hint">{messages.security.text}</p>
        <a className="button" href="/profile/security">
          {messages.security.open}
        </a>
      </section>
      <Sessions />
    </div>
  );
}
