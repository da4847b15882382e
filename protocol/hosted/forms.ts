import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name, names } from '../schema.ts';
import { ExpectedUpdatedAt, TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Custom metadata: contract/forms.md §1, §3. */

export const deliveryFormats = ['json', 'csv', 'xml', 'email_body'] as const;
const formFieldTypes = [
  'checkbox',
  'radio',
  'dropdown',
  'date',
  'short_text',
  'long_text',
  'number',
  'url',
  'email',
  'package_name',
  'package_description',
  'sender_email',
] as const;
const formFieldVisibilities = ['required', 'optional', 'readonly', 'hidden'] as const;

export const FormField = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameLength,
      description: 'Unique in its form, not shown to users: the key in responses. `id` is taken.',
      examples: ['camera'],
    }),
    label: Type.String({ maxLength: limits.nameLength, examples: ['Camera'] }),
    type: Literals(formFieldTypes, { examples: ['dropdown'] }),
    visibility: Literals(formFieldVisibilities),
    help: Type.Optional(
      Type.String({ maxLength: limits.nameLength, description: 'Shown with the field.', examples: ['As written on the slate.'] }),
    ),
    default_value: Type.Optional(Type.String({ maxLength: limits.textLength, examples: ['A'] })),
    position: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Render order, ascending.' }),
    options: Type.Optional(
      Type.Array(Type.String({ maxLength: limits.nameLength }), {
        maxItems: limits.formOptions,
        description: 'Of `checkbox`, `radio` and `dropdown`.',
        examples: [['A', 'B']],
      }),
    ),
  },
  { title: 'FormField' },
);
export type FormField = Static<typeof FormField>;

const DeliveryFormats = Type.Array(Literals(deliveryFormats), { minItems: 1, maxItems: deliveryFormats.length, uniqueItems: true });
const Fields = Type.Array(FormField, {
  maxItems: limits.formFields,
  description: 'At most one each of `package_name`, `package_description` and `sender_email`.',
});

const formFacts = {
  name: { ...Name, examples: ['Camera report'] },
  delivery_formats: DeliveryFormats,
  disabled: Type.Boolean(),
  fields: Type.Array(FormField),
};
const times = { created_at: DateTime, updated_at: DateTime };

export const Form = Type.Object({ id: Id, portal_id: Id, ...formFacts, form_template_id: Type.Optional(Id), ...times }, { title: 'Form' });
export type Form = Static<typeof Form>;

export const FormTemplate = Type.Object({ id: Id, team_id: Id, ...formFacts, ...times }, { title: 'FormTemplate' });
export type FormTemplate = Static<typeof FormTemplate>;

const CreateForm = Type.Object({
  name: Name,
  delivery_formats: DeliveryFormats,
  form_template_id: Type.Optional(Id),
  disabled: Type.Optional(Type.Boolean()),
  fields: Type.Optional(Fields),
});

/** An update sends the whole form. */
const UpdateForm = Type.Object({
  name: Name,
  delivery_formats: DeliveryFormats,
  disabled: Type.Boolean(),
  fields: Fields,
  expected_updated_at: ExpectedUpdatedAt,
});

/** Created without it; a field that is missing in an update stays unchanged. */
const UpdateFormTemplate = Type.Object({ ...UpdateForm.properties, disabled: Type.Optional(Type.Boolean()) });

const FormText = Type.String({ maxLength: limits.textLength });
export const FormValue = Type.Object({
  value: Type.Union([FormText, Type.Number(), Type.Boolean(), Type.Array(FormText, { maxItems: limits.formOptions })], {
    description: 'A list for a `checkbox` with several options.',
    examples: ['A'],
  }),
});
export type FormValue = Static<typeof FormValue>;

/** A value as it is read with its package. */
const ShownValue = Type.Object({
  ...FormValue.properties,
  label: Type.Optional(
    Type.String({ description: "The field's label when the form was answered, where it had one.", examples: ['Camera'] }),
  ),
});
export type ShownValue = Static<typeof ShownValue>;

export const FormValues = Type.Record(Type.String(), FormValue, {
  propertyNames: names(limits.nameLength),
  maxProperties: limits.formFields,
  description: 'From field name to value.',
  examples: [{ camera: { value: 'A' }, notes: { value: 'Card 2 has the slate.' } }],
});
export type FormValues = Static<typeof FormValues>;

