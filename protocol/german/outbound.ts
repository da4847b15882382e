import type { Sentence } from './sentence.ts';

/** Why an address that a Team named did not answer, as deliveries of webhooks have it. */
export const outbound: readonly Sentence[] = [
  [/^It answered (\d+)$/, 'Die Antwort war $1'],
  [/^It answered (\d+); redirects are not followed$/, 'Die Antwort war $1; Weiterleitungen wird nicht gefolgt'],
  [
    /^It answered 410 \(gone\), so the webhook is turned off$/,
    'Die Antwort war 410 (gibt es nicht mehr), also ist der Webhook abgeschaltet',
  ],
  [/^There was no answer within ([\d.]+) s$/, 'In $1 s kam keine Antwort'],
  [/^The answer is larger than (\d+) bytes$/, 'Die Antwort ist größer als $1 Byte'],
  [/^The address leads into a private network, which is not allowed$/, 'Die Adresse liegt in einem privaten Netz, was nicht erlaubt ist'],
  [/^The connection was closed as soon as it was made$/, 'Die Verbindung wurde geschlossen, kaum dass sie stand'],
  [/^The host name does not resolve$/, 'Den Hostnamen gibt es nicht'],
  [/^The webhook was turned off before this attempt$/, 'Der Webhook wurde vor diesem Versuch abgeschaltet'],
  [/^The connection was refused$/, 'Die Verbindung wurde abgelehnt'],
  [/^The connection could not be made in time$/, 'Die Verbindung kam nicht rechtzeitig zustande'],
  [/^TLS failed \((\w+)\)$/, 'TLS scheiterte ($1)'],
  [/^The connection broke before there was an answer( \(\w+\))?$/, 'Die Verbindung brach ab, bevor eine Antwort kam$1'],
];
