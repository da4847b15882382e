import type { Role } from '#protocol/roles.ts';
import type { MailLanguage } from './language.ts';

/** All texts of messages about accounts. Values are already sanitised (clean.ts). */
interface AccountMessages {
  readonly roles: Readonly<Record<Role, string>>;
  readonly labels: {
    readonly team: string;
    readonly invitedBy: string;
    readonly role: string;
    readonly validUntil: string;
    readonly account: string;
    readonly newAddress: string;
    readonly when: string;
    readonly service: string;
  };
  readonly invitation: {
    subject(inviter: string, team: string): string;
    heading(team: string): string;
    opening(inviter: string, team: string): string;
    readonly button: string;
    closing(inviter: string): string;
  };
  readonly password_reset: Plain;
  readonly password_changed: Plain;
  readonly factor_added: Plain;
  readonly factor_removed: Plain;
  readonly storage_damaged: Plain;
  readonly email_confirmation: Plain;
  readonly email_change_asked: Plain;
  readonly email_changed: Omit<Plain, 'button'>;
}

interface Plain {
  readonly subject: string;
  readonly heading: string;
  readonly opening: string;
  readonly button: string;
  readonly closing: string;
}

const en: AccountMessages = {
  roles: {
    owner: 'Owner',
    admin: 'Admin',
    integration_manager: 'Integration manager',
    member: 'Member',
    guest: 'Guest',
  },
  labels: {
    team: 'Team',
    invitedBy: 'Invited by',
    role: 'Role',
    validUntil: 'Valid until',
    account: 'Account',
    newAddress: 'New address',
    when: 'When',
    service: 'Service',
  },
  invitation: {
    subject: (inviter, team) => `${inviter} invites you to the Team ${team}`,
    heading: (team) => `Join ${team}`,
    opening: (inviter, team) => `${inviter} invites you to the Team ${team}, which sends and receives files here.`,
    button: 'Look at the invitation',
    closing: (inviter) =>
      `You get this message because ${inviter} named your address. The invitation works once, so do not pass it on. If you do not want to join, you need not do anything.`,
  },
  password_reset: {
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    opening: 'Somebody, probably you, asked for a new password for this account.',
    button: 'Choose a new password',
    closing: 'If you did not ask for it you need not do anything: your password stays as it is. Do not pass this message on.',
  },
  password_changed: {
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    opening: 'The password of this account was changed, and everybody who was signed in with the one before was signed out.',
    button: 'It was not me',
    closing: 'If it was not you, choose a new password at once, and look at the API keys of your account: they still work.',
  },
  factor_added: {
    subject: 'A second factor was added to your account',
    heading: 'A second factor was added',
    opening: 'An authenticator app or a passkey was added to this account. Signing in asks for it from now on.',
    button: 'It was not me',
    closing: 'If it was not you, somebody knows your password: choose a new one at once, and tell whoever runs this service.',
  },
  factor_removed: {
    subject: 'A second factor was removed from your account',
    heading: 'A second factor was removed',
    opening: 'An authenticator app or a passkey was removed from this account.',
    button: 'It was not me',
    closing: 'If it was not you, somebody knows your password: choose a new one at once, and tell whoever runs this service.',
  },
  storage_damaged: {
    subject: 'Stored files are missing or damaged',
    heading: 'Stored files are missing or damaged',
    opening:
      'A check of what is stored here has found files that are missing, or are not as they were sent. Nobody is given a damaged one. “longshore admin check --deep” on the machine of the storage names them with their packages: put them back from a backup, or ask their senders, and look at the disk.',
    button: 'Open the operator’s page',
    closing: 'You get this message because you operate this service. The next one comes when more is found.',
  },
  email_confirmation: {
    subject: 'Confirm your new e-mail address',
    heading: 'Confirm your new e-mail address',
    opening: 'Somebody, probably you, wants this address for an account of this service. Nothing changes until you confirm it.',
    button: 'Look at it and confirm',
    closing: 'If it was not you, you need not do anything. Do not pass this message on: whoever confirms gives the account this address.',
  },
  email_change_asked: {
    subject: 'Another e-mail address was asked for',
    heading: 'Another e-mail address was asked for',
    opening:
      'Somebody who knows the password of this account, probably you, wants another e-mail address for it. The account has it once a message to that address is confirmed.',
    button: 'It was not me',
    closing: 'If it was not you, choose a new password at once: that ends the change, too.',
  },
  email_changed: {
    subject: 'The e-mail address of your account was changed',
    heading: 'Your e-mail address was changed',
    opening: 'This account has another e-mail address now. Messages about it go there, and nobody signs in with this one any more.',
    closing: 'If it was not you, tell an owner of your Team, or whoever runs this service, at once.',
  },
};