/** The values by field name, and the response's own `id`. */
export type FormResponse = { readonly id: string } & { readonly [field: string]: ShownValue | string };
export const FormResponse = Type.Unsafe<FormResponse>({
  title: 'FormResponse',
  type: 'object',
  required: ['id'],
  properties: { id: { ...Id, description: 'Goes into `form_data_id` of a Portal package.' } },
  additionalProperties: ShownValue,
  description: 'The values by field name, beside the id.',
  examples: [{ id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', camera: { value: 'A' }, notes: { value: 'Card 2 has the slate.' } }],
});

const PortalParams = Type.Object({ portal_id: Id });
const FormParams = Type.Object({ form_id: Id });
const TemplateParams = Type.Object({ form_template_id: Id });
const common = { tag: 'Forms', credentials: teamCredentials } as const;
const exampleForm = {
  name: 'Camera report',
  delivery_formats: ['json', 'email_body'],
  disabled: false,
  fields: [{ name: 'camera', label: 'Camera', type: 'dropdown', visibility: 'required', position: 1, options: ['A', 'B'] }],
};

export const formRoutes = defineRoutes({
  createForm: {
    ...common,
    method: 'POST',
    path: '/v1/portals/{portal_id}/form',
    summary: 'Makes the form that senders of a Portal fill in, from a template where one is given.',
    params: PortalParams,
    body: CreateForm,
    reply: { status: 201, body: Form },
    errors: [...teamErrors, 'already_exists'],
    example: exampleForm,
  },
  getForm: {
    ...common,
    method: 'GET',
    path: '/v1/portals/{portal_id}/form',
    summary: "Reads a Portal's form.",
    params: PortalParams,
    reply: { status: 200, body: Form },
    errors: teamErrors,
  },
  updateForm: {
    ...common,
    method: 'PUT',
    path: '/v1/metadata/forms/{form_id}',
    summary: 'Replaces a form. Send it whole.',
    params: FormParams,
    body: UpdateForm,
    reply: { status: 200, body: Form },
    errors: [...teamErrors, 'state_conflict'],
    example: exampleForm,
  },
  deleteForm: {
    ...common,
    method: 'DELETE',
    path: '/v1/metadata/forms/{form_id}',
    summary: 'Deletes a form. Responses that came with packages stay.',
    params: FormParams,
    reply: { status: 204 },
    errors: teamErrors,
  },
  createFormResponse: {
    method: 'POST',
    path: '/v1/portals/{portal_id}/form/responses',
    summary:
      "Answers a Portal's form. Its id goes into `form_data_id` of the package. A Portal without an access code takes any value in X-Access-Code.",
    tag: 'Forms',
    credentials: [...teamCredentials, 'access_code'],
    params: PortalParams,
    body: FormValues,
    reply: { status: 201, body: FormResponse },
    errors: [
      'not_found',
      'not_allowed',
      'key_suspended',
      'team_inactive',
      'access_code_wrong',
      'portal_closed',
      'form_response_incomplete',
    ],
    example: { camera: { value: 'A' } },
  },
  createFormTemplate: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/forms/templates',
    summary: 'Makes a template that forms can start from. Its fields are set by updating it.',
    params: TeamParams,
    body: Type.Object({ name: Name, delivery_formats: DeliveryFormats }),
    reply: { status: 201, body: FormTemplate },
    errors: teamErrors,
    example: { name: 'Camera report', delivery_formats: ['json'] },
  },
  listFormTemplates: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/forms/templates',
    summary: 'Lists the form templates of a Team.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(FormTemplate) },
    errors: teamErrors,
  },
  getFormTemplate: {
    ...common,
    method: 'GET',
    path: '/v1/metadata/forms/templates/{form_template_id}',
    summary: 'Reads a form template.',
    params: TemplateParams,
    reply: { status: 200, body: FormTemplate },
    errors: teamErrors,
  },
  updateFormTemplate: {
    ...common,
    method: 'PUT',
    path: '/v1/metadata/forms/templates/{form_template_id}',
    summary: 'Replaces a form template; without `disabled` that stays as it is. Forms made from it stay as they are.',
    params: TemplateParams,
    body: UpdateFormTemplate,
    reply: { status: 200, body: FormTemplate },
    errors: [...teamErrors, 'state_conflict'],
    example: exampleForm,
  },
  deleteFormTemplate: {
    ...common,
    method: 'DELETE',
    path: '/v1/metadata/forms/templates/{form_template_id}',
    summary: 'Deletes a form template. Forms made from it stay.',
    params: TemplateParams,
    reply: { status: 204 },
    errors: teamErrors,
  },
});
