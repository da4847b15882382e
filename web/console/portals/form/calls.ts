import { defineCalls } from '../../app/api.ts';

/** The calls of forms and their templates. */
export const formCalls = defineCalls({
  getForm: { method: 'GET', path: '/v1/portals/{portal_id}/form', reply: { status: 200 } },
  createForm: { method: 'POST', path: '/v1/portals/{portal_id}/form', reply: { status: 201 } },
  updateForm: { method: 'PUT', path: '/v1/metadata/forms/{form_id}', reply: { status: 200 } },
  deleteForm: { method: 'DELETE', path: '/v1/metadata/forms/{form_id}', reply: { status: 204 } },
  listFormTemplates: { method: 'GET', path: '/v1/teams/{team_id}/forms/templates', reply: { status: 200 } },
  createFormTemplate: { method: 'POST', path: '/v1/teams/{team_id}/forms/templates', reply: { status: 201 } },
  updateFormTemplate: { method: 'PUT', path: '/v1/metadata/forms/templates/{form_template_id}', reply: { status: 200 } },
});
