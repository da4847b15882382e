/**
 * What a company's provider says when it lets somebody not in (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6), as a
 * sentence. Pages have them in each language.
 */
export const ssoRefusals = {
  access_denied: 'Your company does not let you in, or the sign-in was cancelled there.',
  login_required: 'Your company wants you to sign in at its own page first.',
  interaction_required: 'Your company has to ask you something at its own page first.',
  account_selection_required: 'Choose at your company’s page which of your accounts it is, then begin again.',
  consent_required: 'Your company’s page needs your consent first.',
  invalid_request: 'Your company’s provider does not understand the request. Tell whoever set up the sign-in.',
  invalid_scope: 'Your company’s provider does not give what Longshore asks for. Tell whoever set up the sign-in.',
  unauthorized_client: 'Longshore is not allowed at your company’s provider. Tell whoever set up the sign-in.',
  unsupported_response_type: 'Longshore is not set up rightly at your company’s provider. Tell whoever set up the sign-in.',
  server_error: 'Your company’s provider has a fault of its own. Try again later.',
  temporarily_unavailable: 'Your company’s provider is busy. Try again in a moment.',
} as const satisfies Readonly<Record<string, string>>;

export type SsoRefusal = keyof typeof ssoRefusals;

export const isSsoRefusal = (code: string): code is SsoRefusal => Object.hasOwn(ssoRefusals, code);
