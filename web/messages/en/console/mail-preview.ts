/** Mails as they will look. */
export const en = {
  title: 'How your mails look',
  text: 'With the settings as they stand in this form. The package is made up.',
  kind: 'Mail',
  kinds: {
    link: 'To a recipient',
    receipt: 'Receipt for the sender',
    code: 'Code for a recipient',
    downloaded: 'Was downloaded',
    expires: 'Expires tomorrow',
    failed: 'Something failed',
    portal: 'About an upload to a Portal',
    request: 'A Portal asks for files',
    invitation: 'Invitation to the Team',
  },
  language: 'Language',
  look: 'Shown',
  looks: { '600': 'As on a desk (600 px)', '360': 'As on a phone (360 px)', text: 'As plain text' },
  invalid: 'Something in this form is not right yet. As soon as it is, the mail is shown with it.',
} as const;
