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
    nameMissing: 'Geben Sie an, wie Sie heißen.',
  },
  faults: {
    tooMany: (time) => `Zu viele Versuche. Versuchen Sie es in ${time} noch einmal.`,
    unreachable: 'Der Dienst antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
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
    joinedText: (service) => `Melden Sie sich in der Longshore-App mit E-Mail-Adresse und Passwort an. Der Dienst ist ${service}.`,
    wrong: {
      title: 'Diese Einladung gilt nicht',
      text: 'Vielleicht wurde sie zurückgezogen oder neu gesendet, oder ein Teil der Adresse fehlt. Öffnen Sie die neueste Nachricht noch einmal, oder fragen Sie, wer Sie eingeladen hat.',
    },
    expired: { title: 'Diese Einladung ist abgelaufen', text: 'Bitten Sie darum, sie noch einmal zu senden.' },
    used: {
      title: 'Diese Einladung wurde schon angenommen',
      text: 'Melden Sie sich in der App an. Wenn Sie es nicht waren, sagen Sie es sofort einem Inhaber des Teams.',
    },
    inactive: { title: 'Dieses Team ist nicht aktiv', text: 'Gerade kann niemand beitreten. Fragen Sie, wer Sie eingeladen hat.' },
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
    doneText: 'Melden Sie sich in der App mit dem neuen an.',
    wrong: {
      title: 'Dieser Weg zu einem neuen Passwort gilt nicht',
      text: 'Vielleicht endete er durch eine andere Änderung des Passworts, oder ein Teil der Adresse fehlt.',
    },
    expired: { title: 'Dieser Weg zu einem neuen Passwort ist abgelaufen', text: 'Er galt eine Stunde lang.' },
    used: {
      title: 'Dieser Weg zu einem neuen Passwort wurde schon benutzt',
      text: 'Wenn Sie es nicht waren, fordern Sie eine neue Nachricht an und wählen Sie sofort ein anderes Passwort.',
    },
  },
};
