import type { Messages } from '../en/account.ts';
import { de as common } from './common.ts';

export const de: Messages = {
  ...common,
  loading: 'Die Einladung wird geöffnet …',
  roles: {
    owner: 'Inhaber',
    admin: 'Admin',
    integration_manager: 'Integrationsmanager',
    member: 'Mitglied',
    guest: 'Gast',
  },
  fields: {
    email: 'E-Mail-Adresse',
    name: 'Ihr Name',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    show: 'Passwort anzeigen',
    atLeast: (count) => `Mindestens ${count} Zeichen. Vier Wörter merkt man sich leicht.`,
    tooShort: (count) => `Ein Passwort hat mindestens ${count} Zeichen.`,
    code: 'Code',
    codeHint: 'Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode: Dieses Konto hat einen zweiten Faktor.',
    nameMissing: 'Geben Sie an, wie Sie heißen.',
  },
  faults: {
    tooMany: (time) => `Zu viele Versuche. Versuchen Sie es in ${time} noch einmal.`,
    unreachable: 'Der Dienst antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
    wrongCode: 'Dieser Code stimmt nicht oder wurde schon benutzt. Nehmen Sie den, der jetzt angezeigt wird.',
    wrongPassword: 'Dieses Passwort ist falsch.',
  },

  invitation: {
    title: (team) => `${team} beitreten`,
    plainTitle: 'Einladung',
    text: (inviter, team) => `${inviter} lädt Sie in das Team ${team} ein, das hier Dateien sendet und empfängt.`,
    role: 'Rolle',
    until: 'Gültig bis',
    accountQuestion: 'Haben Sie hier ein Konto?',
    asNew: 'Ich bin neu hier',
    known: 'Ich habe ein Konto',
    hasAccount: 'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich mit seinem Passwort an.',
    join: 'Dem Team beitreten',
    signInAndJoin: 'Anmelden und beitreten',
    joining: 'Einen Moment …',
    forgot: 'Passwort vergessen?',
    joined: (team) => `Sie sind in ${team}`,
    toConsole: 'Weiter im Browser',
    joinedText: (service) =>
      `Melden Sie sich hier oder in der Longshore-App mit E-Mail-Adresse und Passwort an. Der Dienst ist ${service}.`,
    wrong: {
      title: 'Diese Einladung gilt nicht',
      text: 'Vielleicht wurde sie zurückgezogen oder neu gesendet, oder ein Teil der Adresse fehlt. Öffnen Sie die neueste Nachricht noch einmal, oder fragen Sie, wer Sie eingeladen hat.',
    },
    expired: { title: 'Diese Einladung ist abgelaufen', text: 'Bitten Sie darum, sie noch einmal zu senden.' },
    used: {
      title: 'Diese Einladung wurde schon angenommen',
      text: 'Melden Sie sich in der App an. Wenn Sie es nicht waren, sagen Sie es sofort einem Inhaber des Teams.',
    },
    inactive: { title: 'Dieses Team ist gesperrt', text: 'Gerade kann niemand beitreten. Fragen Sie, wer Sie eingeladen hat.' },
    another: {
      title: 'Diese Einladung gilt einer anderen Adresse',
      text: 'Melden Sie sich als die Person an, deren Adresse eingeladen wurde, oder bitten Sie um eine Einladung an Ihre.',
    },
    given: {
      title: 'Wählen Sie zuerst ein eigenes Passwort',
      text: 'Das Passwort Ihres Kontos hat jemand anderes gewählt und kennt es vielleicht noch. Wählen Sie ein neues, und öffnen Sie diese Einladung dann noch einmal.',
      act: 'Nachricht für ein neues Passwort senden',
    },
  },

  email: {
    loading: 'Die Bestätigung wird angesehen …',
    // With hyphens at which no line ends.
    title: 'Neue E‑Mail‑Adresse bestätigen',
    text: 'Danach melden Sie sich mit dieser Adresse an, und Nachrichten über Ihr Konto gehen dorthin. Alle, die in dem Konto angemeldet sind, werden abgemeldet.',
    /** Where it is not known which. */
    textUnknown:
      'Danach melden Sie sich mit der Adresse an, an die die Nachricht ging, und Nachrichten über Ihr Konto gehen dorthin. Alle, die in dem Konto angemeldet sind, werden abgemeldet.',
    confirm: 'Adresse bestätigen',
    confirming: 'Einen Moment …',
    done: 'Ihre Adresse ist bestätigt',
    doneText: 'Melden Sie sich ab jetzt mit ihr an. An die vorige ging eine Nachricht.',
    wrong: {
      title: 'Diese Bestätigung gilt nicht',
      text: 'Vielleicht wurde sie abgebrochen oder neu gesendet, oder ein Teil der Adresse fehlt. Sehen Sie in Ihr Profil, und öffnen Sie die neueste Nachricht.',
    },
    expired: { title: 'Diese Bestätigung ist abgelaufen', text: 'Sie galt einen Tag. Ändern Sie die Adresse in Ihrem Profil noch einmal.' },
    used: { title: 'Diese Adresse wurde schon bestätigt', text: 'Melden Sie sich mit ihr an.' },
    taken: { title: 'Inzwischen hat jemand anderes diese Adresse', text: 'Ihr Konto behält die Adresse, die es hat.' },
  },

  unsubscribe: {
    loading: 'Ihre Nachrichten werden angesehen …',
    title: 'Keine Nachrichten mehr über dieses Paket?',
    text: (name, email) => `${email} erfährt dann nichts mehr von „${name}“.`,
    hint: 'Nachrichten über andere Pakete, und solche mit Links für Sie, kommen weiter.',
    stop: 'Keine Nachrichten mehr',
    done: 'Sie erfahren von diesem Paket nichts mehr',
    doneText: (name, email) => `${email} bekommt keine Nachrichten mehr über „${name}“.`,
    undo: 'Doch wieder Nachrichten',
    wrong: { title: 'Diese Adresse gilt nicht', text: 'Vielleicht fehlt ein Teil von ihr. Öffnen Sie die Nachricht noch einmal.' },
  },

  password: {
    askTitle: 'Passwort vergessen?',
    askText: 'Geben Sie die E-Mail-Adresse Ihres Kontos an. Sie erhalten eine Nachricht, mit der Sie ein neues Passwort wählen.',
    ask: 'Nachricht senden',
    asking: 'Einen Moment …',
    asked: 'Sehen Sie in Ihre E-Mails',
    askedText: (email) => `Wenn es zu ${email} hier ein Konto gibt, ist eine Nachricht unterwegs. Sie gilt eine Stunde lang und einmal.`,
    askedHint: 'Nach einigen Minuten nichts da? Sehen Sie bei unerwünschten E-Mails nach, und ob es die Adresse Ihres Kontos ist.',
    askAgain: 'Neue Nachricht anfordern',
    title: 'Neues Passwort wählen',
    text: 'Alle, die in diesem Konto angemeldet sind, auf welchem Gerät auch immer, werden abgemeldet.',
    save: 'Passwort speichern',
    saving: 'Einen Moment …',
    done: 'Ihr Passwort ist geändert',
    toSignIn: 'Anmelden',
    doneText: 'Melden Sie sich in der App mit dem neuen an.',
    wrong: {
      title: 'Dieser Link für ein neues Passwort gilt nicht',
      text: 'Vielleicht endete er durch eine andere Änderung des Passworts, oder ein Teil der Adresse fehlt.',
    },
    expired: { title: 'Dieser Link für ein neues Passwort ist abgelaufen', text: 'Er galt eine Stunde lang.' },
    used: {
      title: 'Dieser Link für ein neues Passwort wurde schon benutzt',
      text: 'Wenn Sie es nicht waren, fordern Sie eine neue Nachricht an und wählen Sie sofort ein anderes Passwort.',
    },
  },
};