const de: AccountMessages = {
  roles: {
    owner: 'Inhaber',
    admin: 'Admin',
    integration_manager: 'Integrationsmanager',
    member: 'Mitglied',
    guest: 'Gast',
  },
  labels: {
    team: 'Team',
    invitedBy: 'Eingeladen von',
    role: 'Rolle',
    validUntil: 'Gültig bis',
    account: 'Konto',
    newAddress: 'Neue Adresse',
    when: 'Wann',
    service: 'Dienst',
  },
  invitation: {
    subject: (inviter, team) => `${inviter} lädt Sie in das Team ${team} ein`,
    heading: (team) => `${team} beitreten`,
    opening: (inviter, team) => `${inviter} lädt Sie in das Team ${team} ein, das hier Dateien sendet und empfängt.`,
    button: 'Einladung ansehen',
    closing: (inviter) =>
      `Sie erhalten diese Nachricht, weil ${inviter} Ihre Adresse angegeben hat. Die Einladung gilt nur einmal, geben Sie sie nicht weiter. Wenn Sie nicht beitreten möchten, brauchen Sie nichts zu tun.`,
  },
  password_reset: {
    subject: 'Neues Passwort wählen',
    heading: 'Neues Passwort wählen',
    opening: 'Jemand, vermutlich Sie, hat für dieses Konto ein neues Passwort angefordert.',
    button: 'Neues Passwort wählen',
    closing:
      'Wenn Sie es nicht angefordert haben, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist. Geben Sie diese Nachricht nicht weiter.',
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    heading: 'Ihr Passwort wurde geändert',
    opening: 'Das Passwort dieses Kontos wurde geändert, und alle, die mit dem vorigen angemeldet waren, wurden abgemeldet.',
    button: 'Das war ich nicht',
    closing:
      'Wenn Sie es nicht waren, wählen Sie sofort ein neues Passwort, und prüfen Sie die API-Schlüssel Ihres Kontos: Sie gelten weiter.',
  },
  factor_added: {
    subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
    heading: 'Ein zweiter Faktor wurde hinzugefügt',
    opening: 'Diesem Konto wurde eine Authenticator-App oder ein Passkey hinzugefügt. Beim Anmelden wird ab jetzt danach gefragt.',
    button: 'Das war ich nicht',
    closing:
      'Wenn Sie es nicht waren, kennt jemand Ihr Passwort: Wählen Sie sofort ein neues, und sagen Sie es dem Betreiber dieses Dienstes.',
  },
  factor_removed: {
    subject: 'Von Ihrem Konto wurde ein zweiter Faktor entfernt',
    heading: 'Ein zweiter Faktor wurde entfernt',
    opening: 'Von diesem Konto wurde eine Authenticator-App oder ein Passkey entfernt.',
    button: 'Das war ich nicht',
    closing:
      'Wenn Sie es nicht waren, kennt jemand Ihr Passwort: Wählen Sie sofort ein neues, und sagen Sie es dem Betreiber dieses Dienstes.',
  },
  storage_damaged: {
    subject: 'Gespeicherte Dateien fehlen oder sind beschädigt',
    heading: 'Gespeicherte Dateien fehlen oder sind beschädigt',
    opening:
      'Eine Prüfung des Speichers hat Dateien gefunden, die fehlen oder anders sind, als sie gesendet wurden. Beschädigte Dateien bekommt niemand. „longshore admin check --deep“ auf dem Rechner des Speichers nennt sie mit ihren Paketen: Stellen Sie sie aus einer Sicherung wieder her, oder bitten Sie die Absender darum, und prüfen Sie den Datenträger.',
    button: 'Seite der Betreiber öffnen',
    closing: 'Sie erhalten diese Nachricht, weil Sie diesen Dienst betreiben. Die nächste kommt, wenn mehr gefunden wird.',
  },
  email_confirmation: {
    subject: 'Neue E-Mail-Adresse bestätigen',
    heading: 'Neue E-Mail-Adresse bestätigen',
    opening: 'Jemand, vermutlich Sie, möchte diese Adresse für ein Konto bei diesem Dienst. Nichts ändert sich, bis Sie sie bestätigen.',
    button: 'Ansehen und bestätigen',
    closing:
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun. Geben Sie diese Nachricht nicht weiter: Wer die Adresse bestätigt, gibt sie dem Konto.',
  },
  email_change_asked: {
    subject: 'Eine andere E-Mail-Adresse wurde gewünscht',
    heading: 'Eine andere E-Mail-Adresse wurde gewünscht',
    opening:
      'Jemand, der das Passwort dieses Kontos kennt, vermutlich Sie, möchte dafür eine andere E-Mail-Adresse. Das Konto hat sie, sobald eine Nachricht an jene Adresse bestätigt ist.',
    button: 'Das war ich nicht',
    closing: 'Wenn Sie es nicht waren, wählen Sie sofort ein neues Passwort: Das beendet auch diese Änderung.',
  },
  email_changed: {
    subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
    heading: 'Ihre E-Mail-Adresse wurde geändert',
    opening: 'Dieses Konto hat jetzt eine andere E-Mail-Adresse. Nachrichten gehen dorthin, und mit dieser meldet sich niemand mehr an.',
    closing: 'Wenn Sie es nicht waren, sagen Sie es sofort einem Inhaber Ihres Teams oder dem Betreiber dieses Dienstes.',
  },
};

export const accountMessages: Readonly<Record<MailLanguage, AccountMessages>> = { en, de };
