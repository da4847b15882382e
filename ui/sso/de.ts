import type { SsoRefusal } from '#protocol/sso-refusals.ts';

/** `ssoRefusals` in German, for the pages of the service and of the agent. */
export const ssoRefusals: Readonly<Record<SsoRefusal, string>> = {
  access_denied: 'Ihre Firma lässt Sie nicht herein, oder die Anmeldung wurde dort abgebrochen.',
  login_required: 'Ihre Firma möchte, dass Sie sich zuerst auf ihrer eigenen Seite anmelden.',
  interaction_required: 'Ihre Firma muss Sie zuerst auf ihrer eigenen Seite etwas fragen.',
  account_selection_required: 'Wählen Sie auf der Seite Ihrer Firma, welches Ihrer Konten es ist, und beginnen Sie neu.',
  consent_required: 'Die Seite Ihrer Firma braucht zuerst Ihre Zustimmung.',
  invalid_request: 'Der Anbieter Ihrer Firma versteht die Anfrage nicht. Sagen Sie es denen, die die Anmeldung eingerichtet haben.',
  invalid_scope:
    'Der Anbieter Ihrer Firma gibt nicht her, was Longshore braucht. Sagen Sie es denen, die die Anmeldung eingerichtet haben.',
  unauthorized_client:
    'Longshore ist beim Anbieter Ihrer Firma nicht zugelassen. Sagen Sie es denen, die die Anmeldung eingerichtet haben.',
  unsupported_response_type:
    'Longshore ist beim Anbieter Ihrer Firma nicht richtig eingerichtet. Sagen Sie es denen, die die Anmeldung eingerichtet haben.',
  server_error: 'Beim Anbieter Ihrer Firma ist etwas schiefgegangen. Versuchen Sie es später noch einmal.',
  temporarily_unavailable: 'Der Anbieter Ihrer Firma ist ausgelastet. Versuchen Sie es gleich noch einmal.',
};
