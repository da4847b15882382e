import type { Generated, JSONColumnType } from 'kysely';
import type { deliveryFormats, FormField, FormValues } from '#protocol/hosted/forms.ts';
import type { portalAccessLevels, TermsOfService } from '#protocol/hosted/portals.ts';
import type { Bigint, BigintOrZero } from './packages.ts';

type DeliveryFormat = (typeof deliveryFormats)[number];

/** A form as it was when it was answered. */
export interface AnsweredForm {
  readonly name: string;
  readonly delivery_formats: readonly DeliveryFormat[];
  readonly fields: readonly FormField[];
}

/** Tables of migration 0004: Portals, their attachments, their forms. */
export interface PortalTables {
  portals: {
    id: string;
    team_id: string;
    created_by: string | null;
    name: string;
    subdomain: string;
    message: string;
    has_access_code: boolean;
    /** Stored readable, because its Team can read it. */
    access_code: string;
    active: boolean;
    recipients: string[];
    cc_recipients: string[];
    has_download_password: boolean;
    /** For the links to its packages. */
    download_password_hash: string | null;
    /** Null: the Team's setting. -1: for ever. */
    custom_expiry_days: number | null;
    access_level: (typeof portalAccessLevels)[number];
    teamspace_id: string | null;
    tag_id: string | null;
    terms_of_service_enabled: boolean;
    terms_of_service: JSONColumnType<TermsOfService>;
    package_size_restriction_enabled: boolean;
    /** Bytes; 0: no limit. */
    max_package_size: Bigint;
    max_file_size: Bigint;
    max_file_count: Bigint;
    /** Of migration 0052. Bytes of all its files; 0: no limit. Counted in `quotas`. */
    max_storage: BigintOrZero;
    file_type_restriction_enabled: boolean;
    file_types: string[];
    expiry_enabled: boolean;
    expiry: Date | null;
    primary_color: string;
    logo_url: string;
    background_url: string;
    /** The uploaded image whose address `logo_url` is. */
    logo_image_id: Generated<string | null>;
    background_image_id: Generated<string | null>;
    /** Empty: any name (protocol/name-pattern.ts). */
    name_pattern: Generated<string>;
    name_pattern_label: Generated<string>;
    name_pattern_example: Generated<string>;
    created_at: Date;
    updated_at: Date;
  };
  /** Mails that ask people for files. Kept for as long as mails are counted. */
  portal_requests: {
    id: string;
    team_id: string;
    portal_id: string | null;
    asked_by: string | null;
    message: string;
    created_at: Date;
  };
  /** The users who can see the packages of a private Portal. */
  portal_access: { portal_id: string; user_id: string };
  portal_connections: {
    portal_id: string;
    connection_id: string;
    position: number;
    target_action: 'transfer';
    filter_id: string | null;
  };
  portal_webhooks: { portal_id: string; webhook_id: string; position: number };
  /** Totals of a package whose Portal limits them; no row until the first file is counted (portals/package-totals.ts). */
  portal_sums: { package_id: string; files: Bigint; bytes: Bigint };
  form_templates: {
    id: string;
    team_id: string;
    name: string;
    delivery_formats: DeliveryFormat[];
    disabled: Generated<boolean>;
    fields: JSONColumnType<readonly FormField[], string | undefined, string>;
    created_at: Date;
    updated_at: Date;
  };
  forms: {
    id: string;
    portal_id: string;
    form_template_id: string | null;
    name: string;
    delivery_formats: DeliveryFormat[];
    disabled: Generated<boolean>;
    fields: JSONColumnType<readonly FormField[], string | undefined, string>;
    created_at: Date;
    updated_at: Date;
  };
  form_responses: {
    id: string;
    portal_id: string | null;
    form_id: string | null;
    form: JSONColumnType<AnsweredForm>;
    answers: JSONColumnType<FormValues>;
    created_at: Date;
  };
  /** The files that deliver a response. If a sender has replaced one, no file has that id. */
  form_deliverables: {
    response_id: string;
    format: Exclude<DeliveryFormat, 'email_body'>;
    file_id: string;
  };
}
