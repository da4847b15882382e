import type { Sentence } from '../sentence.ts';

/** Providers that cannot be reached. */
export const closed: readonly Sentence[] = [
  [
    /^PostLab has no public interface, so Longshore cannot bring files there$/,
    'PostLab hat keine öffentliche Schnittstelle, darum kann Longshore keine Dateien dorthin bringen',
  ],
  [
    /^Connect other storage, and add the files to PostLab from there with its own app$/,
    'Verbinden Sie anderen Speicher, und fügen Sie die Dateien von dort mit der App von PostLab hinzu',
  ],
  [
    /^Frame\.io (?:closes|closed) its legacy API on 1 December 2026, and Longshore does not use it$/,
    'Die alte API von Frame.io endet am 1. Dezember 2026, und Longshore benutzt sie nicht',
  ],
  [
    /^Move the account to Frame\.io V4, then make a connection to Frame\.io \(V4\)$/,
    'Stellen Sie das Konto auf Frame.io V4 um, und legen Sie dann eine Verbindung zu Frame.io (V4) an',
  ],
  [
    /^(.+) is reached through an agent with a storage gateway, not by the service$/,
    '$1 wird über einen Agenten mit Storage-Gateway erreicht, nicht vom Dienst selbst',
  ],
  [/^Longshore cannot move files to or from (.+) yet$/, 'Longshore kann noch keine Dateien zu oder von $1 bewegen'],
];
